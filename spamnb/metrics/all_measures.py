"""Collects all measures of a filter under stable names: Scores of two classes, MultiScores of more."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from spamnb.errors import ModelError, counted
from spamnb.metrics.measures import (
    Confusion,
    aligned,
    average_precision,
    brier,
    confusion_matrix,
    ece,
    expected_cost,
    log_loss,
    ratio,
    recall_at_fpr,
    roc_auc,
)


def _none_for_nan(items: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: None if value != value else value for name, value in items}


@dataclass(frozen=True, slots=True)
class ClassScores:
    """The measures of one class of several; `support` is how many messages belong to it."""

    label: str
    support: int
    precision: float
    recall: float
    f1: float

    @classmethod
    def of(cls, label: str, c: Confusion) -> ClassScores:
        """Measures a class by its counts."""
        return cls(label, c.tp + c.fn, c.precision, c.recall, c.f1)


def largest_class(classes: Sequence[ClassScores]) -> tuple[str, float]:
    """Returns the most frequent class, of several the last, and its share of the messages.

    The share is the accuracy of a filter that knows nothing and always predicts this class.

    >>> largest_class([ClassScores("spam", 1, 1.0, 1.0, 1.0), ClassScores("ham", 3, 1.0, 1.0, 1.0)])
    ('ham', 0.75)
    """
    largest = max(reversed(classes), key=lambda c: c.support)
    return largest.label, ratio(largest.support, sum(c.support for c in classes))


def _line(scores: Scores | MultiScores, names: Sequence[str]) -> str:
    """Returns the main measures in one line."""
    measures = [f"{name} {getattr(scores, name):.4f}" for name in names]
    return f"{counted(scores.messages, 'message')} ({scores.unsure:,} unsure): {', '.join(measures)}"


@dataclass(frozen=True, slots=True)
class Scores:
    """All measures of a two-class filter, by stable names; unsure messages count as not flagged."""

    messages: int
    spam: int
    ham: int
    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int
    unsure: int
    accuracy: float
    precision: float
    recall: float
    f1: float
    jaccard: float
    roc_auc: float
    pr_auc: float
    recall_at_fpr_0_1_percent: float
    recall_at_fpr_0_5_percent: float
    log_loss: float
    brier: float
    ece: float
    expected_cost: float

    def __str__(self) -> str:
        return _line(self, ("accuracy", "precision", "recall", "f1", "roc_auc", "log_loss"))

    def to_dict(self) -> dict[str, Any]:
        """Returns the measures by their names, builtins only."""
        return asdict(self, dict_factory=_none_for_nan)

    def by_class(self, positive: str, negative: str) -> tuple[ClassScores, ClassScores]:
        """Measures both classes; to the negative one, its own messages are the positives."""
        tp, fp = self.true_positives, self.false_positives
        fn, tn = self.false_negatives, self.true_negatives
        flagged, passed = Confusion(tp, fp, fn, tn), Confusion(tn, fn, fp, tp)
        return ClassScores.of(positive, flagged), ClassScores.of(negative, passed)

    @classmethod
    def from_dict(cls, metrics: Mapping[str, Any]) -> Scores:
        """Inverts `to_dict`; other names are ignored, a missing one is a ModelError."""
        return cls(**_fields(cls, metrics))


def evaluate_binary(
    y: ArrayLike,
    p: ArrayLike,
    flagged: ArrayLike,
    unsure: ArrayLike | None = None,
    costs: tuple[float, float] = (1.0, 1.0),
    scores: ArrayLike | None = None,
) -> Scores:
    """Computes every measure of two classes.

    `costs` are those of a false positive and a false negative. Rankings use `scores` (log-odds) if there are
    any, because probabilities saturate at 1.
    """
    truth, values = aligned(y, p)
    doubt = np.zeros(truth.shape, bool) if unsure is None else np.asarray(unsure, bool)
    c = Confusion.of(truth, np.asarray(flagged, bool) & ~doubt)
    rank = values if scores is None else np.asarray(scores, np.float64)
    doubts = int(np.count_nonzero(doubt))
    sizes = {"messages": truth.size, "spam": c.tp + c.fn, "ham": c.fp + c.tn, "unsure": doubts}
    cells = {"true_positives": c.tp, "false_positives": c.fp, "false_negatives": c.fn, "true_negatives": c.tn}
    rates = {name: getattr(c, name) for name in ("accuracy", "precision", "recall", "f1", "jaccard")}
    area = {"roc_auc": roc_auc(truth, rank), "pr_auc": average_precision(truth, rank)}
    recalls = {f"recall_at_fpr_0_{n}_percent": recall_at_fpr(truth, rank, n / 1000) for n in (1, 5)}
    errors = {"log_loss": log_loss(truth, values), "brier": brier(truth, values), "ece": ece(truth, values)}
    measures: dict[str, Any] = sizes | cells | rates | area | recalls | errors
    return Scores(**measures, expected_cost=expected_cost(c, *costs))


@dataclass(frozen=True, slots=True)
class MultiScores:
    """All measures of K classes: `confusion[truth][predicted]`; macro = mean over classes where defined."""

    messages: int
    unsure: int
    accuracy: float
    macro_precision: float
    macro_recall: float
    macro_f1: float
    log_loss: float
    classes: tuple[ClassScores, ...]
    confusion: tuple[tuple[int, ...], ...]

    def __str__(self) -> str:
        return _line(self, ("accuracy", "macro_precision", "macro_recall", "macro_f1", "log_loss"))

    def to_dict(self) -> dict[str, Any]:
        """Returns the measures by their names, builtins only."""
        return asdict(self, dict_factory=_none_for_nan)

    @classmethod
    def from_dict(cls, metrics: Mapping[str, Any]) -> MultiScores:
        """Inverts `to_dict`; other names are ignored, a missing one is a ModelError."""
        values = _fields(cls, metrics)
        try:
            values["classes"] = tuple(ClassScores(**_fields(ClassScores, c)) for c in values["classes"])
            values["confusion"] = tuple(tuple(int(n) for n in row) for row in values["confusion"])
        except (TypeError, ValueError) as error:
            raise _damaged(error) from None
        return cls(**values)


def _macro(classes: Sequence[ClassScores], measure: str) -> float:
    values = [value for c in classes if not math.isnan(value := getattr(c, measure))]
    return ratio(sum(values), len(values))


def evaluate_multi(
    y_index: ArrayLike,
    predicted: ArrayLike,
    proba: ArrayLike,
    labels: Sequence[str],
    unsure: ArrayLike | None = None,
) -> MultiScores:
    """Computes every measure; an unsure message counts as its predicted class and again in `unsure`."""
    values = np.asarray(proba, np.float64).reshape(-1, len(labels))
    truth, verdicts = np.asarray(y_index, np.int64), np.asarray(predicted, np.int64)
    each = [(label, Confusion.of(truth == c, verdicts == c)) for c, label in enumerate(labels)]
    classes = tuple(ClassScores.of(label, c) for label, c in each)
    macro = {f"macro_{name}": _macro(classes, name) for name in ("precision", "recall", "f1")}
    return MultiScores(
        messages=truth.size,
        unsure=0 if unsure is None else int(np.count_nonzero(unsure)),
        accuracy=ratio(int(np.count_nonzero(truth == verdicts)), truth.size),
        log_loss=log_loss(truth, values),
        classes=classes,
        confusion=tuple(tuple(row) for row in confusion_matrix(truth, verdicts, len(labels)).tolist()),
        **macro,
    )


def stored_scores(metrics: Mapping[str, Any]) -> Scores | MultiScores:
    """Reads the metrics that a model stores; those of two classes have a recall."""
    return Scores.from_dict(metrics) if "recall" in metrics else MultiScores.from_dict(metrics)


def _fields(kind: type, metrics: Mapping[str, Any]) -> dict[str, Any]:
    try:
        values = {f.name: metrics[f.name] for f in fields(kind)}
    except (KeyError, TypeError) as error:
        raise _damaged(error) from None
    return {name: math.nan if value is None else value for name, value in values.items()}


def _damaged(error: Exception) -> ModelError:
    return ModelError(f"the metrics in the model are damaged: {error}", hint="train the model again")
