"""Writes new files under temporary names, moves them into place together, and removes those of dead writers.

A writer holds a system lock on its temporary file until the file has its final name. The system releases the
lock of a process that dies. So a temporary file that can be locked has no writer any more.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from contextlib import suppress
from io import BufferedRandom
from types import TracebackType

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows, where an open file cannot be renamed or removed
    fcntl = None  # type: ignore[assignment]

PREFIX, SUFFIX = ".spamnb-", ".tmp"
_TRIES = 50
_SAFE = sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))


class NewFile:
    """An empty file of mode 0600 inside `with`; it vanishes at the end unless `place` gives it a name."""

    file: BufferedRandom

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def __enter__(self) -> NewFile:
        self.handle, self.path = _create(self._folder)
        self.file = open(self.handle, "w+b")
        return self

    def sync(self) -> None:
        """Writes the contents to the disk."""
        self.file.flush()
        os.fsync(self.handle)

    def place(self, path: str) -> None:
        """Replaces the file at `path` in one step, while the temporary name is still locked."""
        if fcntl is None:  # pragma: no cover
            self.file.close()
        os.replace(self.path, path)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # gone if it was placed
            os.unlink(self.path)
        with suppress(OSError):  # what could not be written was reported before
            self.file.close()


def _create(folder: str) -> tuple[int, str]:
    import tempfile

    while True:
        handle, path = tempfile.mkstemp(SUFFIX, PREFIX, folder)  # mode 0600
        if _lock(handle) is not False and os.path.lexists(path):
            return handle, path
        os.close(handle)  # before it was locked, another writer took it for a leftover
        with suppress(OSError):
            os.unlink(path)


def _lock(handle: int) -> bool | None:
    """Locks a file; False if another process holds the lock, None where the file system has no locks."""
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    except BlockingIOError:
        return False
    except OSError:
        pass
    return None


def remove_leftovers(folder: str) -> None:
    """Removes temporary files in a folder whose writers were killed. Follows no links."""
    paths = []
    with suppress(OSError), os.scandir(folder) as entries:
        paths = [entry.path for entry in entries if entry.name.startswith(PREFIX)]
    for path in paths:
        if path.endswith(SUFFIX):
            with suppress(OSError):
                _remove_if_dead(path)


def _remove_if_dead(path: str) -> None:
    handle = os.open(path, os.O_RDWR | _SAFE)
    try:
        if stat.S_ISREG(os.fstat(handle).st_mode) and _lock(handle):
            os.unlink(path)
    finally:
        os.close(handle)


class Replacements:
    """Replaces and removes several files inside `with`; an error inside puts the old ones back.

    Until the end each old file has a second, temporary name. Placing `last` is the last step: an interrupt
    after that undoes nothing.
    """

    def __init__(self, last: NewFile | None = None) -> None:
        self._last = last
        self._old: list[tuple[str, str | None]] = []
        self._handles: list[int] = []

    def __enter__(self) -> Replacements:
        return self

    def replace(self, temporary: str, path: str) -> None:
        """Gives a file its final name."""
        self._keep(path)
        os.replace(temporary, path)

    def remove(self, path: str) -> None:
        """Removes a file, if it is there."""
        self._keep(path)
        with suppress(FileNotFoundError):
            os.unlink(path)

    def _keep(self, path: str) -> None:
        try:
            kind = os.lstat(path).st_mode
        except FileNotFoundError:
            self._old.append((path, None))
            return
        if stat.S_ISDIR(kind):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        self._handles.append(hold(path))
        old = temporary_name(os.path.dirname(os.path.abspath(path)))
        try:
            os.link(path, old, follow_symlinks=False)
        except (OSError, NotImplementedError):  # a file system without hard links
            os.rename(path, old)
        self._old.append((path, old))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        failed = kind is not None and (self._last is None or os.path.lexists(self._last.path))
        for path, old in reversed(self._old):
            if failed:
                with suppress(OSError):
                    os.unlink(path) if old is None else os.rename(old, path)
            if old is not None:
                with suppress(OSError):  # a rename does nothing if both names are of one file
                    os.unlink(old)
        for handle in self._handles:
            if handle >= 0:
                os.close(handle)


class SecondName:
    """A second, temporary name of a file inside `with`; raises OSError where there are no hard links."""

    def __init__(self, path: str, folder: str) -> None:
        self._source, self.path = path, temporary_name(folder)

    def __enter__(self) -> SecondName:
        self._handle = hold(self._source)
        try:
            os.link(self._source, self.path, follow_symlinks=False)
        except NotImplementedError:
            self.__exit__(None, None, None)
            raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP)) from None
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):
            os.unlink(self.path)
        if self._handle >= 0:
            os.close(self._handle)


def temporary_name(folder: str) -> str:
    """Returns a random name for a temporary file in a folder."""
    return os.path.join(folder, f"{PREFIX}{os.urandom(8).hex()}{SUFFIX}")


def hold(path: str) -> int:
    """Locks a file, so that its temporary names are no leftovers; returns a handle to close, or -1.

    Only a process that looks for leftovers locks it too, and for a moment.
    """
    try:
        handle = os.open(path, os.O_RDONLY | _SAFE)
    except OSError:
        return -1
    for _ in range(_TRIES):
        if _lock(handle) is not False:
            break
        time.sleep(0.001)
    return handle
