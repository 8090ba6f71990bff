"""Restores a model file from an export: `spamnb model import`."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

import click

from spamnb.cli import options
from spamnb.cli.option_groups import command
from spamnb.cli.output import print_status, print_step

if TYPE_CHECKING:
    from spamnb.model import SpamModel


@command("import")
@click.argument("file", type=options.PATH, metavar="FILE")
@options.new_model_option
@options.force_option
@options.quiet_option
def import_(file: str, output: str | None, force: bool, quiet: bool) -> None:
    """Restore a model from an export.

    FILE is what `spamnb model export` wrote ('-' reads stdin; gz, bz2 and xz are unpacked). Counts may have
    been changed and lines removed or added; an added one may leave out the key. If there are fewer tokens
    than were exported, a note says so.

    \b
    Examples:
      spamnb model import office.jsonl -o office
      spamnb model export a | grep -v secret | spamnb model import - -o b
    """
    from spamnb.cli.model_choice import output_path
    from spamnb.cli.model_saving import check_target, save
    from spamnb.model import kind_of_model

    imported = cache(partial(_import, file))
    target = output_path(output, lambda: kind_of_model(imported()[0]))
    check_target(target, force)
    model, source, notes = imported()
    size = save(model, target, quiet)
    for note in notes:
        print_status(f"note: {note}", quiet)
    print_step("imported", f"{model.store.vocabulary:,} tokens from {source}", quiet)
    print_step("saved", f"{target} ({size / 1e3:,.0f} kB)", quiet)


def _import(file: str) -> tuple[SpamModel, str, list[str]]:
    """Reads an export: returns the model, the name of its source, and notes."""
    from spamnb.model import import_lines
    from spamnb.readers import open_bytes

    stream = open_bytes(file, live=False)
    notes: list[str] = []
    try:
        return import_lines(stream.lines(), stream.name, notes), stream.name, notes
    finally:
        stream.close()
