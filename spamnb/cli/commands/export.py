"""`spamnb export`: a model as text that people and other programs can read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from spamnb.cli import options
from spamnb.cli.output import print_step, write_bytes
from spamnb.cli.overwrite import check_overwrite
from spamnb.core import files
from spamnb.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable

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
@options.force_option
@options.quiet_option
def export(model: str, output: str | None, form: str | None, force: bool, quiet: bool) -> None:
    """Write a model as text: TSV or JSON lines.

    A header holds the settings; then comes a line for each token with its occurrences and messages by class,
    the most frequent first. `spamnb import` makes the same model of it, to the last bit.

    \b
    Examples:
      spamnb export office.spamnb | head
      spamnb export office.spamnb -o office.jsonl
    """
    from itertools import islice

    from spamnb.model import SpamModel, export_lines

    form = form or ("jsonl" if (output or "").endswith((".jsonl", ".ndjson", ".json")) else "tsv")
    loaded = SpamModel.load(model)
    if output is not None and output != "-":
        _check(output, model, force)
    lines = export_lines(loaded, form)
    blocks = iter(lambda: b"".join(islice(lines, _SOME)), b"")
    if output is None or output == "-":
        for block in blocks:
            write_bytes(block)
        return
    _write(output, blocks)
    print_step("exported", f"{loaded.store.vocabulary:,} tokens to {output}", quiet)


def _check(output: str, model: str, force: bool) -> None:
    """Refuse, before the work is done, to write over the model itself or over something that is no export."""
    if _belongs(output, model):
        raise DataError(
            f"{output} belongs to the model that is exported: it was not overwritten",
            hint="choose another name for -o",
        )
    files.refuse_link(output)
    if not force:
        check_overwrite(output, "export", "choose another name for -o, or add --force")


def _belongs(output: str, model: str) -> bool:
    """Is it the model, under whatever name, or its journal or lock, which need not be there yet?"""
    from spamnb.storage import JOURNAL, SUFFIX

    if os.path.realpath(output) in [os.path.realpath(model) + ending for ending in (JOURNAL, SUFFIX)]:
        return True
    return os.path.exists(output) and os.path.samefile(output, model)


def _write(output: str, blocks: Iterable[bytes]) -> None:
    """A pipe or a device takes what comes; a file is replaced when the new one is whole."""
    in_place = files.is_system_path(output) or (os.path.exists(output) and not os.path.isfile(output))
    try:
        with files.create(output) if in_place else files.atomic_write(output) as file:
            file.writelines(blocks)
    except OSError as error:
        raise files.cannot_write(output, error) from None
