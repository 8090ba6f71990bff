"""Many numbers that are needed at the end only: in memory while they are few, else in a file without name."""

from __future__ import annotations

import mmap

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.uint64]
MOST = 1 << 20  # numbers in memory: the digests of a million messages take 8 MB


class Spool:
    """Takes 64-bit numbers and gives them back in ascending order.

    >>> spool = Spool()
    >>> spool.add(np.array([7, 2], np.uint64))
    >>> spool.ascending()
    array([2, 7], dtype=uint64)
    """

    def __init__(self) -> None:
        self._parts: list[Numbers] = []
        self._held = self._written = 0

    def add(self, numbers: Numbers) -> None:
        self._parts.append(numbers)
        self._held += len(numbers)
        if self._held > MOST:
            self._write()

    def _write(self) -> None:
        if not self._written:
            import tempfile
            from weakref import finalize

            self._file = tempfile.TemporaryFile()  # noqa: SIM115 (it goes with this object)
            finalize(self, self._file.close)
        self._file.write(np.concatenate(self._parts).data.cast("B"))
        self._written, self._held, self._parts = self._written + self._held, 0, []

    def ascending(self) -> Numbers:
        """All numbers; if they are many, as a view of the file: it takes memory only where it is read."""
        if not self._written:
            return np.sort(np.concatenate(self._parts))
        if self._parts:
            self._write()
        numbers = np.empty(self._written, np.uint64)
        self._file.seek(0)
        self._file.readinto(numbers.data.cast("B"))
        numbers.sort()
        self._file.seek(0)
        self._file.write(numbers.data.cast("B"))
        self._file.flush()
        return np.frombuffer(mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ), np.uint64)
