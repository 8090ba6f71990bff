"""Talks to an IMAP server: always by TLS with a checked certificate, and without marking mails as read."""

from __future__ import annotations

import re
import ssl
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date, datetime
from functools import wraps
from imaplib import IMAP4
from typing import Any, Concatenate, ParamSpec, TypeVar

from spamnb.core import excerpt
from spamnb.errors import ConnectionLost, MailboxError, MissingExtraError
from spamnb.mailbox.accounts import MailAccount
from spamnb.mailbox.mail_identity import MOST_BYTES, Envelope, Identity
from spamnb.mailbox.special_folders import Folder
from spamnb.mailbox.sync_plan import FolderStatus

TIMEOUT = 60.0  # seconds for one answer of the server
_STATUS = ("UIDVALIDITY", "UIDNEXT", "MESSAGES")
_LISTED = ("FLAGS", "RFC822.SIZE", "INTERNALDATE", "BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)]")
_MANY = 500  # mails that are listed by one command
_MESSAGE_ID = re.compile(rb"(?is)^message-id:\s*(.*?)\s*$")
_QUOTED_BYTES = re.compile(r"""b(['"])(.*)\1""", re.DOTALL)
_TICK = 1.0  # seconds between two looks whether waiting may end

P = ParamSpec("P")
T = TypeVar("T")


def _translated(
    method: Callable[Concatenate[ImapSession, P], T],
) -> Callable[Concatenate[ImapSession, P], T]:
    """Turns errors of the library and of the network into those of spamnb."""

    @wraps(method)
    def run(self: ImapSession, /, *args: P.args, **named: P.kwargs) -> T:
        try:
            return method(self, *args, **named)
        except (OSError, IMAP4.abort, EOFError) as error:
            raise self._lost(error) from None
        except IMAP4.error as error:
            raise MailboxError(f"{self.server} refuses: {_reason(error)}", hint="see its log") from None

    return run


def _reason(error: BaseException) -> str:
    """Returns the text of an error; imaplib writes an answer of the server as Python does, b'...'."""
    text = str(error) or type(error).__name__
    if quoted := _QUOTED_BYTES.fullmatch(text):
        text = quoted[2]
    return excerpt(text, 200)


def tls_context(ca_file: str) -> ssl.SSLContext:
    """Returns a context that checks certificates and names, also by a certificate authority of one's own."""
    try:
        return ssl.create_default_context(cafile=ca_file or None)
    except (OSError, ssl.SSLError) as error:
        raise MailboxError(f"cannot read {ca_file}: {_reason(error)}", hint="--ca-file needs PEM") from None


