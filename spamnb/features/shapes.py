"""What a message looks like: capitals, digits, money, phone numbers, links, punctuation, length, as tokens.

Each property is counted per message and its bucket is one token, "none" included (`shape:caps=0`): that a
message has no digit at all is as telling as that it has twenty. On folds of the training part of SMS Spam
Collection (words, bigrams, multinomial) shapes raised recall at 0.1% false positives from 83 to 95%;
leaving the zero buckets out cost 1.6 points, cumulative buckets (caps>=2) another 3.

Everything is decided on bytes, so tests/reference/shapes.py can say the same in a few regular expressions.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from spamnb.features.hashing import KeyArray, token_keys
from spamnb.features.words import rows_of
from spamnb.message import IntArray, Texts
from spamnb.sparse import SHAPE, Speller, Stream
from spamnb.spellings import Spellings

EDGES: dict[str, tuple[int, ...]] = {
    "url": (1,),
    "email": (1,),
    "money": (1, 2),
    "phone": (1, 2),
    "caps": (1, 2, 3, 5),
    "exclaim": (1, 2, 3),
    "question": (1, 2),
    "emoji": (1, 3),
    "digits": (1, 3, 6, 11, 16, 21),
    "length": (*range(20, 160, 20), *(160 << n for n in range(12))),
}
DOMAINS = tuple(b"com net org info biz mobi xyz uk eu ru cn de co io tv ly gl".split())
CURRENCY = (b"$", "£".encode(), "€".encode(), "¥".encode(), "₹".encode())
EMOJI = (b"\xf0\x9f", *(bytes((0xE2, b)) for b in range(0x98, 0x9F)))  # U+1F000.. and U+2600..U+27BF
PHONE_DIGITS = 9
LONGEST_NUMBER = 12

Mask = NDArray[np.bool_]

_UPPER, _LOWER, _DIGIT, _GAP, _MARK, _FOREIGN = 1, 2, 4, 8, 16, 32
_CLASS = bytes(
    _UPPER * (65 <= b <= 90)
    + _LOWER * (97 <= b <= 122 or b == 95)
    + _DIGIT * (48 <= b <= 57)
    + _GAP * (b in b" ().+-")
    + _MARK * (b in b".!?@$:" or b >= 128)
    + _FOREIGN * (b >= 128)
    for b in range(256)
)
_WORD = _UPPER | _LOWER | _DIGIT | _FOREIGN
_CASE = np.uint64(0x2020202020202020)  # lower-cases eight ASCII letters


def bucket_names(name: str) -> list[str]:
    """The tokens of one property, in the order of their buckets.

    >>> bucket_names("caps")
    ['shape:caps=0', 'shape:caps=1', 'shape:caps=2', 'shape:caps=3-4', 'shape:caps=5+']
    """
    bounds = (0, *EDGES[name])
    spans = [f"{a}" if b == a + 1 else f"{a}-{b - 1}" for a, b in pairwise(bounds)]
    return [f"shape:{name}={span}" for span in (*spans, f"{bounds[-1]}+")]


NUMBER_NAMES = [f"shape:number={n}" for n in range(3, LONGEST_NUMBER)] + [f"shape:number={LONGEST_NUMBER}+"]
_BUCKETS = {name: bucket_names(name) for name in EDGES}
UNDONE = ("zero-width", "fancy", "mixed-script", "spaced", "leet")  # what disguised a word
_NAMES = [name for names in _BUCKETS.values() for name in names] + NUMBER_NAMES
_NAMES += [f"shape:{name}" for name in UNDONE]
_KEYS: KeyArray = token_keys("shape:", [name.removeprefix("shape:") for name in _NAMES])
_FIRST = dict(zip(EDGES, np.cumsum([0, *(len(b) for b in _BUCKETS.values())]).tolist(), strict=False))
_TABLES = {
    name: _FIRST[name] + np.searchsorted(edges, np.arange(edges[-1] + 1), side="right")
    for name, edges in EDGES.items()
    if name != "length"
}
_FIRST["number"] = len(_NAMES) - len(NUMBER_NAMES) - len(UNDONE)


def shape_stream(texts: Texts, finder: Finder | None = None) -> Stream:
    """The shape tokens of every message: one for each property, one for each number of 3 or more digits.

    An empty message has none.
    """
    found = finder or Finder(texts)
    counts = found.counts()
    some = np.flatnonzero(counts["length"])
    rows = [some] * len(EDGES)
    names = [_bucket(n, counts[n][some]) for n in EDGES]
    number_rows, sizes = found.numbers()
    rows.append(number_rows)
    names.append(_FIRST["number"] + np.minimum(sizes, LONGEST_NUMBER) - 3)
    which = np.concatenate(names)
    return Stream(SHAPE, np.concatenate(rows), _KEYS[which], _speller(which))


def _bucket(name: str, counts: IntArray) -> IntArray:
    """The token of each count; a table for small numbers is 4x faster than searching the edges."""
    if name == "length":
        return _FIRST[name] + np.searchsorted(EDGES[name], counts, side="right")
    return _TABLES[name][np.minimum(counts, EDGES[name][-1])]


def noted_stream(noted: list[tuple[int, str]]) -> Stream:
    """What had to be undone in which message, each once: `shape:leet`."""
    found = sorted(set(noted))
    which = np.array([len(_NAMES) - len(UNDONE) + UNDONE.index(name) for _, name in found])
    return Stream(SHAPE, np.array([row for row, _ in found]), _KEYS[which], _speller(which))


def _speller(which: IntArray) -> Speller:
    return lambda where: Spellings.of(_NAMES[i].encode() for i in which[where].tolist())


class Finder:
    """Where in the joined texts the properties are; positions become counts by message at the end.

    One pass picks out the few bytes that matter (`marks`), every search then runs over those alone: 4x
    faster than one bytes.find for each of the signs.
    """

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        padded = texts.data + bytes(16)
        self.raw = np.frombuffer(padded, np.uint8)
        self.eight = np.ndarray((len(padded) - 8,), np.dtype("<u8"), padded, strides=(1,))
        self.kind = np.frombuffer(padded.translate(_CLASS), np.uint8)
        self.digit = np.flatnonzero((self.kind & _DIGIT) != 0)  # of truth values: 3x faster than of numbers
        self.marks = np.flatnonzero((self.kind & _MARK) != 0)
        self.mark = self.raw[self.marks]

    def counts(self) -> dict[str, IntArray]:
        hits = {
            "url": np.sort(np.concatenate((self._all(b"://"), self._domains()))),
            "email": self._email(),
            "money": self._money(),
            "phone": self._phones(),
            "caps": self._caps(),
            "exclaim": self._all(b"!"),
            "question": self._all(b"?"),
            "emoji": np.sort(np.concatenate([self._all(lead) for lead in EMOJI])),
            "digits": self.digit,
        }
        counts = {name: self._per_message(where) for name, where in hits.items()}
        counts["length"] = self.texts.ends - self.texts.starts
        return counts

    @property
    def in_word(self) -> Mask:
        """Is each byte part of a word?"""
        return np.asarray(self.kind & _WORD > 0)

    @cached_property
    def digit_runs(self) -> tuple[IntArray, IntArray]:
        """First position and size of every run of digits."""
        return _runs(self.digit, np.diff(self.digit) == 1)

    def numbers(self) -> tuple[IntArray, IntArray]:
        """Message and size of every run of 3 or more digits."""
        first, sizes = self.digit_runs
        keep = sizes >= 3
        return rows_of(self.texts, first[keep]), sizes[keep]

    def _per_message(self, hits: IntArray) -> IntArray:
        starts = self.texts.starts
        if len(hits) < len(starts):  # search the fewer in the more
            rows = np.searchsorted(starts, hits, side="right") - 1
            return np.bincount(rows[rows >= 0], minlength=len(starts))
        return np.diff(np.searchsorted(hits, starts), append=len(hits))

    def _all(self, needle: bytes) -> IntArray:
        """Every place of a byte string whose first byte is a mark."""
        at: IntArray = self.marks[self.mark == needle[0]]
        for i, byte in enumerate(needle[1:], 1):
            at = at[self.raw[at + i] == byte]
        return at

    def _word(self, at: IntArray) -> Mask:
        """Is the byte a letter, a digit, an underscore or not ASCII?"""
        return np.asarray(self.kind[at] & _WORD > 0)

    def _domains(self) -> IntArray:
        """A dot between a word character and a top-level domain that ends there: `.com`."""
        dots = self._all(b".")
        dots = dots[dots > 0]
        dots = dots[self._word(dots - 1) & self._word(dots + 1)]
        after = self.eight[dots + 1] | _CASE
        hit = np.zeros(len(dots), bool)
        for size in {len(domain) for domain in DOMAINS}:
            names = after & np.uint64((1 << 8 * size) - 1)
            known = [names == int.from_bytes(d, "little") for d in DOMAINS if len(d) == size]
            hit |= np.logical_or.reduce(known) & ~self._word(dots + 1 + size)
        return np.asarray(dots[hit])

    def _email(self) -> IntArray:
        at = self._all(b"@")
        at = at[at > 0]
        return at[self._word(at - 1) & self._word(at + 1)]

    def _money(self) -> IntArray:
        """A currency sign that touches a digit on either side."""
        found = []
        for sign in CURRENCY:
            at = self._all(sign)
            before = (at > 0) & (self.kind[np.maximum(at - 1, 0)] & _DIGIT > 0)
            found.append(at[before | (self.kind[at + len(sign)] & _DIGIT > 0)])
        return np.sort(np.concatenate(found))

    def _phones(self) -> IntArray:
        """Nine or more digits with at most one space, dot, dash, plus or bracket between neighbours."""
        gap = np.diff(self.digit)
        linked = (gap == 1) | ((gap == 2) & (self.kind[self.digit[:-1] + 1] & _GAP > 0))
        first, sizes = _runs(self.digit, linked)
        return first[sizes >= PHONE_DIGITS]

    def _caps(self) -> IntArray:
        """Two or more capitals in a row that touch no other ASCII word character."""
        upper = self.kind & _UPPER
        pair = np.zeros(len(upper), np.uint8)
        np.logical_and(upper[:-1], upper[1:], out=pair[1:].view(bool))
        edges = np.flatnonzero(pair[1:] != pair[:-1])  # where runs of two or more begin and end
        first, last = edges[0::2], edges[1::2]
        other = _LOWER | _DIGIT
        left = (first > 0) & (self.kind[np.maximum(first - 1, 0)] & other > 0)
        right = self.kind[last + 1] & other > 0
        return np.asarray(first[~left & ~right])


def _runs(positions: IntArray, linked: Mask) -> tuple[IntArray, IntArray]:
    """First position and size of each run, where `linked[i]` ties position i to position i + 1."""
    if not len(positions):
        return positions, positions
    begin = np.flatnonzero(np.concatenate(([True], ~linked)))
    return positions[begin], np.diff(begin, append=len(positions))
