"""Computes one measure at a time: confusion, curves, losses, intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spamnb.errors import DataError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def ratio(part: float, whole: float) -> float:
    """Divides; 0/0 is NaN."""
    return part / whole if whole else math.nan


def _share(counts: Ints) -> Floats:
    """Divides cumulated counts by the last one; all NaN if that is 0."""
    return counts / counts[-1] if counts[-1] else np.full(counts.shape, math.nan)


def aligned(y: ArrayLike, score: ArrayLike) -> tuple[NDArray[np.bool_], Floats]:
    """Returns truth and scores as arrays; refuses scores that are not one number for each label."""
    truth, values = np.asarray(y, bool), np.asarray(score, np.float64)
    if truth.shape != values.shape:
        raise DataError(f"expected one score per label, got {values.size:,} scores for {truth.size:,} labels")
    if missing := int(np.isnan(values).sum()):
        hint = "words that no class can produce leave a message without a score: set smoothing above 0"
        raise DataError(f"{missing:,} of {values.size:,} scores are not numbers", hint)
    return truth, values


def f_score(precision: float, recall: float, beta: float = 1.0) -> float:
    """Computes the weighted harmonic mean of precision and recall; beta > 1 favours recall; NaN if both 0.

    >>> round(f_score(0.5, 0.4), 3), round(f_score(0.7, 0.1), 3), round(f_score(0.02, 1), 4)
    (0.444, 0.175, 0.0392)
    """
    return ratio((1 + beta**2) * precision * recall, beta**2 * precision + recall)


@dataclass(frozen=True, slots=True)
class Confusion:
    """The counts of right and wrong verdicts; a measure that is 0/0 is NaN."""

    tp: int
    fp: int
    fn: int
    tn: int

    @classmethod
    def of(cls, y: ArrayLike, flagged: ArrayLike) -> Confusion:
        """Counts the four cases; `flagged` is True for what was called positive."""
        truth, calls = np.asarray(y, bool), np.asarray(flagged, bool)
        tp, positives, called = (int(np.count_nonzero(mask)) for mask in (truth & calls, truth, calls))
        return cls(tp, called - tp, positives - tp, truth.size - positives - called + tp)

    @property
    def accuracy(self) -> float:
        return ratio(self.tp + self.tn, self.tp + self.fp + self.fn + self.tn)

    @property
    def precision(self) -> float:
        return ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float:
        return ratio(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float:
        return self.f_beta(1.0)

    def f_beta(self, beta: float) -> float:
        """Computes F from the counts: 0, not NaN, where no positive was found but there are some."""
        hits = (1 + beta**2) * self.tp
        return ratio(hits, hits + beta**2 * self.fn + self.fp)

    @property
    def jaccard(self) -> float:
        return ratio(self.tp, self.tp + self.fp + self.fn)

    @property
    def false_positive_rate(self) -> float:
        return ratio(self.fp, self.fp + self.tn)


def confusion_matrix(y_index: ArrayLike, predicted_index: ArrayLike, k: int) -> Ints:
    """Counts pairs of classes as (k, k): row = true class, column = predicted class."""
    cells = np.asarray(y_index, np.int64) * k + np.asarray(predicted_index, np.int64)
    return np.bincount(cells, minlength=k * k).reshape(k, k)


def _by_threshold(y: ArrayLike, score: ArrayLike) -> tuple[Ints, Ints, Floats]:
    """Counts true and false positives for each threshold t, falling from infinity: positive is score >= t."""
    truth, values = aligned(y, score)
    order = np.argsort(-values, kind="stable")
    ranked = values[order]
    last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True)[: ranked.size])
    called = np.concatenate(([0], last + 1))
    tps = np.concatenate(([0], np.cumsum(truth[order])[last]))
    return tps, called - tps, np.concatenate(([math.inf], ranked[last]))


def roc_curve(y: ArrayLike, score: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Computes false positive rate and recall at every threshold, highest first, starting at (0, 0)."""
    tps, fps, thresholds = _by_threshold(y, score)
    return _share(fps), _share(tps), thresholds


def precision_recall_curve(y: ArrayLike, score: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Computes precision and recall at every threshold, lowest first, ending with the point (1, 0)."""
    tps, fps, thresholds = _by_threshold(y, score)
    precision = np.append((tps[1:] / (tps[1:] + fps[1:]))[::-1], 1.0)
    return precision, _share(tps)[::-1], thresholds[:0:-1]


def roc_auc(y: ArrayLike, score: ArrayLike) -> float:
    """Computes the chance that a positive scores above a negative; a tie counts one half."""
    tps, fps, _ = _by_threshold(y, score)
    return ratio(float(np.trapezoid(tps, fps)), int(tps[-1]) * int(fps[-1]))


def average_precision(y: ArrayLike, score: ArrayLike) -> float:
    """Averages precision over the steps of recall: the sum of (R_n - R_n-1) P_n."""
    tps, fps, _ = _by_threshold(y, score)
    precision = tps[1:] / (tps[1:] + fps[1:])
    return ratio(float(np.sum(np.diff(tps) * precision)), int(tps[-1]))


def recall_at_fpr(y: ArrayLike, score: ArrayLike, max_fpr: float) -> float:
    """Finds the largest recall of any threshold with at most floor(max_fpr * negatives) false positives."""
    tps, fps, _ = _by_threshold(y, score)
    if not fps[-1]:
        return math.nan
    allowed = math.floor(max_fpr * int(fps[-1]) + 1e-9)  # 0.29 * 100 is 28.999999999999996
    return ratio(int(tps[fps <= allowed][-1]), int(tps[-1]))


def log_loss(y: ArrayLike, p: ArrayLike) -> float:
    """Averages -log P(truth); p is (n,) P(positive) or (n, K), clipped one machine epsilon off 0 and 1."""
    truth, values = np.asarray(y, np.int64), np.asarray(p, np.float64)
    table = np.column_stack((1 - values, values)) if values.ndim == 1 else values
    eps = np.finfo(np.float64).eps
    losses = -np.log(np.clip(table[np.arange(truth.size), truth], eps, 1 - eps))
    return ratio(float(losses.sum()), truth.size)


def brier(y: ArrayLike, p: ArrayLike) -> float:
    """Averages the squared distance of the probability from the truth (0 or 1)."""
    truth, values = aligned(y, p)
    return ratio(float(np.sum((values - truth) ** 2)), truth.size)


def ece(y: ArrayLike, p: ArrayLike, bins: int = 15) -> float:
    """Averages |mean p - share of positives| over equal-width bins of p, weighted by their sizes."""
    truth, values = aligned(y, p)
    index = np.minimum((values * bins).astype(np.int64), bins - 1)
    gaps = np.bincount(index, weights=values - truth, minlength=bins)
    return ratio(float(np.abs(gaps).sum()), truth.size)


def expected_cost(confusion: Confusion, cost_fp: float, cost_fn: float) -> float:
    """Averages the cost per message."""
    c = confusion
    return ratio(c.fp * cost_fp + c.fn * cost_fn, c.tp + c.fp + c.fn + c.tn)


def wilson_interval(successes: int, n: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """Computes the confidence interval of a share, 95 % by default, always within 0 and 1."""
    if not n:
        return math.nan, math.nan
    share, z2 = successes / n, z * z
    middle = share + z2 / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    # The ends are exactly 0 and 1 at the extremes; rounding would give 5e-18 and 0.9999999999999999.
    low = (middle - half) / (1 + z2 / n) if successes else 0.0
    return low, (middle + half) / (1 + z2 / n) if successes < n else 1.0
