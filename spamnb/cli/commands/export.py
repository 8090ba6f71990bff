"""Writes a model as text for people and other programs: `spamnb model export`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from spamnb.cli import options
from spamnb.cli.command_base import command
from spamnb.cli.option_groups import option
from spamnb.cli.output import print_status, print_step, write_bytes
from spamnb.cli.overwrite import check_overwrite
from spamnb.core import files
from spamnb.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable

_BLOCK = 4096  # lines written at once


@command()
@click.argument("model", type=options.MODEL, metavar="MODEL")
@option(
    "-o",
    "--output",
    type=options.PATH,
    metavar="FILE",
    help="Where to write, readable by you only (mode 0600). [default: stdout]",
)
@options.force_option
@options.quiet_option
def export(model: str, output: str | None, force: bool, quiet: bool) -> None:
    """Write a model as JSON lines.

    The first line holds the settings; then comes a line for each token with its occurrences and messages by
    class, the most frequent first. `spamnb model import` restores the same model, to the last bit. The
    lesson history is not exported: the imported model cannot undo earlier lessons.

    \b
    Examples:
      spamnb model export office | head
      spamnb model export office -o office.jsonl
    """
    from itertools import islice

    from spamnb.cli.model_saving import has_lessons
    from spamnb.model import SpamModel, existing_path_of, export_lines

    model = existing_path_of(model)
    loaded = SpamModel.load(model)
    if output is not None and output != "-":
        _check(output, model, force)
    lines = export_lines(loaded)
    blocks = iter(lambda: b"".join(islice(lines, _BLOCK)), b"")
    if output is None or output == "-":
        for block in blocks:
            write_bytes(block)
    else:
        _write(output, blocks)
        print_step("exported", f"{loaded.store.vocabulary:,} tokens to {output}", quiet)
    if has_lessons(loaded):
        note = "note: the lesson history is not exported: the imported model cannot undo earlier lessons"
        print_status(note, quiet)


def _check(output: str, model: str, force: bool) -> None:
    """Refuses, before the work is done, to overwrite the model itself or a file that is no export."""
    if _belongs_to(output, model):
        raise DataError(
            f"{output} belongs to the model that is exported: it was not overwritten",
            hint="choose another name for -o",
        )
    files.refuse_link(output)
    if not force:
        check_overwrite(output, "export", "choose another name for -o, or add --force")


def _belongs_to(output: str, model: str) -> bool:
    """Tells whether a path is that of the model, by any name, or of its journal, history or lock."""
    from spamnb.storage import HISTORY, JOURNAL, SUFFIX

    if os.path.realpath(output) in [
        os.path.realpath(model) + ending for ending in (JOURNAL, HISTORY, SUFFIX)
    ]:
        return True
    return os.path.exists(output) and os.path.samefile(output, model)


def _write(output: str, blocks: Iterable[bytes]) -> None:
    """Writes to a pipe or device at once; replaces a file when the new one is complete."""
    in_place = files.is_system_path(output) or (os.path.exists(output) and not os.path.isfile(output))
    try:
        with files.create(output) if in_place else files.atomic_write(output) as file:
            file.writelines(blocks)
    except OSError as error:
        raise files.cannot_write(output, error) from None
