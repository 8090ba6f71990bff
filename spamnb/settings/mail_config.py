"""Declares the settings of reading mail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spamnb.settings.setting_field import ValueRule, check_settings, setting, stated_fields


def _are_names(names: tuple[str, ...]) -> bool:
    return all(name and not set(name) & set(' \t\r\n;="()') for name in names)


@dataclass(frozen=True, slots=True)
class MailConfig:
    """How mail is read. Training does not fix it: it is about the server that receives the mail.

    >>> MailConfig(("two words",))
    Traceback (most recent call last):
    spamnb.errors.ConfigError: --authserv-id must be the name of a server, got ['two words']
    """

    authserv_ids: tuple[str, ...] = setting(
        (),
        "--authserv-id",
        "Trust the Authentication-Results fields of this server. Repeatable. [default: the topmost field's "
        "server, if it is of the domain that received the email]",
        metavar="NAME",
        rule=ValueRule("the name of a server", _are_names, "for example --authserv-id mx.example.org"),
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

        >>> MailConfig(("MX.example.org",)).trusted_servers
        (b'mx.example.org',)
        """
        return tuple(name.lower().encode() for name in self.authserv_ids)
