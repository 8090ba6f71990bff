"""Evaluates another filter's predictions for `spamnb evaluate --predictions`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from spamnb.cli import options
from spamnb.cli.data_inputs import inputs, read_options
from spamnb.cli.output import console, print_status, report_skipped, write_json

if TYPE_CHECKING:
    from spamnb.evaluation import EvaluationSummary, ExternalEvaluation, ExternalPredictions
    from spamnb.readers import PredictionFile

F = TypeVar("F", bound=Callable[..., Any])
_COLUMNS = {"truth_column": "--truth", "score_column": "--score", "verdict_column": "--verdict"}
_OPTIONS = (
    click.option(
        "--predictions",
        type=options.PATH,
        metavar="FILE",
        help="Evaluate another filter: CSV, TSV or JSONL with its scores or verdicts.",
    ),
    click.option("--truth", "truth_column", metavar="NAME", help="Column of --predictions: true label."),
    click.option("--score", "score_column", metavar="NAME", help="Column of --predictions: score."),
    click.option("--verdict", "verdict_column", metavar="NAME", help="Column of --predictions: verdict."),
)


def prediction_options(command: F) -> F:
    for decorator in reversed(_OPTIONS):
        command = decorator(command)
    return command


def check(params: dict[str, Any], model: str | None, cv: int | None, data: bool) -> None:
    """Refuses options that do not go together, before anything is read."""
    if params["predictions"] is None:
        flag = next((flag for name, flag in _COLUMNS.items() if params[name] is not None), None)
        if flag:
            raise click.UsageError(f"{flag} names a column of --predictions FILE: give that too.")
        return
    for flag, value in (("--model", model), ("--folds", cv)):
        if value is not None:
            raise click.UsageError(f"{flag} does not go with --predictions: nothing is predicted anew.")
    if data and params["truth_column"] is not None:
        raise click.UsageError("--truth does not go with DATA: the truth is taken from there.")


def evaluate_file(data: tuple[str, ...], params: dict[str, Any], output: dict[str, Any], quiet: bool) -> None:
    """Reads, evaluates and shows; `output` has json_file, report, open_it, plots and no_curves."""
    from spamnb.cli import report_options
    from spamnb.evaluation import evaluate_predictions

    descriptions: list[str] = []
    predictions = _read(data, params, quiet, descriptions)
    evaluation = evaluate_predictions(predictions, {name: params[name] for name in options.DECISIONS})
    title = f"predictions in {params['predictions']}" + (f" on {', '.join(data)}" if data else "")
    if output["json_file"]:
        facts = {"title": title, "notes": list(evaluation.notes), **evaluation.scores.to_dict()}
        write_json(facts, output["json_file"])
    if output["report"] or output["plots"]:
        summary = _summary(evaluation, title, descriptions, bool(predictions.texts))
        targets = output["report"], output["open_it"], output["plots"]
        report_options.leave(summary, *targets, quiet, stated=evaluation.stated)
    if "-" not in (output["json_file"], output["report"]):
        _show(evaluation, title, not output["no_curves"])


def _read(
    data: tuple[str, ...], params: dict[str, Any], quiet: bool, descriptions: list[str]
) -> ExternalPredictions:
    """Reads the file and, if it is given, the labelled data; adds a description of each input."""
    from spamnb.evaluation import collect_predictions
    from spamnb.readers import ReadOptions, StatedColumns, read_predictions

    stated = StatedColumns(params["truth_column"], params["score_column"], params["verdict_column"])
    joined = bool(data or params["labelled"] or params["files_from"])
    reading = ReadOptions(encoding="auto" if joined else params["encoding"])
    file = read_predictions(params["predictions"], stated, reading, joined=joined)
    print_status(file.description, quiet)
    descriptions.append(file.description)
    truth = _read_truth(data, params, quiet, descriptions, file) if joined else None
    predictions, skipped = collect_predictions(file, truth, params["spam_label"])
    if skipped.count:
        print_status(f"{file.name}: {skipped.summary()}", quiet)
        descriptions.append(f"{file.name}: {skipped.summary()}")
    return predictions


def _read_truth(
    data: tuple[str, ...],
    params: dict[str, Any],
    quiet: bool,
    descriptions: list[str],
    file: PredictionFile,
) -> list[str]:
    """Reads the labels of DATA; its messages must be those of the file, in the same order."""
    from spamnb.readers import open_source

    labels: list[str] = []
    skipped = 0
    for path, how in inputs(data, params, read_options(params, default_format="csv")):
        with open_source(path, how, labelled=True) as source:
            print_status(source.description, quiet)
            descriptions.append(source.description)
            for chunk in source:
                if not labels:
                    file.check_same(chunk)
                labels += chunk.labels or []
            report_skipped(source, quiet)
            skipped += source.skipped.count
    file.check_count(len(labels), skipped)
    return labels


def _show(evaluation: ExternalEvaluation, title: str, curves: bool) -> None:
    from spamnb.metrics import MultiScores
    from spamnb.report import Curves, terminal

    scores, scored = evaluation.scores, evaluation.scored
    if isinstance(scores, MultiScores):
        terminal.show_multi_evaluation(console(), scores, title, evaluation.notes)
        return
    drawn = None
    if curves and scored is not None and 0 < scored.truth.sum() < len(scored.truth):
        drawn = Curves.of(scored.truth, scored.rank)
    positive = evaluation.positive
    negative = next(label for label in evaluation.labels if label != positive)
    terminal.show_evaluation(console(), scores, title, evaluation.notes, drawn, (positive, negative))


def _summary(
    evaluation: ExternalEvaluation, title: str, descriptions: list[str], has_texts: bool
) -> EvaluationSummary:
    from spamnb.evaluation import EvaluationSummary, data_facts, make_panels

    scores, labels, positive = evaluation.scores, evaluation.labels, evaluation.positive
    return EvaluationSummary(
        title,
        scores,
        labels,
        positive,
        evaluation.notes,
        data_facts(scores, labels, positive, descriptions),
        None if evaluation.scored is None else make_panels(evaluation.scored),
        mistakes=evaluation.mistakes if has_texts else None,
    )
