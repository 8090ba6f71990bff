"""Finds the IMAP server of an address by trying the usual names and ports."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import replace

from spamnb.errors import ConnectionLost, MailboxError
from spamnb.mailbox.accounts import TLS, MailAccount, parse_server
from spamnb.mailbox.imap_session import ImapSession

# Providers whose server has another name than imap.DOMAIN or mail.DOMAIN.
_PROVIDERS = {
    "googlemail.com": "imap.gmail.com",
    "outlook.com": "outlook.office365.com",
    "hotmail.com": "outlook.office365.com",
    "icloud.com": "imap.mail.me.com",
    "me.com": "imap.mail.me.com",
    "yahoo.com": "imap.mail.yahoo.com",
    "aol.com": "imap.aol.com",
    "fastmail.com": "imap.fastmail.com",
    "gmx.de": "imap.gmx.net",
    "gmx.at": "imap.gmx.net",
    "t-online.de": "secureimap.t-online.de",
}
_PORTS = {993: "implicit", 143: "starttls"}
_PATIENCE = 5.0  # seconds for a name that may not be a mail server


def usual_servers(address: str) -> list[str]:
    """Returns the servers to try for an address, the likeliest first.

    >>> usual_servers("me@example.org")[:2], usual_servers("me@icloud.com")[0]
    (['imap.example.org:993', 'mail.example.org:993'], 'imap.mail.me.com:993')
    """
    domain = address.rpartition("@")[2].lower()
    names = [_PROVIDERS[domain]] if domain in _PROVIDERS else []
    names += [f"imap.{domain}", f"mail.{domain}", domain]
    return [f"{name}:{port}" for port in _PORTS for name in names]


def find_server(address: str) -> str | None:
    """Finds the first of the usual servers that accepts connections, None if none does; sends nothing."""
    for server in usual_servers(address):
        host, port = parse_server(server)
        try:
            socket.create_connection((host, port or 0), _PATIENCE).close()
        except OSError:
            continue
        return server
    return None


def log_in(account: MailAccount, password: str) -> tuple[MailAccount, ImapSession]:
    """Logs in with the kind of TLS that the server's port has; returns the account with that kind."""
    *first, last = _with_tls(account)
    for candidate in first:
        try:
            return candidate, ImapSession(candidate, password)
        except ConnectionLost:
            continue
    try:
        return last, ImapSession(last, password)
    except ConnectionLost as error:
        hint = "check the name and the port: --server HOST:PORT"
        raise MailboxError(error.message, hint) from None


def _with_tls(account: MailAccount) -> Iterator[MailAccount]:
    """Returns the account with the TLS of a usual port, or with each kind for another port."""
    port = parse_server(account.server)[1]
    kinds = TLS if port is not None and port not in _PORTS else (_PORTS[port or 993],)
    return (replace(account, tls=kind) for kind in kinds)
