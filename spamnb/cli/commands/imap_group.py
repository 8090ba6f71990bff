"""`spamnb imap`: groups the commands about mailboxes on IMAP servers."""

from __future__ import annotations

import click

from spamnb.cli.command_group import LazyGroup

SECTIONS = {
    "Mailbox": {
        "login": "Find the mail server, test the login, keep the account.",
        "run": "Filter new mail as it arrives, until stopped.",
        "once": "Filter new mail and learn from moves once, for cron.",
        "status": "Show last run, verdicts, corrections and errors.",
    },
}
_MODULES = {name: f"imap_{name}" for name in ("login", "run", "once", "status")}


@click.group(
    "imap",
    cls=LazyGroup,
    sections=SECTIONS,
    modules=_MODULES,
    data_tables=["accounts"],
    invoke_without_command=True,
)
@click.pass_context
def imap_group(ctx: click.Context) -> None:
    """Filter a mailbox on a mail server, and learn from moves.

    An email that you move to Junk is learned as spam. One that you move out of Junk is learned as ham, unless
    you move it to Trash. At first spamnb only prints what it would do with spam; --action flag or move makes
    it act. It never deletes an email, never marks one as read, and leaves alone what was there before.

    \b
    Examples:
      spamnb imap login me@example.org
      spamnb imap once
      spamnb imap run --action move
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
