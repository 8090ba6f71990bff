"""What `evaluate` leaves behind for people: the page of --report and the pictures of --plots."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from spamnb.cli import options, overwrite
from spamnb.cli.output import print_status, write_bytes
from spamnb.core import files
from spamnb.errors import DataError

if TYPE_CHECKING:
    from spamnb.evaluation import EvaluationSummary

F = TypeVar("F", bound=Callable[..., Any])
_OPTIONS = (
    click.option(
        "--report",
        type=options.PATH,
        metavar="FILE",
        callback=overwrite.check_page,
        help="Write a page for the browser ('-' for stdout).",
    ),
    click.option("--open", "open_it", is_flag=True, help="Open the page of --report in the browser."),
    click.option(
        "--plots",
        type=options.PATH,
        metavar="DIR",
        callback=overwrite.check_plots,
        help="Write the curves as SVG and PNG files into DIR.",
    ),
)


def report_options(command: F) -> F:
    for decorator in reversed(_OPTIONS):
        command = decorator(command)
    return command


def check(report: str | None, open_it: bool, json_file: str | None, plots: str | None = None) -> None:
    """What does not go together is refused before anything is read."""
    if open_it and report in (None, "-"):
        raise click.UsageError("--open needs --report FILE: that file is opened.")
    if report == "-" and json_file == "-":
        raise click.UsageError("--report - and --json - cannot both have stdout: give one of them a file.")
    if report and json_file and not files.is_system_path(report) and _same(report, json_file):
        raise click.UsageError(f"--report and --json cannot both have {report}: give one another file.")
    drawn = {os.path.realpath(path) for path in overwrite.plots(plots)} if plots else set()
    for name, path in (("--report", report), ("--json", json_file)):
        if path and os.path.realpath(path) in drawn:
            raise click.UsageError(f"{name} and --plots cannot both have {path}: give one another place.")


def _same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def leave(
    found: EvaluationSummary,
    report: str | None,
    open_it: bool,
    plots: str | None,
    quiet: bool,
    stated: bool = False,
) -> None:
    """Write what was asked for, and say where it is."""
    if plots is not None:
        _write_plots(found, plots, quiet)
    if report is None:
        return
    from spamnb.report import page

    data = page(found, stated).encode("utf-8", "replace")
    if report == "-":
        write_bytes(data)
        return
    files.write(report, data)
    print_status(f"report    {report} ({len(data) / 1e3:,.0f} kB)", quiet)
    if open_it:
        _open(report, quiet)


def _open(path: str, quiet: bool) -> None:
    """With $BROWSER or what the system prefers; that no browser starts is no failure of the evaluation."""
    import webbrowser
    from pathlib import Path

    if not webbrowser.open(Path(path).resolve().as_uri()):
        print_status(f"no browser could be started: open {path} yourself", quiet)


def _write_plots(found: EvaluationSummary, folder: str, quiet: bool) -> None:
    from spamnb.report import Figures, png, svg

    if found.panels is None:
        raise DataError(
            f"--plots draws the curves of two classes, got {len(found.labels)}: {', '.join(found.labels)}",
            hint="leave out --plots; --report FILE has a matrix and figures for each class",
        )
    try:
        files.make_folder(folder)
    except OSError as error:
        raise DataError(f"cannot make {folder}: {error.strerror}", hint="choose another path") from None
    drawings = Figures(found.panels, found.positive, found.negative).all()
    with_png = png.available()
    for name, drawing in drawings.items():
        files.write(os.path.join(folder, f"{name}.svg"), svg.standalone(drawing).encode())
        if with_png:
            files.write(os.path.join(folder, f"{name}.png"), png.png(drawing))
    kinds = "SVG and PNG" if with_png else "SVG only; for PNG: pip install 'spamnb[png]'"
    print_status(f"plots     {folder}: {', '.join(drawings)} ({kinds})", quiet)
