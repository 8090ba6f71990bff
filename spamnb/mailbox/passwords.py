"""Gets the password of an account: from a command, from the keyring, or from a prompt; never from a file."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from spamnb.errors import MailboxError
from spamnb.mailbox.accounts import MailAccount

_SERVICE = "spamnb"
_LONGEST = 60  # seconds that a password command may take, for example to ask for a key's passphrase
Prompt = Callable[[str], str]  # asks the user; an empty answer where there is no terminal


def password_of(account: MailAccount, prompt: Prompt, ask_first: bool = False) -> str:
    """Returns the password from the first source that has one; `ask_first` prompts before the keyring."""
    if account.password_command:
        return run_password_command(account.password_command)
    question = f"Password of {account.login}"
    password = prompt(question) if ask_first else ""
    password = password or _from_keyring(account) or ("" if ask_first else prompt(question))
    if not password:
        raise MailboxError(
            f"there is no password for {account.name}",
            hint="log in again with --password-command CMD, or install keyring",
        )
    return password


def run_password_command(command: str) -> str:
    """Returns the first line that a command prints; other output is not shown, it might be a secret."""
    try:
        done = subprocess.run(
            command, shell=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=_LONGEST, check=False
        )
    except subprocess.TimeoutExpired:
        raise MailboxError(f"the password command took more than {_LONGEST} s", "run it by hand") from None
    password = done.stdout.decode("utf-8", "replace").partition("\n")[0].removesuffix("\r")
    if done.returncode or not password:
        what = f"failed with exit code {done.returncode}" if done.returncode else "printed nothing"
        raise MailboxError(f"the password command {what}", hint=f"run it by hand: {command}")
    return password


def store_password(account: MailAccount, password: str) -> bool:
    """Stores a password in the keyring; False where there is none."""
    keyring = _keyring()
    if keyring is None:
        return False
    try:
        keyring.set_password(_SERVICE, account.name, password)
    except Exception:  # each backend has errors of its own
        return False
    return True


def _from_keyring(account: MailAccount) -> str:
    keyring = _keyring()
    try:
        return "" if keyring is None else keyring.get_password(_SERVICE, account.name) or ""
    except Exception:
        return ""


def _keyring() -> Any:
    """Returns the module keyring if it is installed and has a safe place, else None."""
    if find_spec("keyring") is None:
        return None
    keyring = import_module("keyring")
    return keyring if keyring.get_keyring().priority >= 1 else None
