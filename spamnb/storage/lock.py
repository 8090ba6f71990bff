"""Locks a model file: learners queue, and a lock ends with the process that holds it."""

from __future__ import annotations

import errno
import os
import random
import stat
import sys
import time
from contextlib import suppress
from types import TracebackType

from spamnb.core import check_owner, is_trusted, share_like, user_name
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
        if os.path.exists(self._model):
            check_owner(self._model)
        try:
            handle = self._open_or_create()
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise ModelError(f"{self._path} is a link, expected a lock file", "remove it") from None
            what = (error.strerror or str(error)).lower()
            raise ModelError(
                f"cannot change {self._model}: cannot open {self._path}: {what}",
                hint="learning needs a model in a folder where you may write",
            ) from None
        try:
            self._check(os.fstat(handle))
            with suppress(ModelError, OSError):  # the model may have another group or mode by now
                share_like(handle, os.path.realpath(self._model), at_least=0o600)
        except BaseException:
            os.close(handle)
            raise
        return handle

    def _open_or_create(self) -> int:
        flags = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
        while True:
            with suppress(FileNotFoundError):
                return os.open(self._path, flags)
            with suppress(FileExistsError):  # another process was faster
                return self._shared(os.open(self._path, flags | os.O_CREAT | os.O_EXCL, 0o600))

    def _shared(self, handle: int) -> int:
        """Gives a new lock file the owner and the permissions of the model, or removes it again."""
        try:
            share_like(handle, os.path.realpath(self._model), at_least=0o600)
        except BaseException:
            os.unlink(self._path)
            os.close(handle)
            raise
        return handle

    def _check(self, status: os.stat_result) -> None:
        if not stat.S_ISREG(status.st_mode):
            raise ModelError(f"{self._path} is not a regular file, expected a lock file", "remove it")
        if os.path.exists(self._model) and not is_trusted(status.st_uid, self._model):
            owner = user_name(os.stat(self._model).st_uid)
            raise ModelError(
                f"{self._path} belongs to {user_name(status.st_uid)}, expected {owner}, the model's owner",
                hint="remove it",
            )

    def _acquire(self) -> None:
        end, pause = time.monotonic() + self._wait, _PAUSE[0]
        while not _try(self._handle):
            if time.monotonic() >= end:
                raise ModelError(
                    f"{self._model} is being changed by another process: gave up after {self._wait:g} s",
                    hint="try again later",
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
