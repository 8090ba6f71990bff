"""Words in disguise: what fr33, c@sh and freeee may stand for, as additional words beside them.

They are ambiguous (in SMS b4 and sooo are words of their own), so nothing is replaced. The searches run over
the whole batch; Python looks only at the few words that they find, and remembers what it made of them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spamnb.core import IntArray, StringArray, distinct_values
from spamnb.features.batch import Stream
from spamnb.features.shapes import ShapeScanner
from spamnb.features.token_keys import word_key
from spamnb.features.words import Words

LONGEST = 24  # bytes of a word that may be a disguise, and on either side of a sign
ByteArray = NDArray[np.uint8]
Mask = NDArray[np.bool_]

_MEMO_LIMIT = 1 << 16
_BEFORE = re.compile(rb"[a-z0-9@$]*\Z")  # `$` would match before a line end too
_AFTER = re.compile(rb"[a-z0-9@$]*")


def _flags(chosen: bytes) -> Mask:
    flags = np.zeros(256, bool)
    flags[list(chosen)] = True
    return flags


_LETTER = _flags(b"abcdefghijklmnopqrstuvwxyz")
_DIGIT = _flags(b"013457")
_HELD = _flags(b"abcdefghijklmnopqrstuvyz")  # www and xxx are words


class Variant(NamedTuple):
    """What a word may stand for."""

    key: int
    word: bytes
    leet: bool


Extra = list[tuple[int, Variant]]  # with the message


def _variants(word: bytes) -> tuple[Variant, ...]:
    if len(word) > LONGEST:
        return ()
    found = [(new, True) for new in leet(word)] + [(new, False) for new in collapse_repeats(word)]
    return tuple(Variant(word_key(new), new, kind) for new, kind in found)


_by_key: dict[int, tuple[Variant, ...]] = {}  # what was made of words, by their keys
_by_word = lru_cache(1 << 14)(_variants)


def leetspeak_variants(words: Words, signs: ShapeScanner) -> Extra:
    """What disguised words may stand for."""
    raw = np.frombuffer(words.data, np.uint8)
    at = np.sort(np.concatenate((_digits(raw, *signs.digit_runs), _thrice(raw))))
    which = distinct_values(np.searchsorted(words.starts, at, side="right") - 1)
    rows, keys = words.rows[which].tolist(), words.keys[which].tolist()
    if len(_by_key) > _MEMO_LIMIT:
        _by_key.clear()
    for i, word in zip(which.tolist(), keys, strict=True):
        if word not in _by_key:
            _by_key[word] = _variants(words.data[words.starts[i] : words.ends[i]])
    extra = [(row, new) for row, word in zip(rows, keys, strict=True) for new in _by_key[word]]
    return extra + [(row, new) for row, word in _with_signs(words, raw, signs) for new in _by_word(word)]


def words_stream(extra: Extra) -> Stream:
    """These words as a stream of single words."""
    rows = np.array([row for row, _ in extra])
    keys = np.array([new.key for _, new in extra], np.uint64)
    return Stream(1, rows, keys, lambda where: StringArray.of(extra[i][1].word for i in where.tolist()))


def _digits(raw: ByteArray, at: IntArray, sizes: IntArray) -> IntArray:
    """Runs of one or two digits that look like letters, behind a letter."""
    at = at[(sizes < 3) & _LETTER[raw[np.maximum(at - 1, 0)]]]
    return at[_DIGIT[raw[at]]]


def _thrice(raw: ByteArray) -> IntArray:
    """Where the same letter stands three times."""
    same = raw[1:] == raw[:-1]
    thrice = same[1:] & same[:-1]
    thrice &= raw[2:] > 96  # neither dots nor spaces nor digits, which are many
    at = np.flatnonzero(thrice)
    return at[_HELD[raw[at]]]


def _with_signs(words: Words, raw: ByteArray, signs: ShapeScanner) -> list[tuple[int, bytes]]:
    """c@sh, $ave: the letters, digits and signs around a sign between letters, or a dollar before one."""
    at = np.sort(np.concatenate((signs.places(b"$"), signs.places(b"@"))))
    at = at[at < len(raw) - 1]
    at = at[raw[at] < 65]  # not where letters were joined over it
    at = at[_LETTER[raw[at + 1]] & (_LETTER[raw[np.maximum(at - 1, 0)]] | (raw[at] == 36))]
    rows = words.rows[np.searchsorted(words.starts, at)].tolist()
    regions = {_region(words.data, p): row for row, p in zip(rows, at.tolist(), strict=True)}
    return [(row, words.data[start:end]) for (start, end), row in regions.items() if start < end]


def _region(data: bytes, at: int) -> tuple[int, int]:
    """The letters, digits and signs around a sign; of an address none."""
    before = _BEFORE.search(data[max(0, at - LONGEST - 1) : at])
    after = _AFTER.match(data, at, at + LONGEST + 1)
    assert before is not None
    assert after is not None
    start, end = at - len(before[0]), after.end()
    address = b"@" in data[start:end] and b"." in (data[end : end + 1], data[max(0, start - 1) : start])
    return (start, start) if address else (start, end)


_I = bytes.maketrans(b"013457@$", b"oieastas")
_L = bytes.maketrans(b"013457@$", b"oleastas")

# Letters, and digits and signs that look like letters; never three digits in a row (a code, a price, a year);
# at least one stands behind a letter, as in no 3mins or 4get.
_LEET = re.compile(rb"(?!.*[0-9]{3})(?=.*(?:[a-z][013457]|[@$]))[a-z013457@$]+")
_SIGNS = re.compile(rb"[^a-z]")
_HELD_variants = re.compile(rb"([a-vyz])\1{2,}")  # www and xxx are words


def leet(word: bytes) -> tuple[bytes, ...]:
    """The words that may be written with these digits and signs; 1 is i or l.

    >>> leet(b"fr33"), leet(b"ca1l"), leet(b"b4"), leet(b"3mins"), leet(b"150p")
    ((b'free',), (b'cail', b'call'), (), (), ())
    """
    signs = len(_SIGNS.findall(word))
    if len(word) - signs < max(2, signs) or not _LEET.fullmatch(word):
        return ()
    return tuple(dict.fromkeys((word.translate(_I), word.translate(_L))))


def collapse_repeats(word: bytes) -> tuple[bytes, ...]:
    """The word with its long letters once, and twice; a word of one letter (mmm) is not held long.

    >>> collapse_repeats(b"freeee"), collapse_repeats(b"www"), collapse_repeats(b"free")
    ((b'fre', b'free'), (), ())
    """
    if len(set(word)) == 1 or not _HELD_variants.search(word):
        return ()
    return _HELD_variants.sub(rb"\1", word), _HELD_variants.sub(rb"\1\1", word)
