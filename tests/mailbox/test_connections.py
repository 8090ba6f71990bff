"""Connections that fail: a server without TLS gets no password, a lost connection is tried again."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from imaplib import IMAP4
from pathlib import Path

import pytest

from spamnb.errors import ConnectionLost, MailboxError
from spamnb.mailbox import account_loop, imap_session
from spamnb.mailbox.account_loop import AccountRun, run_accounts
from spamnb.mailbox.accounts import MailAccount
from spamnb.mailbox.imap_session import ImapSession
from spamnb.mailbox.mailbox_state import MailboxState
from spamnb.mailbox.server_search import log_in
from tests.mailbox.memory_server import MemoryModel, MemoryServer, MemorySession

ME = MailAccount("me@example.org", "imap.example.org")


# --- TLS -------------------------------------------------------------------------------------------


@contextmanager
def plain_server(received: list[bytes]) -> Iterator[int]:
    """An IMAP server that knows no TLS, and keeps all that it receives."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            with client:
                client.settimeout(10)
                client.sendall(b"* OK ready\r\n")
                while data := _received(client):
                    received.append(data)
                    tag = data.split()[0]
                    if data.split()[1:2] != [b"CAPABILITY"]:
                        break
                    client.sendall(b"* CAPABILITY IMAP4rev1\r\n" + tag + b" OK done\r\n")

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield int(listener.getsockname()[1])
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join()


def _received(client: socket.socket) -> bytes:
    try:
        data = client.recv(4096)
    except OSError:
        return b""
    return data if data.count(b" ") else b""  # not the beginning of TLS


def test_a_server_without_tls_gets_no_password() -> None:
    received: list[bytes] = []
    with plain_server(received) as port, pytest.raises(MailboxError) as error:
        log_in(MailAccount("me@example.org", f"127.0.0.1:{port}"), "open sesame")
    assert error.value.message.startswith(f"127.0.0.1:{port} offers no TLS: ")
    assert error.value.hint == "use its port for TLS, usually 993"
    assert b"open sesame" not in b"".join(received)


# --- logins ----------------------------------------------------------------------------------------


class Refusing:
    """A client whose login fails as IMAPClient's does."""

    def __init__(self, error: IMAP4.error) -> None:
        self.error, self.closed = error, False

    def login(self, *_: str) -> None:
        from imapclient.exceptions import LoginError

        try:
            raise self.error
        except IMAP4.error as error:
            raise LoginError(str(error))  # noqa: B904

    def logout(self) -> None:
        raise self.error

    def shutdown(self) -> None:
        self.closed = True


class CutAfterLogin(Refusing):
    """A client that loses its connection between two commands."""

    def login(self, *_: str) -> None:
        pass

    def capabilities(self) -> None:
        raise self.error


def test_a_connection_lost_after_the_login_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    client = CutAfterLogin(IMAP4.abort("socket error: EOF"))
    monkeypatch.setattr(imap_session, "_connect", lambda *_: client)
    with pytest.raises(ConnectionLost):
        ImapSession(ME, "open sesame")


def test_a_server_that_says_goodbye_at_once_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise IMAP4.error(b"* BYE [UNAVAILABLE] Too many connections.")  # as imaplib reports this greeting

    monkeypatch.setattr("imapclient.IMAPClient", refuse)
    with pytest.raises(ConnectionLost, match=r"cannot connect to imap\.example\.org: .* BYE "):
        ImapSession(ME, "open sesame")


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (IMAP4.abort("command: LOGIN => socket error: EOF"), ConnectionLost, "lost the connection to "),
        (IMAP4.error(b"[UNAVAILABLE] Try later."), ConnectionLost, "lost the connection to "),
        (IMAP4.error(b"[AUTHENTICATIONFAILED] No."), MailboxError, "imap.example.org refuses the login of "),
    ],
)
def test_a_connection_lost_in_a_login_is_no_refusal(
    error: IMAP4.error, kind: type[Exception], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Refusing(error)
    monkeypatch.setattr(imap_session, "_connect", lambda *_: client)
    with pytest.raises(MailboxError) as caught:
        ImapSession(ME, "open sesame")
    assert type(caught.value) is kind
    assert caught.value.message.startswith(message)
    assert client.closed


# --- another try -----------------------------------------------------------------------------------


class Connections:
    """Gives sessions out, or errors in their place; waiting ends the run when nothing is left to give."""

    def __init__(self, *results: Exception | None) -> None:
        self.server, self.results, self.ended = MemoryServer(), list(results), False
        self.pauses: list[float] = []

    def connect(self, *_: object) -> MemorySession:
        result = self.results.pop(0)
        if result is not None:
            raise result
        session = MemorySession(self.server)
        session.wait = self.wait  # type: ignore[attr-defined]
        session.close = lambda: None  # type: ignore[attr-defined]
        return session

    def wait(self, *_: object) -> None:
        if not self.results:
            self.ended = True
        else:
            raise ConnectionLost("lost the connection")

    def stop(self) -> bool:
        return self.ended


@pytest.fixture
def notes() -> list[str]:
    return []


def a_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, notes: list[str], connections: Connections
) -> AccountRun:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(account_loop, "ImapSession", connections.connect)
    monkeypatch.setattr(account_loop, "_sleep", lambda seconds, _: connections.pauses.append(seconds))
    return AccountRun(ME, "", MemoryModel(), lambda _: None, notes.append)  # type: ignore[arg-type]


def test_a_lost_connection_is_tried_again_with_growing_pauses(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, notes: list[str]
) -> None:
    lost = ConnectionLost("cannot connect")
    connections = Connections(lost, lost, lost, None, lost, None)
    run_accounts([a_run(monkeypatch, tmp_path, notes, connections)], connections.stop)
    assert connections.pauses == [1.0, 2.0, 4.0, 1.0, 2.0]
    assert notes[0] == "me@example.org: cannot connect; trying again in 1 s"
    state = MailboxState(account_loop.state_path(), ME.name)
    assert state.summary().error == ""
    state.close()


def test_a_refused_login_ends_the_account_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, notes: list[str]
) -> None:
    connections = Connections(MailboxError("imap.example.org refuses the login of me@example.org"))
    with pytest.raises(MailboxError, match="refuses the login"):
        run_accounts([a_run(monkeypatch, tmp_path, notes, connections)], connections.stop)
    refused = (
        "me@example.org: imap.example.org refuses the login of me@example.org; this account is not filtered"
    )
    assert notes == [refused]
    state = MailboxState(account_loop.state_path(), ME.name)
    assert state.summary().error == "imap.example.org refuses the login of me@example.org"
    state.close()


def test_what_a_server_refuses_later_is_tried_again_after_a_long_pause(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, notes: list[str]
) -> None:
    connections = Connections(None, MailboxError("quota"), None)
    run_accounts([a_run(monkeypatch, tmp_path, notes, connections)], connections.stop)
    assert connections.pauses == [1.0, 300.0]
