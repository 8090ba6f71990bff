"""Writes files for their owner alone, never through a link, and whole or not at all."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from spamnb.core.file_owner import share_like
from spamnb.core.new_files import NewFile
from spamnb.errors import DataError, SpamnbError

_SYSTEM = ("/dev", "/dev/fd", "/proc")  # only the system makes links here, such as /dev/stdout
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_DESCRIPTORS = re.compile(r"/proc/(?:self|thread-self|\d+)(?:/task/\d+)?/fd")
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def refuse_link(path: str, error: type[SpamnbError] = DataError) -> None:
    """Refuses to write through a link: that would change a file which the path does not name."""
    if os.path.islink(path) and not is_system_path(path):
        real = os.path.realpath(path)
        raise error(
            f"{path} is a link to {real}: spamnb does not write through links",
            hint=f"give the path itself: {real}",
        )


def target(path: str) -> str:
    """Returns the path with links to folders resolved; a link at its end stays: a rename replaces it."""
    folder, name = os.path.split(os.path.abspath(path))
    return os.path.join(os.path.realpath(folder), name)


def make_folder(path: str, mode: int = 0o700) -> None:
    """Makes a folder and its missing parents, all of them for the owner alone unless `mode` says more."""
    path, missing = os.path.abspath(path), []
    while not os.path.exists(path):
        missing.append(path)
        path = os.path.dirname(path)
    for folder in reversed(missing):
        try:
            os.mkdir(folder, 0o700)
            if mode != 0o700:
                os.chmod(folder, mode)
        except FileExistsError:
            if not os.path.isdir(folder):
                raise


def create(path: str) -> BinaryIO:
    """Opens an empty file for writing; an existing one is emptied and keeps its mode."""
    refuse_link(path)
    flags = _FLAGS if is_system_path(path) else _FLAGS | _NO_LINK
    return open(path, "wb", opener=lambda name, _: os.open(name, flags, 0o600))


def write(path: str, data: bytes) -> None:
    """Writes data to a file of the user's choice, as a whole or not at all."""
    with output_file(path) as file:
        file.write(data)


@contextmanager
def output_file(path: str) -> Iterator[BinaryIO]:
    """Opens a file of the user's choice, which is there when all is written; a device is written at once.

    A file that is replaced passes its permissions on. An error says why the file cannot be written.
    """
    refuse_link(path)
    special = is_system_path(path) or (os.path.exists(path) and not os.path.isfile(path))
    try:
        mode = os.stat(path).st_mode & 0o777 if os.path.isfile(path) else 0o600
        with create(path) if special else atomic_write(path) as file:
            if not special and mode != 0o600:
                os.chmod(file.fileno(), mode)
            yield file
    except OSError as error:
        raise cannot_write(path, error) from None


@contextmanager
def atomic_write(path: str, shared_like: str | None = None, at_least: int = 0) -> Iterator[BinaryIO]:
    """Opens a file for writing that replaces what had its name when all is written, or not at all.

    It is for the owner alone, or has owner, group and permissions of the file `shared_like`.
    """
    with NewFile(os.path.dirname(target(path))) as new:
        if shared_like is not None:
            share_like(new.handle, shared_like, at_least=at_least)
        yield new.file
        new.sync()
        new.place(path)


def cannot_write(path: str, error: OSError) -> DataError:
    """Makes the error for a path that cannot be written."""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    hint = "free some disk space and try again" if full else "choose another path"
    return DataError(f"cannot write {path}: {error.strerror or error}", hint)


def is_system_path(path: str) -> bool:
    """Returns whether a path is a device or a descriptor, such as /dev/stdout."""
    folder = os.path.dirname(os.path.abspath(path))
    return folder in _SYSTEM or _DESCRIPTORS.fullmatch(folder) is not None
