"""A real Dovecot for the tests of this folder, with clean accounts for each of them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spamnb.mail.parse import parse_mails
from spamnb.training.trainer import train
from tests.helpers.command_line import Cli
from tests.helpers.dovecot import PASSWORD, USERS, Dovecot, missing_programs
from tests.helpers.paths import SMALL_MAILS

SPAM = [path.read_bytes() for path in SMALL_MAILS if path.parent.name == "spam"]
HAM = [path.read_bytes() for path in SMALL_MAILS if path.parent.name == "ham"]


def numbered(kind: str, n: int) -> bytes:
    """A mail that the model of these tests calls spam or ham; no two are alike."""
    words = "claim your prize now winner cash" if kind == "spam" else "lunch meeting about the report at home"
    return f"Message-ID: <{kind}{n}@example.net>\r\nSubject: {kind} {n}\r\n\r\n{words} {n}\r\n".encode()


@pytest.fixture(scope="session")
def mail_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model of mail."""
    path = tmp_path_factory.mktemp("mail") / "mail.spamnb"
    kinds = ["spam", "ham"] * 60
    train(parse_mails([numbered(kind, -n) for n, kind in enumerate(kinds)]), kinds).save(path)
    return path


@pytest.fixture(scope="session")
def dovecot() -> Iterator[Dovecot]:
    if reason := missing_programs():
        pytest.skip(reason)
    server = Dovecot()
    yield server
    server.stop()


class Mailbox:
    """A person's mail program: an account on the server, and a `spamnb` that filters it."""

    def __init__(self, server: Dovecot, user: str, cli: Cli, model: Path) -> None:
        self.server, self.user, self.cli = server, user, cli
        cli.own_mail_model.parent.mkdir(parents=True, exist_ok=True)
        if not cli.own_mail_model.exists():
            shutil.copy(model, cli.own_mail_model)
        self.client: Any = None
        self.connect()
        for folder in self.folders():
            self.client.select_folder(folder)
            self.client.delete_messages(self.client.search(["ALL"]))
            self.client.expunge()

    def connect(self) -> None:
        from imapclient import IMAPClient

        if self.client is not None:
            self.client.logout()
        self.client = IMAPClient("127.0.0.1", self.server.tls_port, ssl_context=self.server.context())
        self.client.login(self.user, PASSWORD)

    def __enter__(self) -> Mailbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.logout()

    def login(self, *flags: str) -> None:
        access = ("--server", self.server.server, "--ca-file", self.server.certificate)
        command = ("--password-command", f"echo '{PASSWORD}'")
        self.cli("imap", "login", self.user, *access, *command, *flags)

    def folders(self) -> list[str]:
        return [name for _, _, name in self.client.list_folders()]

    def deliver(self, *mails: bytes, folder: str = "INBOX") -> None:
        for raw in mails:
            self.client.append(folder, raw)

    def subjects(self, folder: str) -> list[str]:
        self.client.select_folder(folder, readonly=True)
        rows = self.client.fetch(self.client.search(["ALL"]), ["ENVELOPE"])
        return sorted(row[b"ENVELOPE"].subject.decode() for row in rows.values())

    def flags(self, folder: str, subject: str) -> set[str]:
        uid = self._uid(folder, subject)
        return {flag.decode() for flag in self.client.get_flags([uid])[uid]} - {"\\Recent"}

    def move(self, subject: str, source: str, target: str) -> None:
        uid = self._uid(source, subject, readonly=False)
        self.client.move([uid], target)

    def _uid(self, folder: str, subject: str, readonly: bool = True) -> int:
        self.client.select_folder(folder, readonly=readonly)
        rows = self.client.fetch(self.client.search(["ALL"]), ["ENVELOPE"])
        return next(u for u, row in rows.items() if row[b"ENVELOPE"].subject == subject.encode())

    def unread(self) -> bool:
        """Whether no mail in any folder is marked as read."""
        for folder in self.folders():
            self.client.select_folder(folder, readonly=True)
            if self.client.search(["SEEN"]):
                return False
        return True


@pytest.fixture
def mailbox(dovecot: Dovecot, cli: Cli, mail_model: Path) -> Iterator[Mailbox]:
    with Mailbox(dovecot, USERS[0], cli, mail_model) as one:
        yield one
