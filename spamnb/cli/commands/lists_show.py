"""`spamnb lists show`: shows all entries and their files."""

from __future__ import annotations

import click

from spamnb.cli.command_base import command


@command("show")
def lists_show() -> None:
    """Show all entries and their files.

    Entries with precedence are shown first.

    \b
    Example:
      spamnb lists show
    """
    from spamnb.core import visible
    from spamnb.mail import list_paths, ranked, read_list

    rows = [(entry, path) for path in list_paths() for entry in ranked(read_list(path))]
    for entry, path in rows:
        click.echo("\t".join(visible(text, tsv=True) for text in (entry.action, entry.value, path)))
    if not rows:
        click.echo("The lists are empty: `spamnb lists add block example.net` adds a sender.", err=True)
