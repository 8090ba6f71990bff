"""`spamnb export`: a model as text that people and other programs can read."""

from __future__ import annotations

import click

from spamnb import private
from spamnb.cli import options
from spamnb.cli.output import say, write_bytes

_SOME = 4096  # lines written at once


@click.command(short_help="Write a model as text: TSV or JSON lines.")
@click.argument("model", type=options.PATH, metavar="MODEL")
@click.option("-o", "--output", type=options.PATH, metavar="FILE", help="Where to write (default: stdout).")
@click.option(
    "--format",
    "form",
    type=click.Choice(["tsv", "jsonl"]),
    help="tsv or jsonl (default: as FILE ends, else tsv).",
)
@options.quiet_option
def export(model: str, output: str | None, form: str | None, quiet: bool) -> None:
    """Write a model as text: TSV or JSON lines.

    A header holds the settings; then comes a line for each token with its occurrences and messages by class,
    the most frequent first. `spamnb import` makes the same model of it, to the last bit.

    \b
    Examples:
      spamnb export office.spamnb | head
      spamnb export office.spamnb -o office.jsonl
    """
    from itertools import islice

    from spamnb.exchange import export_lines
    from spamnb.model import SpamModel

    form = form or ("jsonl" if (output or "").endswith((".jsonl", ".ndjson", ".json")) else "tsv")
    loaded = SpamModel.load(model)
    lines = export_lines(loaded, form)
    blocks = iter(lambda: b"".join(islice(lines, _SOME)), b"")
    if output is None or output == "-":
        for block in blocks:
            write_bytes(block)
        return
    try:
        with private.create(output) as file:
            file.writelines(blocks)
    except OSError as error:
        raise private.cannot_write(output, error) from None
    say(f"exported  {loaded.store.vocabulary:,} tokens to {output}", quiet)
