"""Locks a model file: learners queue, and a lock ends with the process that holds it."""

from __future__ import annotations

import errno
import os
import random
import stat
import sys
import time
from types import TracebackType

from spamnb.errors import ModelError

SUFFIX = ".lock"
WAIT = 30.0  # seconds
_PAUSE = 0.002, 0.05  # the first and the longest pause between two tries


class Lock:
    """Holds the lock inside `with`. Only processes that change a model take it; readers never wait.

    It is an advisory lock of the system on a file beside the model. That file is never removed, so that all
    processes wait for the same one, and the system releases the lock of a process that dies.
    """

    def __init__(self, model: str | os.PathLike[str], wait: float = WAIT) -> None:
        self._model = os.fspath(model)
        self._path = os.path.realpath(self._model) + SUFFIX
        self._wait = wait
        self._handle = -1

    def __enter__(self) -> Lock:
        self._handle = self._open()
        try:
            self._acquire()
        except BaseException:
            os.close(self._handle)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._handle)  # releases the lock

    def _open(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
        try:
            handle = os.open(self._path, flags, 0o600)
            if stat.S_ISREG(os.fstat(handle).st_mode):
                return handle
            os.close(handle)
            raise ModelError(f"{self._path} is not a regular file, expected a lock file", "remove it")
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise ModelError(f"{self._path} is a link, expected a lock file", "remove it") from None
            what = (error.strerror or str(error)).lower()
            raise ModelError(
                f"cannot change {self._model}: cannot open {self._path}: {what}",
                hint="learning needs a model in a folder where you may write",
            ) from None

    def _acquire(self) -> None:
        end, pause = time.monotonic() + self._wait, _PAUSE[0]
        while not _try(self._handle):
            if time.monotonic() >= end:
                raise ModelError(
                    f"{self._model} is being changed by another process: gave up after {self._wait:g} s",
                    hint="try again later; learn and forget wait longer with --wait SECONDS",
                )
            time.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(2 * pause, _PAUSE[1])


if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    def _try(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
