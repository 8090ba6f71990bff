"""Keeps the last messages of a server in SQLite: what they were classified as, and how they were labelled."""

from __future__ import annotations

import os
import sqlite3
import time
import zlib
from collections.abc import Iterable, Mapping, Sequence
from threading import RLock
from typing import Any, NamedTuple

from spamnb.core import files
from spamnb.errors import ConfigError, DataError
from spamnb.model import data_folder
from spamnb.service.message_preview import preview_of
from spamnb.service.message_scoring import Message

MOST_DAYS = 30
MOST_RAW = 1 << 19  # bytes of a message that is kept as a whole; a larger one can be seen, but not labelled
_SCHEMA = """
CREATE TABLE IF NOT EXISTS messages (
  id INTEGER PRIMARY KEY, time REAL, source TEXT, kind TEXT, is_mail INTEGER, size INTEGER, text TEXT,
  raw BLOB, digest TEXT, verdict TEXT, probability REAL);
CREATE TABLE IF NOT EXISTS labels (
  id INTEGER PRIMARY KEY, time REAL, digest TEXT, label TEXT, model TEXT, lesson INTEGER);
CREATE INDEX IF NOT EXISTS messages_digest ON messages (digest);
CREATE INDEX IF NOT EXISTS messages_time ON messages (time);
CREATE INDEX IF NOT EXISTS labels_digest ON labels (digest);
"""


class Classified(NamedTuple):
    """A message that was classified."""

    time: float
    source: str
    message: Message
    verdict: str
    probability: float


class Labelled(NamedTuple):
    """Messages that were learned with a label; without a label they were forgotten."""

    messages: Sequence[Message]
    label: str
    model: str
    lesson: int | None


class Undone(NamedTuple):
    """Lessons of a model that were taken back."""

    model: str
    lessons: Sequence[int]


def history_path() -> str:
    """Returns the file of the history, in the data folder of the user."""
    folder = data_folder()
    if folder is None:
        raise ConfigError("there is no data folder for --history", "set HOME or XDG_DATA_HOME")
    return os.path.join(folder, "history.sqlite")


class MessageHistory:
    """At most `most` messages, none older than 30 days, in a file that its owner alone can read."""

    def __init__(self, path: str, most: int) -> None:
        self._most, self._lock = most, RLock()
        files.make_folder(os.path.dirname(path))
        files.refuse_link(path)
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            os.chmod(path, 0o600)
            self._db = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
            self._db.row_factory = sqlite3.Row
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.execute("PRAGMA secure_delete=ON")  # texts are gone when they are removed
            self._db.executescript(_SCHEMA)
            self.write(())
        except (OSError, sqlite3.Error) as error:
            raise DataError(
                f"cannot open the history {path}: {error}", "check its folder, or remove the file"
            ) from None

    def write(self, events: Iterable[Classified | Labelled | Undone]) -> None:
        """Writes events in their order, in one transaction, and removes what is too much or too old."""
        with self._lock, self._db:
            self._db.execute("BEGIN IMMEDIATE")
            for event in events:
                if isinstance(event, Classified):
                    self._add(event)
                elif isinstance(event, Labelled):
                    self._label(event)
                else:
                    rows = [(event.model, number) for number in event.lessons]
                    self._db.executemany("DELETE FROM labels WHERE model = ? AND lesson = ?", rows)
            self._prune()

    def query(self, sql: str, values: Mapping[str, object] | Sequence[object] = ()) -> list[dict[str, Any]]:
        """Returns the rows of a query."""
        with self._lock:
            return [dict(row) for row in self._db.execute(sql, values)]

    def message(self, number: int) -> Message | None:
        """Returns a message as it came; None if it is not or no longer there, or was too large to keep."""
        rows = self.query("SELECT raw, is_mail FROM messages WHERE id = ? AND raw IS NOT NULL", [number])
        return Message(zlib.decompress(rows[0]["raw"]), bool(rows[0]["is_mail"])) if rows else None

    def recent(self, most: int, most_bytes: int) -> list[Message]:
        """Returns the last different messages, of limited number and size."""
        rows = self.query(
            "SELECT raw, is_mail, size FROM messages WHERE raw IS NOT NULL AND id IN "
            "(SELECT MAX(id) FROM messages GROUP BY digest) ORDER BY id DESC LIMIT ?",
            [most],
        )
        messages, size = list[Message](), 0
        for row in rows:
            if (size := size + row["size"]) > most_bytes:
                break
            messages.append(Message(zlib.decompress(row["raw"]), bool(row["is_mail"])))
        return messages

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def _add(self, event: Classified) -> None:
        message, preview = event.message, preview_of(event.message)
        raw = zlib.compress(message.raw, 1) if len(message.raw) <= MOST_RAW else None
        values = (
            event.time, event.source, message.kind, message.is_mail, len(message.raw),
            preview.text, raw, preview.digest, event.verdict, event.probability,
        )  # fmt: skip
        self._db.execute(
            "INSERT INTO messages "
            "(time, source, kind, is_mail, size, text, raw, digest, verdict, probability) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            values,
        )

    def _label(self, event: Labelled) -> None:
        """Labels all messages with the same digests; a model that was trained anew counts from 1 again."""
        if event.lesson is not None:
            self._db.execute(
                "UPDATE labels SET lesson = NULL WHERE model = ? AND lesson = ?", (event.model, event.lesson)
            )
        for digest in {preview_of(message).digest for message in event.messages}:
            if event.label and event.lesson is None and self._label_of(digest) == event.label:
                continue  # nothing changed: the lesson before can still be undone
            if event.label:
                self._db.execute(
                    "INSERT INTO labels (time, digest, label, model, lesson) VALUES (?, ?, ?, ?, ?)",
                    (time.time(), digest, event.label, event.model, event.lesson),
                )
            else:
                self._db.execute("DELETE FROM labels WHERE digest = ?", (digest,))

    def _label_of(self, digest: str) -> str:
        rows = self.query("SELECT label FROM labels WHERE digest = ? ORDER BY id DESC LIMIT 1", [digest])
        return str(rows[0]["label"]) if rows else ""

    def _prune(self) -> None:
        oldest = time.time() - MOST_DAYS * 86400
        removed = self._db.execute(
            "DELETE FROM messages WHERE time < ? OR id <= (SELECT MAX(id) FROM messages) - ?",
            (oldest, self._most),
        )
        if removed.rowcount:
            self._db.execute(
                "DELETE FROM labels WHERE time < ? AND digest NOT IN (SELECT digest FROM messages)", (oldest,)
            )
