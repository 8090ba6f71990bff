"""`spamnb imap login`: finds the mail server, tests the login and keeps the account."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from spamnb.cli import options
from spamnb.cli.command_base import command
from spamnb.cli.imap_accounts import TABLE, action_option, ask_password, mail_limits
from spamnb.cli.option_groups import option
from spamnb.cli.output import outlive_lost_connections, print_step
from spamnb.errors import ConfigError
from spamnb.settings import MailConfig

if TYPE_CHECKING:
    from spamnb.mailbox import ImapSession, MailAccount


@command("login")
@click.argument("address", metavar="ADDRESS")
@option(
    "--server",
    metavar="HOST[:PORT]",
    group="Input",
    help="The IMAP server. [default: that of the account, else imap. or mail. and the domain of the address]",
)
@option(
    "--password-command",
    metavar="CMD",
    group="Input",
    help="Run CMD for the password, for example 'pass show mail'. [default: keyring or prompt]",
)
@option(
    "--ca-file",
    type=options.PATH,
    metavar="FILE",
    group="Input",
    help="Trust the certificate authorities in FILE (PEM) too.",
)
@action_option
@option(
    "--train",
    type=click.Choice(["ask", "yes", "no"]),
    default="ask",
    show_default=True,
    group="Model",
    help="Train a first model from Junk, Archive and Sent.",
)
@options.setting_options(MailConfig, "authserv_ids")
@options.quiet_option
def imap_login(address: str, **flags: Any) -> None:
    """Find the mail server, test the login, keep the account.

    The account is kept in your data folder, without its password. That comes from --password-command, from
    the keyring (if the package keyring is installed) or from a prompt. The connection is always encrypted,
    and the server's certificate is checked. Another login changes only what its options name.

    Without a model of your own, spamnb offers to train one from the emails in Junk (spam), Archive and Sent
    (ham). It starts from the ready-made model.

    \b
    Examples:
      spamnb imap login me@example.org
      spamnb imap login me@example.org --password-command 'pass show mail'
      spamnb imap login me --server mail.example.org:143 --action move
    """
    from spamnb.mailbox import check_name, log_in, password_of, store_password

    check_name(address)
    outlive_lost_connections()
    account = _account(address, flags)
    password = password_of(account, ask_password, ask_first=True)
    account, session = log_in(account, password)
    try:
        quiet = flags["quiet"]
        print_step("logged in", f"{account.login} at {account.server}, {_TLS[account.tls]}", quiet)
        _show_folders(session, quiet)
        _keep(account, quiet)
        if not account.password_command:
            stored = store_password(account, password)
            place = "in the keyring" if stored else "nowhere; it is asked for again, see --password-command"
            print_step("password", place, quiet)
        _offer_training(session, flags)
    finally:
        session.close()
    print_step("try", "spamnb imap once", flags["quiet"])


_TLS = {"implicit": "TLS", "starttls": "STARTTLS"}


def _account(address: str, flags: dict[str, Any]) -> MailAccount:
    """Returns the account that an earlier login has kept, with what the options change."""
    from spamnb.cli.account_table import kept_accounts
    from spamnb.mailbox import MailAccount, accounts_path

    path = accounts_path()
    table = dict(kept_accounts(path).get(address, {}))
    for name in ("server", "password_command", "ca_file", "action"):
        if flags[name] is not None:
            table[name.replace("_", "-")] = flags[name]
    if flags["ca_file"]:
        table["ca-file"] = os.path.abspath(flags["ca_file"])
    if not table.get("server"):
        table["server"] = _server(address)
    return MailAccount.from_table(address, table, f'{path}: [{TABLE}."{address}"]')


def _server(address: str) -> str:
    """Returns the server that answers, else the one that the user types."""
    from spamnb.mailbox import find_server

    server = find_server(address) if "@" in address else None
    if server is None and sys.stdin is not None and sys.stdin.isatty():
        server = click.prompt("IMAP server", err=True)
    if server is None:
        raise ConfigError(f"no mail server was found for {address}", hint="name it: --server HOST")
    return server


def _show_folders(session: ImapSession, quiet: bool) -> None:
    from spamnb.mailbox import find_special_folders

    folders = find_special_folders(session.folders())
    junk = f"junk mail is in {folders.junk}" if folders.junk else "none for junk mail: create a folder Junk"
    print_step("folders", f"{len(folders.names):,}; {junk}", quiet)


def _keep(account: MailAccount, quiet: bool) -> None:
    from spamnb.cli.account_table import write_account
    from spamnb.mailbox import accounts_path

    path = accounts_path()
    write_account(path, account)
    print_step("account", f"{account.name}, action {account.action}, kept in {path}", quiet)


def _offer_training(session: ImapSession, flags: dict[str, Any]) -> None:
    """Trains a first model if the user wants one and has none."""
    from spamnb.mailbox import FolderMails

    if flags["train"] == "no":
        return
    if not _lacks_own_model():
        if flags["train"] == "yes":
            print_step("model", "you have one; it goes on learning from what you move", flags["quiet"])
        return
    mails = FolderMails.of(session)
    if not mails.enough:
        print_step("model", "the ready-made one for mail; it learns from what you move", flags["quiet"])
        return
    if flags["train"] == "yes" or _wants_training(str(mails)):
        _train(session, mails, flags)


def _lacks_own_model() -> bool:
    """Tells whether only a common model would be used, which does not learn."""
    from spamnb.model import MAIL, choose_model, own_model

    chosen = choose_model(None, lambda: MAIL)
    has_folder = own_model(MAIL) is not None
    return has_folder and chosen is not None and chosen.is_fallback


def _wants_training(mails: str) -> bool:
    if sys.stdin is None or not sys.stdin.isatty():
        return False
    return click.confirm(f"Train a model from these emails: {mails}?", default=True, err=True)


def _train(session: ImapSession, mails: Any, flags: dict[str, Any]) -> None:
    from spamnb.cli.model_option import output_path
    from spamnb.cli.model_saving import save
    from spamnb.cli.training_summary import metrics_text
    from spamnb.mailbox import train_from_folders
    from spamnb.model import MAIL

    model = train_from_folders(session, mails, mail_limits(flags))
    path = output_path(None, lambda: MAIL)
    size = save(model, path, flags["quiet"])
    print_step("learned", str(mails), flags["quiet"])
    print_step("cross-validation", metrics_text(model), flags["quiet"])
    print_step("saved", f"{path} ({size / 1e3:,.0f} kB)", flags["quiet"])
