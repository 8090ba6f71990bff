"""Computes the measures that rank candidates, each for many weightings of the messages at once."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from spamnb.core import FloatArray, IntArray, run_starts
from spamnb.errors import ConfigError
from spamnb.model import SPAM, SpamModel
from spamnb.training import HeldOutScores

Weights = NDArray[np.int32]  # (draws, n): how often each message counts
DEFAULT = "auc"
CHOICES = ("recall@0.1%", "auc", "f1", "accuracy", "log-loss", "cost")
FOR_MANY = ("f1", "accuracy", "log-loss")  # defined for more than two classes


@dataclass(frozen=True)
class Answers:
    """The answers to n messages: true and predicted class, -log P(truth), and for two classes the log-odds.

    With two classes 1 is the positive one; unsure counts as not flagged as spam.
    """

    truth: IntArray
    predicted: IntArray
    surprise: FloatArray
    log_odds: FloatArray
    classes: int
    costs: tuple[float, float] = (1.0, 1.0)

    @classmethod
    def of(cls, model: SpamModel, held_out: HeldOutScores) -> Answers:
        eps = np.finfo(np.float64).eps
        rows = np.arange(len(held_out.truth))
        if len(model.labels) > 2:
            surprise = -np.log(np.clip(held_out.proba[rows, held_out.truth], eps, 1 - eps))
            chosen = model.choose(held_out.proba)
            return cls(held_out.truth, chosen, surprise, held_out.log_odds, len(model.labels))
        plus, rule = model.labels.index(model.positive), model.decision
        verdicts = model.decide(held_out.log_odds, held_out.known, held_out.share)
        predicted = (verdicts.codes == SPAM).astype(np.int64)
        truth = (held_out.truth == plus).astype(np.int64)
        p = np.where(truth, verdicts.probability, 1 - verdicts.probability)
        surprise = -np.log(np.clip(p, eps, 1 - eps))
        costs = rule.cost_fp or 1.0, rule.cost_fn or 1.0
        return cls(truth, predicted, surprise, held_out.log_odds, 2, costs)

    @cached_property
    def ranking(self) -> tuple[IntArray, IntArray]:
        """The messages by falling log-odds, and where each stretch of them begins.

        A stretch is all spam, all ham, or of equal log-odds: no threshold within it is better than one at
        its end or its beginning. A good filter has a few hundred, so thousands of draws stay cheap.
        """
        order = np.argsort(-self.log_odds, kind="stable")
        ranked, truth = self.log_odds[order], self.truth[order]
        run = run_starts(ranked)
        low, high = np.minimum.reduceat(truth, run), np.maximum.reduceat(truth, run)
        same = (low[1:] == high[1:]) & (low[:-1] == high[:-1]) & (low[1:] == low[:-1])
        return order, run[np.concatenate(([True], ~same))]

    def flagged(self, weights: Weights) -> tuple[IntArray, IntArray]:
        """Returns (draws, thresholds): spam and ham with at least as much log-odds, thresholds falling."""
        order, begin = self.ranking
        drawn = weights[:, order]
        called = np.add.reduceat(drawn, begin, axis=1).cumsum(axis=1, dtype=np.int64)
        tp = np.add.reduceat(drawn * self.truth[order].astype(weights.dtype), begin, axis=1)
        tp = tp.cumsum(axis=1, dtype=np.int64)
        return tp, called - tp


Measure = Callable[[Answers, Weights], FloatArray]


def _ratio(part: NDArray[np.generic], total: NDArray[np.generic]) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.true_divide(part, total), np.float64)


def auc(a: Answers, weights: Weights) -> FloatArray:
    """Computes sum over ham of the spam above it, a tie counting one half, divided by all pairs of both."""
    tp, fp = a.flagged(weights)
    above = tp - 0.5 * np.diff(tp, axis=1, prepend=0)
    return _ratio((np.diff(fp, axis=1, prepend=0) * above).sum(axis=1), tp[:, -1] * fp[:, -1])


def recall_at(share: float) -> Measure:
    """Computes TP / spam at the lowest threshold with FP <= floor(share * ham)."""

    def measure(a: Answers, weights: Weights) -> FloatArray:
        tp, fp = a.flagged(weights)
        allowed = np.floor(share * fp[:, -1:] + 1e-9)
        last = np.count_nonzero(fp <= allowed, axis=1)
        return _ratio(np.take_along_axis(np.pad(tp, ((0, 0), (1, 0))), last[:, None], 1)[:, 0], tp[:, -1])

    return measure


def f1(a: Answers, weights: Weights) -> FloatArray:
    """Computes 2 TP / (2 TP + FP + FN) of the positive class, or the mean over more than two classes."""
    each = []
    for c in (1,) if a.classes == 2 else range(a.classes):
        true, predicted = a.truth == c, a.predicted == c
        twice = 2 * (weights * (true & predicted)).sum(axis=1)
        each.append(_ratio(twice, (weights * (true.astype(np.int64) + predicted)).sum(axis=1)))
    return np.asarray(np.nanmean(each, axis=0), np.float64)


def accuracy(a: Answers, weights: Weights) -> FloatArray:
    return _ratio((weights * (a.truth == a.predicted)).sum(axis=1), weights.sum(axis=1))


def weighted_log_loss(a: Answers, weights: Weights) -> FloatArray:
    """Computes the mean of -log P(truth)."""
    return _ratio((weights * a.surprise).sum(axis=1), weights.sum(axis=1))


def cost(a: Answers, weights: Weights) -> FloatArray:
    """Computes (FP cost_fp + FN cost_fn) / n."""
    fp, fn = (a.predicted > a.truth) * a.costs[0], (a.predicted < a.truth) * a.costs[1]
    return _ratio((weights * (fp + fn)).sum(axis=1), weights.sum(axis=1))


@dataclass(frozen=True)
class Objective:
    """A measure with its names; `sign` is -1 where less is better."""

    name: str
    printed: str
    measure: Measure
    sign: int = 1
    percent: bool = False

    @property
    def short(self) -> str:
        """For the head of a column."""
        return self.name if "@" in self.name else self.printed

    def value(self, answers: Answers) -> float:
        return float(self.measure(answers, np.ones((1, len(answers.truth)), np.int32))[0])

    def merit(self, answers: Answers) -> float:
        """Ranks a value: more is better; NaN is worst."""
        value = self.sign * self.value(answers)
        return value if value == value else -np.inf


_OBJECTIVES = {
    "auc": Objective("auc", "ROC AUC", auc),
    "f1": Objective("f1", "F1", f1),
    "accuracy": Objective("accuracy", "accuracy", accuracy, percent=True),
    "log-loss": Objective("log-loss", "log loss", weighted_log_loss, -1),
    "cost": Objective("cost", "cost", cost, -1),
}


def objective(name: str) -> Objective:
    """Returns an objective by its name; P in recall@P% is any false positive rate.

    >>> objective("recall@0.5%").printed
    'recall at 0.5% FPR'
    """
    if name in _OBJECTIVES:
        return _OBJECTIVES[name]
    match = re.fullmatch(r"recall@(\d+(?:\.\d+)?)%", name)
    if not match or not 0 <= float(match[1]) < 100:
        raise ConfigError(f"unknown objective {name!r}", hint=f"choose one of: {', '.join(CHOICES)}")
    printed = f"recall at {float(match[1]):g}% FPR"
    return Objective(name, printed, recall_at(float(match[1]) / 100), percent=True)


def objective_for(name: str | None, classes: int) -> Objective:
    """Returns the named objective, or the default for so many classes; refuses one that needs two classes."""
    if name is None:
        return objective(DEFAULT if classes == 2 else "f1")
    if classes > 2 and name not in FOR_MANY:
        raise ConfigError(
            f"--objective {name} needs two classes, the data has {classes:,}",
            hint=f"choose one of: {', '.join(FOR_MANY)}",
        )
    return objective(name)
