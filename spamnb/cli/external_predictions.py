"""`spamnb evaluate --predictions`: the same figures and the same report for what any filter has said."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from spamnb.cli import options
from spamnb.cli.data_inputs import inputs, read_options
from spamnb.cli.output import console, print_status, report_skipped, write_json

if TYPE_CHECKING:
    from spamnb.evaluation import ExternalEvaluation, Predictions
    from spamnb.readers import PredictionFile

F = TypeVar("F", bound=Callable[..., Any])
FLAGS = {"truth_column": "--truth", "score_column": "--score", "verdict_column": "--verdict"}
_OPTIONS = (
    click.option(
        "--predictions",
        type=options.PATH,
        metavar="FILE",
        help="Evaluate what a filter said: CSV, TSV or JSONL with scores or verdicts.",
    ),
    click.option("--truth", "truth_column", metavar="NAME", help="Column of --predictions with the truth."),
    click.option("--score", "score_column", metavar="NAME", help="Column of --predictions with the score."),
    click.option(
        "--verdict", "verdict_column", metavar="NAME", help="Column of --predictions with the verdict."
    ),
)


def prediction_options(command: F) -> F:
    for decorator in reversed(_OPTIONS):
        command = decorator(command)
    return command


def check(given: dict[str, Any], model: str | None, cv: int | None, data: bool) -> None:
    """What does not go together is refused before anything is read."""
    if given["predictions"] is None:
        flag = next((flag for name, flag in FLAGS.items() if given[name] is not None), None)
        if flag:
            raise click.UsageError(f"{flag} names a column of --predictions FILE: give that too.")
        return
    for flag, value in (("--model", model), ("--cv", cv)):
        if value is not None:
            raise click.UsageError(f"{flag} does not go with --predictions: nothing is predicted anew.")
    if data and given["truth_column"] is not None:
        raise click.UsageError("--truth does not go with DATA: the truth is taken from there.")


def evaluate_file(
    data: tuple[str, ...],
    given: dict[str, Any],
    output: dict[str, Any],
    quiet: bool,
) -> None:
    """Read, compare, show; `output` are the options json_file, report, open_it, plots and no_curves."""
    from spamnb.cli import report_options
    from spamnb.evaluation import evaluate_predictions

    sources: list[str] = []
    predictions = _read(data, given, quiet, sources)
    found = evaluate_predictions(predictions, {name: given[name] for name in options.DECISIONS})
    title = f"predictions in {given['predictions']}" + (f" on {', '.join(data)}" if data else "")
    if output["json_file"]:
        facts = {"title": title, "notes": list(found.notes), **found.scores.to_dict()}
        write_json(facts, output["json_file"])
    if output["report"] or output["plots"]:
        page = _findings(found, title, sources, bool(predictions.texts))
        where = output["report"], output["open_it"], output["plots"]
        report_options.leave(page, *where, quiet, stated=found.stated)
    if "-" not in (output["json_file"], output["report"]):
        _show(found, title, not output["no_curves"])


def _read(data: tuple[str, ...], given: dict[str, Any], quiet: bool, sources: list[str]) -> Predictions:
    from spamnb.evaluation import collect
    from spamnb.readers import ReadOptions, Wanted, read_predictions

    wanted = Wanted(given["truth_column"], given["score_column"], given["verdict_column"])
    joined = bool(data or given["labelled"] or given["files_from"])
    reading = ReadOptions(encoding="auto" if joined else given["encoding"])
    file = read_predictions(given["predictions"], wanted, reading, joined=joined)
    print_status(file.description, quiet)
    sources.append(file.description)
    truth = _truth_of(data, given, quiet, sources, file) if joined else None
    predictions, left = collect(file, truth, given["spam_label"])
    if left.count:
        print_status(f"{file.name}: {left.summary()}", quiet)
        sources.append(f"{file.name}: {left.summary()}")
    return predictions


def _truth_of(
    data: tuple[str, ...],
    given: dict[str, Any],
    quiet: bool,
    sources: list[str],
    file: PredictionFile,
) -> list[str]:
    """The labels of DATA; its messages must be those of the file, in the same order."""
    from spamnb.evaluation import check_count, check_same
    from spamnb.readers import open_source

    labels: list[str] = []
    skipped = 0
    for path, how in inputs(data, given, read_options(given, default_format="csv")):
        with open_source(path, how, labelled=True) as source:
            print_status(source.description, quiet)
            sources.append(source.description)
            for chunk in source:
                if not labels:
                    check_same(file, chunk)
                labels += chunk.labels or []
            report_skipped(source, quiet)
            skipped += source.skipped.count
    check_count(file, len(labels), skipped)
    return labels


def _show(found: ExternalEvaluation, title: str, curves: bool) -> None:
    from spamnb.metrics import MultiScores
    from spamnb.report import Curves, terminal

    scores, given = found.scores, found.outcome
    if isinstance(scores, MultiScores):
        terminal.show_multi_evaluation(console(), scores, title, found.notes)
        return
    both = given is not None and 0 < given.truth.sum() < len(given.truth)
    drawn = Curves.of(given.truth, given.rank) if given is not None and curves and both else None
    negative = next(label for label in found.labels if label != found.positive)
    terminal.show_evaluation(console(), scores, title, found.notes, drawn, (found.positive, negative))


def _findings(found: ExternalEvaluation, title: str, sources: list[str], texts: bool) -> Any:
    from spamnb.evaluation import EvaluationSummary, data_facts, make_panels

    return EvaluationSummary(
        title,
        found.scores,
        found.labels,
        found.positive,
        found.notes,
        data_facts(found.scores, found.labels, found.positive, sources),
        None if found.outcome is None else make_panels(found.outcome),
        mistakes=found.mistakes if texts else None,
    )
