"""Drains a folder in which a mail server leaves mails to learn: Maildir++ with the folders spam and ham.

The time when a file came into its folder is that of the lesson; its name and its other times are the mail's.
Hard links have one time: then ham counts. Dovecot makes none on another file system, as tmpfs is.

A mail is removed after it is in the model, in the order in which mails came. So after a kill only mails that
the model knows are learned again, and no older lesson is left without the later one that corrected it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from spamnb.errors import MailboxError
from spamnb.mailbox.mail_identity import MOST_BYTES
from spamnb.mailbox.move_lessons import Learning
from spamnb.storage import Lock

_AT_ONCE = 100  # mails learned in one step
_LABELS = "spam", "ham"  # of two at the same time the last one counts


class SpooledLesson(NamedTuple):
    """A mail to learn; the order is that in which mails came."""

    came: int
    rank: int
    path: str

    @property
    def label(self) -> str:
        return _LABELS[self.rank]


def drain_spool(folder: str, model: Learning) -> Iterator[str]:
    """Learns the mails of a spool and removes them; yields the label of each. One process at a time."""
    with Lock(os.path.join(folder, "lessons")):
        waiting = waiting_lessons(folder)
        for at in range(0, len(waiting), _AT_ONCE):
            batch = waiting[at : at + _AT_ONCE]
            model.learn([(one.label, _read(one.path)) for one in batch])
            for one in batch:
                os.unlink(one.path)
                yield one.label


def waiting_lessons(folder: str) -> list[SpooledLesson]:
    """Lists the mails of a spool that were written to their end, the oldest first."""
    if not os.path.isdir(folder):
        raise MailboxError(f"{folder} is not a folder", hint="give the folder with .spam and .ham in it")
    return sorted(
        SpooledLesson(entry.stat(follow_symlinks=False).st_ctime_ns, rank, entry.path)
        for rank, label in enumerate(_LABELS)
        for part in ("new", "cur")
        for entry in _files(os.path.join(folder, f".{label}", part))
    )


def _files(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return [one for one in entries if one.is_file(follow_symlinks=False)]
    except FileNotFoundError:
        return []


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(MOST_BYTES)
