"""Computes the data of a report's plots for two classes; its size is independent of the messages."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spamnb.evaluation.cheapest_threshold import cheapest_threshold
from spamnb.metrics import Floats, Ints, precision_recall_curve, roc_curve, wilson_interval

STEPS = 201  # thresholds of the slider
BINS = 40  # bars of the histogram
BUCKETS = 10  # points of the calibration plot
COLUMNS = 100  # each keeps at most four points of a curve
WIDEST = 10.0  # log-odds; beyond it lie probabilities below 1 in 20,000

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class ScoredLabels:
    """Truth, verdict and score of each message, all (n,).

    `rank` are log-odds if `probabilities`, else scores of any kind. `unflaggable` messages are never flagged,
    whatever their score: the model knows nothing of them. `threshold` is that of the verdicts, in units of
    `rank`; None if they have another source.
    """

    truth: Bools
    flagged: Bools
    rank: Floats
    probabilities: bool
    unflaggable: Bools
    threshold: float | None = None
    costs: tuple[float, float] = (1.0, 1.0)
    probability: Floats | None = None  # if it does not follow from `rank` for every message

    @property
    def p(self) -> Floats:
        if self.probability is not None:
            return self.probability
        return np.asarray(1 / (1 + np.exp(-np.clip(self.rank, -700, 700))), np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """True and false positives at each of `thresholds`, in ascending order.

    The threshold in use is at index `at`; `used` is its value, which may lie outside of the plots, as may the
    cheapest one. At index `best` the cost is the lowest that any threshold has on this data.
    """

    thresholds: Floats
    tp: Ints
    fp: Ints
    at: int
    used: float
    best: int

    def cost(self, positives: int, negatives: int, costs: tuple[float, float]) -> Floats:
        """Computes the mean cost per message: (FP cost_fp + FN cost_fn) / n."""
        wrong = self.fp * costs[0] + (positives - self.tp) * costs[1]
        return np.asarray(wrong / max(positives + negatives, 1), np.float64)


@dataclass(frozen=True, slots=True)
class Bucket:
    """Messages of similar probability: its mean, the share of positives with its 95 % CI, their number."""

    predicted: float
    observed: float
    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """The share of the positive and of the negative messages in each bin."""

    edges: Floats
    positive: Floats
    negative: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Panels:
    """The data of all plots; a curve is (x, y), None unless there are messages of both classes."""

    probabilities: bool
    positives: int
    negatives: int
    flagged: tuple[int, int]  # true and false positives
    costs: tuple[float, float]
    sweep: Sweep
    histogram: Histogram
    reliability: tuple[Bucket, ...]
    roc: tuple[Floats, Floats] | None
    pr: tuple[Floats, Floats] | None

    @property
    def low(self) -> float:
        """The lowest score that the plots show."""
        return float(self.histogram.edges[0])

    @property
    def high(self) -> float:
        """The highest score that the plots show."""
        return float(self.histogram.edges[-1])


def make_panels(scored: ScoredLabels) -> Panels:
    """Computes the data of all plots."""
    low, high = _range(scored)
    positives = int(scored.truth.sum())
    negatives = len(scored.truth) - positives
    hits = int((scored.flagged & scored.truth).sum())
    flagged = hits, int(scored.flagged.sum()) - hits
    roc = pr = None
    if positives and negatives:
        fpr, tpr, _ = roc_curve(scored.truth, scored.rank)
        decades = 1 + np.log10(np.clip(fpr, 1e-4, 1)) / 4  # the ROC curve is drawn on a log axis too
        precision, recall = (values[::-1] for values in precision_recall_curve(scored.truth, scored.rank)[:2])
        roc, pr = thin(fpr, tpr, fpr, decades), thin(recall, precision, recall)
    return Panels(
        *(scored.probabilities, positives, negatives, flagged, scored.costs),
        *(_sweep(scored, low, high, flagged), _histogram(scored, low, high), _reliability(scored), roc, pr),
    )


def _range(scored: ScoredLabels) -> tuple[float, float]:
    """Returns the range of the scores with a margin; log-odds are limited to WIDEST."""
    values = scored.rank if scored.threshold is None else np.append(scored.rank, scored.threshold)
    if scored.probabilities:
        values = np.append(np.clip(values, -WIDEST, WIDEST), (-3.0, 3.0))
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    margin = 0.03 * (high - low) or 1.0
    return low - margin, high + margin


def _sweep(scored: ScoredLabels, low: float, high: float, flagged: tuple[int, int]) -> Sweep:
    """Takes equal steps; one is replaced by the threshold in use, or else by the verdicts.

    The cheapest threshold comes in addition, unless the one in use costs as little.
    """
    thresholds = np.linspace(low, high, STEPS)
    tp, fp = _counts(scored, thresholds)
    if scored.threshold is None:
        at = int(np.argmin(np.abs(tp - flagged[0]) + np.abs(fp - flagged[1])))
        used = float(thresholds[at])
    else:
        used, inside = scored.threshold, min(max(scored.threshold, low), high)
        at = int(np.argmin(np.abs(thresholds - inside)))
        thresholds[at] = inside
    tp[at], fp[at] = flagged
    sweep = Sweep(thresholds, tp, fp, at, used, best=at)
    cheapest = _cheapest(scored)
    return sweep if cheapest is None else _with_cheapest(scored, sweep, cheapest)


def _with_cheapest(scored: ScoredLabels, sweep: Sweep, threshold: float) -> Sweep:
    """Adds the cheapest threshold, if it costs less than the one in use."""
    if threshold in sweep.thresholds:  # that position may have the counts of the verdicts
        threshold = float(np.nextafter(threshold, np.inf))
    place = int(np.searchsorted(sweep.thresholds, threshold))
    thresholds = np.insert(sweep.thresholds, place, threshold)
    tp, fp = _counts(scored, thresholds)
    at = sweep.at + (place <= sweep.at)
    tp[at], fp[at] = sweep.tp[sweep.at], sweep.fp[sweep.at]
    wider = Sweep(thresholds, tp, fp, at, sweep.used, best=place)
    cost = wider.cost(int(scored.truth.sum()), int((~scored.truth).sum()), scored.costs)
    return wider if cost[place] < cost[at] else sweep


def _cheapest(scored: ScoredLabels) -> float | None:
    """Returns the cheapest threshold of the messages that can be flagged: a round probability or score."""
    rank, truth = scored.rank[~scored.unflaggable], scored.truth[~scored.unflaggable]
    if scored.probabilities:
        p = np.asarray(1 / (1 + np.exp(-np.clip(rank, -700, 700))), np.float64)
        threshold = cheapest_threshold(p, truth, scored.costs, (0.0, 1.0))
        return None if threshold is None else logit(threshold)
    finite = np.nan_to_num(rank)
    ends = float(finite.min(initial=0.0)) - 1, float(finite.max(initial=0.0)) + 1
    return cheapest_threshold(finite, truth, scored.costs, ends)


def _counts(scored: ScoredLabels, thresholds: Floats) -> tuple[Ints, Ints]:
    """Counts true and false positives at each threshold."""
    rank, truth = scored.rank[~scored.unflaggable], scored.truth[~scored.unflaggable]
    return _above(rank[truth], thresholds), _above(rank[~truth], thresholds)


def _above(values: Floats, thresholds: Floats) -> Ints:
    return np.asarray(len(values) - np.searchsorted(np.sort(values), thresholds, "right"), np.int64)


def _histogram(scored: ScoredLabels, low: float, high: float) -> Histogram:
    edges = np.linspace(low, high, BINS + 1)
    positive, negative = scored.rank[scored.truth], scored.rank[~scored.truth]
    return Histogram(edges, _shares(positive, edges), _shares(negative, edges))


def _shares(values: Floats, edges: Floats) -> Floats:
    """Returns the share of the values in each bin; values outside count into the first or the last one."""
    counts = np.histogram(np.clip(values, edges[0], edges[-1]), edges)[0]
    return counts / max(len(values), 1)


def _reliability(scored: ScoredLabels) -> tuple[Bucket, ...]:
    if not scored.probabilities:
        return ()
    p, buckets = scored.p, []
    index = np.minimum((p * BUCKETS).astype(np.int64), BUCKETS - 1)
    for bucket in range(BUCKETS):
        inside = index == bucket
        if count := int(inside.sum()):
            hits = int(scored.truth[inside].sum())
            interval = wilson_interval(hits, count)
            buckets.append(Bucket(float(p[inside].mean()), hits / count, *interval, count))
    return tuple(buckets)


def thin(x: Floats, y: Floats, *places: Floats) -> tuple[Floats, Floats]:
    """Reduces a curve to the first, last, lowest and highest point of each column of a plot.

    `places` are the x coordinates in 0..1 of all points, one array for each axis that they are drawn on.

    >>> x, y = np.linspace(0, 1, 5000), np.sin(np.arange(5000))
    >>> few, _ = thin(x, y, x)
    >>> len(few) <= 4 * COLUMNS, few[[0, -1]].tolist()
    (True, [0.0, 1.0])
    """
    if len(x) <= 4 * COLUMNS:
        return x, y
    chosen = np.unique(np.concatenate([_column_points(place, y) for place in places]))
    return x[chosen], y[chosen]


def _column_points(place: Floats, y: Floats) -> Ints:
    column = np.minimum((place * COLUMNS).astype(np.int64), COLUMNS - 1)
    first = np.flatnonzero(np.diff(column, prepend=-1))
    ends = np.append(first[1:], len(y))
    lowest = [s + int(np.argmin(y[s:e])) for s, e in zip(first.tolist(), ends.tolist(), strict=True)]
    highest = [s + int(np.argmax(y[s:e])) for s, e in zip(first.tolist(), ends.tolist(), strict=True)]
    return np.concatenate((first, ends - 1, lowest, highest)).astype(np.int64)


def logit(p: float) -> float:
    """Converts a probability to log-odds, infinite at 0 and 1.

    >>> logit(0.5), logit(1.0)
    (0.0, inf)
    """
    if not 0 < p < 1:
        return math.inf if p >= 1 else -math.inf
    return math.log(p) - math.log1p(-p)
