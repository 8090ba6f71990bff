"""Fits a calibration to the scores of messages that the scorer was not trained on.

Two classes get Platt's slope and offset (fitted by Newton's method as Lin, Lin and Weng 2007 advise), with
enough messages a beta curve (Kull et al. 2017). More classes get one common scale (Guo et al. 2017).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from spamnb.core import BoolArray, FloatArray, IntArray
from spamnb.model import USUAL_SLOPE, Beta, Calibration, Platt, Temperature, identity, probability

# Returns loss, gradient and Hessian at a point.
Objective = Callable[[FloatArray], tuple[float, FloatArray, FloatArray]]

# Ridge on the slope per standardised score and on the offset: it moves the slope of a thousand messages by
# less than 0.1 %, and keeps the slope finite for ten messages that the scores separate perfectly.
SLOPE_RIDGE = 0.01
OFFSET_RIDGE = 1e-6
ONE_CLASS = "calibration needs messages of at least two classes: scores are left as they are"
WRONG_WAY = "scores do not rise with the right class: they are left as they are"
ENOUGH = 1_000  # messages from which on a beta curve is fitted
FEW = 100  # messages below which slope and offset stay near the usual ones
# Standard deviations of slope (as a multiple of the usual one) and offset. Five corpora, 5 draws of 20
# messages: log loss .21 and calibration error .06; .27 and .13 with Platt's line alone, which is as good from
# 200 messages on. The constants were chosen on the same corpora.
SLOPE_DEVIATION, OFFSET_DEVIATION = 0.3, 0.5
LEAST_SLOPE = 0.05


def fit_linear(scores: ArrayLike, y_index: ArrayLike, k: int) -> Calibration:
    """Fits a slope and an offset for two classes, one scale for more.

    For k = 2 the scores are log-odds (n,) of class 1, else log scores (n, k). Infinite ones are left out.
    """
    values, labels = np.asarray(scores, np.float64), np.asarray(y_index, np.int64)
    finite = np.isfinite(values).reshape(len(labels), 1 if k <= 2 else k).all(axis=1)
    values, labels = values[finite], labels[finite]
    if not labels.size or labels.min() == labels.max():
        return identity(k, ONE_CLASS)
    return fit_platt(values, labels == 1) if k == 2 else fit_temperature(values, labels)


def fit_binary(
    scores: ArrayLike, y_index: ArrayLike, fold: IntArray | None
) -> tuple[Calibration, FloatArray]:
    """Fits a calibration of two classes; returns it and the calibrated log-odds of the scores.

    The log-odds of a beta curve are out of fold: each fold's by the curve of the other folds. Platt's line
    serves without folds, below `ENOUGH` messages and where no curve can be fitted. On splits of training
    parts of SMS Spam Collection (seeds 500 to 505) beta had a calibration error of .0052 and a log loss of
    .0189; a line that gave way to a curve only where folds preferred it .0058 and .0197.
    """
    values, labels = np.asarray(scores, np.float64), np.asarray(y_index, np.int64)
    line = fit_linear(values, labels, 2)
    if fold is None or line.note or len(values) < ENOUGH or not np.isfinite(values).all():
        return line, line.apply(values)
    curve = _beta_or_line(line, values, labels)
    if not isinstance(curve, Beta):
        return line, line.apply(values)
    log_odds = np.zeros(len(values))
    for f in np.flatnonzero(np.bincount(fold)).tolist():
        inside, outside = fold == f, fold != f
        other_line = fit_linear(values[outside], labels[outside], 2)
        log_odds[inside] = _beta_or_line(other_line, values[outside], labels[outside]).apply(values[inside])
    return curve, log_odds


def _beta_or_line(line: Calibration, scores: FloatArray, labels: IntArray) -> Calibration:
    if not isinstance(line, Platt) or line.note:
        return line
    return fit_beta(scores, labels == 1, line) or line


def fit_platt(scores: FloatArray, positive: BoolArray, smooth: bool = True) -> Platt:
    """Fits slope and offset of least log loss to Platt's targets (N+ + 1)/(N+ + 2) and 1/(N- + 2)."""
    n_pos = int(np.count_nonzero(positive))
    n_neg = positive.size - n_pos
    high, low = ((n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2)) if smooth else (1.0, 0.0)
    target = np.where(positive, high, low)
    unit = _unit(scores)
    scaled = scores / unit
    start = np.array([0.0, math.log((n_pos + 1) / (n_neg + 1))])
    ridge = np.array([SLOPE_RIDGE, OFFSET_RIDGE])
    slope, offset = minimise(lambda at: _line_loss(at, scaled, target, ridge, np.zeros(2)), start).tolist()
    return Platt(slope / unit, offset) if slope > 0 else Platt(note=WRONG_WAY)


