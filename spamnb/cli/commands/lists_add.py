"""`spamnb lists add`: allows or blocks senders."""

from __future__ import annotations

import click

from spamnb.cli import options
from spamnb.cli.command_base import command
from spamnb.cli.output import print_step


@command("add")
@click.argument("action", type=click.Choice(["allow", "block"]))
@click.argument("entries", nargs=-1, required=True, metavar="ENTRY...")
@options.quiet_option
def lists_add(action: str, entries: tuple[str, ...], quiet: bool) -> None:
    """Allow or block senders.

    An ENTRY is an address, a domain with all its subdomains, or list: and the List-Id of a mailing list, as
    its emails have it between < and >. An entry that was allowed before and is blocked now is only blocked.
    Mail of allowed senders is ham only if your mail server has confirmed the sender: see --set authserv-id.

    \b
    Examples:
      spamnb lists add allow ann@example.org
      spamnb lists add block example.net
      spamnb lists add allow list:news.example.com
    """
    from spamnb.cli.sender_list import checked_entries, own_file
    from spamnb.mail import ListEntry, read_list, write_list

    values, path = checked_entries(entries), own_file()
    others = [one for one in read_list(path) if one.value not in values]
    write_list(path, [*others, *(ListEntry(action, value) for value in values)])
    print_step("allowed" if action == "allow" else "blocked", f"{', '.join(values)}, in {path}", quiet)
