"""Sparse batches: which token occurs in which message, as flat arrays; and a table from keys to ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from spamnb.message import IntArray

KeyArray = NDArray[np.uint64]
_T = TypeVar("_T", bound=np.generic)
Speller = Callable[[IntArray], list[bytes]]

OTHER = 0  # the kind of a token that is no word n-gram (a shape, a pattern, characters); n-grams have kind n
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)


@dataclass(frozen=True, slots=True)
class Stream:
    """Tokens of one kind in reading order: token i is `keys[i]` in message `rows[i]`, spelled by `spell`."""

    kind: int
    rows: IntArray
    keys: KeyArray
    spell: Speller


@dataclass(frozen=True, slots=True)
class Batch:
    """The tokens of `size` messages. Repeats are kept: they are merged only once keys have become small ids.

    Sorting (row, id) packed into one 64-bit word costs 11 ns a token, sorting 64-bit keys with their rows
    (an argsort) 60: that is why a Batch is not deduplicated here but in `Entries.of`.
    """

    size: int
    streams: tuple[Stream, ...]

    @property
    def rows(self) -> IntArray:
        return _concat([s.rows for s in self.streams], np.dtype(np.int64))

    @property
    def keys(self) -> KeyArray:
        return _concat([s.keys for s in self.streams], np.dtype(np.uint64))

    @property
    def lengths(self) -> IntArray:
        """The number of tokens of each message, known to a model or not."""
        return np.bincount(self.rows, minlength=self.size)

    @property
    def words(self) -> IntArray:
        """The number of words of each message (n in the formulas)."""
        rows = [s.rows for s in self.streams if s.kind == 1]
        return np.bincount(_concat(rows, np.dtype(np.int64)), minlength=self.size)


@dataclass(frozen=True, slots=True)
class Entries:
    """A batch after lookup, in canonical order: token `ids[i]` occurs `counts[i]` times in message `rows[i]`.

    >>> e = Entries.of(np.array([0, 0, 1, 0]), np.array([7, 3, 7, 7]), 2)
    >>> e.rows.tolist(), e.ids.tolist(), e.counts.tolist()
    ([0, 0, 1], [3, 7, 7], [1, 2, 1])
    """

    size: int
    rows: IntArray
    ids: IntArray
    counts: IntArray

    @classmethod
    def of(cls, rows: IntArray, ids: IntArray, size: int) -> Entries:
        """Merge repeats of (row, id); ids below 0 (unknown tokens) are dropped."""
        if len(ids) and ids.min() < 0:
            known = ids >= 0
            rows, ids = rows[known], ids[known]
        codes = rows.view(np.uint64) << _32
        codes |= ids.view(np.uint64)
        codes.sort()
        first = _changes(codes)
        unique = codes[first]
        counts = np.diff(first, append=len(codes))
        return cls(size, (unique >> _32).view(np.int64), (unique & _LOW).view(np.int64), counts)

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up one value per entry for each message.

        The order of addition within a message is the order of its entries, whatever else is in the
        batch, so a message scored alone gets the same bits as in a crowd.
        """
        out = np.zeros(self.size)
        if len(self.rows):
            begin = _changes(self.rows)
            out[self.rows[begin]] = np.add.reduceat(values, begin)
        return out

    def select(self, rows: IntArray) -> Entries:
        """The entries of some messages, renumbered 0.. in the order given (`rows` ascending)."""
        place = np.full(self.size, -1, np.int64)
        place[rows] = np.arange(len(rows))
        keep = np.flatnonzero(place[self.rows] >= 0)
        return Entries(len(rows), place[self.rows[keep]], self.ids[keep], self.counts[keep])


class KeyTable:
    """key -> id by open addressing in numpy: all keys are probed at once, round after round.

    Measured on SMS: about 10 ns a key where np.searchsorted takes 60-100. Key 0 marks a free slot; no
    token has key 0 because no token is empty.
    """

    def __init__(self, keys: Iterable[int] | KeyArray = ()) -> None:
        self._allocate(1 << 12)
        self.size = 0
        start = np.asarray(keys, np.uint64) if len(np.asarray(keys)) else np.zeros(0, np.uint64)
        self.add(start)

    def _allocate(self, slots: int) -> None:
        self._shift = np.uint64(64 - slots.bit_length() + 1)
        self._mask = slots - 1
        self._keys = np.zeros(slots, np.uint64)
        self._ids = np.full(slots, -1, np.int64)

    def _slots(self, keys: KeyArray) -> IntArray:
        spread = keys * _SPREAD
        spread >>= self._shift
        return spread.view(np.int64)

    def find(self, keys: KeyArray) -> IntArray:
        """The id of each key, -1 where unknown."""
        slots = self._slots(keys)
        seen = self._keys.take(slots)
        ids = self._ids.take(slots)
        pending = np.flatnonzero(seen != keys)
        ids[pending] = -1
        pending = pending[seen[pending] != 0]
        while len(pending):
            slots[pending] = (slots[pending] + 1) & self._mask
            at = slots[pending]
            found = self._keys[at]
            hit = found == keys[pending]
            ids[pending[hit]] = self._ids[at[hit]]
            pending = pending[~hit & (found != 0)]
        return ids

    def add(self, keys: KeyArray) -> None:
        """Give distinct new keys the next ids, in order."""
        if (self.size + len(keys)) * 3 > len(self._keys):
            self._grow(keys)
        ids = np.arange(self.size, self.size + len(keys), dtype=np.int64)
        self._place(keys, ids)
        self.size += len(keys)

    def _place(self, keys: KeyArray, ids: IntArray) -> None:
        slots = self._slots(keys)
        pending = np.arange(len(keys))
        while len(pending):
            at = slots[pending]
            free = self._keys[at] == 0
            self._keys[at[free]] = keys[pending[free]]  # of several rivals the last one stays
            won = self._keys[at] == keys[pending]
            self._ids[at[won]] = ids[pending[won]]
            pending = pending[~won]
            slots[pending] = (slots[pending] + 1) & self._mask

    def _grow(self, more: KeyArray) -> None:
        used = self._keys != 0
        keys, ids = self._keys[used], self._ids[used]
        self._allocate(1 << int((self.size + len(more)) * 4).bit_length())
        self._place(keys, ids)


def _changes(values: NDArray[_T]) -> IntArray:
    """Where each run of equal values begins."""
    starts = np.flatnonzero(values[1:] != values[:-1])
    return np.concatenate((np.zeros(min(1, len(values)), np.int64), starts + 1))


def _concat(parts: list[NDArray[_T]], dtype: np.dtype[_T]) -> NDArray[_T]:
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.zeros(0, dtype)
