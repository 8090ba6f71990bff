"""An array that grows at its end; room for what is to come takes no memory before it is used."""

from __future__ import annotations

import mmap
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound=np.generic)
_LARGE = (
    1 << 20
)  # bytes from which memory comes from the system, which gives it page by page as it is touched


class Growing(Generic[T]):
    """Rows of `width` numbers, all 0 at first.

    >>> table = Growing(np.dtype(np.int64))
    >>> table.extend(np.array([3, 4]))
    >>> table.array.tolist(), table.size
    ([3, 4], 2)
    """

    def __init__(self, dtype: np.dtype[T], width: int = 1) -> None:
        self.dtype, self.width, self.size = dtype, width, 0
        self._flat: NDArray[T] = np.zeros(0, dtype)

    @property
    def array(self) -> NDArray[T]:
        """All rows, one after the other; good until the next row is added."""
        return self._flat[: self.size * self.width]

    def extend(self, values: NDArray[T]) -> None:
        start = self.array.size
        self.room(self.size + len(values) // self.width)
        self._flat[start : start + len(values)] = values

    def room(self, size: int) -> None:
        """Have this many rows; new ones are zeros."""
        if size * self.width > len(self._flat):
            bigger = _zeros(2 * size * self.width, self.dtype)
            used = self.array
            bigger[: len(used)] = used
            self._flat = bigger
        self.size = max(self.size, size)


def _zeros(size: int, dtype: np.dtype[T]) -> NDArray[T]:
    """Zeros that go back to the system when nobody needs them, whatever the C library likes to keep."""
    if size * dtype.itemsize < _LARGE:
        return np.zeros(size, dtype)
    return np.frombuffer(mmap.mmap(-1, size * dtype.itemsize), dtype)
