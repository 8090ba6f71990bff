"""An array that grows at its end; room for what is to come takes no memory before it is used."""

from __future__ import annotations

import mmap
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
_T = TypeVar("_T", bound=np.generic)


def run_starts(values: NDArray[_T]) -> IntArray:
    """Where each run of equal values begins."""
    starts = np.flatnonzero(values[1:] != values[:-1])
    return np.concatenate((np.zeros(min(1, len(values)), np.int64), starts + 1))


def distinct_values(values: NDArray[_T]) -> NDArray[_T]:
    """The different values, ascending; np.unique would import numpy.ma, 10 ms of a one-message predict."""
    ordered = np.sort(values)
    return ordered[run_starts(ordered)]


def group_values(values: NDArray[_T]) -> tuple[NDArray[_T], IntArray]:
    """The different values, ascending, and for each value which of them it is."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    first = run_starts(ordered)
    which = np.empty(len(values), np.int64)
    which[order] = np.repeat(np.arange(len(first)), np.diff(first, append=len(values)))
    return ordered[first], which


def row_sums(rows: IntArray, values: NDArray[_T], size: int) -> NDArray[_T]:
    """Add up one value per entry for each message; `rows` ascend.

    Within a message the order of addition is the order of its entries, whatever else is in the batch, so
    a message scored alone gets the same bits as in a crowd.
    """
    out = np.zeros(size, values.dtype)
    if len(rows):
        begin = run_starts(rows)
        out[rows[begin]] = np.add.reduceat(values, begin)
    return out


def find_ranges(ascending: IntArray, values: IntArray) -> tuple[IntArray, IntArray]:
    """The positions of some values in an ascending array, and for each position which of `values` it holds.

    >>> [found.tolist() for found in find_ranges(np.array([0, 2, 2, 5]), np.array([2, 5]))]
    [[1, 2, 3], [0, 0, 1]]
    """
    first = np.searchsorted(ascending, values, side="left")
    sizes = np.searchsorted(ascending, values, side="right") - first
    which = np.repeat(np.arange(len(values)), sizes)
    return np.arange(len(which)) + np.repeat(first - (np.cumsum(sizes) - sizes), sizes), which


def join_arrays(arrays: list[NDArray[_T]], dtype: np.dtype[_T]) -> NDArray[_T]:
    """All arrays in one; without a copy if there is only one, empty if there is none."""
    if len(arrays) == 1:
        return arrays[0]
    return np.concatenate(arrays) if arrays else np.zeros(0, dtype)


# Bytes from which memory is the system's own: it gives it page by page as it is touched, can move it without
# a copy, and has it back at once.
_LARGE = 1 << 20
# Where a process is copied, each must have its own.
_PRIVATE: dict[str, Any] = (
    {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_ANONYMOUS") else {}
)


class GrowableArray(Generic[_T]):
    """Rows of `width` numbers, all 0 at first.

    >>> table = GrowableArray(np.dtype(np.int64))
    >>> table.extend(np.array([3, 4]))
    >>> table.array.tolist(), table.size
    ([3, 4], 2)
    """

    def __init__(self, dtype: np.dtype[_T], width: int = 1) -> None:
        self.dtype, self.width, self.size = dtype, width, 0
        self._flat: NDArray[_T] = np.zeros(0, dtype)
        self._map: mmap.mmap | None = None

    @property
    def array(self) -> NDArray[_T]:
        """All rows, one after the other; good until the next row is added."""
        return self._flat[: self.size * self.width]

    def extend(self, values: NDArray[_T]) -> None:
        start = self.size * self.width
        self.room(self.size + len(values) // self.width)
        self._flat[start : start + len(values)] = values

    def room(self, size: int) -> None:
        """Have this many rows; new ones are zeros."""
        if size * self.width > len(self._flat):
            self._grow(2 * size * self.width)
        self.size = max(self.size, size)

    def _grow(self, room: int) -> None:
        count = room * self.dtype.itemsize
        if self._map is not None and self._moved(count):
            return
        used = self.array
        if count < _LARGE:
            self._flat = np.zeros(room, self.dtype)
        else:
            self._map = mmap.mmap(-1, count, **_PRIVATE)
            self._flat = np.frombuffer(self._map, self.dtype)
        self._flat[: len(used)] = used

    def _moved(self, count: int) -> bool:
        """Make the memory larger where the system can do that, and nobody else looks at it."""
        assert self._map is not None
        self._flat = np.zeros(0, self.dtype)
        try:
            self._map.resize(count)
        except (BufferError, OSError, SystemError, ValueError):
            return False
        finally:
            self._flat = np.frombuffer(self._map, self.dtype)
        return True