class ImapSession:
    """A connection with one login; only folders that are opened with `write` are changed."""

    def __init__(self, account: MailAccount, password: str, timeout: float = TIMEOUT) -> None:
        self.server = account.server
        self._client = _connect(account, timeout)
        self._login(account, password)

    def _login(self, account: MailAccount, password: str) -> None:
        from imapclient.exceptions import LoginError

        try:
            self._client.login(account.login, password)
            self._capabilities = {one.decode().upper() for one in self._client.capabilities()}
        except LoginError as error:
            failed_for_now = _is_for_now(error)  # another error while closing may cut the context of this one
            self.close()
            if failed_for_now:
                raise self._lost(error) from None
            raise MailboxError(
                f"{self.server} refuses the login of {account.login}: {_reason(error)}",
                hint="check the password; some providers want one for this program alone",
            ) from None
        except (OSError, IMAP4.error) as error:
            self.close()
            raise self._lost(error) from None

    def _lost(self, error: BaseException) -> ConnectionLost:
        return ConnectionLost(f"lost the connection to {self.server}: {_reason(error)}")

    @property
    def can_idle(self) -> bool:
        return "IDLE" in self._capabilities

    @property
    def has_move(self) -> bool:
        """Whether the server moves mails in one step."""
        return "MOVE" in self._capabilities

    @property
    def can_move(self) -> bool:
        """Whether a single mail can be moved without expunging others."""
        return self.has_move or "UIDPLUS" in self._capabilities

    @_translated
    def folders(self) -> list[Folder]:
        listed = self._client.list_folders()
        return [
            Folder(name, frozenset(map(_text, flags)), _text(separator or b"/"))
            for flags, separator, name in listed
        ]

    @_translated
    def status(self, folder: str) -> FolderStatus:
        """Returns UIDVALIDITY, UIDNEXT and the number of mails, without opening the folder."""
        status = self._client.folder_status(folder, _STATUS)
        return FolderStatus(*(int(status[name.encode()]) for name in _STATUS))

    @_translated
    def open(self, folder: str, write: bool = False) -> FolderStatus:
        """Opens a folder; what follows is about its mails."""
        reply = self._client.select_folder(folder, readonly=not write)
        self._keywords = {_text(flag).lower() for flag in reply.get(b"PERMANENTFLAGS", ())}
        return FolderStatus(int(reply[b"UIDVALIDITY"]), int(reply[b"UIDNEXT"]), int(reply[b"EXISTS"]))

    def can_flag(self, keyword: str) -> bool:
        """Tells whether the server keeps a keyword in the folder that was opened for writing."""
        return bool(self._keywords & {"\\*", keyword.lower()})

    @_translated
    def uids(self, first: int = 1, since: date | None = None) -> list[int]:
        """Returns the UIDs, from `first` on, of mails not marked as deleted, received since a day."""
        criteria: list[Any] = ["UNDELETED"] + (["SINCE", since] if since else [])
        if first > 1:
            criteria += ["UID", f"{first}:*"]
        return sorted(uid for uid in self._client.search(criteria) if uid >= first)

    @_translated
    def uids_with(self, keyword: str, without: str) -> list[int]:
        """Returns the UIDs of mails with one keyword and without another."""
        return list(self._client.search(["KEYWORD", keyword, "UNKEYWORD", without, "UNDELETED"]))

    @_translated
    def envelopes(self, uids: Sequence[int]) -> list[Envelope]:
        """Lists mails; one that has gone meanwhile is left out."""
        listed = []
        for at in range(0, len(uids), _MANY):
            rows = self._client.fetch(uids[at : at + _MANY], _LISTED)
            listed += [_envelope(uid, rows[uid]) for uid in sorted(rows) if b"RFC822.SIZE" in rows[uid]]
        return listed

    @_translated
    def raw(self, uids: Sequence[int]) -> dict[int, bytes]:
        """Returns the first bytes of each mail, by UID; one that has gone meanwhile is left out."""
        rows = self._client.fetch(uids, [f"BODY.PEEK[]<0.{MOST_BYTES}>"])
        mails = {uid: _value(row, b"BODY[]") for uid, row in rows.items()}
        return {uid: raw for uid, raw in mails.items() if raw is not None}

    @_translated
    def add_keyword(self, uids: Sequence[int], keyword: str) -> None:
        self._client.add_flags(uids, [keyword], silent=True)

    @_translated
    def move(self, uids: Sequence[int], target: str) -> None:
        """Moves mails in one step."""
        self._client.move(uids, target)

    @_translated
    def copy(self, uids: Sequence[int], target: str) -> None:
        self._client.copy(uids, target)

    @_translated
    def remove_copied(self, uids: Sequence[int]) -> None:
        """Removes these mails alone, after they were copied to another folder."""
        self._client.add_flags(uids, ["\\Deleted"], silent=True)
        self._client.uid_expunge(uids)

    @_translated
    def wait(self, seconds: float, stop: Callable[[], bool]) -> None:
        """Waits until the server reports a change in the open folder, or for so many seconds."""
        end = time.monotonic() + seconds
        if not self.can_idle:
            while time.monotonic() < end and not stop():
                time.sleep(_TICK)
            self._client.noop()
            return
        try:
            self._client.idle()
            if _has_read_more(self._client):
                end = time.monotonic()
            while (left := end - time.monotonic()) > 0 and not stop():
                if self._client.idle_check(timeout=min(left, _TICK)) or _is_closed(self._client):
                    break
            self._client.idle_done()
        except IMAP4.error as error:  # an answer at a moment when none was expected: connect again
            raise self._lost(error) from None

    def close(self) -> None:
        with suppress(OSError, IMAP4.error):
            self._client.logout()
        with suppress(OSError, IMAP4.error):
            self._client.shutdown()


