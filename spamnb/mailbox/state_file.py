"""Creates the SQLite file of the mailbox state, with its tables."""

from __future__ import annotations

import os
import sqlite3

from spamnb.core import files
from spamnb.errors import MailboxError

_VERSION = 1
_SCHEMA = """
CREATE TABLE accounts (account TEXT PRIMARY KEY, synced REAL, error TEXT NOT NULL DEFAULT '', failed REAL);
CREATE TABLE folders (account TEXT, folder TEXT, use TEXT, uidvalidity INT, uidnext INT, messages INT,
  PRIMARY KEY (account, folder, use)) WITHOUT ROWID;
CREATE TABLE mails (account TEXT, folder TEXT, uidvalidity INT, uid INT, message_id TEXT, size INT,
  digest BLOB, origin TEXT, verdict TEXT, probability REAL,
  PRIMARY KEY (account, folder, uidvalidity, uid)) WITHOUT ROWID;
CREATE INDEX mails_by_identity ON mails (account, message_id, size);
CREATE TABLE actions (id INTEGER PRIMARY KEY, account TEXT, kind TEXT, folder TEXT, uidvalidity INT, uid INT,
  message_id TEXT, size INT, digest BLOB, state TEXT, UNIQUE (account, folder, uidvalidity, uid, kind));
CREATE INDEX actions_by_state ON actions (account, state);
CREATE TABLE lessons (id INTEGER PRIMARY KEY, account TEXT, label TEXT, message_id TEXT, size INT,
  digest BLOB, raw BLOB, state TEXT, at REAL);
CREATE INDEX lessons_by_identity ON lessons (account, message_id, size);
"""


def connect(path: str) -> sqlite3.Connection:
    """Opens the file, a new one if there is none; `prepare_tables` is next, in a transaction."""
    _create(path)
    db = sqlite3.connect(path, timeout=30, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    # A power failure may take the last transactions: then they are repeated, as after a kill.
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute("PRAGMA secure_delete = ON")  # bytes of learned mails do not stay in the file
    return db


def _create(path: str) -> None:
    """Creates the file for its owner alone; SQLite gives the files beside it the same permissions."""
    files.refuse_link(path, MailboxError)
    try:
        files.make_folder(os.path.dirname(path))
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise MailboxError(
            f"cannot write {path}: {error.strerror or error}",
            hint="check the folder's permissions and the disk",
        ) from None


def prepare_tables(db: sqlite3.Connection, path: str) -> None:
    """Creates the tables in a new file; refuses one of another version."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version == 0:
        for statement in filter(str.strip, _SCHEMA.split(";")):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {_VERSION}")
    elif version != _VERSION:
        raise MailboxError(f"{path} has version {version}, expected {_VERSION}", hint="move it away")
