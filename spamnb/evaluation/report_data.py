"""What a report draws for two classes: curves, a histogram, reliability, and what each threshold gives."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spamnb.metrics import Floats, Ints, precision_recall_curve, roc_curve, wilson_interval

STEPS = 201  # thresholds that the slider of a report knows
BINS = 40  # bars of the histogram
BUCKETS = 10  # points of the reliability diagram
COLUMNS = 100  # each keeps at most four points of a curve
WIDEST = 10.0  # log-odds; beyond it lie probabilities below 1 in 20,000

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class ScoredLabels:
    """What is true, what was decided and how high each message scored, all (n,).

    `rank` are log-odds if `probabilities`, else scores of any kind. What is `barred` is never called
    positive, whatever its score: the model knew nothing of it. `threshold` is that of the decisions, in
    units of `rank`.
    """

    truth: Bools
    called: Bools
    rank: Floats
    probabilities: bool
    barred: Bools
    threshold: float | None = None
    costs: tuple[float, float] = (1.0, 1.0)

    @property
    def p(self) -> Floats:
        return np.asarray(1 / (1 + np.exp(-np.clip(self.rank, -700, 700))), np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """True and false positives if `thresholds[i]` were the threshold.

    The one that was used stands at `at`; `used` is its value, also where that lies outside of what is drawn.
    """

    thresholds: Floats
    tp: Ints
    fp: Ints
    at: int
    used: float

    def cost(self, positives: int, negatives: int, costs: tuple[float, float]) -> Floats:
        """Mean cost per message: (FP cost_fp + FN cost_fn) / n."""
        wrong = self.fp * costs[0] + (positives - self.tp) * costs[1]
        return np.asarray(wrong / max(positives + negatives, 1), np.float64)


@dataclass(frozen=True, slots=True)
class Bucket:
    """Messages of like probability: its mean, the share that is positive with its 95 % interval, how many."""

    predicted: float
    observed: float
    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True, eq=False)
class Panels:
    """All panels; a curve is (x, y), and None where it takes messages of both classes."""

    low: float
    high: float
    probabilities: bool
    positives: int
    negatives: int
    called: tuple[int, int]  # true and false positives of the decisions
    costs: tuple[float, float]
    sweep: Sweep
    edges: Floats
    bars: tuple[Floats, Floats]  # shares of the positive and of the negative messages in each bin
    reliability: tuple[Bucket, ...]
    roc: tuple[Floats, Floats] | None
    pr: tuple[Floats, Floats] | None


def panels(given: ScoredLabels) -> Panels:
    """Everything that is drawn, its size independent of the number of messages."""
    low, high = _range(given)
    positives = int(given.truth.sum())
    negatives = len(given.truth) - positives
    hits = int((given.called & given.truth).sum())
    roc = pr = None
    if positives and negatives:
        fpr, tpr, _ = roc_curve(given.truth, given.rank)
        decades = 1 + np.log10(np.clip(fpr, 1e-4, 1)) / 4  # the ROC curve is drawn over a log axis too
        precision, recall = (values[::-1] for values in precision_recall_curve(given.truth, given.rank)[:2])
        roc, pr = thin(fpr, tpr, fpr, decades), thin(recall, precision, recall)
    called = hits, int(given.called.sum()) - hits
    edges = np.linspace(low, high, BINS + 1)
    bars = _bars(given.rank[given.truth], edges), _bars(given.rank[~given.truth], edges)
    return Panels(
        *(low, high, given.probabilities, positives, negatives, called, given.costs),
        *(_sweep(given, low, high, called), edges, bars, _reliability(given), roc, pr),
    )


def _range(given: ScoredLabels) -> tuple[float, float]:
    """From just below the lowest score to just above the highest; of log-odds only a sensible part."""
    values = given.rank if given.threshold is None else np.append(given.rank, given.threshold)
    if given.probabilities:
        values = np.append(np.clip(values, -WIDEST, WIDEST), (-3.0, 3.0))
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    pad = 0.03 * (high - low) or 1.0
    return low - pad, high + pad


def _sweep(given: ScoredLabels, low: float, high: float, called: tuple[int, int]) -> Sweep:
    """Equal steps, one of which gives way to the threshold that was used, or else to the decisions."""
    thresholds = np.linspace(low, high, STEPS)
    free = given.rank[~given.barred], given.truth[~given.barred]
    tp, fp = (_at_least(free[0][free[1] == flag], thresholds) for flag in (True, False))
    if given.threshold is None:
        at = int(np.argmin(np.abs(tp - called[0]) + np.abs(fp - called[1])))
        used = float(thresholds[at])
    else:
        used, inside = given.threshold, min(max(given.threshold, low), high)
        at = int(np.argmin(np.abs(thresholds - inside)))
        thresholds[at] = inside
    tp[at], fp[at] = called
    return Sweep(thresholds, tp, fp, at, used)


def _at_least(values: Floats, thresholds: Floats) -> Ints:
    return np.asarray(len(values) - np.searchsorted(np.sort(values), thresholds), np.int64)


def _bars(values: Floats, edges: Floats) -> Floats:
    """The share of the values in each bin; what lies outside belongs to the first or the last one."""
    counts = np.histogram(np.clip(values, edges[0], edges[-1]), edges)[0]
    return counts / max(len(values), 1)


def _reliability(given: ScoredLabels) -> tuple[Bucket, ...]:
    if not given.probabilities:
        return ()
    p, found = given.p, []
    index = np.minimum((p * BUCKETS).astype(np.int64), BUCKETS - 1)
    for bucket in range(BUCKETS):
        inside = index == bucket
        if count := int(inside.sum()):
            hits = int(given.truth[inside].sum())
            interval = wilson_interval(hits, count)
            found.append(Bucket(float(p[inside].mean()), hits / count, *interval, count))
    return tuple(found)


def thin(x: Floats, y: Floats, *places: Floats) -> tuple[Floats, Floats]:
    """A curve as few points: first, last, lowest and highest of each column, at each of these places in 0..1.

    >>> x, y = np.linspace(0, 1, 5000), np.sin(np.arange(5000))
    >>> few, _ = thin(x, y, x)
    >>> len(few) <= 4 * COLUMNS, few[[0, -1]].tolist()
    (True, [0.0, 1.0])
    """
    if len(x) <= 4 * COLUMNS:
        return x, y
    kept = np.unique(np.concatenate([_columns(place, y) for place in places]))
    return x[kept], y[kept]


def _columns(place: Floats, y: Floats) -> Ints:
    column = np.minimum((place * COLUMNS).astype(np.int64), COLUMNS - 1)
    first = np.flatnonzero(np.diff(column, prepend=-1))
    ends = np.append(first[1:], len(y))
    lowest = [s + int(np.argmin(y[s:e])) for s, e in zip(first.tolist(), ends.tolist(), strict=True)]
    highest = [s + int(np.argmax(y[s:e])) for s, e in zip(first.tolist(), ends.tolist(), strict=True)]
    return np.concatenate((first, ends - 1, lowest, highest)).astype(np.int64)


def logit(p: float) -> float:
    """The log-odds of a probability, infinite at 0 and 1.

    >>> logit(0.5), logit(1.0)
    (0.0, inf)
    """
    if not 0 < p < 1:
        return math.inf if p >= 1 else -math.inf
    return math.log(p) - math.log1p(-p)
