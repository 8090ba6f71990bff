"""Which calibration two classes get: beta, isotonic if folds say that is clearly better, a line if few.

Where a line is known beforehand and messages are few, the line is drawn to that one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spamnb.core import FloatArray, IntArray
from spamnb.errors import ConfigError
from spamnb.metrics import MultiScores, Scores, evaluate_binary, evaluate_multi
from spamnb.model import (
    LIMIT,
    SPAM,
    UNSURE,
    Beta,
    Calibration,
    Decision,
    Floats,
    Platt,
    SpamModel,
    calibration as calibrations,
    fit,
    fit_isotonic,
    log_odds_of,
    minimise,
    probability,
)
from spamnb.training.cross_validation import FoldScores, Sample, cross_validated_scores, folds
from spamnb.training.fit_weight_correction import LARGEST, refine, refused, too_few
from spamnb.training.threshold import cutoff

ENOUGH = 1_000
KINDS = ("beta", "isotonic")
# How far a line may be from the one known beforehand, as standard deviations of its slope and offset. With 20
# messages of Enron, SpamAssassin and the smishing set the log loss was 0.33, 0.20 and 0.09 so, and with
# Platt's line alone 0.36, 0.24 and 0.17; with 600 messages they were alike.
SLOPE_STRAYS, OFFSET_STRAYS = 0.5, 2.0
LEAST_SLOPE = 0.05


def fit_best(
    scores: ArrayLike, y_index: ArrayLike, fold: NDArray[np.int64] | None
) -> tuple[Calibration, Floats]:
    """Beta or isotonic, and what it says about the scores: a curve as fitted on the other folds, Platt's
    line, which serves below `ENOUGH` messages, without folds and where there is no curve, as fitted on all.

    Isotonic must win on folds by more than one standard error of the difference in log loss. On splits of
    training parts of SMS Spam Collection (seeds 500 to 505) beta had a calibration error of .0052 and a log
    loss of .0189; a line that gave way to a curve in that manner .0058 and .0197 (15 splits won, 1 lost).
    """
    values, labels = np.asarray(scores, np.float64), np.asarray(y_index, np.int64)
    line = fit(values, labels, 2)
    if fold is None or line.note or len(values) < ENOUGH or not np.isfinite(values).all():
        return line, line.apply(values)
    held = _held_out(values, labels, fold)
    losses = {name: np.logaddexp(0.0, np.where(labels == 1, -z, z)) for name, z in held.items()}
    gain = losses["beta"] - losses["isotonic"]
    best = "isotonic" if gain.mean() > gain.std() / math.sqrt(len(gain)) else "beta"
    found = _curve(best, line, values, labels == 1)
    return (line, line.apply(values)) if isinstance(found, Platt) else (found, held[best])


def _held_out(values: Floats, labels: NDArray[np.int64], fold: NDArray[np.int64]) -> dict[str, Floats]:
    """What each kind says about every fold when fitted on the others."""
    out = {name: np.zeros(len(values)) for name in KINDS}
    for f in np.flatnonzero(np.bincount(fold)).tolist():
        rows = fold == f
        line = fit(values[~rows], labels[~rows], 2)
        for name in KINDS:
            out[name][rows] = _curve(name, line, values[~rows], labels[~rows] == 1).apply(values[rows])
    return out


def _curve(name: str, line: Calibration, values: Floats, positive: NDArray[np.bool_]) -> Calibration:
    """One kind of calibration; Platt's line where the kind cannot be fitted."""
    if not isinstance(line, Platt) or line.note:
        return line
    if name == "isotonic":
        return fit_isotonic(line.apply(values), positive, line.slope, line.offset)
    return fit_beta(values, positive, line) or line


def fit_beta(scores: Floats, positive: NDArray[np.bool_], line: Platt) -> Beta | None:
    """Two slopes around Platt's line, drawn to 1 by the ridge; None where one of them is not positive."""
    z = line.apply(scores)
    basis = np.column_stack((-np.logaddexp(0.0, -z), np.logaddexp(0.0, z), np.ones(len(z))))
    start, target = np.array([1.0, 1.0, 0.0]), positive.astype(np.float64)
    a, b, c = minimise(lambda at: _beta_loss(at, start, basis, target), start).tolist()
    return Beta(line.slope, line.offset, a, b, c) if min(a, b) > 0 else None


def _beta_loss(at: Floats, start: Floats, basis: Floats, target: Floats) -> tuple[float, Floats, Floats]:
    """Loss sum log(1 + exp(y)) - t y with y = basis . at, and half the squared distance from the start."""
    y = (basis * at).sum(axis=1)
    p = probability(y)
    residual, weight = p - target, p * (1.0 - p)
    away = at - start
    loss = np.sum(np.logaddexp(0.0, y) - target * y) + 0.5 * np.sum(away**2)
    gradient = (basis * residual[:, None]).sum(axis=0) + away
    hessian = np.einsum("ni,n,nj->ij", basis, weight, basis) + np.eye(3)
    return float(loss), gradient, hessian


def fit_near(scores: ArrayLike, y_index: ArrayLike, slope: float) -> Platt:
    """The line of least log loss and least distance from `slope` * score, for a few messages.

    >>> fit_near([1.0, -1.0], [1, 0], 2.0).slope > 2
    True
    """
    values, target = np.asarray(scores, np.float64) * slope, np.asarray(y_index, np.float64)
    finite = np.isfinite(values)
    start, ridge = np.array([1.0, 0.0]), np.array([SLOPE_STRAYS, OFFSET_STRAYS]) ** -2.0
    a, c = minimise(lambda at: _near_loss(at, start, ridge, values[finite], target[finite]), start).tolist()
    return Platt(slope * max(a, LEAST_SLOPE), c)


