"""From raw log-odds to log-odds that mean what they say, fitted on messages whose label is known.

Naive Bayes counts dependent words as independent evidence, so its log-odds are too large. Two classes get a
slope and an offset (Platt 1999, fitted by Newton's method as Lin, Lin and Weng 2007 advise), or a curve
where that is clearly better on folds (`curvefit`); more classes get one common scale (Guo et al. 2017).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spamnb.errors import ModelError

Floats = NDArray[np.float64]
Objective = Callable[[Floats], tuple[float, Floats, Floats]]

# Ridge on the slope per standardised score and on the offset: a thousand messages move the slope by
# less than 0.1 % because of it, ten that the scores separate perfectly do not make it run away.
SLOPE_RIDGE = 0.01
OFFSET_RIDGE = 1e-6
ONE_CLASS = "calibration needs messages of at least two classes: scores are left as they are"
LIMIT = 1e6  # log-odds beyond this say "certain"; JSON has no infinity
WRONG_WAY = "scores do not rise with the right class: they are left as they are"


def probability(logodds: ArrayLike) -> Floats:
    """1 / (1 + exp(-logodds)) without overflow, exact in both tails.

    >>> probability([-1000, 0, 1000]).tolist()
    [0.0, 0.5, 1.0]
    """
    z = np.asarray(logodds, np.float64)
    e = np.exp(-np.abs(z))
    return np.asarray(np.where(z >= 0, 1.0, e) / (1.0 + e))


def probabilities(logscores: ArrayLike) -> Floats:
    """Rows of log scores (n, K) to rows of probabilities; a row that is impossible in every class is NaN.

    >>> probabilities([[-2000, -2000], [0, -2000]]).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    values = np.asarray(logscores, np.float64)
    with np.errstate(invalid="ignore"):  # -inf - -inf
        e = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


@dataclass(frozen=True, slots=True)
class Platt:
    """Two classes: log-odds s become slope * s + offset; `note` says why if nothing was fitted."""

    slope: float = 1.0
    offset: float = 0.0
    note: str = ""

    def apply(self, scores: ArrayLike) -> Floats:
        return np.asarray(np.asarray(scores, np.float64) * self.slope + self.offset)

    def probability(self, calibrated: ArrayLike) -> Floats:
        return probability(calibrated)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "platt"} | asdict(self)


@dataclass(frozen=True, slots=True)
class Temperature:
    """K classes: log scores (n, K) are multiplied by one scale; `note` says why if nothing was fitted."""

    scale: float = 1.0
    note: str = ""

    def apply(self, scores: ArrayLike) -> Floats:
        return np.asarray(np.asarray(scores, np.float64) * self.scale)

    def probability(self, calibrated: ArrayLike) -> Floats:
        return probabilities(calibrated)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "temperature"} | asdict(self)


Calibration: TypeAlias = "Platt | Temperature | Beta | Isotonic"


def identity(k: int, note: str = "") -> Calibration:
    """The calibration that changes nothing."""
    return Platt(note=note) if k <= 2 else Temperature(note=note)


_LARGEST = 1e100  # of a number in a model file: far beyond any that is fitted, and no product overflows


def _finite(value: Any) -> float:
    if not abs(number := float(value)) < _LARGEST:  # not for NaN either
        raise ValueError(value)
    return number


def _positive(value: Any) -> float:
    if not (number := _finite(value)) > 0:
        raise ValueError(value)
    return number


def _knots(at: Any, value: Any) -> tuple[tuple[float, ...], tuple[float, ...]]:
    places, heights = tuple(_finite(x) for x in at), tuple(_finite(x) for x in value)
    if not places or len(places) != len(heights):
        raise ValueError("knots")
    if (np.diff(places) <= 0).any() or (np.diff(heights) <= 0).any():
        raise ValueError("knots must rise")
    return places, heights


def from_dict(state: Mapping[str, Any]) -> Calibration:
    """The inverse of `to_dict`; what does not fit is a damaged model.

    >>> from_dict(Platt(0.5, -1.0).to_dict())
    Platt(slope=0.5, offset=-1.0, note='')
    """
    try:
        note = str(state["note"])
        if state["kind"] == "platt":
            return Platt(_positive(state["slope"]), _finite(state["offset"]), note)
        if state["kind"] == "temperature":
            return Temperature(_positive(state["scale"]), note)

        line = _positive(state["slope"]), _finite(state["offset"])
        if state["kind"] == "beta":
            return Beta(*line, _positive(state["a"]), _positive(state["b"]), _finite(state["c"]), note)
        if state["kind"] == "isotonic":
            return Isotonic(*line, *_knots(state["at"], state["value"]), note)
        raise ValueError(state["kind"])
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(
            f"the calibration in the model is damaged: got {state!r:.200}", hint="train the model again"
        ) from error


