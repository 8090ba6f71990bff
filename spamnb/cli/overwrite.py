"""What is in the way of a file to write: only what spamnb itself wrote is overwritten."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator

import click

from spamnb.core import files
from spamnb.errors import DataError

_HEAD = 4096  # bytes of a file that tell who wrote it
PLOTS = ("roc", "precision-recall", "scores", "reliability", "thresholds")
_REMOVE = "or remove the file"
_EXPORT = re.compile(rb'# spamnb-counts \d|\{"format": ?"spamnb-counts"')
_JSON = re.compile(rb'\{\s*"made_by": "spamnb ')
_PAGE = re.compile(rb'<!DOCTYPE html>\n.*?<meta name="generator" content="spamnb ', re.DOTALL)
_SVG = re.compile(rb"<svg [^>]*><!-- made by spamnb ")
_PNG = re.compile(rb"\x89PNG\r\n.*?tEXtSoftware\0spamnb ", re.DOTALL)


def is_export(head: bytes) -> bool:
    """Is this the beginning of what `spamnb export` writes?

    >>> is_export(b"# spamnb-counts 1\\n"), is_export(b"label,text\\n")
    (True, False)
    """
    return _EXPORT.match(head) is not None


def is_json(head: bytes) -> bool:
    return _JSON.match(head) is not None


def is_page(head: bytes) -> bool:
    return _PAGE.match(head) is not None


def is_plot(head: bytes) -> bool:
    return (_SVG.match(head) or _PNG.match(head)) is not None


def check(path: str, what: str, ours: Callable[[bytes], bool], hint: str) -> None:
    """Refuse a file that is there and not of the kind `what`; an empty one holds nothing to lose."""
    if path == "-" or files.is_system_path(path):
        return
    files.refuse_link(path)
    if not os.path.isfile(path):  # a new one, a pipe, or a folder, of which the system will say that
        return
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        raise files.cannot_write(path, error) from None
    if head and not ours(head):
        raise DataError(f"{path} exists and is not {what}: it was not overwritten", hint)


def check_json(ctx: click.Context, _: click.Parameter, path: str | None) -> str | None:
    """The file of --json, before anything is read."""
    if path and not ctx.resilient_parsing:
        check(path, "JSON that spamnb wrote", is_json, f"choose another name for --json, {_REMOVE}")
    return path


def check_page(ctx: click.Context, _: click.Parameter, path: str | None) -> str | None:
    """The file of --report, before anything is read."""
    if path and not ctx.resilient_parsing:
        check(path, "a report of spamnb", is_page, f"choose another name for --report, {_REMOVE}")
    return path


def check_plots(ctx: click.Context, _: click.Parameter, folder: str | None) -> str | None:
    """The files that --plots may write into its folder, before anything is read."""
    for path in plots(folder) if folder and not ctx.resilient_parsing else ():
        check(path, "a plot of spamnb", is_plot, f"choose another folder for --plots, {_REMOVE}")
    return folder


def plots(folder: str) -> Iterator[str]:
    """The files that may be written into a folder of plots."""
    return (os.path.join(folder, f"{name}.{ending}") for name in PLOTS for ending in ("svg", "png"))
