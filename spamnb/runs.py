"""Runs of equal values in arrays: where they begin, which values there are, and sums over them."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from spamnb.message import IntArray

_T = TypeVar("_T", bound=np.generic)


def changes(values: NDArray[_T]) -> IntArray:
    """Where each run of equal values begins."""
    starts = np.flatnonzero(values[1:] != values[:-1])
    return np.concatenate((np.zeros(min(1, len(values)), np.int64), starts + 1))


def distinct(values: NDArray[_T]) -> NDArray[_T]:
    """The different values, ascending; np.unique would import numpy.ma, 10 ms of a one-message predict."""
    ordered = np.sort(values)
    return ordered[changes(ordered)]


def grouped(values: NDArray[_T]) -> tuple[NDArray[_T], IntArray]:
    """The different values, ascending, and for each value which of them it is."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    first = changes(ordered)
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
        begin = changes(rows)
        out[rows[begin]] = np.add.reduceat(values, begin)
    return out
