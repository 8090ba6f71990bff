"""`spamnb evaluate` without data: the figures that training stored in the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spamnb.cli import report_options
from spamnb.cli.output import console, write_json

if TYPE_CHECKING:
    from spamnb.evaluation import EvaluationSummary
    from spamnb.model import SpamModel


def show(model: str | None, json_file: str | None, report: str | None, open_it: bool, quiet: bool) -> None:
    """The figures of training."""
    from spamnb.cli.model_choice import find_model
    from spamnb.errors import ModelError
    from spamnb.model import SpamModel

    path = find_model(model)
    loaded = SpamModel.load(path)
    if loaded.metrics is None:
        raise ModelError(
            f"{path} holds no figures: it is ready-made, or was trained with --no-cv or on few messages",
            hint="evaluate it on labelled messages: spamnb evaluate DATA",
        )
    if json_file:
        write_json(dict(loaded.metrics), json_file)
    if report:
        report_options.leave(_findings(loaded, path), report, open_it, None, quiet)
    if "-" not in (json_file, report):
        _show(loaded, path)


def _findings(loaded: SpamModel, path: str) -> EvaluationSummary:
    import os

    from spamnb.evaluation import summarize_stored

    found, title, notes = _figures(loaded, path)
    more = (*notes, "without DATA there are no curves and no mistakes to show: spamnb evaluate DATA --report")
    return summarize_stored(loaded, found, title, more, path, os.path.getsize(path))


def _figures(loaded: SpamModel, path: str) -> tuple[Any, str, tuple[str, ...]]:
    from spamnb.metrics import stored_scores

    figures = loaded.metrics or {}
    title = f"{path}, as measured when it was trained"
    notes: tuple[str, ...] = (
        f"{figures['folds']}-fold cross-validation on {figures['sample']:,} of {figures['of']:,} messages",
    )
    if figures.get("before"):
        notes += (f"measured before {', '.join(figures['before'])}: its counts are others now",)
    return stored_scores(figures), title, notes


def _show(loaded: SpamModel, path: str) -> None:
    from spamnb.metrics import MultiScores
    from spamnb.report import terminal

    found, title, notes = _figures(loaded, path)
    if isinstance(found, MultiScores):
        terminal.show_multi_evaluation(console(), found, title, notes)
        return
    terminal.show_evaluation(console(), found, title, notes, None, names(loaded))


def names(model: SpamModel) -> tuple[str, str]:
    """The positive label and the other one."""
    return model.positive, next(label for label in model.labels if label != model.positive)
