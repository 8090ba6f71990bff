"""Finds out whether another user can read a file, and which commands would change that."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from shlex import quote
from typing import NamedTuple

from spamnb.core.file_owner import group_name, user_name
from spamnb.errors import ConfigError


class Account(NamedTuple):
    """A user of the system with all its groups; the first is its own."""

    name: str
    user: int
    groups: tuple[int, ...]

    @property
    def is_caller(self) -> bool:
        return self.user == os.geteuid()


def find_account(text: str | None) -> Account:
    """Returns the account of a user name or number, that of the caller for None.

    A number without an entry in the password database has the group of the same number.
    """
    import pwd

    if text is None:
        return Account(user_name(os.geteuid()), os.geteuid(), (os.getegid(), *os.getgroups()))
    try:
        entry = pwd.getpwuid(int(text)) if text.isdecimal() else pwd.getpwnam(text)
    except (KeyError, OverflowError):
        if not text.isdecimal() or int(text) >= 1 << 32:
            raise ConfigError(
                f"USER must be a user of this system, got {text!r}", "see `getent passwd`"
            ) from None
        return Account(f"user {text}", int(text), (int(text),))
    return Account(entry.pw_name, entry.pw_uid, tuple(os.getgrouplist(entry.pw_name, entry.pw_gid)))


class Obstacle(NamedTuple):
    """A file or folder whose permissions keep a user from reading, and the command that changes them."""

    path: str
    description: str
    mend: str


def obstacles(path: str, account: Account) -> list[Obstacle]:
    """Returns what keeps a user from reading a file: by the permission bits, without access lists."""
    texts = [_obstacle(folder, account, 1) for folder in _folders(path)]
    return [one for one in (*texts, _obstacle(path, account, 4)) if one is not None]


def _folders(path: str) -> Iterator[str]:
    """Returns the folders on the way to a file, from the root; those behind links too."""
    seen = set()
    for full_path in (os.path.abspath(path), os.path.realpath(path)):
        parts = full_path.split(os.sep)[1:-1]
        for i in range(len(parts) + 1):
            folder = os.sep + os.sep.join(parts[:i])
            if folder not in seen:
                seen.add(folder)
                yield folder


def _obstacle(path: str, account: Account, need: int) -> Obstacle | None:
    try:
        status = os.stat(path)
    except OSError:  # the folder before it is the obstacle
        return None
    if account.user == 0 or _bits(status, account) & need:
        return None
    letter = "x" if need == 1 else "r"
    return Obstacle(path, describe_file(path), _mend(path, status, account, letter))


def _bits(status: os.stat_result, account: Account) -> int:
    """Returns the permissions of the one class of users, of three, that an account belongs to."""
    if status.st_uid == account.user:
        return status.st_mode >> 6
    return status.st_mode >> 3 if status.st_gid in account.groups else status.st_mode


def _mend(path: str, status: os.stat_result, account: Account, letter: str) -> str:
    """Opens a folder for everyone to pass through, but a file for the user's group only."""
    if status.st_uid == account.user:
        return f"chmod u+{letter} {quote(path)}"
    if status.st_gid in account.groups:
        return f"chmod g+{letter} {quote(path)}"
    if letter == "x":
        return f"chmod o+x {quote(path)}"
    return f"chgrp {group_name(account.groups[0])} {quote(path)} && chmod g+r {quote(path)}"


def describe_file(path: str) -> str:
    """Returns owner, group and mode of a file in words."""
    status = os.stat(path)
    mode = stat.S_IMODE(status.st_mode)
    return f"owner {user_name(status.st_uid)}, group {group_name(status.st_gid)}, mode {mode:o}"


def try_as(account: Account, work: Callable[[], object]) -> str | None:
    """Does something in a child process as another user; returns the error, "" for none. Needs root.

    None if the child process could not become that user.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os._exit(_in_child(account, work, writing))
    os.close(writing)
    with open(reading, "rb") as pipe:
        error = pipe.read().decode("utf-8", "replace")
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return error if code in (0, 1) else None


def _in_child(account: Account, work: Callable[[], object], out: int) -> int:
    try:
        if not account.is_caller:
            os.setgroups(account.groups)
            os.setgid(account.groups[0])
            os.setuid(account.user)
    except OSError:
        return 2
    try:
        work()
    except OSError as error:
        os.write(out, (error.strerror or str(error)).lower().encode())
        return 1
    return 0


def read_byte(path: str) -> None:
    """Opens a file as a reader would; raises OSError if that is refused."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    try:
        os.read(handle, 1)
    finally:
        os.close(handle)
