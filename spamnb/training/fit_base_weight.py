"""Fits the weight of the base model that a personal model starts from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from spamnb.core import BoolArray, FloatArray, IntArray
from spamnb.counts import CountStore, Entries
from spamnb.features import SHAPE
from spamnb.model import (
    USUAL_SLOPE,
    BaseModel,
    Decision,
    Platt,
    SpamModel,
    log_odds_of,
    probability,
    usual_share,
)
from spamnb.scorers import EvidenceLimits, Stats
from spamnb.settings import ScorerConfig, TrainingConfig
from spamnb.training.cross_validation import FoldScores, cross_validated_scores, score_fold
from spamnb.training.fit_calibration import (
    LEAST_SLOPE,
    OFFSET_DEVIATION,
    SLOPE_DEVIATION,
    minimise,
)
from spamnb.training.fold_counts import Fold
from spamnb.training.sampling import Sample

# log-odds = a USUAL_SLOPE own + b base + c, fitted to out-of-fold scores by logistic regression with normal
# priors: a is 1 +- SLOPE_DEVIATION, c is 0 +- OFFSET_DEVIATION, and b is `usual_share` +- BASE_DEVIATION. So
# a base model that disagrees with the messages loses its share. Chosen with 8, 20 and 100 messages of seven
# corpora that the base model had not seen: of eight ways the lowest mean log loss. With b around 1 the
# Turkish corpus, which the base model does not fit, lost 1 to 3 points of accuracy; with a freer offset
# corpora with little spam lost as much.
BASE_DEVIATION = 0.3
LEAST = 0.02  # a smaller share is none
FEWEST_WITH_BASE = 2  # messages that each class needs


def without_folds(model: SpamModel, weight: float | None, max_fpr: float | None = None) -> SpamModel:
    """Calibrates a model of too few messages for folds: log-odds of the base, moved by one's own messages.

    The threshold is the base model's. With `max_fpr` lessons move it towards that false positive rate.
    """
    assert model.base is not None
    base, calibration = model.base.usual(model.store)
    if weight is not None:
        base, calibration = base.replace(weight=weight), Platt(USUAL_SLOPE)
    decision = model.decision
    if decision == Decision():
        decision = model.base.model.decision.with_rate(max_fpr)
    return replace(model, base=base, calibration=calibration, decision=decision)


def start_model(base: BaseModel, max_fpr: float | None = None) -> SpamModel:
    """Returns a model that has learned nothing of its own yet and says what the base model says.

    The class prior is uniform: corrections come as they come, and say nothing of how frequent spam is.
    """
    new = SpamModel(base.model.features, ScorerConfig(prior="uniform"), positive=base.model.positive)
    return without_folds(replace(new, base=base), None, max_fpr)


def with_folds(
    model: SpamModel, sample: Sample, training: TrainingConfig
) -> tuple[SpamModel, Sample, FoldScores, str]:
    """Chooses the weight of the base model by out-of-fold scores.

    Returns model, sample and scores with what the base model adds, and a note; a base model of no use is left
    out.
    """
    base = model.base
    assert base is not None
    scores = cross_validated_scores(model.store, model.scoring, sample, training.folds)
    base_odds, known = base_log_odds(base, model.store, sample)
    plus, weight = model.labels.index(model.positive), training.base_weight
    chosen = " (chosen by folds)" if weight is None else ""
    if weight is None:
        weight = best_weight(log_odds_of(scores.damped, plus), base_odds, sample.labels == plus)
    if not weight:
        note = f"from your messages alone: the {base.name} makes the out-of-fold log loss worse"
        return replace(model, base=None), sample, scores, note
    added = np.zeros((len(sample), 2))
    added[:, plus] = weight * base_odds
    scores = replace(scores, damped=scores.damped + added, known=np.maximum(scores.known, known))
    note = f"from the {base.name}, weight {weight:.3g}{chosen}"
    return replace(model, base=base.replace(weight=weight)), replace(sample, base_scores=added), scores, note


def best_weight(own: FloatArray, base: FloatArray, positive: BoolArray) -> float:
    """Returns the weight b / (a USUAL_SLOPE) of the fit above, 0 for a base model of no use."""
    x = np.column_stack((USUAL_SLOPE * own, base, np.ones(len(own))))
    finite = np.isfinite(x).all(axis=1)
    x, target = x[finite], positive[finite].astype(np.float64)
    center = np.array([1.0, usual_share(len(own)), 0.0])
    ridge = np.array([SLOPE_DEVIATION, BASE_DEVIATION, OFFSET_DEVIATION]) ** -2.0

    def objective(at: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        z, away = (x * at).sum(axis=1), at - center
        p = probability(z)
        loss = np.sum(np.logaddexp(0.0, z) - target * z) + 0.5 * np.sum(ridge * away**2)
        hessian = np.einsum("ni,n,nj->ij", x, p * (1.0 - p), x) + np.diag(ridge)
        return float(loss), (x * (p - target)[:, None]).sum(axis=0) + ridge * away, hessian

    a, b, _ = minimise(objective, center).tolist()
    return 0.0 if b < LEAST else b / (max(a, LEAST_SLOPE) * USUAL_SLOPE)


def base_log_odds(base: BaseModel, store: CountStore, sample: Sample) -> tuple[FloatArray, IntArray]:
    """Computes the base model's log-odds for each message of a sample, and how many tokens it knows."""
    model = base.model
    scorer, rows = model.engine.scorer, model.store.find(store.keys)
    entries = _in_other_ids(sample.entries, rows)
    shapes = model.store.kinds == SHAPE
    everything, nothing = np.arange(len(sample)), np.zeros(0, np.int64)
    tokens = np.arange(model.store.vocabulary)
    fold = Fold(everything, nothing, entries, Stats.of(model.store), shapes, tokens)
    plain, plus = Sample(entries, sample.labels, sample.digests), model.labels.index(model.positive)
    limits = model.engine.limits or EvidenceLimits(plus, 0, 0.0)
    damped, known, _ = score_fold(model.store, scorer, plain, fold, limits, model.engine.added(None))
    return model.calibration.apply(log_odds_of(damped, plus) + model.engine.correction_bias), known


def _in_other_ids(entries: Entries, rows: IntArray) -> Entries:
    """Returns the same messages with the ids of another store, without the tokens it does not have (-1)."""
    ids = rows[entries.ids]
    keep = np.flatnonzero(ids >= 0)
    order = keep[np.lexsort((ids[keep], entries.rows[keep]))]
    return Entries(entries.size, entries.rows[order], ids[order], entries.counts[order], entries.lengths)
