"""Keeping freed memory: for a stream of batches, glibc's habit of giving it back costs more than the work.

Every batch allocates and frees the same few megabytes of arrays. Returned to the system they come back as
fresh pages, and touching those took two thirds of the time of `find_words` (3.1 ms a batch, 1.0 without).
"""

from __future__ import annotations

import sys
from contextlib import suppress

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # names of malloc.h
_KEEP = 256 << 20


def keep_freed_memory() -> None:
    """Ask the C library to hold on to freed memory; where it is not glibc nothing happens."""
    _call("mallopt", _TRIM_THRESHOLD, _KEEP)
    _call("mallopt", _MMAP_THRESHOLD, _KEEP)


def give_back() -> None:
    """Give freed memory back now: after a large table was made anew, a quarter of a gigabyte lay idle."""
    _call("malloc_trim", 0)


def _call(name: str, *numbers: int) -> None:
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    with suppress(OSError, AttributeError):
        getattr(ctypes.CDLL(None), name)(*numbers)
