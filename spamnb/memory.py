"""Keeping freed memory: for a stream of batches, glibc's habit of giving it back costs more than the work.

Every batch allocates and frees the same few megabytes of arrays. Returned to the system they come back as
fresh pages, and touching those took two thirds of the time of `find_words` (3.1 ms a batch, 1.0 without).
"""

from __future__ import annotations

import sys

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # names of malloc.h
_KEEP = 256 << 20


def keep_freed_memory() -> None:
    """Ask the C library to hold on to freed memory; where it is not glibc nothing happens."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return
    mallopt(_TRIM_THRESHOLD, _KEEP)
    mallopt(_MMAP_THRESHOLD, _KEEP)
