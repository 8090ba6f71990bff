"""Keeps the accounts of `spamnb imap login` in a file of their own: config.toml belongs to the user."""

from __future__ import annotations

import os
import re
import tomllib
from typing import TYPE_CHECKING, Any

from spamnb.core import files
from spamnb.errors import ConfigError

if TYPE_CHECKING:
    from spamnb.mailbox import MailAccount


def write_account(path: str, account: MailAccount) -> None:
    """Adds the account to the file, or replaces its table there."""
    old = _read(path)
    new = with_table(old, account.name, account.table())
    _check(path, old, new, account.name)
    if new != old:
        try:
            files.make_folder(os.path.dirname(os.path.abspath(path)))
        except OSError as error:
            raise files.cannot_write(path, error) from None
        files.write(path, new.encode())


def kept_accounts(path: str) -> dict[str, Any]:
    """Returns the tables of all accounts in the file, by name."""
    try:
        accounts: dict[str, Any] = tomllib.loads(_read(path)).get("imap", {}).get("accounts", {})
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not TOML: {error}", hint="correct it, or move it away") from None
    return accounts


def _read(path: str) -> str:
    """Returns the text of the file, empty where there is none."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read {path}: {error}", hint="correct it, or move it away") from None


def with_table(text: str, name: str, table: str) -> str:
    r"""Replaces the table of an account in a file, or appends it.

    >>> with_table('[predict]\ntop = 3\n', "me", '[imap.accounts."me"]\nserver = "a"\n')
    '[predict]\ntop = 3\n\n[imap.accounts."me"]\nserver = "a"\n'
    """
    header = re.escape(name)
    pattern = re.compile(
        rf"""^\[imap\.accounts\.["']?{header}["']?\][^\n]*\n(?:(?!\[)[^\n]*\n?)*""", re.MULTILINE
    )
    if match := pattern.search(text):
        after = "\n" if text[match.end() :].strip() else ""
        return text[: match.start()] + table + after + text[match.end() :]
    return f"{text.rstrip()}\n\n{table}" if text.strip() else table


def _check(path: str, old: str, new: str, name: str) -> None:
    """Refuses a change that would touch anything but the account."""
    try:
        before, after = tomllib.loads(old), tomllib.loads(new)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not TOML: {error}", hint="correct it, or move it away") from None
    for document in (before, after):
        document.setdefault("imap", {}).setdefault("accounts", {}).pop(name, None)
    if before != after:
        raise ConfigError(
            f"the table of {name} in {path} cannot be replaced", hint="remove it by hand, then log in again"
        )
