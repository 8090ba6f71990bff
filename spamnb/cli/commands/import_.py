"""Restores a model file from an export: `spamnb model import`."""

from __future__ import annotations

import os
from shlex import quote
from typing import TYPE_CHECKING

import click

from spamnb.cli import options
from spamnb.cli.command_base import command
from spamnb.cli.output import print_status, print_step
from spamnb.errors import ModelError
from spamnb.model import is_name, new_path_of

if TYPE_CHECKING:
    from spamnb.model import SpamModel


@command("import")
@click.argument("file", type=options.PATH, metavar="FILE")
@options.imported_model_option
@options.force_option
@options.quiet_option
def import_(file: str, output: str | None, force: bool, quiet: bool) -> None:
    """Restore a model from an export.

    FILE is what `spamnb model export` wrote ('-' reads stdin; gz, bz2 and xz are unpacked). Counts may have
    been changed and lines removed or added; an added one may leave out the key. If there are fewer tokens
    than were exported, a note says so. Without -o the model gets the name of FILE.

    \b
    Examples:
      spamnb model import office.jsonl
      spamnb model export a | grep -v secret | spamnb model import - -o b
    """
    from spamnb.cli.model_saving import check_target, print_saved, save

    target = new_path_of(output) if output else _path_by_name(file)
    check_target(target, force)
    model, source, notes = _import(file)
    size = save(model, target, quiet)
    for note in notes:
        print_status(f"note: {note}", quiet)
    print_step("imported", f"{model.store.vocabulary:,} tokens from {source}", quiet)
    print_saved(target, size, quiet)


def _path_by_name(file: str) -> str:
    """Returns where a model is written that has the name of its export; refuses to replace another one."""
    name = os.path.basename(file).partition(".")[0]
    if file == "-" or not is_name(name):
        raise click.UsageError("-o is needed here: the model needs a name, for example -o office.")
    path = new_path_of(name)
    if os.path.exists(path):
        raise ModelError(
            f"there is a model named {name} already",
            hint=f"-o {quote(name)} replaces it, -o NAME writes another one",
        )
    return path


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