def _has_read_more(client: Any) -> bool:
    """Tells whether a change came in one packet with the answer to IDLE: waiting for the socket misses it."""
    socket = client.socket()
    timeout = socket.gettimeout()
    socket.setblocking(False)
    try:
        return bool(client._imap._get_line())
    except (OSError, IMAP4.abort):  # nothing more, which a socket without TLS reports as an end
        return False
    finally:
        socket.settimeout(timeout)


def _is_closed(client: Any) -> bool:
    """Tells whether the server has closed the connection: then waiting for a change would never end."""
    from select import select

    socket = client.socket()
    # Readable without an answer of the server: idle_done reports why.
    return not getattr(socket, "pending", lambda: 0)() and bool(select([socket], [], [], 0)[0])


def _is_for_now(error: Exception) -> bool:
    """Tells whether a login failed for lack of a connection, or of what the server needs (RFC 5530)."""
    return isinstance(error.__context__, IMAP4.abort) or "[UNAVAILABLE]" in str(error)


def _connect(account: MailAccount, timeout: float) -> Any:
    """Connects by TLS; without STARTTLS on a plain port nothing is sent at all."""
    try:
        from imapclient import IMAPClient
    except ImportError:
        raise MissingExtraError("`spamnb imap`", "imap") from None
    context, implicit = tls_context(account.ca_file), account.tls == "implicit"
    try:
        place, used = (account.host, account.port), context if implicit else None
        client = IMAPClient(*place, ssl=implicit, ssl_context=used, timeout=timeout)
        if not implicit:
            _start_tls(client, context)
    except ssl.SSLCertVerificationError as error:
        raise MailboxError(
            f"the certificate of {account.server} is not trusted: {excerpt(error.verify_message, 200)}",
            hint="check the name of the server; --ca-file FILE trusts a certificate authority of your own",
        ) from None
    except (OSError, IMAP4.abort, EOFError) as error:
        raise ConnectionLost(f"cannot connect to {account.server}: {_reason(error)}") from None
    except IMAP4.error as error:
        if implicit:  # the greeting was BYE: the server is too busy, or ends
            raise ConnectionLost(f"cannot connect to {account.server}: {_reason(error)}") from None
        raise MailboxError(
            f"{account.server} offers no TLS: {_reason(error)}", hint="use its port for TLS, usually 993"
        ) from None
    return client


def _start_tls(client: Any, context: ssl.SSLContext) -> None:
    try:
        client.starttls(context)
    except BaseException:
        with suppress(OSError):
            client.shutdown()
        raise


def _envelope(uid: int, row: dict[bytes, Any]) -> Envelope:
    header = _value(row, b"BODY[HEADER.FIELDS") or b""
    match = _MESSAGE_ID.match(header)
    message_id = match[1].decode("latin-1") if match else ""
    received = row.get(b"INTERNALDATE")
    seconds = received.timestamp() if isinstance(received, datetime) else time.time()
    flags = frozenset(map(_text, row.get(b"FLAGS", ())))
    return Envelope(uid, Identity(message_id, int(row[b"RFC822.SIZE"])), flags, seconds)


def _value(row: dict[bytes, Any], name: bytes) -> bytes | None:
    """Returns the value whose name begins so: servers write the rest of it in different ways."""
    value = next((value for key, value in row.items() if key.upper().startswith(name)), None)
    return bytes(value) if value is not None else None


def _text(value: bytes | str) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
