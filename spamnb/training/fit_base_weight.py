"""Fits the weight of the base model that a personal model starts from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from spamnb.core import BoolArray, FloatArray, IntArray
from spamnb.counts import CountStore, Entries
from spamnb.features import SHAPE
from spamnb.model import DEFAULT_WEIGHT, BaseModel, Decision, Platt, SpamModel, log_odds_of, probability
from spamnb.scorers import EvidenceLimits, Stats
from spamnb.settings import TrainingConfig
from spamnb.training.cross_validation import FoldScores, cross_validated_scores, score_fold
from spamnb.training.fit_weight_correction import log_losses
from spamnb.training.fold_counts import Fold
from spamnb.training.model_calibration import HeldOutScores, with_decision
from spamnb.training.sampling import Sample

# The weights to choose from; 0 leaves the base model out. The loss of a weight is the sum of the out-of-fold
# log losses and PULL * log2(weight / DEFAULT_WEIGHT)^2, with 0 counted as LEAST. So 20 messages seldom move
# it, and thousands choose freely. PULL was chosen as DEFAULT_WEIGHT was: 0.3 was best or near it for 20 and
# 100 messages; 0 was worse with 20, 1 with 100, and with a base model of another language.
WEIGHTS = (DEFAULT_WEIGHT, 0.0, 0.05, 0.1, 0.5, 1.0)
PULL, LEAST = 0.3, 0.02
MOST = 1.0
FEWEST_HAM = 60  # the fewest with which a threshold for a false positive rate was tried (`threshold.cutoff`)
# With 20 and 100 mails of Enron it caught 28% and 72% of spam and lost 0.4% and 0.9% of ham; a threshold of
# 0.8 caught 55% and 77% and lost 2.0% and 1.5%. The tail of so few ham puts it where a few per cent are
# caught.
CAUTIOUS = 0.95


def without_folds(model: SpamModel, weight: float | None) -> SpamModel:
    """Calibrates a model of too few messages for folds: log-odds of the base, moved by one's own messages.

    Without a weight they count more the more there are: as much as the base model with 4 messages.
    """
    assert model.base is not None
    if weight is None:
        weight = min(MOST, max(DEFAULT_WEIGHT, 4 / int(model.store.message_totals.sum())))
    decision = model.decision
    if (
        decision == Decision()
    ):  # the base model's, without its promise about ham: that was another calibration's
        decision = replace(model.base.model.decision, log_odds_threshold=None, max_fpr=None)
    return replace(
        model, base=model.base.replace(weight=weight), calibration=Platt(1 / weight), decision=decision
    )


def cautious_threshold(model: SpamModel, held_out: HeldOutScores) -> SpamModel | None:
    """Sets a high threshold above all ham where ham is too scarce for a false positive rate; else None."""
    plus = model.labels.index(model.positive)
    ham = probability(held_out.log_odds[held_out.truth != plus])
    if model.active_base is None or len(ham) >= FEWEST_HAM:
        return None
    top = float(np.nextafter(ham.max(), 1.0))
    return with_decision(model, held_out, Decision(max(CAUTIOUS, top), unsure_from=0.5))


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
    note = f"from the {base.name}, weight {weight:g}{chosen}"
    return replace(model, base=base.replace(weight=weight)), replace(sample, base_scores=added), scores, note


def best_weight(own: FloatArray, base: FloatArray, positive: BoolArray) -> float:
    """Returns the weight of least loss, given out-of-fold log-odds and those of the base model."""

    def loss(weight: float) -> float:
        pull = PULL * np.log2(max(weight, LEAST) / DEFAULT_WEIGHT) ** 2
        return float(log_losses(own + weight * base, positive).sum() + pull)

    return min(WEIGHTS, key=loss)


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
