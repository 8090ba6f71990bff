"""Many numbers that are needed at the end only: in memory while they are few, else in a file without name.

In the file they stand in sorted runs. At the end the runs are merged range after range of the numbers, so
that 50 million of them take 30 MB of memory in place of 400.
"""

from __future__ import annotations

import mmap
from typing import IO
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.uint64]
MOST = 1 << 20  # numbers in memory: the digests of a million messages take 8 MB
_RANGES = 16
_EDGES = np.arange(1, _RANGES, dtype=np.uint64) << np.uint64(60)  # digests lie everywhere alike


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
        self._bounds: list[list[int]] = []  # of each run: where in the file its ranges begin and end

    def add(self, numbers: Numbers) -> None:
        self._parts.append(numbers)
        self._held += len(numbers)
        if self._held > MOST:
            self._write()

    def _write(self) -> None:
        if not self._written:
            self._file = _nameless()
            finalize(self, self._file.close)
        run = np.sort(np.concatenate(self._parts))
        bounds = [0, *np.searchsorted(run, _EDGES).tolist(), len(run)]
        self._bounds.append([self._written + bound for bound in bounds])
        self._file.write(run.data.cast("B"))
        self._written, self._held, self._parts = self._written + self._held, 0, []

    def ascending(self) -> Numbers:
        """All numbers; if they are many, as a view of a file: it takes memory only where it is read."""
        if not self._written:
            return np.sort(np.concatenate(self._parts))
        if self._held:
            self._write()
        with _nameless() as file:
            for n in range(_RANGES):
                parts = [self._read(*bounds[n : n + 2]) for bounds in self._bounds]
                file.write(np.sort(np.concatenate(parts)).data.cast("B"))
            file.flush()
            return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint64)

    def _read(self, begin: int, end: int) -> Numbers:
        self._file.seek(8 * begin)
        return np.frombuffer(self._file.read(8 * (end - begin)), np.uint64)


def _nameless() -> IO[bytes]:
    import tempfile  # few need it, and it takes as long as all else here

    return tempfile.TemporaryFile()
