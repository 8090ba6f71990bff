"""A table from token keys to small ids, searched for many keys at once."""

from __future__ import annotations

import numpy as np

from spamnb.message import IntArray
from spamnb.sparse import KeyArray

# Odd, so that multiplying by them is one to one; one for each level.
_SPREADS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03))
_ONE = np.uint64(1)
_LEAST_BITS = 12


class _Level:
    """Slots without probing: a key has one place only, and its cell holds what is left of the key and the id.

    With s = key * spread mod 2^64 and 2^b slots, the upper b bits of s are the slot; the other bits of s
    stand in the upper part of the cell and id + 1 in its lower b bits. So slot and cell together tell the
    key exactly, one look at the memory answers, and 0 is a free slot.
    """

    def __init__(self, bits: int, spread: np.uint64) -> None:
        self._spread, self._shift, self._bits = spread, np.uint64(64 - bits), np.uint64(bits)
        self._limit = np.uint64(1 << bits)
        self._cells = np.zeros(1 << bits, np.uint64)

    def find(self, keys: KeyArray) -> tuple[IntArray, IntArray]:
        """The id of each key or -1, and where another key has the slot: the next level must be asked."""
        spread = keys * self._spread
        cells = self._cells.take((spread >> self._shift).view(np.int64))
        spread <<= self._bits
        spread ^= cells
        spread -= _ONE
        others = np.flatnonzero(spread >= self._limit)
        ids = spread.view(np.int64)
        ids[others] = -1
        return ids, others[cells[others] != 0]

    def place(self, keys: KeyArray, ids: IntArray) -> IntArray:
        """Write new keys into free slots; of several that want one the first gets it. Tells which did not."""
        spread = keys * self._spread
        slots = (spread >> self._shift).view(np.int64)
        cells = (spread << self._bits) | (ids + 1).view(np.uint64)
        free = np.flatnonzero(self._cells.take(slots) == 0)[::-1]
        self._cells[slots[free]] = cells[free]
        return np.flatnonzero(self._cells.take(slots) != cells)


class KeyTable:
    """key -> id: two levels of slots, and what finds no place in them is sorted.

    Frequent keys should come first: then nearly every search ends at the first level. Measured on SMS with
    bigrams: 12 ns a key; by open addressing with keys and ids in two arrays 23, by np.searchsorted 60-100.
    Whoever chooses words that meet in both levels gets the sorted rest, no worse.
    """

    def __init__(self) -> None:
        self._added: list[KeyArray] = []  # in the order of their ids
        self.size = 0
        self._allocate(_LEAST_BITS)

    @classmethod
    def ranked(cls, keys: KeyArray, weight: IntArray) -> KeyTable:
        """The table that calls keys[i] i, with the heavy ones in the best places."""
        table = cls()
        table._allocate(max(_LEAST_BITS, (len(keys) * 2).bit_length()))
        order = np.argsort(
            0xFFFF - np.minimum(weight, 0xFFFF).astype(np.uint16), kind="stable"
        )  # a radix sort
        table._place(keys[order], order)
        table.size = len(keys)
        return table

    def _allocate(self, bits: int) -> None:
        self._slots = 1 << bits
        self._levels = [_Level(bits, spread) for spread in _SPREADS]
        self._rest_keys, self._rest_ids = np.zeros(0, np.uint64), np.zeros(0, np.int64)

    def find(self, keys: KeyArray) -> IntArray:
        """The id of each key, -1 where unknown."""
        ids, others = self._levels[0].find(keys)
        if len(others):
            wanted = keys[others]
            found, left = self._levels[1].find(wanted)
            if len(left) and len(self._rest_keys):
                found[left] = self._find_rest(wanted[left])
            ids[others] = found
        return ids

    def _find_rest(self, keys: KeyArray) -> IntArray:
        at = np.minimum(np.searchsorted(self._rest_keys, keys), len(self._rest_keys) - 1)
        return np.where(self._rest_keys[at] == keys, self._rest_ids[at], -1)

    def add(self, keys: KeyArray) -> None:
        """Give distinct new keys the next ids, in order; the first are found fastest."""
        self._added.append(keys)
        start, self.size = self.size, self.size + len(keys)
        if self.size * 2 <= self._slots:
            self._place(keys, np.arange(start, self.size))
        else:  # start anew with 4 to 8 times as many slots as keys, the first keys in the best places again
            self._allocate((self.size * 4).bit_length())
            self._added = [np.concatenate(self._added)]
            self._place(self._added[0], np.arange(self.size))

    def _place(self, keys: KeyArray, ids: IntArray) -> None:
        for level in self._levels:
            left = level.place(keys, ids)
            keys, ids = keys[left], ids[left]
        if len(keys):
            keys, ids = np.concatenate((self._rest_keys, keys)), np.concatenate((self._rest_ids, ids))
            order = np.argsort(keys)
            self._rest_keys, self._rest_ids = keys[order], ids[order]
