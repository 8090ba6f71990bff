"""`spamnb review`: asks for the labels of the messages that teach a model most."""

from __future__ import annotations

from typing import Any

import click

from spamnb.cli import options
from spamnb.cli.command_base import command
from spamnb.cli.option_groups import option
from spamnb.cli.update_model import history_option, model_changed
from spamnb.readers import FORMATS, any_of


@command()
@click.argument("data", nargs=-1, type=options.PATH, metavar="[DATA]...")
@options.model_option
@option(
    "-n",
    "--number",
    "number",
    type=click.IntRange(1),
    metavar="N",
    group="Input",
    help="Ask at most N questions. [default: until q]",
)
@option(
    "--input-format",
    metavar="FORMAT",
    type=click.Choice(["auto", *FORMATS]),
    default="auto",
    group="Input",
    advanced=True,
    help=f"{any_of([*FORMATS])}. [default: detected]",
)
@options.reading_options
@options.mail_options
@history_option
@options.quiet_option
def review(data: tuple[str, ...], number: int | None, **flags: Any) -> None:
    """Label the messages that teach a model most.

    DATA are files or mailboxes of unlabelled messages. Those near the threshold, or with few known words,
    come first. Near-duplicates are one question; the answer applies to all of them. Each answer is learned at
    once: s spam, h ham, u or space skip, b back, q quit, ? help. Without a terminal, answers are read from
    stdin, one per line. Without DATA, stdin has the messages, and the keys are those of the terminal.

    \b
    Examples:
      spamnb review inbox.csv
      spamnb review Maildir -n 50
      printf 's\\nh\\nq\\n' | spamnb review inbox.txt
    """
    from spamnb.cli.output import print_prompt
    from spamnb.cli.review_dialog import ReviewDialog, read_messages
    from spamnb.core import keep_freed_memory

    keep_freed_memory()
    if not data:
        print_prompt("Type messages, one a line; Ctrl-D ends.", flags["quiet"])
    with model_changed(data, flags) as path:
        messages = read_messages(path, data or ("-",), flags)
        dialog = ReviewDialog(path, messages, flags, typed=not data or "-" in data)
        dialog.run(number)
