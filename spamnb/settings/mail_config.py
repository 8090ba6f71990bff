"""Declares the settings of reading mail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spamnb.errors import ConfigError
from spamnb.settings.setting_field import TextForm, ValueRule, check_settings, setting, stated_fields


def parse_size(text: str, flag: str) -> int:
    """Parses a number of bytes, with the suffixes K, M and G for powers of 1024.

    >>> parse_size("512K", "--set max-size")
    524288
    """
    factor = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1:].upper(), 1)
    digits = text[:-1] if factor > 1 else text
    if not digits.isdecimal() or not int(digits):
        raise ConfigError(f"{flag} must be a number of bytes, got {text!r}", hint="for example 512K or 2M")
    return int(digits) * factor


def _are_names(names: tuple[str, ...]) -> bool:
    return all(name and not set(name) & set(' \t\r\n;="()') for name in names)


@dataclass(frozen=True, slots=True)
class MailConfig:
    """How mail is read. Training does not fix it: it is about the server that receives the mail.

    >>> MailConfig(authserv_ids=("mx.example.org",)).authserv_ids
    ('mx.example.org',)
    """

    max_size: int = setting(
        1 << 19,
        "--set max-size",
        "Read at most SIZE bytes of each email, besides its attachments. [default: 512K]",
        metavar="SIZE",
        type=str,
        text_form=TextForm(lambda text: parse_size(text, "--set max-size")),
        training=False,
        group="Input",
    )
    authserv_ids: tuple[str, ...] = setting(
        (),
        "--set authserv-id",
        "Trust the Authentication-Results fields of this server. Repeatable. [default: the topmost field's "
        "server, if it is of the domain that received the email]",
        metavar="NAME",
        rule=ValueRule("the name of a server", _are_names, "for example --set authserv-id=mx.example.org"),
        training=False,
        group="Input",
    )

    def __post_init__(self) -> None:
        check_settings(self)

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> MailConfig:
        """Returns the settings that options ask for."""
        return cls(**stated_fields(cls, options))

    @property
    def trusted_servers(self) -> tuple[bytes, ...]:
        """The names as a mail's parser compares them.

        >>> MailConfig(authserv_ids=("MX.example.org",)).trusted_servers
        (b'mx.example.org',)
        """
        return tuple(name.lower().encode() for name in self.authserv_ids)
