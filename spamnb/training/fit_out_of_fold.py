"""Calibrates a model on out-of-fold scores, sets its threshold, and measures it with them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from spamnb.core import FloatArray, IntArray
from spamnb.errors import ConfigError
from spamnb.metrics import MultiScores, Scores, evaluate_binary, evaluate_multi
from spamnb.model import (
    LIMIT,
    SPAM,
    UNSURE,
    Decision,
    SpamModel,
    Verdicts,
    calibration as calibrations,
    class_probabilities,
    log_odds_of,
)
from spamnb.scorers import EvidenceLimits
from spamnb.settings import TrainingConfig
from spamnb.training.cross_validation import FoldScores, cross_validated_scores, folds, limited_log_odds
from spamnb.training.fit_calibration import ENOUGH, FEW, fit_binary, fit_linear, fit_near
from spamnb.training.fit_weight_correction import Refined, fit_correction, refused, too_few
from spamnb.training.sampling import WHOLE, Sample
from spamnb.training.threshold import cautious_cutoff, cutoff


@dataclass(frozen=True, slots=True)
class HeldOutScores:
    """Out-of-fold results: true class indices, calibrated log-odds of the positive class (empty for K > 2),
    class probabilities (n, K) (empty for two classes, where `SpamModel.decide` gives them), number of known
    tokens, and share of known words of each message; `verdicts` where the decision rule changed meanwhile."""

    truth: IntArray
    log_odds: FloatArray
    proba: FloatArray
    known: IntArray
    share: FloatArray | None = None
    verdicts: Verdicts | None = None


def calibrate_model(
    model: SpamModel,
    sample: Sample,
    training: TrainingConfig,
    scores: FoldScores | None = None,
    fold: IntArray | None = None,
) -> tuple[SpamModel, HeldOutScores]:
    """Fits correction and calibration to out-of-fold scores; returns the model with metrics, and the scores.

    Scores and folds are computed unless they are passed.
    """
    total = int(model.store.message_totals.sum())
    about: dict[str, Any] = {"folds": training.folds, "sample": len(sample), "of": total}
    if training.refine == "yes" and (reason := refused(model, "yes")):
        raise ConfigError(f"--set refine=yes {reason}", hint="leave it out, or use --set refine=auto")
    if scores is None:
        scores = cross_validated_scores(model.store, model.scoring, sample, training.folds)
    if model.scoring.is_textbook:
        held_out = apply_calibration(model, sample.labels, scores)
    elif len(model.labels) > 2:
        model, held_out = _calibrate_many(model, sample.labels, scores)
    else:
        model, raw, note = _refine(model, sample, training, scores)
        about |= {"refined": note} if note else {}
        if fold is None and total <= WHOLE:  # fitting a curve to each fold takes 35 ms
            fold = folds(sample, training.folds)
        model, held_out = _calibrate_two(model, sample.labels, raw, fold, scores.known)
    return replace(model, metrics=about | metrics_of(model, held_out).to_dict()), held_out


def _calibrate_many(
    model: SpamModel, labels: IntArray, scores: FoldScores
) -> tuple[SpamModel, HeldOutScores]:
    width = len(model.labels)
    calibration = fit_linear(scores.damped, labels, width)
    model = replace(model, calibration=calibration)
    return model, apply_calibration(model, labels, scores)


def _refine(
    model: SpamModel, sample: Sample, training: TrainingConfig, scores: FoldScores
) -> tuple[SpamModel, FloatArray, str]:
    """Returns the model, maybe with a correction, its out-of-fold log-odds, and a note on the correction."""
    raw = log_odds_of(scores.damped, model.labels.index(model.positive))
    if training.refine == "no":
        refined = Refined(None, raw, "", {})
    elif training.refine == "auto" and (reason := too_few(sample, model.active_base is not None)):
        refined = Refined(None, raw, reason, {})
    else:
        refined = fit_correction(model, sample, scores, training)
    raw, limits = refined.raw, EvidenceLimits.of(model.scoring, model.labels, model.positive)
    if limits is not None and scores.counts is not None:
        raw = limited_log_odds(model, sample, scores.counts, limits, refined.by_fold)
    return replace(model, correction=refined.correction), raw, refined.note


def _calibrate_two(
    model: SpamModel, labels: IntArray, raw: FloatArray, fold: IntArray | None, known: IntArray
) -> tuple[SpamModel, HeldOutScores]:
    plus = model.labels.index(model.positive)
    calibration: calibrations.Calibration
    usual = model.scoring.damping == 1 and model.active_correction is None
    if len(labels) < (ENOUGH if model.active_base is not None else FEW if usual else 0):
        calibration = fit_near(raw, labels == plus)
        log_odds = calibration.apply(raw)
    else:
        calibration, log_odds = fit_binary(raw, labels == plus, fold)
    log_odds = np.clip(log_odds, -LIMIT, LIMIT)
    held_out = HeldOutScores(labels, log_odds, np.zeros((len(labels), 0)), known)
    return replace(model, calibration=calibration), held_out


def with_max_fpr(
    model: SpamModel, held_out: HeldOutScores, max_fpr: float, cautious: bool = False
) -> SpamModel:
    """Returns the model with the threshold at which the out-of-fold false positive rate is at most `max_fpr`.

    The threshold is never below even odds, however low the scores of all ham are. A `cautious` one stays near
    a fixed probability while ham is scarce.
    """
    return with_decision(model, held_out, max_fpr_decision(model, held_out, max_fpr, cautious))


def max_fpr_decision(model: SpamModel, held_out: HeldOutScores, max_fpr: float, cautious: bool) -> Decision:
    """Returns the decision of `with_max_fpr`."""
    ham = held_out.log_odds[held_out.truth != model.labels.index(model.positive)]
    threshold = cautious_cutoff(ham, max_fpr) if cautious else max(cutoff(ham, max_fpr), 0.0)
    return Decision.from_cutoff(threshold, max_fpr)


def with_decision(model: SpamModel, held_out: HeldOutScores, decision: Decision) -> SpamModel:
    """Returns the model with another decision and the metrics that follow from it."""
    model = replace(model, decision=decision)
    return replace(model, metrics={**(model.metrics or {}), **metrics_of(model, held_out).to_dict()})


def metrics_of(model: SpamModel, held_out: HeldOutScores) -> Scores | MultiScores:
    """Computes all metrics of predictions under the model's decision rule."""
    if len(model.labels) > 2:
        chosen, unsure = model.choose(held_out.proba), model.lacks_evidence(held_out.known)
        return evaluate_multi(held_out.truth, chosen, held_out.proba, model.labels, unsure)
    plus = model.labels.index(model.positive)
    verdicts = verdicts_of(model, held_out)
    spam, unsure = verdicts.codes == SPAM, verdicts.codes == UNSURE
    costs = model.decision.cost_fp or 1.0, model.decision.cost_fn or 1.0
    truth, p = held_out.truth == plus, verdicts.probability
    return evaluate_binary(truth, p, spam, unsure, costs, held_out.log_odds)


def verdicts_of(model: SpamModel, held_out: HeldOutScores) -> Verdicts:
    """Returns the verdicts on messages of two classes, by the model's decision rule or as they were."""
    if held_out.verdicts is not None:
        return held_out.verdicts
    return model.decide(held_out.log_odds, held_out.known, held_out.share)


def apply_calibration(model: SpamModel, truth: IntArray, scores: FoldScores) -> HeldOutScores:
    """Returns the results of a calibrated model for the damped scores of its scorer."""
    if len(model.labels) > 2:
        proba = class_probabilities(model, scores.damped, scores.known)
        return HeldOutScores(truth, np.zeros(0), proba, scores.known)
    plus = model.labels.index(model.positive)
    log_odds = np.clip(model.calibration.apply(log_odds_of(scores.damped, plus)), -LIMIT, LIMIT)
    return HeldOutScores(truth, log_odds, np.zeros((len(truth), 0)), scores.known)
