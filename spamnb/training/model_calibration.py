"""Calibrates a model on out-of-fold scores and measures it with them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spamnb.core import FloatArray, IntArray
from spamnb.errors import ConfigError
from spamnb.metrics import MultiScores, Scores, evaluate_binary, evaluate_multi
from spamnb.model import (
    LIMIT,
    SPAM,
    UNSURE,
    Decision,
    SpamModel,
    calibration as calibrations,
    log_odds_of,
)
from spamnb.training.cross_validation import FoldScores, Sample, cross_validated_scores, folds
from spamnb.training.fit_calibration import ENOUGH, fit_binary, fit_linear, fit_near
from spamnb.training.fit_weight_correction import LARGEST, refine, refused, too_few
from spamnb.training.threshold import cutoff


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
        fitted = fit_linear(scores.damped, sample.labels, width)
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
            fitted, log_odds = fit_binary(raw, sample.labels == plus, fold)
        log_odds = np.clip(log_odds, -LIMIT, LIMIT)
        both = calibrations.probability(log_odds), calibrations.probability(-log_odds)
        held = HeldOutScores(
            sample.labels, log_odds, np.column_stack(both if plus == 0 else both[::-1]), scores.known
        )
    figures = figures_of(model, held)
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
    return replace(model, metrics={**(model.metrics or {}), **figures_of(model, held).to_dict()})


def figures_of(model: SpamModel, held: HeldOutScores) -> Scores | MultiScores:
    """All measures of some predictions under the model's decision rule."""
    if len(model.labels) > 2:
        unsure = held.known == 0
        return evaluate_multi(held.truth, held.proba.argmax(axis=1), held.proba, model.labels, unsure)
    plus = model.labels.index(model.positive)
    p, decision = held.proba[:, plus], model.decision
    codes = decision.verdicts(p, held.known, held.log_odds, thin(model, held))
    costs = decision.cost_fp or 1.0, decision.cost_fn or 1.0
    return evaluate_binary(held.truth == plus, p, codes == SPAM, codes == UNSURE, *costs, held.log_odds)


def thin(model: SpamModel, held: HeldOutScores) -> NDArray[np.bool_] | None:
    """Of which messages too few words are known to call them ham."""
    return None if model.min_known_words is None or held.share is None else held.share < model.min_known_words
