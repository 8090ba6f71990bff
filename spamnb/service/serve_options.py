"""Defines the options of a server, and reads its token."""

from __future__ import annotations

from spamnb.core import Record
from spamnb.errors import ConfigError
from spamnb.mail import DEFAULT, Limits

PORT = 7726
SPAMD_ADDRESS = "127.0.0.1:783"
LOG_FORMATS = ("text", "json")
_SHORTEST_TOKEN = 16
_MOST_TOKEN = 4096


class ServeOptions(Record):
    """What a server does besides listening."""

    model: str | None = None
    max_size: int = 16 << 20
    allow_tell: bool = False
    token: str = ""
    log_format: str = "text"
    workers: int = 1
    history: int = 0  # messages that are kept
    tempfail: bool = False  # answer to a mail server after a failure
    limits: Limits = DEFAULT  # how mails are read


def read_token(path: str) -> str:
    """Reads the token of a server, the first line of a file."""
    try:
        with open(path, encoding="utf-8") as file:
            token = file.read(_MOST_TOKEN).strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise ConfigError(f"cannot read --token-file {path}: {reason}", "check the path") from None
    if len(token) < _SHORTEST_TOKEN or not token.isascii() or len(token.split()) > 1:
        raise ConfigError(
            f"the token in {path} must be one word of at least {_SHORTEST_TOKEN} ASCII characters",
            hint=f"make one: openssl rand -hex 32 > {path}",
        )
    return token