def _near_loss(
    at: Floats, start: Floats, ridge: Floats, s: Floats, target: Floats
) -> tuple[float, Floats, Floats]:
    """Loss sum log(1 + exp(z)) - t z with z = a s + c, and half the weighted squared distance from start."""
    z = s * at[0] + at[1]
    p = probability(z)
    residual, weight, away = p - target, p * (1.0 - p), at - start
    loss = np.sum(np.logaddexp(0.0, z) - target * z) + 0.5 * np.sum(ridge * away**2)
    lever = weight * s
    hessian = np.array([[np.sum(lever * s), lever.sum()], [lever.sum(), weight.sum()]]) + np.diag(ridge)
    return float(loss), np.array([np.sum(residual * s), residual.sum()]) + ridge * away, hessian


@dataclass(frozen=True, slots=True)
class HeldOutScores:
    """Out-of-fold results: true class indices, calibrated log-odds of the positive class (empty for K > 2),
    class probabilities (n, K), how much of each message was known, and which share of its words."""

    truth: IntArray
    log_odds: FloatArray
    proba: FloatArray
    known: IntArray
    share: FloatArray | None = None


def calibrate_model(
    model: SpamModel,
    sample: Sample,
    k: int,
    mode: str = "no",
    scores: FoldScores | None = None,
    fold: IntArray | None = None,
    jobs: int = 1,
) -> tuple[SpamModel, HeldOutScores]:
    """Fit correction and calibration on out-of-fold scores and keep the figures they give.

    Scores and folds are worked out unless they are given.
    """
    scores = scores or cross_validated_scores(model.store, model.scoring, sample, k)
    width = len(model.labels)
    meta: dict[str, Any] = {"folds": k, "sample": len(sample), "of": int(model.store.message_totals.sum())}
    if mode == "yes" and (reason := refused(model.store, model.scoring, mode)):
        raise ConfigError(f"--refine yes {reason}", hint="leave it out, or use --refine auto")
    if width > 2:
        fitted = calibrations.fit(scores.damped, sample.labels, width)
        proba = np.nan_to_num(calibrations.probabilities(fitted.apply(scores.damped)), nan=1 / width)
        held = HeldOutScores(sample.labels, np.zeros(0), proba, scores.known)
    else:
        plus, raw = (
            model.labels.index(model.positive),
            log_odds_of(scores.damped, model.labels.index(model.positive)),
        )
        if mode == "auto" and model.active_base is not None and (reason := too_few(sample)):
            meta["refined"] = reason
        elif mode != "no":
            found = refine(model.store, model.scoring, sample, scores, model.positive, mode, jobs)
            model, raw, meta["refined"] = replace(model, correction=found.correction), found.raw, found.note
        if fold is None and meta["of"] <= LARGEST:  # choosing a curve takes 70 ms
            fold = folds(sample, k)
        if model.active_base is not None and len(sample) < ENOUGH:
            fitted = fit_near(raw, sample.labels == plus, 1 / model.active_base.weight)
            log_odds = fitted.apply(raw)
        else:
            fitted, log_odds = fit_best(raw, sample.labels == plus, fold)
        log_odds = np.clip(log_odds, -LIMIT, LIMIT)
        both = calibrations.probability(log_odds), calibrations.probability(-log_odds)
        held = HeldOutScores(
            sample.labels, log_odds, np.column_stack(both if plus == 0 else both[::-1]), scores.known
        )
    figures = metrics_of(model, held)
    return replace(model, calibration=fitted, metrics=meta | figures.to_dict()), held


def set_max_fpr(model: SpamModel, held: HeldOutScores, max_fpr: float) -> SpamModel:
    """The model with the decision that calls at most this share of ham spam, by its out-of-fold scores.

    The line is never below even odds: what looks like neither is no spam, however far from it all ham was.
    """
    ham = held.log_odds[held.truth != model.labels.index(model.positive)]
    return decided(model, held, Decision.from_cutoff(max(cutoff(ham, max_fpr), 0.0), max_fpr))


def decided(model: SpamModel, held: HeldOutScores, decision: Decision) -> SpamModel:
    """The model with another decision, and the figures that this gives."""
    model = replace(model, decision=decision)
    return replace(model, metrics={**(model.metrics or {}), **metrics_of(model, held).to_dict()})


def metrics_of(model: SpamModel, held: HeldOutScores) -> Scores | MultiScores:
    """All measures of some predictions under the model's decision rule."""
    if len(model.labels) > 2:
        unsure = held.known == 0
        return evaluate_multi(held.truth, held.proba.argmax(axis=1), held.proba, model.labels, unsure)
    plus = model.labels.index(model.positive)
    p, decision = held.proba[:, plus], model.decision
    codes = model.decide(held.log_odds, held.known, held.share)
    costs = decision.cost_fp or 1.0, decision.cost_fn or 1.0
    return evaluate_binary(held.truth == plus, p, codes == SPAM, codes == UNSURE, *costs, held.log_odds)


def apply_calibration(model: SpamModel, truth: IntArray, scores: FoldScores) -> HeldOutScores:
    """The results of a model that is calibrated elsewhere, from the damped scores of its scorer."""
    if len(model.labels) > 2:
        proba = calibrations.probabilities(model.calibration.apply(scores.damped))
        proba = np.nan_to_num(proba, nan=1 / len(model.labels))
        return HeldOutScores(truth, np.zeros(0), proba, scores.known)
    plus = model.labels.index(model.positive)
    log_odds = np.clip(model.calibration.apply(log_odds_of(scores.damped, plus)), -LIMIT, LIMIT)
    both = [calibrations.probability(-log_odds), calibrations.probability(log_odds)]
    return HeldOutScores(truth, log_odds, np.column_stack(both if plus else both[::-1]), scores.known)
