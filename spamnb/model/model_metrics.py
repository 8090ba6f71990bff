"""Measures a model on messages and labels in memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from spamnb.core import IntArray
from spamnb.errors import DataError, warn
from spamnb.messages import Chunk
from spamnb.metrics import MultiScores, Scores, evaluate_binary, evaluate_multi
from spamnb.model.training_overlap import TrainingOverlap, overlap_warning
from spamnb.readers import (
    classes_by_meaning,
    columns_of_table,
    columns_of_values,
    is_table,
    labelled_messages,
    usable_rows,
)

if TYPE_CHECKING:
    from spamnb.messages import Categories, Messages, Numbers
    from spamnb.model.predictions import Predictions
    from spamnb.model.spam_model import SpamModel


def evaluate(
    model: SpamModel,
    messages: Messages | Any,
    labels: Iterable[object] | None,
    categories: Categories = None,
    numbers: Numbers = None,
    columns: tuple[str | None, str | None] = (None, None),
) -> Scores | MultiScores:
    """Computes all metrics of the model's verdicts on labelled messages."""
    texts, read = labelled_messages(messages, labels, columns, classes=model.labels)
    if is_table(messages) and categories is None and numbers is None:
        categories, numbers = columns_of_table(model.features, messages)
    chunk = usable_rows(texts, read, columns_of_values(model.features, len(texts), categories, numbers))
    truth = _class_numbers(model, chunk.labels or [])
    predictions = model.score(chunk.texts, chunk.categories, chunk.numbers)
    _warn_of_overlap(model, chunk)
    if model.pair is None:
        proba = model.proba(predictions)
        return evaluate_multi(truth, model.choose(proba), proba, model.labels, predictions.lacks_evidence)
    return _evaluate_pair(model, truth, predictions, model.pair[0])


def _warn_of_overlap(model: SpamModel, chunk: Chunk) -> None:
    """Warns if the model, or its base model, was trained on many of these messages."""
    seen = TrainingOverlap.of(model).count(chunk)
    if warning := overlap_warning(seen or 0, len(chunk), "drop duplicates before you split a table"):
        warn(warning)


def _evaluate_pair(
    model: SpamModel, truth: IntArray, predictions: Predictions, positive: int
) -> Scores | MultiScores:
    flagged, unsure = predictions.codes == positive, predictions.codes == len(model.labels)
    costs = model.decision.cost_fp or 1.0, model.decision.cost_fn or 1.0
    scores = predictions.log_odds
    return evaluate_binary(truth == positive, predictions.probability, flagged, unsure, costs, scores)


def _class_numbers(model: SpamModel, names: list[str]) -> IntArray:
    if not names:
        raise DataError(
            "there are no messages to evaluate", hint="pass messages that have a text and a label"
        )
    index, meaning = {label: i for i, label in enumerate(model.labels)}, classes_by_meaning(model.labels)
    names = [name if name in index else meaning.get(name, name) for name in names]
    if unknown := sorted(set(names) - index.keys()):
        raise DataError(
            f"the labels include {unknown[0]!r}, but the model has the classes {', '.join(model.labels)}",
            hint="pass messages of these classes, or train a model on these labels",
        )
    return np.array([index[name] for name in names], np.int64)
