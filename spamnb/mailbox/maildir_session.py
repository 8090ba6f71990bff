"""Lists and reads the folders of a Maildir on disk, as a session lists and reads those of an IMAP server."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator

from spamnb.errors import MailboxError
from spamnb.mailbox.mail_identity import MOST_BYTES, Envelope, Identity
from spamnb.mailbox.special_folders import Folder
from spamnb.mailbox.sync_plan import FolderStatus

UIDVALIDITY = 1
_PARTS = ("cur", "new", "tmp")


class MaildirSession:
    """A Maildir, Maildir++ (`.Junk`) or nested (`Junk`). A mail's UID is a digest of its unique name."""

    def __init__(self, root: str) -> None:
        self._folders = dict(_find_folders(root))
        if not self._folders:
            raise MailboxError(f"{root} is no Maildir", hint="a Maildir has folders cur, new and tmp")
        self._files: dict[int, str] = {}

    def folders(self) -> list[Folder]:
        return list(self._folders)

    def status(self, folder: str) -> FolderStatus:
        """Returns another status each time: a Maildir has no number that tells if mails came and went."""
        return FolderStatus(UIDVALIDITY, time.time_ns(), len(self._listed(folder)))

    def open(self, folder: str, write: bool = False) -> FolderStatus:  # noqa: ARG002
        self._name, self._files = folder, self._listed(folder)
        return self.status(folder)

    def uids(self, first: int = 1) -> list[int]:  # noqa: ARG002
        """Lists all mails: their UIDs tell nothing about their order."""
        return sorted(self._files)

    def envelopes(self, uids: list[int]) -> list[Envelope]:
        """Lists mails without their Message-ID: the size, and where needed the digest, identifies them."""
        out = []
        for uid in uids:
            try:
                status = os.stat(self._files[uid])
            except FileNotFoundError:
                continue  # it was moved, or got other flags; the next listing has it
            out.append(Envelope(uid, Identity("", status.st_size), frozenset(), status.st_mtime))
        return out

    def raw(self, uids: list[int]) -> dict[int, bytes]:
        return {uid: data for uid in uids if (data := self._read(uid)) is not None}

    def _read(self, uid: int) -> bytes | None:
        for _ in range(2):  # new flags are a new name
            try:
                with open(self._files[uid], "rb") as file:
                    return file.read(MOST_BYTES)
            except (FileNotFoundError, KeyError):
                self._files = self._listed(self._name)
        return None

    def _listed(self, folder: str) -> dict[int, str]:
        path = next(path for one, path in self._folders.items() if one.name == folder)
        files = {}
        for part in ("new", "cur"):  # in this order: a mail goes from new to cur
            for entry in _entries(os.path.join(path, part)):
                if not entry.name.startswith(".") and entry.is_file(follow_symlinks=False):
                    files[_number(os.fsencode(entry.name.partition(":2,")[0]))] = entry.path
        return files


def is_live_maildir(folder: str) -> bool:
    """Returns whether mail can arrive in a folder: an archive may lack `new`, and a reader takes that too."""
    return all(os.path.isdir(os.path.join(folder, part)) for part in ("cur", "new"))


def _find_folders(root: str) -> Iterator[tuple[Folder, str]]:
    """Yields the folders of a Maildir with their paths; the root is the inbox."""
    todo = [(root, "")]
    while todo:
        path, name = todo.pop()
        if is_live_maildir(path):
            plus = name.startswith(".")
            yield Folder(name.removeprefix(".") or "INBOX", separator="." if plus else "/"), path
        elif not name:
            return
        for entry in sorted(_entries(path), key=lambda one: one.name, reverse=True):
            if entry.name not in _PARTS and entry.is_dir(follow_symlinks=False):
                todo.append((entry.path, f"{name}/{entry.name}" if name else entry.name))


def _entries(path: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(path) as entries:
            return list(entries)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise MailboxError(f"cannot read {path}: {error.strerror}", hint="check its permissions") from None


def _number(data: bytes) -> int:
    """Returns a number of 63 bits, as SQLite stores them."""
    return int.from_bytes(hashlib.sha256(data).digest()[:8]) >> 1
