"""Lets an output file overwrite one of its own kind that spamnb wrote, and refuses anything else."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator

import click

from spamnb.core import files
from spamnb.errors import DataError

_HEAD = 4096  # bytes of a file that show what wrote it
PLOTS = ("roc", "precision-recall", "scores", "calibration", "thresholds")
# kind of file -> its name in errors, and how it begins
_KINDS = {
    "export": ("an export of spamnb", rb'\{"format": ?"spamnb-counts"'),
    "json": ("JSON that spamnb wrote", rb'\{\s*"made_by": "spamnb '),
    "page": ("a report of spamnb", rb'<!DOCTYPE html>\n.*?<meta name="generator" content="spamnb '),
    "plot": ("a plot of spamnb", rb"<svg [^>]*><!-- made by spamnb "),
    "predictions": (
        "predictions of spamnb",
        rb"(?:spamnb\d*_)?verdict(?:[,\t](?:spamnb\d*_)?probability| +P)"
        rb'|\{"(?:spamnb\d*_)?verdict": "[^"]*", "(?:spamnb\d*_)?probability": '
        rb"|[^\t\n]+\t[01]\.\d{4}[\t\n]|PAR1",  # Parquet: see prediction_output
    ),
}
Callback = Callable[[click.Context, click.Parameter, str | None], str | None]


def is_kind(head: bytes, kind: str) -> bool:
    """Tells by its beginning whether spamnb wrote a file of this kind.

    >>> is_kind(b'{"format":"spamnb-counts",', "export"), is_kind(b"label,text\\n", "export")
    (True, False)
    """
    return re.match(_KINDS[kind][1], head, re.DOTALL) is not None


def check_overwrite(path: str, kind: str, hint: str) -> None:
    """Refuses to overwrite a file of another kind; an empty one holds nothing to lose."""
    if path == "-" or files.is_system_path(path):
        return
    files.refuse_link(path)
    if not os.path.isfile(path):  # a new file, a pipe, or a folder, which the system refuses
        return
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        raise files.cannot_write(path, error) from None
    if head and not is_kind(head, kind):
        raise DataError(f"{path} exists and is not {_KINDS[kind][0]}: it was not overwritten", hint)


def checked(kind: str) -> Callback:
    """Returns the callback of an option that checks its file, or the files in its folder of plots."""

    def check(ctx: click.Context, option: click.Parameter, path: str | None) -> str | None:
        if path and not ctx.resilient_parsing:
            what = "folder" if kind == "plot" else "name"
            hint = f"choose another {what} for {option.opts[0]}, or remove the file"
            for file in plot_paths(path) if kind == "plot" else (path,):
                check_overwrite(file, kind, hint)
        return path

    return check


def plot_paths(folder: str) -> Iterator[str]:
    """Returns the files that --plots may write into its folder."""
    return (os.path.join(folder, f"{name}.svg") for name in PLOTS)
