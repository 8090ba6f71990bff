"""Defines array types, and finds runs, sums by row and grows arrays.

A message that is scored alone passes through some forty searches in short arrays, where the overhead of a
call counts: `(a != b).nonzero()[0]` takes 0.1 us, np.flatnonzero 1.6, np.diff with `append` 5.
"""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
_T = TypeVar("_T", bound=np.generic)


def run_starts(values: NDArray[_T]) -> IntArray:
    """Returns where each run of equal values begins."""
    starts = (values[1:] != values[:-1]).nonzero()[0]
    return np.concatenate((np.zeros(min(1, len(values)), np.int64), starts + 1))


def run_sizes(starts: IntArray, end: int) -> IntArray:
    """Returns the size of each run; the last one ends at `end`.

    >>> run_sizes(np.array([0, 2, 5]), 9).tolist()
    [2, 3, 4]
    """
    return np.concatenate((starts[1:], [end])) - starts


def distinct_values(values: NDArray[_T]) -> NDArray[_T]:
    """Returns the different values, ascending; np.unique imports numpy.ma, 10 ms of a one-message predict."""
    ordered = np.sort(values)
    return ordered[run_starts(ordered)]


def group_values(values: NDArray[_T]) -> tuple[NDArray[_T], IntArray]:
    """Returns the different values, ascending, and the place of each value among them."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    first = run_starts(ordered)
    places = np.empty(len(values), np.int64)
    places[order] = np.repeat(np.arange(len(first)), run_sizes(first, len(values)))
    return ordered[first], places


def row_sums(rows: IntArray, values: NDArray[_T], size: int) -> NDArray[_T]:
    """Sums the values of each row; `rows` ascend.

    Values are added in their order within the row, so the sum has the same bits whatever other rows there
    are.
    """
    sums = np.zeros(size, values.dtype)
    if len(rows):
        begin = run_starts(rows)
        sums[rows[begin]] = np.add.reduceat(values, begin)
    return sums


def find_ranges(ascending: IntArray, values: IntArray) -> tuple[IntArray, IntArray]:
    """Returns the positions of some values in an ascending array, and which of `values` is at each position.

    >>> [array.tolist() for array in find_ranges(np.array([0, 2, 2, 5]), np.array([2, 5]))]
    [[1, 2, 3], [0, 0, 1]]
    """
    first = np.searchsorted(ascending, values, side="left")
    sizes = np.searchsorted(ascending, values, side="right") - first
    which = np.repeat(np.arange(len(values)), sizes)
    return np.arange(len(which)) + np.repeat(first - (np.cumsum(sizes) - sizes), sizes), which


def log_softmax(scores: FloatArray) -> FloatArray:
    """Turns rows of log scores into log probabilities, all equal where no class can produce the row."""
    with np.errstate(invalid="ignore"):  # -inf - -inf
        below = scores - scores.max(axis=1, keepdims=True)
    log_p: FloatArray = below - np.log(np.exp(below).sum(axis=1, keepdims=True))
    return np.where(np.isnan(log_p), -np.log(scores.shape[1]), log_p)


def join_arrays(arrays: list[NDArray[_T]], dtype: np.dtype[_T]) -> NDArray[_T]:
    """Returns all arrays in one; without a copy if there is only one, empty if there is none."""
    if len(arrays) == 1:
        return arrays[0]
    return np.concatenate(arrays) if arrays else np.zeros(0, dtype)


class GrowableArray(Generic[_T]):
    """An array that grows at its end: rows of `width` numbers, new ones are zeros.

    >>> table = GrowableArray(np.dtype(np.int64))
    >>> table.extend(np.array([3, 4]))
    >>> table.array.tolist(), table.size
    ([3, 4], 2)
    """

    def __init__(self, dtype: np.dtype[_T], width: int = 1) -> None:
        self.dtype, self.width, self.size = dtype, width, 0
        self._flat: NDArray[_T] = np.zeros(0, dtype)

    @property
    def array(self) -> NDArray[_T]:
        """All rows, one after the other; valid until the next row is added."""
        return self._flat[: self.size * self.width]

    def extend(self, values: NDArray[_T]) -> None:
        """Adds rows."""
        start = self.size * self.width
        self.room(self.size + len(values) // self.width)
        self._flat[start : start + len(values)] = values

    def room(self, size: int) -> None:
        """Makes room for this many rows."""
        if size * self.width > len(self._flat):
            used = self.array
            self._flat = np.zeros(2 * size * self.width, self.dtype)
            self._flat[: len(used)] = used
        self.size = max(self.size, size)
