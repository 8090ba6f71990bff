"""Evaluates another filter's predictions for `spamnb evaluate --predictions`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from spamnb.cli import options
from spamnb.cli.data_inputs import inputs, read_options
from spamnb.cli.option_groups import option
from spamnb.cli.options import Params
from spamnb.cli.output import console, print_status, report_skipped, write_json

if TYPE_CHECKING:
    from spamnb.evaluation import EvaluationSummary, ExternalEvaluation, ExternalPredictions
    from spamnb.readers import PredictionFile

F = TypeVar("F", bound=Callable[..., Any])
_OPTIONS = (
    option(
        "--predictions",
        type=options.PATH,
        metavar="FILE",
        group="Input",
        help="Evaluate another filter: CSV, TSV or JSONL with its scores or verdicts.",
    ),
    option(
        "--prediction-column",
        "prediction_columns",
        metavar="NAME",
        multiple=True,
        group="Input",
        advanced=True,
        help="Column of --predictions with scores (numbers) or verdicts (words). Repeatable.",
    ),
)


def prediction_options(command: F) -> F:
    for decorator in reversed(_OPTIONS):
        command = decorator(command)
    return command


def check_prediction_options(params: Params) -> None:
    """Refuses options that cannot be combined, before anything is read."""
    if params["predictions"] is None:
        if params["prediction_columns"]:
            raise click.UsageError("--prediction-column names a column of --predictions FILE: give that too.")
        return
    source = click.get_current_context().get_parameter_source
    for name in ("model", "folds"):
        if params[name] is not None and source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"--{name} cannot be combined with --predictions: nothing is predicted anew."
            )


def evaluate_file(params: Params) -> None:
    """Reads the predictions, evaluates them, and writes what the parameters ask for."""
    from spamnb.cli import report_options
    from spamnb.evaluation import evaluate_predictions

    descriptions: list[str] = []
    predictions = _read(params, descriptions)
    evaluation = evaluate_predictions(predictions, {name: params[name] for name in options.DECISIONS})
    data, json_file, report, plots = (params[name] for name in ("data", "json_file", "report", "plots"))
    title = f"predictions in {params['predictions']}" + (f" on {', '.join(data)}" if data else "")
    if json_file:
        facts = {"title": title, "notes": list(evaluation.notes), **evaluation.scores.to_dict()}
        write_json(facts, json_file)
    if report or plots:
        summary = _summary(evaluation, title, descriptions, bool(predictions.texts))
        report_options.leave(summary, report, plots, params["quiet"], stated=evaluation.stated)
    if "-" not in (json_file, report):
        _show(evaluation, title)


def _read(params: Params, descriptions: list[str]) -> ExternalPredictions:
    """Reads the file and, if it is given, the labelled data; adds a description of each input."""
    from spamnb.evaluation import collect_predictions
    from spamnb.readers import ReadOptions, StatedColumns, read_predictions

    joined = bool(params["data"] or params["labelled"] or params["files_from"])
    stated = StatedColumns(None if joined else params["label_column"], params["prediction_columns"])
    reading = ReadOptions(encoding="auto" if joined else params["encoding"])
    file = read_predictions(params["predictions"], stated, reading, joined=joined)
    print_status(file.description, params["quiet"])
    descriptions.append(file.description)
    truth = _read_truth(params, file, descriptions) if joined else None
    predictions, skipped = collect_predictions(file, truth, params["spam_label"])
    if skipped.count:
        print_status(f"{file.name}: {skipped.summary()}", params["quiet"])
        descriptions.append(f"{file.name}: {skipped.summary()}")
    return predictions


def _read_truth(params: Params, file: PredictionFile, descriptions: list[str]) -> list[str]:
    """Reads the labels of DATA; its messages must be those of the file, in the same order."""
    from spamnb.readers import open_source

    labels: list[str] = []
    skipped, quiet = 0, params["quiet"]
    for path, path_options in inputs(params["data"], params, read_options(params, default_format="csv")):
        with open_source(path, path_options, labelled=True) as source:
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


def _show(evaluation: ExternalEvaluation, title: str) -> None:
    from spamnb.metrics import MultiScores
    from spamnb.report import Curves, terminal

    scores, scored, out = evaluation.scores, evaluation.scored, console()
    if isinstance(scores, MultiScores):
        terminal.show_multi_evaluation(out, scores, title, evaluation.notes)
        return
    drawn = None
    if out.is_terminal and scored is not None and 0 < scored.truth.sum() < len(scored.truth):
        drawn = Curves.of(scored.truth, scored.rank)
    sides = evaluation.classes.positive, evaluation.classes.negative
    terminal.show_evaluation(out, scores, title, evaluation.notes, drawn, sides)


def _summary(
    evaluation: ExternalEvaluation, title: str, descriptions: list[str], has_texts: bool
) -> EvaluationSummary:
    from spamnb.evaluation import EvaluationSummary, data_facts, make_panels

    return EvaluationSummary(
        title,
        evaluation.scores,
        evaluation.classes,
        evaluation.notes,
        data_facts(evaluation.scores, evaluation.classes, descriptions),
        None if evaluation.scored is None else make_panels(evaluation.scored),
        mistakes=evaluation.mistakes if has_texts else None,
    )
