"""Holds a mail server and a model in memory, with kills at every step, for property tests."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date

from spamnb.mailbox.mail_classifier import Verdict
from spamnb.mailbox.mail_identity import Envelope, Identity
from spamnb.mailbox.special_folders import Folder
from spamnb.mailbox.sync_plan import FolderStatus


class Killed(BaseException):
    """The process was killed."""


@dataclass
class StoredMail:
    raw: bytes
    flags: set[str] = field(default_factory=set)
    received: float = field(default_factory=time.time)


@dataclass
class MemoryFolder:
    uidvalidity: int = 1
    uidnext: int = 1
    mails: dict[int, StoredMail] = field(default_factory=dict)

    def add(self, mail: StoredMail) -> int:
        self.mails[self.uidnext] = mail
        self.uidnext += 1
        return self.uidnext - 1


class MemoryServer:
    """The folders of one account; a person and sessions change them."""

    def __init__(self, *more: str) -> None:
        names = ("INBOX", "Junk", "Trash", "Archive", *more)
        self.folders = {name: MemoryFolder() for name in names}
        self.moves: list[bytes] = []  # by sessions

    def deliver(self, raw: bytes, folder: str = "INBOX") -> int:
        return self.folders[folder].add(StoredMail(raw))

    def person_moves(self, raw: bytes, source: str, target: str) -> bool:
        """Moves a mail as a mail program does; False where it is not there."""
        uid = self.uid_of(raw, source)
        if uid is None:
            return False
        self.folders[target].add(self.folders[source].mails.pop(uid))
        return True

    def uid_of(self, raw: bytes, folder: str) -> int | None:
        return next((u for u, m in self.folders[folder].mails.items() if m.raw == raw), None)

    def where(self, raw: bytes) -> list[str]:
        return [name for name, one in self.folders.items() for mail in one.mails.values() if mail.raw == raw]

    def renumber(self, folder: str) -> None:
        """Gives a folder a new UIDVALIDITY, and its mails new UIDs."""
        old = self.folders[folder]
        self.folders[folder] = new = MemoryFolder(old.uidvalidity + 1)
        for mail in reversed(old.mails.values()):
            new.add(mail)


class MemorySession:
    """A session that is killed by `step` whenever that wants to, before or after a change on the server."""

    def __init__(self, server: MemoryServer, step: Callable[[], None] = lambda: None, has_move: bool = True):
        self.server, self._step = server, step
        self.has_move, self.can_move = has_move, True
        self.reads = 0

    def _open_folder(self) -> MemoryFolder:
        return self.server.folders[self._name]

    def folders(self) -> list[Folder]:
        return [Folder(name) for name in self.server.folders]

    def status(self, folder: str) -> FolderStatus:
        self._step()
        one = self.server.folders[folder]
        return FolderStatus(one.uidvalidity, one.uidnext, len(one.mails))

    def open(self, folder: str, write: bool = False) -> FolderStatus:
        self._name, self._write = folder, write
        return self.status(folder)

    def uids(self, first: int = 1, since: date | None = None) -> list[int]:
        self._step()
        mails = self._open_folder().mails.items()
        day = time.mktime(since.timetuple()) if since else 0.0
        return [u for u, m in mails if u >= first and "\\Deleted" not in m.flags and m.received >= day]

    def uids_with(self, keyword: str, without: str) -> list[int]:
        mails = self._open_folder().mails.items()
        return [u for u, m in mails if keyword in m.flags and without not in m.flags]

    def envelopes(self, uids: Sequence[int]) -> list[Envelope]:
        self._step()
        mails = self._open_folder().mails
        return [
            Envelope(u, Identity(_message_id(m.raw), len(m.raw)), frozenset(m.flags), m.received)
            for u in uids
            if (m := mails.get(u)) is not None
        ]

    def raw(self, uids: Sequence[int]) -> dict[int, bytes]:
        self._step()
        self.reads += len(uids)
        return {u: m.raw for u in uids if (m := self._open_folder().mails.get(u)) is not None}

    def can_flag(self, keyword: str) -> bool:  # noqa: ARG002
        return True

    def add_keyword(self, uids: Sequence[int], keyword: str) -> None:
        self._change(lambda: [self._open_folder().mails[u].flags.add(keyword) for u in uids])

    def move(self, uids: Sequence[int], target: str) -> None:
        for uid in uids:
            self.copy([uid], target, stepping=False)
            self._change(lambda uid=uid: self._open_folder().mails.pop(uid))

    def copy(self, uids: Sequence[int], target: str, stepping: bool = True) -> None:
        if stepping:
            self._step()
        assert self._write
        for uid in uids:
            mail = self._open_folder().mails[uid]
            self.server.moves.append(mail.raw)
            self.server.folders[target].add(StoredMail(mail.raw, set(mail.flags), mail.received))
        if stepping:
            self._step()

    def remove_copied(self, uids: Sequence[int]) -> None:
        self._change(lambda: [self._open_folder().mails[u].flags.add("\\Deleted") for u in uids])
        self._change(lambda: [self._open_folder().mails.pop(u, None) for u in uids])

    def _change(self, change: Callable[[], object]) -> None:
        assert self._write
        change()
        self._step()


class MemoryModel:
    """Calls mails with the word prize spam, unless it has learned otherwise; counts what it learns."""

    def __init__(self, step: Callable[[], None] = lambda: None) -> None:
        self.step = step
        self.labels: dict[bytes, str] = {}
        self.changes: list[tuple[bytes, str]] = []
        self.classified: list[bytes] = []

    def classify(self, mails: Sequence[bytes]) -> list[Verdict]:
        self.classified += mails
        return [self._verdict(raw) for raw in mails]

    def _verdict(self, raw: bytes) -> Verdict:
        label = self.labels.get(raw, "spam" if b"prize" in raw else "ham")
        return Verdict(label, 0.9 if label == "spam" else 0.1, "")

    def learn(self, lessons: Sequence[tuple[str, bytes]]) -> None:
        """Learns all or nothing, as a Learner does; what it knows already is no change."""
        self.step()
        for label, raw in lessons:
            if self.labels.get(raw) != label:
                self.changes.append((raw, label))
            self.labels[raw] = label
        self.step()


def _message_id(raw: bytes) -> str:
    first, _, rest = raw.partition(b"\n")
    return first.removeprefix(b"Message-ID: ").decode() if rest and first.startswith(b"Message-ID: ") else ""
