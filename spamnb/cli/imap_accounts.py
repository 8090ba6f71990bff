"""Reads the accounts of config.toml and prepares them to be run."""

from __future__ import annotations

import datetime
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from spamnb.cli import options
from spamnb.cli.option_groups import all_of, option
from spamnb.cli.output import outlive_lost_connections, print_status, write_bytes
from spamnb.errors import ConfigError
from spamnb.settings import MailConfig

if TYPE_CHECKING:
    from spamnb.mailbox import AccountRun, Event, MailAccount

_ACTIONS = ("shadow", "flag", "move")  # those of mailbox.ACTIONS, which --help does not load
TABLE = "imap.accounts"

action_option = option(
    "--action",
    type=click.Choice(_ACTIONS),
    help="What happens to spam. shadow: only print it. flag: set the keyword $Junk. move: to Junk. "
    "[default: that of the account, else shadow]",
)
run_options = all_of(
    action_option,
    option(
        "--since",
        type=click.DateTime(["%Y-%m-%d"]),
        metavar="DATE",
        group="Input",
        help="Classify older mail too, received since DATE (2026-01-31).",
    ),
    options.model_option,
    options.setting_options(MailConfig, "authserv_ids"),
    options.quiet_option,
)


def configured_accounts(ctx: click.Context, names: Sequence[str] = ()) -> list[MailAccount]:
    """Returns all accounts, or those with these names: what `login` has kept, changed by config.toml."""
    from spamnb.cli.account_table import kept_accounts
    from spamnb.cli.configuration import Value, loaded
    from spamnb.mailbox import MailAccount, accounts_path

    path = accounts_path()
    kept = {name: Value(table, path) for name, table in kept_accounts(path).items()}
    accounts = {}
    for name, (table, file) in {**kept, **loaded(ctx).get(TABLE, {})}.items():
        where = f'{file}: [{TABLE}."{name}"]'
        if not isinstance(table, dict):
            raise ConfigError(f"{where} must be a table", hint="`spamnb imap login ADDRESS` keeps one")
        before = kept[name].value if name in kept else {}
        accounts[name] = MailAccount.from_table(name, {**before, **table}, where)
    if not accounts:
        raise ConfigError("there is no account yet", hint="spamnb imap login me@example.org")
    if unknown := [name for name in names if name not in accounts]:
        hint = f"accounts: {', '.join(accounts)}"
        raise ConfigError(f"there is no account {unknown[0]}", hint)
    return [accounts[name] for name in names or accounts]


def account_runs(ctx: click.Context, names: Sequence[str], flags: dict[str, Any]) -> list[AccountRun]:
    """Returns each account with its password and its model, ready to be run."""
    from spamnb.core import keep_freed_memory
    from spamnb.mailbox import AccountRun, MailClassifier, password_of

    keep_freed_memory()
    outlive_lost_connections()
    accounts = [
        replace(one, action=flags["action"] or one.action, model=flags["model"] or one.model)
        for one in configured_accounts(ctx, names)
    ]
    since: datetime.datetime | None = flags["since"]
    classifiers: dict[str, MailClassifier] = {}
    runs = []
    for account in accounts:
        if account.model not in classifiers:
            classifiers[account.model] = _classifier(account.model, flags)
        password = password_of(account, ask_password)
        classifier = classifiers[account.model]
        day = since.date() if since is not None else None
        runs.append(AccountRun(account, password, classifier, print_event, print_status, day))
    return runs


def _classifier(stated: str, flags: dict[str, Any]) -> Any:
    from spamnb.cli.model_option import model_to_change
    from spamnb.mailbox import MailClassifier
    from spamnb.model import MAIL
    from spamnb.training import start_own_model

    own = start_own_model(stated or None, lambda: MAIL)
    if own is not None:
        print_status(own.text, flags["quiet"])
    return MailClassifier(model_to_change(stated or None, lambda: MAIL), mail_limits(flags))


def mail_limits(flags: dict[str, Any]) -> Any:
    """Returns how mails are read."""
    from spamnb.mail import Limits

    return Limits(authserv_ids=MailConfig.from_options(flags).trusted_servers)


def ask_password(question: str) -> str:
    """Asks on the terminal, without showing what is typed; nothing where there is no terminal."""
    if sys.stdin is None or not sys.stdin.isatty():
        return ""
    answer: str = click.prompt(question, hide_input=True, err=True, default="", show_default=False)
    return answer


def print_event(event: Event) -> None:
    """Prints a line on stdout: what was done, with which mail of which account."""
    from spamnb.core import visible

    p = "" if event.probability is None else f"{event.probability:.4f}"
    fields = event.account, event.where, event.what, p, event.subject
    try:
        write_bytes(("\t".join(visible(one, tsv=True) for one in fields) + "\n").encode())
    except BrokenPipeError:  # the reader has gone: end as SIGPIPE would, also in a thread
        os._exit(128 + signal.SIGPIPE)
