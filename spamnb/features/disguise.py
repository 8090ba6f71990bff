"""Words in disguise: what fr33, c@sh and freeee may stand for, as additional words beside them.

They are ambiguous (in SMS b4 and sooo are words of their own), so nothing is replaced. The searches run over the
whole batch; Python looks only at the few words that they find, and remembers what it made of them.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from spamnb.features.hashing import span_keys
from spamnb.features.shapes import Finder
from spamnb.features.variants import held, leet
from spamnb.features.words import Words
from spamnb.message import IntArray
from spamnb.sparse import Stream, distinct
from spamnb.spellings import Spellings

LONGEST = 24  # bytes of a word that may be a disguise, and on either side of a sign
Extra = list[tuple[int, bytes]]  # message, what a word may stand for
ByteArray = NDArray[np.uint8]
Mask = NDArray[np.bool_]

_MEMO_LIMIT = 1 << 16
_BEFORE = re.compile(rb"[a-z0-9!@$]*$")
_GLUED = re.compile(rb"[a-z]{3}![a-z]{3}")  # now!call: a sentence ends
_AFTER = re.compile(rb"[a-z0-9!@$]*")


def _flags(chosen: bytes) -> Mask:
    flags = np.zeros(256, bool)
    flags[list(chosen)] = True
    return flags


_LETTER = _flags(b"abcdefghijklmnopqrstuvwxyz")
_DIGIT = _flags(b"013457")
_HELD = _flags(b"abcdefghijklmnopqrstuvyz")  # www and xxx are words
_SIGN = _flags(b"!@$")


class _Variants(dict[bytes, tuple[tuple[bytes, ...], tuple[bytes, ...]]]):
    """Word -> what it may stand for as leet, and as held long; the memory is bounded."""

    def __missing__(self, word: bytes) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
        if len(self) >= _MEMO_LIMIT:
            self.clear()
        self[word] = (leet(word), held(word)) if len(word) <= LONGEST else ((), ())
        return self[word]


_variants = _Variants()


def disguises(words: Words, signs: Finder) -> tuple[Extra, list[int]]:
    """What disguised words may stand for, and the messages of those that are leet."""
    raw = np.frombuffer(words.data, np.uint8)
    at = np.concatenate((_digits(raw, *signs.digit_runs), _thrice(raw)))
    which = distinct(np.searchsorted(words.starts, at, side="right") - 1)
    starts, ends = words.starts[which].tolist(), words.ends[which].tolist()
    extra, rows, data = [], [], words.data
    for row, start, end in zip(words.rows[which].tolist(), starts, ends, strict=True):
        as_leet, as_held = _variants[data[start:end]]
        if as_leet:
            rows.append(row)
        extra += [(row, word) for word in as_leet + as_held]
    for row, region in _with_signs(words, raw, signs):
        found = _variants[region][0]
        if found:
            rows.append(row)
        extra += [(row, word) for word in found]
    return extra, rows


def words_stream(extra: Extra) -> Stream:
    """These words as a stream of single words."""
    listed = [word for _, word in extra]
    sizes = np.array([len(word) for word in listed])
    keys = span_keys(b"".join(listed), np.cumsum(sizes) - sizes, sizes)
    rows = np.array([row for row, _ in extra])
    return Stream(1, rows, keys, lambda where: Spellings.of(listed[i] for i in where.tolist()))


def _digits(raw: ByteArray, at: IntArray, sizes: IntArray) -> IntArray:
    """Runs of one or two digits that look like letters, behind a letter."""
    at = at[sizes < 3]
    at = at[_DIGIT[raw[at]]]
    return at[_LETTER[raw[np.maximum(at - 1, 0)]]]


def _thrice(raw: ByteArray) -> IntArray:
    """Where the same letter stands three times."""
    same = raw[1:] == raw[:-1]
    thrice = same[1:] & same[:-1]
    thrice &= raw[2:] > 96  # neither dots nor spaces nor digits, which are many
    at = np.flatnonzero(thrice)
    return at[_HELD[raw[at]]]


def _with_signs(words: Words, raw: ByteArray, signs: Finder) -> Extra:
    """c@sh, $ave, w!n: the letters, digits and signs around a sign between letters, or a dollar before one."""
    at = signs.marks[_SIGN[signs.mark]]
    at = at[at < len(raw) - 1]
    at = at[_LETTER[raw[at + 1]]]
    at = at[_LETTER[raw[np.maximum(at - 1, 0)]] | (raw[at] == 36)]
    at = at[(raw[at] != 33) | ~_LETTER[raw[np.clip(at - 3, 0, None)]] | ~_LETTER[raw[np.minimum(at + 3, len(raw) - 1)]]]
    rows = words.rows[np.searchsorted(words.starts, at)].tolist()
    regions = {_region(words.data, p): row for row, p in zip(rows, at.tolist(), strict=True)}
    return [(row, words.data[start:end]) for (start, end), row in regions.items() if start < end]


def _region(data: bytes, at: int) -> tuple[int, int]:
    """The letters, digits and signs around a sign: none of an address, and none where ! ends a sentence."""
    if data[at] == 33 and _GLUED.match(data, max(0, at - 3)):
        return at, at
    before = _BEFORE.search(data[max(0, at - LONGEST) : at])
    after = _AFTER.match(data, at, at + LONGEST)
    assert before is not None and after is not None
    start, end = at - len(before[0]), after.end()
    address = b"@" in data[start:end] and b"." in (data[end : end + 1], data[max(0, start - 1) : start])
    return (start, start) if address else (start, end)
