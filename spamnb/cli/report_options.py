"""Writes what `evaluate` is asked to leave behind: the page of --report and the plots of --plots."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from spamnb.cli.option_groups import all_of, option
from spamnb.cli.options import PATH
from spamnb.cli.output import print_step, write_bytes
from spamnb.cli.overwrite import checked, plot_paths
from spamnb.core import files
from spamnb.errors import DataError

if TYPE_CHECKING:
    from spamnb.evaluation import EvaluationSummary

report_options = all_of(
    option(
        "--report",
        type=PATH,
        metavar="FILE",
        callback=checked("page"),
        help="Write a page for the browser ('-' for stdout); only you can read it (mode 0600).",
    ),
    option(
        "--plots",
        type=PATH,
        metavar="DIR",
        callback=checked("plot"),
        advanced=True,
        help="Write the plots as SVG files into DIR.",
    ),
)


def check_outputs(report: str | None, json_file: str | None, plots: str | None = None) -> None:
    """Refuses, before anything is read, two outputs to the same place."""
    if report == "-" and json_file == "-":
        raise click.UsageError(
            "--report - and --json - cannot both write to stdout: give one of them a file."
        )
    if report and json_file and not files.is_system_path(report) and _same(report, json_file):
        raise click.UsageError(f"--report and --json cannot both write to {report}: give one another file.")
    drawn = {os.path.realpath(path) for path in plot_paths(plots)} if plots else set()
    for flag, path in (("--report", report), ("--json", json_file)):
        if path and os.path.realpath(path) in drawn:
            raise click.UsageError(f"{flag} and --plots cannot both write to {path}: give one another place.")


def _same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def leave(
    summary: EvaluationSummary,
    report: str | None,
    plots: str | None,
    quiet: bool,
    stated: bool = False,
) -> None:
    """Writes the page and the plots that were asked for, and prints where they are."""
    if plots is not None:
        _write_plots(summary, plots, quiet)
    if report is None:
        return
    from spamnb.report import render_page

    data = render_page(summary, stated).encode("utf-8", "replace")
    if report == "-":
        write_bytes(data)
        return
    files.write(report, data)
    print_step("report", f"{report} ({len(data) / 1e3:,.0f} kB)", quiet)


def _write_plots(summary: EvaluationSummary, folder: str, quiet: bool) -> None:
    from spamnb.report import EvaluationPlots, svg_file

    if summary.panels is None:
        labels = summary.classes.labels
        raise DataError(
            f"--plots draws the curves of two classes, got {len(labels)}: {', '.join(labels)}",
            hint="leave out --plots; --report FILE has a matrix and metrics for each class",
        )
    try:
        files.make_folder(folder)
    except OSError as error:
        raise DataError(f"cannot make {folder}: {error.strerror}", hint="choose another path") from None
    drawings = EvaluationPlots(summary.panels, summary.classes.positive, summary.classes.negative).all()
    for name, drawing in drawings.items():
        files.write(os.path.join(folder, f"{name}.svg"), svg_file(drawing).encode())
    print_step("plots", f"{folder}: {', '.join(drawings)} (SVG)", quiet)
