"""Gives new files the owner, group and permissions of the file beside which they stand, or refuses.

A model, its journal and its lock are shared as one: a journal that the mail system cannot read would make
its filter useless, and one of another owner could be anyone's.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from shlex import quote

from spamnb.errors import ModelError

_ACL = "system.posix_acl_access"
HAS_OWNERS = hasattr(os, "geteuid")


def check_owner(path: str) -> None:
    """Refuses to change a file of another user: what is written beside it would belong to the caller."""
    if not HAS_OWNERS:  # pragma: no cover
        return
    owner = os.stat(path).st_uid
    if os.geteuid() not in (0, owner) and not _has_one_owner(os.path.dirname(os.path.realpath(path)), owner):
        raise _wrong_owner(path, owner)


def _has_one_owner(folder: str, owner: int) -> bool:
    """Tells whether new files in a folder belong to this user, as on file systems that know no owners."""
    from spamnb.core.new_files import NewFile

    with suppress(OSError), NewFile(folder) as probe:
        return os.fstat(probe.handle).st_uid == owner
    return False


def share_like(handle: int, path: str, *, mode: int | None = None, at_least: int = 0) -> None:
    """Gives a new file the owner, group, mode and access list of the one at `path`, if it exists.

    `mode` replaces the mode and the access list; `at_least` are permissions that are added.
    """
    try:
        like = os.lstat(path)
    except FileNotFoundError:
        like = os.fstat(handle)
    if not HAS_OWNERS or not stat.S_ISREG(like.st_mode):
        return
    wanted = (stat.S_IMODE(like.st_mode) & 0o777 if mode is None else mode) | at_least
    _give(handle, like, wanted, path)
    if stat.S_IMODE(os.fstat(handle).st_mode) != wanted:
        os.fchmod(handle, wanted)
    if mode is None and (entries := _access_list(path)) is not None:
        os.setxattr(handle, _ACL, entries)


def _give(handle: int, like: os.stat_result, mode: int, path: str) -> None:
    """Changes the owner and, if it makes a difference who is in it, the group."""
    new = os.fstat(handle)
    if new.st_uid != like.st_uid:
        try:
            os.fchown(handle, like.st_uid, like.st_gid)
        except OSError:
            raise _wrong_owner(path, like.st_uid) from None
    elif new.st_gid != like.st_gid:
        try:
            os.fchown(handle, -1, like.st_gid)
        except OSError:
            if (mode >> 3) & 7 != mode & 7:
                raise _wrong_group(path, like.st_gid) from None


def _access_list(path: str) -> bytes | None:
    """Returns the access list of a file beyond its mode, None where there is none."""
    if hasattr(os, "getxattr"):
        with suppress(OSError):
            return os.getxattr(path, _ACL, follow_symlinks=False)
    return None


def is_trusted(owner: int, model: str) -> bool:
    """Tells whether a file of this owner may stand beside a model: its owner's, the caller's or root's."""
    return not HAS_OWNERS or owner in (0, os.geteuid(), os.stat(model).st_uid)


def _wrong_owner(path: str, owner: int) -> ModelError:
    account = quote(_account(owner))
    return ModelError(
        f"cannot change {path}: it belongs to {user_name(owner)}, and you are {user_name(os.geteuid())}",
        hint=f"only its owner and root change a model: run the command with `sudo -u {account}`, "
        "or choose another model with -m or -o",
    )


def _wrong_group(path: str, group: int) -> ModelError:
    name, folder = group_name(group), quote(os.path.dirname(os.path.realpath(path)))
    return ModelError(
        f"cannot change {path}: it is shared with the group {name}, and you are not in that group",
        hint=f"run the command as root, or let new files get the group: chgrp {name} {folder} && "
        f"chmod g+s {folder}",
    )


def user_name(number: int) -> str:
    """Returns the name of a user, or `user 12345` where it has none."""
    account = _account(number)
    return f"user {number}" if account.startswith("#") else account


def _account(number: int) -> str:
    """Returns a user as sudo takes it."""
    import pwd

    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"#{number}"


def group_name(number: int) -> str:
    """Returns the name of a group, or its number where it has none."""
    import grp

    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)
