"""`spamnb lists remove`: removes senders from the lists."""

from __future__ import annotations

import click

from spamnb.cli import options
from spamnb.cli.command_base import command
from spamnb.cli.output import print_step


@command("remove")
@click.argument("entries", nargs=-1, required=True, metavar="ENTRY...")
@options.quiet_option
def lists_remove(entries: tuple[str, ...], quiet: bool) -> None:
    """Remove senders from the lists.

    \b
    Examples:
      spamnb lists remove ann@example.org
      spamnb lists remove example.net list:news.example.com
    """
    from spamnb.cli.sender_list import checked_entries, own_file
    from spamnb.errors import ConfigError
    from spamnb.mail import read_list, write_list

    values, path = checked_entries(entries), own_file()
    old = read_list(path)
    known = {one.value for one in old}
    if missing := [value for value in values if value not in known]:
        raise ConfigError(f"{missing[0]} is not in {path}", hint="`spamnb lists show` shows all entries")
    write_list(path, [one for one in old if one.value not in values])
    print_step("removed", ", ".join(values), quiet)