def fit(scores: ArrayLike, y_index: ArrayLike, k: int) -> Calibration:
    """Fit on the scores of messages the scorer was not trained on.

    For k = 2 the scores are log-odds (n,) of class 1, else log scores (n, k). Infinite ones are left out.
    """
    values, labels = np.asarray(scores, np.float64), np.asarray(y_index, np.int64)
    finite = np.isfinite(values).reshape(len(labels), 1 if k <= 2 else k).all(axis=1)
    values, labels = values[finite], labels[finite]
    if not labels.size or labels.min() == labels.max():
        return identity(k, ONE_CLASS)
    return fit_platt(values, labels == 1) if k == 2 else fit_temperature(values, labels)


def fit_platt(scores: Floats, positive: NDArray[np.bool_], smooth: bool = True) -> Calibration:
    """Slope and offset of least log loss against Platt's targets (N+ + 1)/(N+ + 2) and 1/(N- + 2)."""
    n_pos = int(np.count_nonzero(positive))
    n_neg = positive.size - n_pos
    high, low = ((n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2)) if smooth else (1.0, 0.0)
    target = np.where(positive, high, low)
    unit = _unit(scores)
    scaled = scores / unit
    start = np.array([0.0, math.log((n_pos + 1) / (n_neg + 1))])
    slope, offset = minimise(lambda at: _platt_loss(at, scaled, target), start).tolist()
    return Platt(slope / unit, offset) if slope > 0 else Platt(note=WRONG_WAY)


