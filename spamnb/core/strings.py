"""Holds many strings in one byte array, so that loading them costs nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spamnb.core.arrays import IntArray
from spamnb.core.record import Record

Bytes = NDArray[np.uint8]
_BLOCK = 1 << 15  # strings copied at once: an index for every byte takes 8 bytes


class StringArray(Record):
    """String i is `blob[ends[i - 1]:ends[i]]`, in UTF-8.

    >>> StringArray.of([b"free", b"ok"]).take(np.array([1, 0])).tolist()
    ['ok', 'free']
    """

    blob: Bytes
    ends: IntArray

    @classmethod
    def of(cls, strings: Iterable[bytes]) -> StringArray:
        """Joins strings."""
        listed = list(strings)
        sizes = np.fromiter((len(string) for string in listed), np.int64, len(listed))
        return cls(np.frombuffer(b"".join(listed), np.uint8), np.cumsum(sizes))

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, index: int) -> str:
        start = int(self.ends[index - 1]) if index else 0
        return self.blob[start : int(self.ends[index])].tobytes().decode("utf-8", "replace")

    def __iter__(self) -> Iterator[bytes]:
        data, start = self.blob.tobytes(), 0
        for end in self.ends.tolist():
            yield data[start:end]
            start = end

    def tolist(self) -> list[str]:
        return [string.decode("utf-8", "replace") for string in self]

    def take(self, which: IntArray) -> StringArray:
        """Returns the strings at these indices."""
        starts = np.where(which > 0, self.ends[which - 1].astype(np.int64), 0)
        return copy_spans(self.blob, starts, self.ends[which].astype(np.int64))


def copy_spans(data: Bytes, starts: IntArray, ends: IntArray) -> StringArray:
    """Copies spans of a byte array without a Python loop.

    >>> copy_spans(np.frombuffer(b"free entry", np.uint8), np.array([5, 0]), np.array([10, 4])).tolist()
    ['entry', 'free']
    """
    sizes = ends - starts
    new_ends = np.cumsum(sizes)
    blob = np.empty(int(new_ends[-1]) if len(new_ends) else 0, np.uint8)
    for first in range(0, len(starts), _BLOCK):
        block = slice(first, first + _BLOCK)
        begin = int(new_ends[first] - sizes[first])
        shift = np.repeat(starts[block] - (new_ends[block] - sizes[block]), sizes[block])
        shift += np.arange(begin, begin + len(shift))
        blob[begin : begin + len(shift)] = data[shift]
    return StringArray(blob, new_ends)


def reorder_strings(blob: Bytes, bounds: NDArray[Any], order: NDArray[Any]) -> StringArray:
    """Returns the strings blob[bounds[i] : bounds[i + 1]] in another order."""
    ends = np.cumsum(np.diff(bounds)[order], dtype=bounds.dtype)
    out = np.empty(len(blob), np.uint8)
    for first in range(0, len(order), _BLOCK):
        block = order[first : first + _BLOCK].astype(np.int64)
        copied = copy_spans(blob, bounds[block].astype(np.int64), bounds[block + 1].astype(np.int64)).blob
        begin = int(ends[first - 1]) if first else 0
        out[begin : begin + len(copied)] = copied
    return StringArray(out, ends)


def string_bounds(sizes: NDArray[np.uint32]) -> NDArray[Any]:
    """Returns where strings of these sizes begin and end; a place takes 4 bytes while that is enough."""
    small = int(sizes.sum(dtype=np.int64)) < 1 << 32
    bounds: NDArray[Any] = np.zeros(len(sizes) + 1, np.uint32 if small else np.int64)
    np.cumsum(sizes, out=bounds[1:])
    return bounds
