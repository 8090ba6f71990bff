"""`spamnb lists`: groups the commands about senders that are allowed or blocked."""

from __future__ import annotations

import click

from spamnb.cli.command_group import LazyGroup

SECTIONS = {
    "Lists": {
        "add": "Allow or block senders.",
        "remove": "Remove senders from the lists.",
        "show": "Show all entries and their files.",
    },
}
_MODULES = {name: f"lists_{name}" for name in ("add", "remove", "show")}


@click.group("lists", cls=LazyGroup, sections=SECTIONS, modules=_MODULES, invoke_without_command=True)
@click.pass_context
def lists_group(ctx: click.Context) -> None:
    """Allow or block senders.

    A sender is an address, a domain or a mailing list. Mail of a blocked sender is spam. Mail of an allowed
    one is ham, but only if the mail server has confirmed the sender by DKIM, SPF or DMARC: anyone can forge
    From. `filter`, `predict`, `explain`, `serve` and `imap` use the lists. Your entries come before those of
    the site in /etc/spamnb/lists.txt. In each file, an address comes before a mailing list, and a mailing
    list before a domain.

    \b
    Examples:
      spamnb lists add allow ann@example.org
      spamnb lists add block example.net list:news.example.com
      spamnb lists show
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
