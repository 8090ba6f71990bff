"""How the tokens of a model are written: all spellings in one byte array, so that loading costs nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spamnb.core.arrays import IntArray
from spamnb.core.record import Record

Bytes = NDArray[np.uint8]
_BLOCK = 1 << 15


class StringArray(Record):
    """Spelling i is `blob[ends[i - 1]:ends[i]]`.

    >>> StringArray.of([b"free", b"ok"]).take(np.array([1, 0])).tolist()
    ['ok', 'free']
    """

    blob: Bytes
    ends: IntArray

    @classmethod
    def of(cls, parts: Iterable[bytes]) -> StringArray:
        listed = list(parts)
        sizes = np.fromiter((len(p) for p in listed), np.int64, len(listed))
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
        return [part.decode("utf-8", "replace") for part in self]

    def take(self, which: IntArray) -> StringArray:
        """Some spellings in another order."""
        starts = np.where(which > 0, self.ends[which - 1].astype(np.int64), 0)
        return gathered(self.blob, starts, self.ends[which].astype(np.int64))


def in_order(blob: Bytes, bounds: NDArray[Any], order: NDArray[Any]) -> StringArray:
    """The spellings blob[bounds[i] : bounds[i + 1]] in another order."""
    ends = np.cumsum(np.diff(bounds)[order], dtype=bounds.dtype)
    out = np.empty(len(blob), np.uint8)
    for first in range(0, len(order), _BLOCK):
        some = order[first : first + _BLOCK].astype(np.int64)
        part = gathered(blob, bounds[some].astype(np.int64), bounds[some + 1].astype(np.int64)).blob
        done = int(ends[first - 1]) if first else 0
        out[done : done + len(part)] = part
    return StringArray(out, ends)


def bounds_of(sizes: NDArray[np.uint32]) -> NDArray[Any]:
    """Where spellings of these sizes begin and end; a place takes 4 bytes while that is enough."""
    small = int(sizes.sum(dtype=np.int64)) < 1 << 32
    bounds: NDArray[Any] = np.zeros(len(sizes) + 1, np.uint32 if small else np.int64)
    np.cumsum(sizes, out=bounds[1:])
    return bounds


def gathered(data: Bytes, starts: IntArray, ends: IntArray) -> StringArray:
    """The spellings that stand at these spans of one byte array, copied without a Python loop.

    >>> gathered(np.frombuffer(b"free entry", np.uint8), np.array([5, 0]), np.array([10, 4])).tolist()
    ['entry', 'free']
    """
    sizes = ends - starts
    done = np.cumsum(sizes)
    blob = np.empty(int(done[-1]) if len(done) else 0, np.uint8)
    for first in range(0, len(starts), _BLOCK):  # an index for every byte takes 8 bytes: not for all at once
        some = slice(first, first + _BLOCK)
        begin = int(done[first] - sizes[first])
        shift = np.repeat(starts[some] - (done[some] - sizes[some]), sizes[some])
        shift += np.arange(begin, begin + len(shift))
        blob[begin : begin + len(shift)] = data[shift]
    return StringArray(blob, done)
