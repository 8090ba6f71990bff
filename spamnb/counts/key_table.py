"""Maps token keys to small ids; looks up many keys at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from spamnb.core import GrowableArray, IntArray
from spamnb.features import KeyArray

# Odd, so that multiplying by them is one to one; one for each part.
_SPREADS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03))
_ONE = np.uint64(1)
_LEAST_BITS, _MOST_BITS = 12, 22  # of the first part: 32 MB at most, as much as a processor's cache
_PROBES = 40
_FULL = 0.65  # of the second part
_PART = 1 << 16  # keys that are placed at once: each needs a dozen temporary numbers, best in the cache


class _Level:
    """Slots without probing: a key has one slot, whose cell holds the other bits of the key and the id.

    With s = key * spread mod 2^64 and 2^b slots, the upper b bits of s are the slot; the other bits of s
    are the upper part of the cell and id + 1 its lower b bits. So slot and cell together identify the key
    exactly, one memory access answers, and 0 is a free slot. A cell whose lower bits are 0 but which
    is not 0 belongs to a key whose id does not fit in.
    """

    def __init__(self, bits: int, spread: np.uint64) -> None:
        self._spread, self._shift, self._bits = spread, np.uint64(64 - bits), np.uint64(bits)
        self._limit = np.uint64(1 << bits)
        self._cells = np.zeros(1 << bits, np.uint64)

    def find(self, keys: KeyArray) -> tuple[IntArray, IntArray]:
        """Returns the id of each key or -1, and where another key has the slot: those go to the next part."""
        spread = keys * self._spread
        cells = self._cells.take((spread >> self._shift).view(np.int64))
        spread <<= self._bits
        spread ^= cells
        spread -= _ONE
        others = (spread >= self._limit).nonzero()[0]
        ids = spread.view(np.int64)
        ids[others] = -1
        return ids, others[cells[others] != 0]

    def place(self, keys: KeyArray, ids: IntArray) -> IntArray:
        """Writes new keys into free slots, the first of several into one; returns which found none."""
        return _in_parts(self._put, keys, ids)

    def _put(self, keys: KeyArray, ids: IntArray) -> IntArray:
        spread = keys * self._spread
        slots = (spread >> self._shift).view(np.int64)
        cells = (spread << self._bits) | (ids + 1).view(np.uint64)
        cells[ids >= int(self._limit) - 1] = self._limit
        free = (self._cells.take(slots) == 0).nonzero()[0][::-1]
        self._cells[slots[free]] = cells[free]
        return np.asarray(((self._cells.take(slots) != cells) | (cells == self._limit)).nonzero()[0])


class _Probed:
    """Slots of 32 bits with only id + 1; the array of keys identifies the key. 6 to 12 bytes for each key.

    A key that finds its slot taken tries others, further and further away, 40 at most: keys chosen to collide
    end in the sorted rest, no worse.
    """

    def __init__(self, size: int = 0) -> None:
        bits = max(_LEAST_BITS, int(size / _FULL).bit_length())
        self._slots = np.zeros(1 << bits, np.uint32)
        self._shift, self._mask, self._used = np.uint64(64 - bits), (1 << bits) - 1, 0

    def _first(self, keys: KeyArray) -> IntArray:
        return (keys * _SPREADS[1] >> self._shift).view(np.int64)

    def find(self, keys: KeyArray, by_id: KeyArray) -> tuple[IntArray, IntArray]:
        """Returns the id of each key or -1, and which keys the rest may hold; `by_id` are all keys."""
        at = self._first(keys)
        ids, left = self._look(keys, at, by_id)
        at = at[left]
        for step in range(1, _PROBES):
            if not len(left):
                break
            at = (at + step) & self._mask
            ids[left], others = self._look(keys[left], at, by_id)
            left, at = left[others], at[others]
        return ids, left

    def _look(self, keys: KeyArray, at: IntArray, by_id: KeyArray) -> tuple[IntArray, IntArray]:
        """Returns the ids at these slots if they are those of the keys, else -1, and where others stand."""
        cells = self._slots.take(at).astype(np.int64)
        cells -= 1
        same = by_id.take(cells, mode="wrap") == keys  # a free slot, -1, stays -1 whatever is there
        return np.where(same, cells, -1), (~same & (cells >= 0)).nonzero()[0]

    def place(self, keys: KeyArray, ids: IntArray) -> IntArray:
        """Writes new keys into slots; returns which found none."""
        self._used += len(keys)
        return _in_parts(self._put, keys, ids)

    def _put(self, keys: KeyArray, ids: IntArray) -> IntArray:
        left, at = np.arange(len(keys)), self._first(keys)
        for step in range(1, _PROBES + 1):
            mine = (ids[left] + 1).astype(np.uint32)
            free = (self._slots.take(at) == 0).nonzero()[0]
            self._slots[at[free]] = mine[free]
            others = (self._slots.take(at) != mine).nonzero()[0]
            left, at = left[others], (at[others] + step) & self._mask
            if not len(left):
                break
        return left

    def full(self, more: int) -> bool:
        return self._used + more > _FULL * len(self._slots)

    def ids(self) -> IntArray:
        """Returns the ids that have a slot, ascending."""
        return np.sort(self._slots[self._slots > 0]).astype(np.int64) - 1


def _in_parts(put: Callable[[KeyArray, IntArray], IntArray], keys: KeyArray, ids: IntArray) -> IntArray:
    """Places keys part by part; returns which found no place."""
    parts = range(0, len(keys), _PART)
    left = [start + put(keys[start : start + _PART], ids[start : start + _PART]) for start in parts]
    return np.concatenate(left) if left else np.zeros(0, np.int64)


class KeyTable:
    """key -> id: direct slots for frequent keys, probed slots for others, and a sorted rest.

    Frequent keys should come first: then nearly every search ends at the first part. Measured on SMS with
    bigrams: 12 ns a key; by open addressing with keys and ids in two arrays 23, by np.searchsorted 60-100.
    The first part is as large as a processor's cache at most, so that a large vocabulary takes 14 to 20
    bytes a key, the key included.
    """

    def __init__(self) -> None:
        self._keys = GrowableArray(np.dtype(np.uint64))  # in the order of their ids
        self._allocate(_LEAST_BITS)

    @classmethod
    def ranked(cls, keys: KeyArray, weight: IntArray) -> KeyTable:
        """Returns the table that maps keys[i] to i, with the heaviest in the best places."""
        table = cls()
        table._keys.extend(keys)
        table._allocate((len(keys) * 2).bit_length())
        order = np.argsort(
            0xFFFF - np.minimum(weight, 0xFFFF).astype(np.uint16), kind="stable"
        )  # a radix sort
        table._place(keys[order], order)
        return table

    @property
    def size(self) -> int:
        return self._keys.size

    @property
    def keys(self) -> KeyArray:
        """All keys in the order of their ids; valid until the next one is added."""
        return self._keys.array

    def _allocate(self, bits: int) -> None:
        bits = min(max(bits, _LEAST_BITS), _MOST_BITS)
        self._level, self._bits = _Level(bits, _SPREADS[0]), bits
        self._probed = _Probed()
        self._rest_keys, self._rest_ids = np.zeros(0, np.uint64), np.zeros(0, np.int64)

    def find(self, keys: KeyArray) -> IntArray:
        """Returns the id of each key, -1 where unknown."""
        ids, others = self._level.find(keys)
        if len(others):
            wanted = keys[others]
            probed, left = self._probed.find(wanted, self.keys)
            if len(left) and len(self._rest_keys):
                probed[left] = self._find_rest(wanted[left])
            ids[others] = probed
        return ids

    def _find_rest(self, keys: KeyArray) -> IntArray:
        at = np.minimum(np.searchsorted(self._rest_keys, keys), len(self._rest_keys) - 1)
        return np.where(self._rest_keys[at] == keys, self._rest_ids[at], -1)

    def add(self, keys: KeyArray) -> None:
        """Gives distinct new keys the next ids, in order; the first are found fastest."""
        start = self.size
        self._keys.extend(keys)
        if self._bits == _MOST_BITS or self.size * 2 <= 1 << self._bits:
            self._place(keys, np.arange(start, self.size))
        else:  # start anew with 4 to 8 times as many slots as keys, the first keys in the best places again
            self._allocate((self.size * 4).bit_length())
            self._place(self.keys, np.arange(self.size))

    def _place(self, keys: KeyArray, ids: IntArray) -> None:
        left = self._level.place(keys, ids)
        keys, ids = keys[left], ids[left]
        if self._probed.full(len(keys)):
            ids = np.concatenate((np.sort(np.concatenate((self._probed.ids(), self._rest_ids))), ids))
            keys, self._probed = self.keys[ids], _Probed(len(ids))
            self._rest_keys, self._rest_ids = np.zeros(0, np.uint64), np.zeros(0, np.int64)
        left = self._probed.place(keys, ids)
        if len(left):
            keys, ids = (
                np.concatenate((self._rest_keys, keys[left])),
                np.concatenate((self._rest_ids, ids[left])),
            )
            order = np.argsort(keys)
            self._rest_keys, self._rest_ids = keys[order], ids[order]
