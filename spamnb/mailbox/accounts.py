"""Defines an IMAP account as a table of TOML holds it; a password is never part of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from json import dumps
from typing import Any, Self

from spamnb.errors import ConfigError
from spamnb.mailbox.sync_plan import ACTIONS

TLS = ("implicit", "starttls")
_NAME = re.compile(r"[\w.+@-]{1,128}")
_SERVER = re.compile(r"(?P<host>\[[0-9a-fA-F:]+\]|[^:\s]+)(?::(?P<port>\d{1,5}))?")
_USUAL_PORTS = {"implicit": 993, "starttls": 143}


@dataclass(frozen=True, slots=True)
class MailAccount:
    """One account: `name` is the key of its table, the others are its settings there.

    >>> MailAccount("me@example.org", "imap.example.org:993").host
    'imap.example.org'
    """

    name: str
    server: str
    tls: str = "implicit"
    user: str = ""  # the login; by default the name
    action: str = "shadow"
    folders: tuple[str, ...] = ("INBOX",)
    ca_file: str = ""
    password_command: str = ""
    model: str = ""
    poll: float = 60.0  # seconds between two looks at Junk, and at everything where the server has no IDLE

    @classmethod
    def from_table(cls, name: str, table: Mapping[str, Any], where: str) -> Self:
        """Checks the table of an account; `where` names it in errors."""
        check_name(name)
        known = {one.name.replace("_", "-"): one for one in fields(cls) if one.name != "name"}
        values: dict[str, Any] = {}
        for key, value in table.items():
            if (field := known.get(key.replace("_", "-"))) is None:
                raise ConfigError(f"{where} has an unknown key {key!r}", hint=f"keys: {', '.join(known)}")
            values[field.name] = _checked(field.name, value, f"{where} {key}")
        if "server" not in values:
            raise ConfigError(f"{where} has no server", hint='for example server = "imap.example.org"')
        account = cls(name, **values)
        parse_server(account.server)
        for key, value, choices in (("action", account.action, ACTIONS), ("tls", account.tls, TLS)):
            if value not in choices:
                raise ConfigError(
                    f"{where} {key} must be one of {', '.join(choices)}, got {value!r}", "correct it"
                )
        return account

    @property
    def login(self) -> str:
        return self.user or self.name

    @property
    def host(self) -> str:
        return parse_server(self.server)[0]

    @property
    def port(self) -> int:
        return parse_server(self.server)[1] or _USUAL_PORTS[self.tls]

    def table(self) -> str:
        """Returns the account as TOML: what differs from the defaults."""
        lines = [f"[imap.accounts.{dumps(self.name)}]"]
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name != "name" and (value != one.default or one.name == "action"):
                shown = list(value) if isinstance(value, tuple) else value
                lines.append(f"{one.name.replace('_', '-')} = {dumps(shown, ensure_ascii=False)}")
        return "\n".join(lines) + "\n"


def check_name(name: str) -> None:
    """Refuses a name that could not be part of a file name."""
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"an account is named by its address, got {name!r}", hint="for example me@example.org"
        )


def parse_server(text: str) -> tuple[str, int | None]:
    """Splits HOST or HOST:PORT.

    >>> parse_server("imap.example.org:1993"), parse_server("[::1]"), parse_server("localhost")
    (('imap.example.org', 1993), ('::1', None), ('localhost', None))
    """
    match = _SERVER.fullmatch(text)
    port = int(match["port"]) if match and match["port"] else None
    if match is None or (port is not None and not 0 < port < 65536):
        raise ConfigError(f"a server is HOST or HOST:PORT, got {text!r}", hint="for example imap.example.org")
    return match["host"].strip("[]"), port


def _checked(key: str, value: Any, where: str) -> Any:
    """Returns the value of a key; `folders` is a list of names, `poll` a number, all others are text."""
    if key == "poll":
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 1:
            raise ConfigError(f"{where} must be a number of seconds, at least 1", hint="correct it")
        return float(value)
    if key == "folders" and isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return tuple(value)
    if key == "folders" or not isinstance(value, str):
        expected = 'a list of names, such as ["INBOX"]' if key == "folders" else "text"
        raise ConfigError(f"{where} must be {expected}", hint="correct it")
    return value
