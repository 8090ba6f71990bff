"""What numpy is told of the processor before it is loaded, where it would not find out by itself."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # names of malloc.h
_KEEP = 256 << 20
_LARGE = 512 << 20


def keep_freed_memory() -> None:
    """Ask the C library to hold on to freed memory; where it is not glibc nothing happens."""
    _call("mallopt", _TRIM_THRESHOLD, _KEEP)
    _call("mallopt", _MMAP_THRESHOLD, _KEEP)


def release_memory() -> None:
    """Give freed memory back now: after a large table was made anew, a quarter of a gigabyte lay idle.

    A process that is not large keeps it, as it will touch it again: on 6,000 mails 0.4 of 4.5 s.
    """
    if _resident() > _LARGE:
        _call("malloc_trim", 0)


def _resident() -> int:
    """Bytes of this process in memory, 0 where the system does not tell."""
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


# OpenBLAS starts a thread for each processor, and each waits by turning in a circle: 68 of the 180 ms of
# processor time that one message took, on two cores. Nothing here multiplies large matrices.
_THREADS = "OPENBLAS_NUM_THREADS"
# Sorting a million numbers of 64 bits on AMD's Zen 4: 52 ms with AVX-512, 11 ms without. An instruction of
# numpy's sort, compressing to memory, takes this processor over a hundred cycles (numpy/x86-simd-sort,
# issue 6). Without it `train` takes 23 % less time, `predict` 25 %. Zen 3, the same family, has no AVX-512.
_ZEN_4 = b"AuthenticAMD\ncpu family\t: 25\n"
_LEFT_OUT, _FEATURES = "NPY_DISABLE_CPU_FEATURES", "AVX512F X86_V4"  # the name up to numpy 2.3, and after it


def prepare() -> None:
    """Set what is not set already; to be called before numpy is imported."""
    os.environ.setdefault(_THREADS, "1")
    # Numpy warns of names that it does not know: who asks to see warnings shall not see this one.
    if _LEFT_OUT not in os.environ and not sys.warnoptions and _ZEN_4 in _about() and _can_do_without():
        os.environ[_LEFT_OUT] = _FEATURES


def _about() -> bytes:
    """The first lines on the first processor; nothing where the system has no such file."""
    try:
        with open("/proc/cpuinfo", "rb", buffering=0) as file:
            return file.read(256)
    except OSError:
        return b""


def _can_do_without() -> bool:
    """Whether numpy is one of its project's own wheels, which run on any processor and bring a folder along.

    One that was built for this processor alone would refuse to be loaded.
    """
    return any(os.path.isdir(os.path.join(place, "numpy.libs")) for place in sys.path)
