"""Checks whether a user, such as that of a mail system, can classify mail with a model."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from spamnb.core import Account, describe_file, is_trusted, obstacles, read_byte, try_as, user_name
from spamnb.errors import SpamnbError
from spamnb.storage import JOURNAL, update_journal

_MAIL = b"Subject: test\n\nThis is a test.\n"
_TORN = " ends inside a record: "
_LONGEST = 60  # seconds for one mail


class Check(NamedTuple):
    """One thing that was looked at; `ok` is None if that was not possible, `mend` a command that helps."""

    label: str
    ok: bool | None
    text: str
    mend: str = ""


def check_access(model: str, account: Account) -> Iterator[Check]:
    """Looks at all files that `spamnb filter` needs, then lets it classify a mail as that user."""
    program = str(Path(__file__).resolve().parents[1] / "__init__.py")
    for label, path in (("interpreter", sys.executable), ("program", program)):
        check = _readable(label, path, account)
        yield check if check.ok else check._replace(mend=f"{check.mend}  # or install spamnb in /opt")
    yield _readable("model", os.path.abspath(model), account)
    journal = os.path.realpath(model) + JOURNAL
    if os.path.lexists(journal):
        yield _journal(journal, model, account)
    yield _filter(model, account)


def _readable(label: str, path: str, account: Account) -> Check:
    if not os.path.exists(path):
        return Check(label, False, f"{path}: there is no such file")
    in_the_way = obstacles(path, account)
    error = try_as(account, lambda: read_byte(path)) if _can_try(account) else None
    if error is None:  # not tried: the permission bits have to do
        error = "permission denied" if in_the_way else ""
    if not error:
        return Check(label, True, f"{path} ({describe_file(path)})")
    if not in_the_way:
        text = f"{path}: {error}, although its permissions allow it"
        return Check(label, False, text, f"getfacl {quote(path)}  # and see how it is mounted")
    first = in_the_way[0]
    where = path if first.path == path else f"{path}, because of the folder {first.path}"
    return Check(
        label,
        False,
        f"{account.name} may not read {where} ({first.description})",
        " && ".join(one.mend for one in in_the_way),
    )


def _journal(journal: str, model: str, account: Account) -> Check:
    check, like = _readable("journal", journal, account), quote(os.path.realpath(model))
    mend = f"chown --reference={like} {quote(journal)} && chmod --reference={like} {quote(journal)}"
    owner = os.lstat(journal).st_uid
    if owner != account.user and not is_trusted(owner, model):
        expected = user_name(os.stat(model).st_uid)
        return Check("journal", False, f"{journal} belongs to {user_name(owner)}, expected {expected}", mend)
    if check.ok and (torn := _torn(model)):
        return Check("journal", False, torn, f"spamnb learn --compact -m {like}")
    if check.ok or obstacles(model, account):
        return check
    return check._replace(mend=mend)  # the model can be read: what it is shared with is right


def _torn(model: str) -> str:
    """Says where the journal ends inside a record; empty if it does not, or cannot be read."""
    try:
        journal = update_journal.read_both(model)[2]
    except (SpamnbError, OSError):
        return ""
    return update_journal.torn(model, journal).message if journal is not None and journal.is_torn else ""


def _can_try(account: Account) -> bool:
    return account.is_caller or os.geteuid() == 0


def _filter(model: str, account: Account) -> Check:
    """Runs `spamnb filter` as a mail system does: as that user, with almost no environment."""
    if not _can_try(account):
        return Check(
            "filter", None, f"not tried as {account.name}: only root can run a program as another user"
        )
    command = [sys.executable, "-m", "spamnb", "filter", "--tempfail", "-m", os.path.abspath(model)]
    identity = {} if account.is_caller else {"user": account.user, "group": account.groups[0]}
    more = {} if account.is_caller else {"extra_groups": account.groups}
    try:
        completed = subprocess.run(
            command,
            input=_MAIL,
            capture_output=True,
            cwd="/",
            env={"PATH": os.defpath},
            timeout=_LONGEST,
            check=False,
            **identity,  # type: ignore[call-overload]
            **more,
        )
    except OSError as error:
        return Check("filter", False, f"cannot be started: {(error.strerror or str(error)).lower()}")
    except subprocess.TimeoutExpired:
        return Check("filter", False, f"took more than {_LONGEST} s for an email")
    errors = completed.stderr.decode("utf-8", "replace").strip().splitlines()
    torn = any(line.startswith("warning: ") and _TORN in line for line in errors)  # it has a line of its own
    problems = [] if torn else [line for line in errors if not line.startswith("note: ")]
    if completed.returncode or problems or b"\nX-Spamnb: " not in completed.stdout:
        exit_code = f"ended with exit code {completed.returncode}"
        return Check("filter", False, problems[0] if problems else exit_code)
    return Check("filter", True, "a test mail gets its verdict")
