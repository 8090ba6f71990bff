"""`spamnb imap run`: filters mail as it arrives."""

from __future__ import annotations

from typing import Any

import click

from spamnb.cli.command_base import command
from spamnb.cli.imap_accounts import account_runs, run_options
from spamnb.cli.output import print_status


@command("run")
@click.argument("accounts", nargs=-1, metavar="[ACCOUNT]...")
@run_options
@click.pass_context
def imap_run(ctx: click.Context, /, accounts: tuple[str, ...], **flags: Any) -> None:
    """Filter new mail as it arrives, until stopped.

    Serves all accounts, or those that you name. New mail is classified as soon as the server
    reports it. When a connection is lost, spamnb connects again. It can be stopped and even killed at any
    moment: what was begun is finished at the next start. Prints the same lines as `spamnb imap once`.

    \b
    Examples:
      spamnb imap run
      spamnb imap run me@example.org --action flag
    """
    from spamnb.mailbox import run_accounts

    runs = account_runs(ctx, accounts, flags)
    for run in runs:
        print_status(f"running {run.account.name}, action {run.account.action}; Ctrl-C stops", flags["quiet"])
    run_accounts(runs, lambda: False)
