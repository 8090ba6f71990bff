"""Chooses how and where `predict` writes: the file, the format, the writer, and for people the screen."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from spamnb.cli.line_wrap import columns
from spamnb.cli.output import write_bytes
from spamnb.cli.overwrite import check_overwrite
from spamnb.core import files
from spamnb.errors import DataError, MissingExtraError
from spamnb.readers import FORMATS as INPUT_FORMATS, any_of, format_by_suffix

if TYPE_CHECKING:
    from spamnb.messages import Chunk
    from spamnb.model import Explanation, SpamModel
    from spamnb.report import Explain, Screen

FORMATS = ("tsv", "jsonl", "csv", "parquet", "table", "terse")
KEEP_COLUMNS = ("csv", "tsv", "jsonl", "parquet")  # with all columns of a table; chosen by a suffix
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zip")
SUFFIXES = any_of([*(INPUT_FORMATS[name].suffixes[0] for name in KEEP_COLUMNS), ".txt"])
Write = Callable[[bytes], object]


def checked_file(ctx: click.Context, _: click.Parameter, path: str | None) -> str | None:
    """Returns the file of -o, None for stdout; refuses one that holds anything but predictions."""
    if path is None or path == "-" or ctx.resilient_parsing:
        return None
    hint = "choose another name for -o, or remove the file"
    check_overwrite(path, "predictions", hint)
    if os.path.isfile(path) and not _is_own_parquet(path):
        raise DataError(f"{path} exists and is not predictions of spamnb: it was not overwritten", hint)
    return path


def _is_own_parquet(path: str) -> bool:
    """Tells whether spamnb wrote a file, if it is Parquet."""
    magic = INPUT_FORMATS["parquet"].magic
    with open(path, "rb") as file:
        if file.read(len(magic)) != magic:
            return True
    try:
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("writing Parquet", "parquet") from None
    try:
        metadata = pyarrow.parquet.read_schema(path).metadata or {}
    except (OSError, ValueError):
        return False
    return bytes(metadata.get(b"made_by", b"")).startswith(b"spamnb ")


def chosen_format(stated: str | None, path: str | None) -> str:
    """Returns the format of the output: as stated, by a file's suffix, a table on a terminal, else tsv."""
    if path is None:
        if stated == "parquet":
            raise click.UsageError("--format parquet needs -o FILE.")
        return stated or ("table" if on_terminal() else "tsv")
    if stated is not None:
        _check_suffix(stated, path)
        return stated
    if (by_suffix := _format_of_suffix(path)) is not None:
        return by_suffix
    if suffix := os.path.splitext(path.lower())[1]:
        raise click.UsageError(f"-o {path}: cannot write {suffix}; write {SUFFIXES}, or state the --format.")
    raise click.UsageError(f"-o {path}: give it a suffix, {SUFFIXES}, or state the --format.")


def _check_suffix(stated: str, path: str) -> None:
    """Refuses a file whose suffix says that it has another format: programs open it by its suffix."""
    own, suffix = format_by_suffix(path), os.path.splitext(path)[1]
    if suffix in _COMPRESSED:
        raise click.UsageError(f"-o {path}: the output is not compressed; leave out {suffix}.")
    if own and own != stated:
        raise click.UsageError(
            f"-o {path}: --format {stated} does not go with {suffix}; leave out one of them."
        )


def _format_of_suffix(path: str) -> str | None:
    suffix = os.path.splitext(path.lower())[1]
    if suffix == ".txt":
        return "tsv"
    return next((name for name in KEEP_COLUMNS if suffix in INPUT_FORMATS[name].suffixes), None)


def stated_format(ctx: click.Context) -> str | None:
    """Returns the value of --format; a suffix of -o on the command line replaces one from elsewhere."""
    stated: str | None = ctx.params["output_format"]
    path, typed = ctx.params["output"], ParameterSource.COMMANDLINE
    suffix_is_typed = path is not None and ctx.get_parameter_source("output") is typed
    if suffix_is_typed and ctx.get_parameter_source("output_format") is not typed and _format_of_suffix(path):
        return None
    return stated


@contextmanager
def opened_output(path: str | None) -> Iterator[Write]:
    """Yields a function that writes to stdout, or to a file that appears when everything is written."""
    if path is None:
        yield write_bytes
        return
    with files.output_file(path) as file:
        yield file.write


def on_terminal() -> bool:
    """Tells whether stdout is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def stdout_screen() -> Screen:
    """Returns the screen behind stdout: its width, or that of COLUMNS, and whether it has colours.

    NO_COLOR turns colours off, FORCE_COLOR turns them on, as for the tables of other commands.
    """
    from spamnb.report import Screen

    stated = os.environ.get("COLUMNS", "")
    width = int(stated) if stated.isdigit() else columns(sys.stdout)
    colour = on_terminal() and os.environ.get("TERM") != "dumb"
    colour = (colour or bool(os.environ.get("FORCE_COLOR"))) and not os.environ.get("NO_COLOR")
    return Screen(width, colour, getattr(sys.stdout, "encoding", None) or "utf-8")


def explainer(model: SpamModel) -> Explain:
    """Returns a function that explains one message of a chunk."""
    import numpy as np

    def explain(chunk: Chunk, row: int) -> Explanation:
        categories = {name: values[row : row + 1] for name, values in chunk.categories.items()}
        numbers = {name: values[row : row + 1] for name, values in chunk.numbers.items()}
        return model.explain(chunk.texts.select(np.array([row])), categories, numbers)

    return explain


def make_writer(model: SpamModel, output_format: str, explain: bool, to_file: bool) -> Any:
    """Returns the writer of a format."""
    from spamnb.report import Jsonl, Terse, Tsv

    names = (*model.labels, "unsure")
    why = explainer(model) if explain else None
    if output_format == "tsv":
        return Tsv(names, why)
    if output_format == "jsonl":
        return Jsonl(why, model.expected_costs)
    if output_format == "terse":
        return Terse(names)
    from spamnb.report import Csv, ParquetWriter, Screen, TableWriter

    if output_format == "csv":
        return Csv(names, why, escape=on_terminal() and not to_file)
    if output_format == "parquet":
        return ParquetWriter(names, why)
    return TableWriter(Screen() if to_file else stdout_screen(), names, model.positive, why)


def make_reply_writer(model: SpamModel, explain: bool) -> Any:
    """Returns the writer of a dialogue: verdict, probability and the strongest reasons, no message."""
    from spamnb.report import ReplyWriter

    names = (*model.labels, "unsure")
    return ReplyWriter(stdout_screen(), names, model.positive, explainer(model), explain)
