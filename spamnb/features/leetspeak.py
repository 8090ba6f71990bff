"""Adds the words that fr33, c@sh and freeee may stand for: leetspeak and repeated letters.

They are ambiguous (in SMS b4 and sooo are words of their own), so nothing is replaced. The searches run over
the whole batch; Python looks only at the few words that they find, and caches their variants.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from spamnb.core import BoundedCache, IntArray, StringArray, distinct_values
from spamnb.features.batch import Stream
from spamnb.features.shapes import ByteArray, Mask, ShapeScanner
from spamnb.features.token_keys import word_key
from spamnb.features.words import Words

LONGEST = 24  # bytes of a word that may be obfuscated, and on either side of a sign


class Variant(NamedTuple):
    """A word that an obfuscated word may stand for."""

    key: int
    word: bytes
    leet: bool


RowVariant = tuple[int, Variant]  # with its message

# --- one word ----------------------------------------------------------------------------------------

_ONE_IS_I = bytes.maketrans(b"013457@$", b"oieastas")
_ONE_IS_L = bytes.maketrans(b"013457@$", b"oleastas")

# Letters, and digits and signs that look like letters; never three digits in a row (a code, a price, a year);
# at least one follows a letter, unlike in 3mins or 4get.
_LEET = re.compile(rb"(?!.*[0-9]{3})(?=.*(?:[a-z][013457]|[@$]))[a-z013457@$]+")
_NOT_LETTERS = re.compile(rb"[^a-z]")
_REPEATED = re.compile(rb"([a-vyz])\1{2,}")  # www and xxx are words


def leet(word: bytes) -> tuple[bytes, ...]:
    """Returns the words that may be written with these digits and signs; 1 is i or l.

    >>> leet(b"fr33"), leet(b"ca1l"), leet(b"b4"), leet(b"3mins"), leet(b"150p")
    ((b'free',), (b'cail', b'call'), (), (), ())
    """
    others = len(_NOT_LETTERS.findall(word))
    if len(word) - others < max(2, others) or not _LEET.fullmatch(word):
        return ()
    return tuple(dict.fromkeys((word.translate(_ONE_IS_I), word.translate(_ONE_IS_L))))


def collapse_repeats(word: bytes) -> tuple[bytes, ...]:
    """Reduces repeated letters to one, and to two; not in a word of a single letter (mmm).

    >>> collapse_repeats(b"freeee"), collapse_repeats(b"www"), collapse_repeats(b"free")
    ((b'fre', b'free'), (), ())
    """
    if len(set(word)) == 1 or not _REPEATED.search(word):
        return ()
    return _REPEATED.sub(rb"\1", word), _REPEATED.sub(rb"\1\1", word)


def _variants(word: bytes) -> tuple[Variant, ...]:
    if len(word) > LONGEST:
        return ()
    words = [(new, True) for new in leet(word)] + [(new, False) for new in collapse_repeats(word)]
    return tuple(Variant(word_key(new), new, is_leet) for new, is_leet in words)


# --- a batch -----------------------------------------------------------------------------------------

_BEFORE = re.compile(rb"[a-z0-9@$]*\Z")  # `$` would match before a line end too
_AFTER = re.compile(rb"[a-z0-9@$]*")


def _byte_mask(chosen: bytes) -> Mask:
    mask = np.zeros(256, bool)
    mask[list(chosen)] = True
    return mask


_LETTER = _byte_mask(b"abcdefghijklmnopqrstuvwxyz")
_LEET_DIGIT = _byte_mask(b"013457")
_REPEATABLE = _byte_mask(b"abcdefghijklmnopqrstuvyz")  # as in _REPEATED

_CACHE_LIMIT = 1 << 15  # words, of LONGEST bytes at most: 20 MB if each has variants
_by_key: dict[int, tuple[Variant, ...]] = {}  # a dict of keys: a word seen before need not be cut out
_by_word = BoundedCache(_variants)


def leetspeak_variants(words: Words, scanner: ShapeScanner) -> list[RowVariant]:
    """Returns the words that obfuscated words may stand for."""
    raw = np.frombuffer(words.data, np.uint8)
    at = np.sort(np.concatenate((_leet_digits(raw, *scanner.digit_runs), _triple_letters(raw))))
    which = distinct_values(np.searchsorted(words.starts, at, side="right") - 1)
    rows, keys = words.rows[which].tolist(), words.keys[which].tolist()
    variants = []
    for i, row, key in zip(which.tolist(), rows, keys, strict=True):
        new = _by_key.get(key)
        if new is None:
            new = _variants(words.data[words.starts[i] : words.ends[i]])
            _remember(key, new)
        variants += [(row, variant) for variant in new]
    return variants + [
        (row, new) for row, word in _words_with_signs(words, raw, scanner) for new in _by_word[word]
    ]


def _remember(key: int, variants: tuple[Variant, ...]) -> None:
    if len(_by_key) >= _CACHE_LIMIT:
        _by_key.clear()
    _by_key[key] = variants


def variant_stream(variants: list[RowVariant]) -> Stream:
    """Returns the variants as a stream of single words."""
    rows = np.array([row for row, _ in variants])
    keys = np.array([new.key for _, new in variants], np.uint64)
    return Stream(1, rows, keys, lambda where: StringArray.of(variants[i][1].word for i in where.tolist()))


def _leet_digits(raw: ByteArray, at: IntArray, sizes: IntArray) -> IntArray:
    """Runs of one or two digits that look like letters, behind a letter."""
    at = at[(sizes < 3) & _LETTER[raw[np.maximum(at - 1, 0)]]]
    return at[_LEET_DIGIT[raw[at]]]


def _triple_letters(raw: ByteArray) -> IntArray:
    """Finds where the same letter occurs three times in a row."""
    same = raw[1:] == raw[:-1]
    triple = same[1:] & same[:-1]
    triple &= raw[2:] > 96  # neither dots nor spaces nor digits, which are many
    at = triple.nonzero()[0]
    return np.asarray(at[_REPEATABLE[raw[at]]])


def _words_with_signs(words: Words, raw: ByteArray, scanner: ShapeScanner) -> list[tuple[int, bytes]]:
    """Finds c@sh and $ave: the span around a sign between letters, or around a dollar before one."""
    at = np.sort(np.concatenate((scanner.places(b"$"), scanner.places(b"@"))))
    if not len(at):
        return []
    at = at[at < len(raw) - 1]
    at = at[raw[at] < 65]  # not where spaced letters were joined over it
    at = at[_LETTER[raw[at + 1]] & (_LETTER[raw[np.maximum(at - 1, 0)]] | (raw[at] == 36))]
    rows = words.rows[np.searchsorted(words.starts, at)].tolist()
    spans = {_span(words.data, p): row for row, p in zip(rows, at.tolist(), strict=True)}
    return [(row, words.data[start:end]) for (start, end), row in spans.items() if start < end]


def _span(data: bytes, at: int) -> tuple[int, int]:
    """Finds start and end of the letters, digits and signs around a sign; empty for an address."""
    before = _BEFORE.search(data[max(0, at - LONGEST - 1) : at])
    after = _AFTER.match(data, at, at + LONGEST + 1)
    assert before is not None
    assert after is not None
    start, end = at - len(before[0]), after.end()
    address = b"@" in data[start:end] and b"." in (data[end : end + 1], data[max(0, start - 1) : start])
    return (start, start) if address else (start, end)