def fit_near(scores: ArrayLike, y_index: ArrayLike) -> Platt:
    """Fits slope and offset to a few messages, with a penalty for leaving `USUAL_SLOPE` * score.

    >>> fit_near([1.0, -1.0], [1, 0]).slope > USUAL_SLOPE
    True
    """
    values, target = np.asarray(scores, np.float64) * USUAL_SLOPE, np.asarray(y_index, np.float64)
    finite = np.isfinite(values)
    values, target = values[finite], target[finite]
    start, ridge = np.array([1.0, 0.0]), np.array([SLOPE_DEVIATION, OFFSET_DEVIATION]) ** -2.0
    a, c = minimise(lambda at: _line_loss(at, values, target, ridge, start), start).tolist()
    return Platt(USUAL_SLOPE * max(a, LEAST_SLOPE), c)


def _line_loss(
    at: FloatArray, s: FloatArray, target: FloatArray, ridge: FloatArray, center: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """Computes sum log(1 + exp(z)) - t z + ridge . (at - center)^2 / 2 with z = a s + b, at = (a, b)."""
    z = s * at[0] + at[1]
    e = np.exp(-np.abs(z))
    p = np.where(z >= 0, 1.0, e) / (1.0 + e)
    residual, weight, away = p - target, p * (1.0 - p), at - center
    loss = np.sum(np.maximum(z, 0.0) + np.log1p(e) - target * z) + 0.5 * np.sum(ridge * away**2)
    # Products are summed without `@`: BLAS took 5 ms instead of 0.03 to wake its threads for 20,000 numbers.
    lever = weight * s
    hessian = np.array([[np.sum(lever * s), lever.sum()], [lever.sum(), weight.sum()]]) + np.diag(ridge)
    return float(loss), np.array([np.sum(residual * s), residual.sum()]) + ridge * away, hessian


def _unit(scores: FloatArray) -> float:
    """Returns a typical size, so that the ridge means the same on every scale of scores."""
    size = np.sort(np.abs(scores), axis=None)
    # np.median imports numpy.ma, 17 ms. It is 0 where most messages have no known token.
    median = (size[(len(size) - 1) // 2] + size[len(size) // 2]) / 2
    return max(float(median), 1e-3 * float(size.mean()), 1e-100)


def fit_beta(scores: FloatArray, positive: BoolArray, line: Platt) -> Beta | None:
    """Fits two slopes around Platt's line, drawn to 1 by a ridge; None where one of them is not positive."""
    z = line.apply(scores)
    basis = np.column_stack((-np.logaddexp(0.0, -z), np.logaddexp(0.0, z), np.ones(len(z))))
    start, target = np.array([1.0, 1.0, 0.0]), positive.astype(np.float64)
    a, b, c = minimise(lambda at: _beta_loss(at, start, basis, target), start).tolist()
    return Beta(line.slope, line.offset, a, b, c) if min(a, b) > 0 else None


def _beta_loss(
    at: FloatArray, start: FloatArray, basis: FloatArray, target: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """Computes sum log(1 + exp(y)) - t y + |at - start|^2 / 2 with y = basis . at."""
    y = (basis * at).sum(axis=1)
    p = probability(y)
    residual, weight = p - target, p * (1.0 - p)
    away = at - start
    loss = np.sum(np.logaddexp(0.0, y) - target * y) + 0.5 * np.sum(away**2)
    gradient = (basis * residual[:, None]).sum(axis=0) + away
    hessian = np.einsum("ni,n,nj->ij", basis, weight, basis) + np.eye(3)
    return float(loss), gradient, hessian


def fit_temperature(scores: FloatArray, labels: IntArray) -> Temperature:
    """Fits the scale of least log loss."""
    below = scores - scores.max(axis=1, keepdims=True)
    unit = _unit(below)
    below /= unit
    truth = below[np.arange(len(labels)), labels]
    (scale,) = minimise(lambda at: _temperature_loss(at, below, truth), np.zeros(1)).tolist()
    return Temperature(scale / unit) if scale > 0 else Temperature(note=WRONG_WAY)


def _temperature_loss(
    at: FloatArray, below: FloatArray, truth: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """Computes sum log sum_c exp(a d_c) - a d_truth + ridge; d are log scores minus the row's maximum."""
    z = below * at[0]
    top = z.max(axis=1)  # 0 but for a negative scale, which a trial step may have
    e = np.exp(z - top[:, None])
    total = e.sum(axis=1)
    mean = (e * below).sum(axis=1) / total
    variance = (e * below**2).sum(axis=1) / total - mean**2
    loss = np.sum(np.log(total) + top - at[0] * truth) + 0.5 * SLOPE_RIDGE * at[0] ** 2
    return float(loss), (mean - truth).sum() + SLOPE_RIDGE * at, np.array([[variance.sum() + SLOPE_RIDGE]])


def minimise(objective: Objective, start: FloatArray) -> FloatArray:
    """Finds the minimum of a convex function by Newton steps, each halved until the loss falls."""
    at, (loss, gradient, hessian) = start, objective(start)
    for _ in range(100):
        step = np.linalg.solve(hessian, gradient)
        gain, size = float(np.sum(gradient * step)), 1.0
        if gain <= 1e-11 * (1.0 + loss):  # twice the remaining gain; less is rounding error
            break
        while (new := objective(at - size * step))[0] > loss - 1e-4 * size * gain and size > 1e-9:
            size /= 2
        if new[0] >= loss:
            break
        at, (loss, gradient, hessian) = at - size * step, new
    return at
