"""`spamnb imap status`: shows what was seen, decided and learned of each account."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

import click

from spamnb.cli.command_base import command
from spamnb.errors import counted

if TYPE_CHECKING:
    from spamnb.mailbox import AccountSummary, MailAccount


@command("status")
@click.argument("accounts", nargs=-1, metavar="[ACCOUNT]...")
@click.pass_context
def imap_status(ctx: click.Context, accounts: tuple[str, ...]) -> None:
    """Show last run, verdicts, corrections and errors.

    Needs no connection. Corrections are emails that you moved to Junk (spam) or out of it (ham).

    \b
    Examples:
      spamnb imap status
      spamnb imap status me@example.org
    """
    from spamnb.cli.imap_accounts import configured_accounts
    from spamnb.core import visible
    from spamnb.mailbox import MailboxState, state_path

    for account in configured_accounts(ctx, accounts):
        state = MailboxState(state_path(), account.name)
        for label, text in _rows(account, state.summary()):
            click.echo(visible(f"{label:<12}{text}"))
        state.close()


def _rows(account: MailAccount, summary: AccountSummary) -> Iterator[tuple[str, str]]:
    yield "account", f"{account.name} at {account.server}, action {account.action}"
    folders = ", ".join(f"{name} ({counted(n, 'email')})" for name, n in summary.folders.items())
    yield "folders", folders or "not listed yet"
    yield "last run", "never" if summary.synced is None else _time(summary.synced)
    yield "verdicts", _counts(summary.verdicts, ("ham", "spam", "unsure"))
    yield (
        "done",
        _counts({"moved": summary.actions.get("move", 0), "flagged": summary.actions.get("flag", 0)}),
    )
    yield "corrections", _counts(summary.lessons, ("spam", "ham"))
    if summary.waiting:
        yield "waiting", f"{summary.waiting:,} to finish at the next run"
    yield "error", f"{summary.error} ({_time(summary.failed)})" if summary.failed is not None else "none"


def _counts(counts: dict[str, int], names: tuple[str, ...] = ()) -> str:
    shown = [f"{counts[name]:,} {name}" for name in names or counts if counts.get(name)]
    return ", ".join(shown) or "none"


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M:%S")
