"""`spamnb imap once`: synchronises each account once."""

from __future__ import annotations

from typing import Any

import click

from spamnb.cli.command_base import command
from spamnb.cli.imap_accounts import account_runs, run_options


@command("once")
@click.argument("accounts", nargs=-1, metavar="[ACCOUNT]...")
@run_options
@click.pass_context
def imap_once(ctx: click.Context, /, accounts: tuple[str, ...], **flags: Any) -> None:
    """Filter new mail and learn from moves once, for cron.

    The first time spamnb only notes which emails are there. From then on it classifies what has arrived
    since, and prints a line for each spam, unsure email and lesson: account, email, what was done, P(spam),
    subject.

    \b
    Examples:
      spamnb imap once
      spamnb imap once me@example.org --action move
      spamnb imap once --since 2026-01-01
    """
    from spamnb.cli.output import show_error
    from spamnb.errors import SpamnbError

    runs = account_runs(ctx, accounts, flags)
    failed: SpamnbError | None = None
    for run in runs:
        try:
            run.once()
        except SpamnbError as error:
            if failed is not None:
                show_error(failed)
            failed = error
    if failed is not None:
        raise failed
