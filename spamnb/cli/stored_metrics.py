"""Shows the metrics that training stored in a model: `spamnb evaluate` without data."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from spamnb.cli import report_options
from spamnb.cli.options import Params
from spamnb.cli.output import console, print_status, print_step, write_json
from spamnb.errors import ModelError
from spamnb.model import is_shipped

if TYPE_CHECKING:
    from spamnb.evaluation import EvaluationSummary
    from spamnb.metrics import MultiScores, Scores
    from spamnb.model import SpamModel


def show(params: Params) -> None:
    """Shows the stored metrics, and writes them where the options ask for it."""
    from spamnb.cli.model_option import find_model_to_show, load_model

    path = find_model_to_show(params["model"], params["quiet"])
    model = load_model(path)
    if model.metrics is None and is_shipped(path) and not (params["json_file"] or params["report"]):
        _show_ready_made(model, path, params["quiet"])
        return
    if model.metrics is None:
        raise ModelError(
            f"{path} has no metrics: it was not cross-validated",
            hint="evaluate it on labelled messages: spamnb evaluate DATA",
        )
    if params["json_file"]:
        write_json(dict(model.metrics), params["json_file"])
    if params["report"]:
        summary = _summary(model, path)
        report_options.leave(summary, params["report"], None, params["quiet"])
    if "-" not in (params["json_file"], params["report"]):
        _show(model, path)


def _show_ready_made(model: SpamModel, path: str, quiet: bool) -> None:
    """Shows what a ready-made model is, and prints how to evaluate it: it holds no metrics."""
    from spamnb.model import card
    from spamnb.report import model_card

    model_card.show_card(console(), card(model, path, os.path.getsize(path)))
    print_status("", quiet)
    print_status("Nothing was evaluated: a ready-made model needs labelled messages.", quiet)
    print_step("try", "spamnb evaluate DATA            # this model on your messages", quiet)
    print_step("try", "spamnb train DATA               # a model of your own", quiet)
    print_step("try", "spamnb evaluate DATA --folds 5  # how good that would be", quiet)


def _summary(model: SpamModel, path: str) -> EvaluationSummary:
    from spamnb.evaluation import summarize_stored

    scores, title, notes = _stored(model, path)
    more = (*notes, "without DATA there are no curves and no mistakes to show: spamnb evaluate DATA --report")
    return summarize_stored(model, scores, title, more, path, os.path.getsize(path))


def _stored(model: SpamModel, path: str) -> tuple[Scores | MultiScores, str, tuple[str, ...]]:
    """Returns the stored metrics with a title and notes."""
    from spamnb.metrics import stored_scores

    metrics = model.metrics or {}
    title = f"{path}, as measured when it was trained"
    notes: tuple[str, ...] = (
        f"{metrics['folds']}-fold cross-validation on {metrics['sample']:,} of {metrics['of']:,} messages",
    )
    if metrics.get("before"):
        notes += (f"measured before {', '.join(metrics['before'])}: its counts have changed since",)
    return stored_scores(metrics), title, notes


def _show(model: SpamModel, path: str) -> None:
    from spamnb.metrics import MultiScores
    from spamnb.report import terminal

    scores, title, notes = _stored(model, path)
    if isinstance(scores, MultiScores):
        terminal.show_multi_evaluation(console(), scores, title, notes)
    else:
        terminal.show_evaluation(console(), scores, title, notes, None, class_names(model))


def class_names(model: SpamModel) -> tuple[str, str]:
    """Returns the positive label and the other one."""
    return model.positive, model.classes.negative
