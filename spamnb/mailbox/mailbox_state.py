"""Keeps in SQLite what was seen, decided, moved and learned of each account.

Everything is recorded before it is done (`planned`) and again when it is done, and what belongs together is
one transaction. So a process that is killed at any moment finds out at its next start what is left to do.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from spamnb.mailbox.mail_identity import Envelope, Identity
from spamnb.mailbox.state_file import connect, prepare_tables
from spamnb.mailbox.sync_plan import FolderStatus

PLANNED, DONE, SETTLED = "planned", "done", "settled"
WATCHED, JUNK_MARK = "watched", "junk"  # uses of a folder's status: classified up to; as Junk was last listed


class Action(NamedTuple):
    """A move or a flag that is planned or done."""

    id: int
    kind: str
    folder: str
    uidvalidity: int
    uid: int
    identity: Identity


class PendingLesson(NamedTuple):
    """A mail that a person has sorted; its bytes are kept until it is learned."""

    id: int
    label: str
    raw: bytes


class NewLesson(NamedTuple):
    """A lesson that is not recorded yet."""

    label: str
    identity: Identity
    raw: bytes


class SeenMail(NamedTuple):
    """A mail to record: where it is from, and its verdict if it was classified."""

    envelope: Envelope
    origin: str  # present, arrived, moved (by a person) or own (moved by spamnb)
    verdict: str | None = None
    probability: float | None = None


class AccountSummary(NamedTuple):
    """What `spamnb imap status` shows of an account."""

    synced: float | None
    error: str
    failed: float | None
    folders: dict[str, int]  # watched folder or Junk -> number of mails
    verdicts: dict[str, int]
    actions: dict[str, int]
    lessons: dict[str, int]
    waiting: int  # actions and lessons that are planned


class MailboxState:
    """The state of one account in a file that several accounts share."""

    def __init__(self, path: str, account: str) -> None:
        self.account = account
        self._db = connect(path)
        with self.transaction():
            prepare_tables(self._db, path)
            self._db.execute("INSERT OR IGNORE INTO accounts (account) VALUES (?)", (account,))

    def close(self) -> None:
        self._db.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Records everything inside, or nothing."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    # --- folders and mails ---

    def status(self, folder: str, use: str) -> FolderStatus | None:
        """Returns the status of a folder that was recorded for this use."""
        return self.statuses(use).get(folder)

    def statuses(self, use: str) -> dict[str, FolderStatus]:
        rows = self._db.execute(
            "SELECT folder, uidvalidity, uidnext, messages FROM folders WHERE account = ? AND use = ?",
            (self.account, use),
        )
        return {folder: FolderStatus(*numbers) for folder, *numbers in rows}

    def set_status(self, folder: str, use: str, status: FolderStatus) -> None:
        self._db.execute(
            "INSERT OR REPLACE INTO folders VALUES (?, ?, ?, ?, ?, ?)", (self.account, folder, use, *status)
        )

    def mails(self, folder: str, uidvalidity: int) -> dict[int, Identity]:
        """Returns the recorded mails of a folder by UID."""
        rows = self._db.execute(
            "SELECT uid, message_id, size, digest FROM mails "
            "WHERE account = ? AND folder = ? AND uidvalidity = ?",
            (self.account, folder, uidvalidity),
        )
        return {uid: Identity(*identity) for uid, *identity in rows}

    def unclassified(self, folder: str, uidvalidity: int) -> set[int]:
        """Returns the UIDs of mails that were there when the folder was first listed, never classified."""
        rows = self._db.execute(
            "SELECT uid FROM mails WHERE account = ? AND folder = ? AND uidvalidity = ? "
            "AND origin = 'present' AND verdict IS NULL",
            (self.account, folder, uidvalidity),
        )
        return {uid for (uid,) in rows}

    def add_mails(self, folder: str, uidvalidity: int, mails: Iterable[SeenMail]) -> None:
        self._db.executemany(
            "INSERT OR REPLACE INTO mails VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (self.account, folder, uidvalidity, uid, *identity, origin, verdict, probability)
                for (uid, identity, *_), origin, verdict, probability in mails
            ),
        )

    def remove_mails(self, folder: str, uidvalidity: int, uids: Iterable[int]) -> None:
        self._db.executemany(
            "DELETE FROM mails WHERE account = ? AND folder = ? AND uidvalidity = ? AND uid = ?",
            ((self.account, folder, uidvalidity, uid) for uid in uids),
        )

    def seen_elsewhere(self, identity: Identity, folder: str) -> list[Identity]:
        """Mails with the same key that were seen in other folders, or learned."""
        key = self.account, *identity.key
        rows = self._db.execute(
            "SELECT message_id, size, digest FROM mails WHERE account = ? AND message_id = ? AND size = ? "
            "AND folder != ? UNION ALL "
            "SELECT message_id, size, digest FROM lessons WHERE account = ? AND message_id = ? AND size = ?",
            (*key, folder, *key),
        )
        return [Identity(*row) for row in rows]

    def seen(self, identity: Identity, folder: str, uidvalidity: int, uid: int) -> bool:
        """Tells whether another mail with these bytes was seen in any folder, or learned."""
        key = self.account, *identity
        row = self._db.execute(
            "SELECT 1 FROM mails WHERE account = ? AND message_id = ? AND size = ? AND digest = ? "
            "AND NOT (folder = ? AND uidvalidity = ? AND uid = ?) UNION ALL "
            "SELECT 1 FROM lessons WHERE account = ? AND message_id = ? AND size = ? AND digest = ? LIMIT 1",
            (*key, folder, uidvalidity, uid, *key),
        )
        return row.fetchone() is not None

    # --- actions ---

    def plan(self, kind: str, folder: str, uidvalidity: int, envelopes: Iterable[Envelope]) -> None:
        """Records what will be done with these mails."""
        self._db.executemany(
            "INSERT OR IGNORE INTO actions "
            "(account, kind, folder, uidvalidity, uid, message_id, size, digest, state) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            ((self.account, kind, folder, uidvalidity, one.uid, *one.identity, PLANNED) for one in envelopes),
        )

    def actions(self, state: str, kind: str) -> list[Action]:
        rows = self._db.execute(
            "SELECT id, kind, folder, uidvalidity, uid, message_id, size, digest FROM actions "
            "WHERE account = ? AND state = ? AND kind = ? ORDER BY id",
            (self.account, state, kind),
        )
        return [Action(a, b, c, d, e, Identity(*identity)) for a, b, c, d, e, *identity in rows]

    def set_actions(self, actions: Iterable[Action], state: str) -> None:
        self._db.executemany(
            "UPDATE actions SET state = ? WHERE id = ?", ((state, one.id) for one in actions)
        )

    def drop_planned(self, kinds: Sequence[str]) -> None:
        """Gives up actions of these kinds that are planned."""
        self._db.executemany(
            "DELETE FROM actions WHERE account = ? AND state = ? AND kind = ?",
            ((self.account, PLANNED, kind) for kind in kinds),
        )

    # --- lessons ---

    def add_lessons(self, lessons: Iterable[NewLesson]) -> None:
        self._db.executemany(
            "INSERT INTO lessons (account, label, message_id, size, digest, raw, state, at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            ((self.account, one.label, *one.identity, one.raw, PLANNED, time.time()) for one in lessons),
        )

    def lessons(self, most: int) -> list[PendingLesson]:
        """Returns the first lessons that are not learned yet, in their order."""
        rows = self._db.execute(
            "SELECT id, label, raw FROM lessons WHERE account = ? AND state = ? ORDER BY id LIMIT ?",
            (self.account, PLANNED, most),
        )
        return [PendingLesson(*row) for row in rows]

    def set_learned(self, lessons: Iterable[PendingLesson]) -> None:
        """Marks lessons as learned and erases the bytes of their mails."""
        self._db.executemany(
            "UPDATE lessons SET state = ?, raw = NULL WHERE id = ?", ((DONE, one.id) for one in lessons)
        )

    # --- the account ---

    def synced(self) -> float | None:
        """Returns when the account was last synchronised."""
        row = self._db.execute("SELECT synced FROM accounts WHERE account = ?", (self.account,)).fetchone()
        return None if row is None else row[0]

    def set_synced(self) -> None:
        self._db.execute(
            "UPDATE accounts SET synced = ?, error = '', failed = NULL WHERE account = ?",
            (time.time(), self.account),
        )

    def set_error(self, error: str) -> None:
        self._db.execute(
            "UPDATE accounts SET error = ?, failed = ? WHERE account = ?", (error, time.time(), self.account)
        )

    def summary(self) -> AccountSummary:
        """Counts what was seen, decided, done and learned."""
        row = self._db.execute(
            "SELECT synced, error, failed FROM accounts WHERE account = ?", (self.account,)
        )
        synced, error, failed = row.fetchone()
        waiting = self._counted("actions", "state")[PLANNED] + self._counted("lessons", "state")[PLANNED]
        folders = {name: status.messages for name, status in self.statuses(WATCHED).items()}
        verdicts, lessons = self._counted("mails", "verdict"), self._counted("lessons", "label")
        actions = self._counted("actions", "kind", f"AND state != '{PLANNED}'")
        return AccountSummary(synced, error, failed, folders, verdicts, actions, lessons, waiting)

    def _counted(self, table: str, column: str, condition: str = "") -> Counter[str]:
        rows = self._db.execute(
            f"SELECT {column}, COUNT(*) FROM {table} WHERE account = ? AND {column} IS NOT NULL {condition} "
            f"GROUP BY {column}",
            (self.account,),
        )
        return Counter(dict(rows.fetchall()))