def _unit(scores: Floats) -> float:
    """A typical size, so that the ridge means the same on every scale of scores, outliers or not."""
    size = np.sort(np.abs(scores), axis=None)
    # np.median imports numpy.ma, 17 ms. It is 0 where most messages hold nothing known.
    median = (size[(len(size) - 1) // 2] + size[len(size) // 2]) / 2
    return max(float(median), 1e-3 * float(size.mean()), 1e-100)


def _platt_loss(at: Floats, s: Floats, target: Floats) -> tuple[float, Floats, Floats]:
    """Loss sum log(1 + exp(z)) - t z with z = a s + b, its gradient and Hessian, ridge included."""
    z = s * at[0] + at[1]
    e = np.exp(-np.abs(z))
    p = np.where(z >= 0, 1.0, e) / (1.0 + e)
    residual, weight = p - target, p * (1.0 - p)
    ridge = np.array([SLOPE_RIDGE, OFFSET_RIDGE])
    loss = np.sum(np.maximum(z, 0.0) + np.log1p(e) - target * z) + 0.5 * np.sum(ridge * at**2)
    # Products are summed without `@`: BLAS took 5 ms instead of 0.03 to wake its threads for 20,000 numbers.
    lever = weight * s
    hessian = np.array([[np.sum(lever * s), lever.sum()], [lever.sum(), weight.sum()]]) + np.diag(ridge)
    return float(loss), np.array([np.sum(residual * s), residual.sum()]) + ridge * at, hessian


def fit_temperature(scores: Floats, labels: NDArray[np.int64]) -> Calibration:
    """The scale of least log loss."""
    below = scores - scores.max(axis=1, keepdims=True)
    unit = _unit(below)
    below /= unit
    truth = below[np.arange(len(labels)), labels]
    (scale,) = minimise(lambda at: _temperature_loss(at, below, truth), np.zeros(1)).tolist()
    return Temperature(scale / unit) if scale > 0 else Temperature(note=WRONG_WAY)


def _temperature_loss(at: Floats, below: Floats, truth: Floats) -> tuple[float, Floats, Floats]:
    """Loss sum log sum_c exp(a d_c) - a d_truth, d being log scores below the row's best, ridge included."""
    z = below * at[0]
    top = z.max(axis=1)  # 0 but for a negative scale, which a trial step may have
    e = np.exp(z - top[:, None])
    total = e.sum(axis=1)
    mean = (e * below).sum(axis=1) / total
    variance = (e * below**2).sum(axis=1) / total - mean**2
    loss = np.sum(np.log(total) + top - at[0] * truth) + 0.5 * SLOPE_RIDGE * at[0] ** 2
    return float(loss), (mean - truth).sum() + SLOPE_RIDGE * at, np.array([[variance.sum() + SLOPE_RIDGE]])


def minimise(objective: Objective, start: Floats) -> Floats:
    """The minimum of a convex function by Newton's steps, each halved until it helps."""
    at, (loss, gradient, hessian) = start, objective(start)
    for _ in range(100):
        step = np.linalg.solve(hessian, gradient)
        gain, size = float(np.sum(gradient * step)), 1.0
        if gain <= 1e-11 * (1.0 + loss):  # twice what is still to be gained; below that is rounding
            break
        while (new := objective(at - size * step))[0] > loss - 1e-4 * size * gain and size > 1e-9:
            size /= 2
        if new[0] >= loss:
            break
        at, (loss, gradient, hessian) = at - size * step, new
    return at


# Between knots and outside of them the curve rises at least at this share of Platt's slope, so that no two
# scores become one: ties would lower the area under the ROC curve.
LEAST_RISE = 0.02


@dataclass(frozen=True, slots=True)
class Beta:
    """log-odds = -a log(1 + exp(-z)) + b log(1 + exp(z)) + c: about a z far below 0, b z far above."""

    slope: float
    offset: float
    a: float
    b: float
    c: float
    note: str = ""

    def apply(self, scores: ArrayLike) -> Floats:
        z = np.asarray(scores, np.float64) * self.slope + self.offset
        return np.asarray(self.b * np.logaddexp(0.0, z) - self.a * np.logaddexp(0.0, -z) + self.c)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "beta"} | asdict(self)


@dataclass(frozen=True, slots=True)
class Isotonic:
    """Knots (at, value) in ascending order, at in units of z; a slope of 1 on both sides of them."""

    slope: float
    offset: float
    at: tuple[float, ...]
    value: tuple[float, ...]
    note: str = ""

    def apply(self, scores: ArrayLike) -> Floats:
        z = np.asarray(scores, np.float64) * self.slope + self.offset
        outside = np.minimum(z - self.at[0], 0.0) + np.maximum(z - self.at[-1], 0.0)
        return np.asarray(np.interp(z, self.at, self.value) + outside)

    def to_dict(self) -> dict[str, Any]:
        state = asdict(self)
        return {"kind": "isotonic"} | state | {"at": list(self.at), "value": list(self.value)}


def pool(values: Floats, sizes: Floats) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Pool adjacent violators: mean, size and first index of each block, the means ascending.

    >>> means, sizes, first = pool(np.array([0.0, 1.0, 0.0, 1.0]), np.ones(4))
    >>> means.tolist(), sizes.tolist(), first.tolist()
    ([0.0, 0.5, 1.0], [1.0, 2.0, 1.0], [0, 1, 3])
    """
    blocks: list[tuple[float, float, int]] = []
    for i, (total, size) in enumerate(zip((values * sizes).tolist(), sizes.tolist(), strict=True)):
        first = i
        while blocks and blocks[-1][0] * size >= total * blocks[-1][1]:
            before = blocks.pop()
            total, size, first = total + before[0], size + before[1], before[2]
        blocks.append((total, size, first))
    totals, sums, firsts = zip(*blocks, strict=True)
    return np.array(totals) / np.array(sums), np.array(sums), np.array(firsts)


def fit_isotonic(z: Floats, positive: NDArray[np.bool_], slope: float, offset: float) -> Isotonic:
    """Knots at the mean score of each block, its share of positives smoothed as (k + 1/2) / (n + 1)."""
    order = np.argsort(z, kind="stable")
    ranked, truth = z[order], positive[order].astype(np.float64)
    runs = np.flatnonzero(np.append(True, truth[1:] != truth[:-1]))  # equal neighbours are pooled anyway
    means, sizes, first = pool(truth[runs], np.diff(runs, append=len(truth)).astype(np.float64))
    at = np.add.reduceat(ranked, runs[first]) / sizes
    share = (means * sizes + 0.5) / (sizes + 1.0)
    value = np.log(share) - np.log1p(-share)
    order = np.argsort(at, kind="stable")
    keep = order[np.append(True, np.diff(at[order]) > 0)]
    at, value = at[keep], _rising(at[keep], value[keep])
    return Isotonic(slope, offset, tuple(at.tolist()), tuple(value.tolist()))


def _rising(at: Floats, value: Floats) -> Floats:
    """The least change upwards that makes every stretch rise by LEAST_RISE of its length."""
    floor = LEAST_RISE * at
    return np.asarray(np.maximum.accumulate(value - floor) + floor)
