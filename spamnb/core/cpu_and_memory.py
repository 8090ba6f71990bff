"""Tunes numpy to the processor before it is loaded, and the C library's use of memory."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

# OpenBLAS starts a thread for each processor, and each of them waits in a busy loop: 68 of the 180 ms of
# processor time of one message on two cores. Nothing here multiplies large matrices.
_THREADS = "OPENBLAS_NUM_THREADS"
# Sorting a million numbers of 64 bits on AMD's Zen 4: 52 ms with AVX-512, 11 ms without. An instruction of
# numpy's sort, compressing to memory, takes this processor over a hundred cycles (numpy/x86-simd-sort,
# issue 6). Without it `train` takes 23 % less time, `predict` 25 %. Zen 3, the same family, has no AVX-512.
_ZEN_4 = b"AuthenticAMD\ncpu family\t: 25\n"
_DISABLED, _FEATURES = "NPY_DISABLE_CPU_FEATURES", "AVX512F X86_V4"  # the name up to numpy 2.3, and after it
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # names of malloc.h
_KEEP = 256 << 20  # bytes of freed memory that the C library may keep
_LARGE = 512 << 20  # bytes of a process that is worth trimming


def prepare_numpy() -> None:
    """Sets what numpy reads from the environment, unless it is set; to be called before numpy is imported."""
    os.environ.setdefault(_THREADS, "1")
    # Numpy warns of feature names that it does not know: not where the user asks to see warnings.
    if (
        _DISABLED not in os.environ
        and not sys.warnoptions
        and _ZEN_4 in _cpu_info()
        and _has_baseline_numpy()
    ):
        os.environ[_DISABLED] = _FEATURES


def available_cores() -> int:
    """Returns how many processor cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _cpu_info() -> bytes:
    """Reads the first lines about the first processor; nothing where the system has no such file."""
    try:
        with open("/proc/cpuinfo", "rb", buffering=0) as file:
            return file.read(256)
    except OSError:
        return b""


def _has_baseline_numpy() -> bool:
    """Returns whether numpy is a wheel of its project, which has a folder of libraries for any processor.

    One that was built for this processor alone would refuse to be loaded.
    """
    return any(os.path.isdir(os.path.join(folder, "numpy.libs")) for folder in sys.path)


def keep_freed_memory(most: int = _KEEP) -> None:
    """Asks the C library to keep freed memory, `most` bytes of it; does nothing where it is not glibc."""
    _call("mallopt", _TRIM_THRESHOLD, most)
    _call("mallopt", _MMAP_THRESHOLD, most)


def release_memory() -> None:
    """Returns freed memory to the system: after a large table was copied, a quarter of a gigabyte lay idle.

    A process that is not large keeps it, as it will use it again: on 6,000 mails 0.4 of 4.5 s.
    """
    if _resident_bytes() > _LARGE:
        _call("malloc_trim", 0)


def _resident_bytes() -> int:
    """Returns the bytes of this process in memory, 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


def _call(name: str, *numbers: int) -> None:
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    with suppress(OSError, AttributeError):
        getattr(ctypes.CDLL(None), name)(*numbers)
