"""How much the model counts that a personal one starts from, by out-of-fold scores where there are any."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spamnb.core import FloatArray, IntArray
from spamnb.counts import CountStore, Entries
from spamnb.features import SHAPE
from spamnb.model import USUAL, BaseModel, Decision, Platt, SpamModel, log_odds_of
from spamnb.scorers import Stats
from spamnb.training.cross_validation import FoldScores, Sample, cross_validated_scores, score_fold
from spamnb.training.fit_calibration import HeldOutScores, decided
from spamnb.training.fit_weight_correction import losses, sums
from spamnb.training.fold_counts import Fold

# The weights to choose from; 0 says that the start is of no use. The loss of a weight is the sum of the log
# losses out of fold and PULL * log2(weight / USUAL)^2, with 0 counted as LEAST. So 20 messages seldom move
# it, and thousands choose freely. PULL was chosen as USUAL was: 0.3 was best or near it for 20 and 100
# messages; 0 was worse with 20, 1 with 100, and with a start of another language.
WEIGHTS = (USUAL, 0.0, 0.05, 0.1, 0.5, 1.0)
PULL, LEAST = 0.3, 0.02
MOST = 1.0
FEWEST_HAM = 60  # the fewest by which a line for a share of ham was tried (`operating.cutoff`)
# With 20 and 100 mails of Enron it caught 28% and 72% of spam and lost 0.4% and 0.9% of ham; a line of 0.8
# caught 55% and 77% and lost 2.0% and 1.5%. The tail of so few ham draws it where a few per cent are caught.
CAREFUL = 0.95


def without_folds(model: SpamModel, choose: bool) -> SpamModel:
    """With too few messages for folds: log-odds of the start, moved by what one's own messages say.

    They are more trusted the more there are: 4 messages count as much as the start says itself.
    """
    assert model.base is not None
    messages = int(model.store.message_totals.sum())
    weight = min(MOST, max(USUAL, 4 / messages)) if choose else model.base.weight
    decision = _line(model.base) if model.decision == Decision() else model.decision
    line = Platt(1 / weight)
    return replace(model, base=model.base.replace(weight=weight), calibration=line, decision=decision)


def cautious_threshold(model: SpamModel, held: HeldOutScores) -> SpamModel | None:
    """The model with a high line that no ham of one's own reaches, where that is too scarce to draw one by a
    share of it; None where it is not."""
    plus = model.labels.index(model.positive)
    ham = held.proba[held.truth != plus, plus]
    if model.active_base is None or len(ham) >= FEWEST_HAM:
        return None
    top = float(np.nextafter(ham.max(), 1.0))
    return decided(model, held, Decision(max(CAREFUL, top), unsure_from=0.5))


def _line(start: BaseModel) -> Decision:
    """From which probability on it says spam; what it promised about ham was another calibration's."""
    return replace(start.model.decision, log_odds_threshold=None, max_fpr=None)


def with_folds(
    model: SpamModel, sample: Sample, k: int, choose: bool
) -> tuple[SpamModel, Sample, FoldScores, str]:
    """The model with the weight of its start chosen, the sample and its scores with what the start adds, and
    what happened in words; a start of no use is left out."""
    start = model.base
    assert start is not None
    scores = cross_validated_scores(model.store, model.scoring, sample, k)
    said, known = base_log_odds(start, model.store, sample)
    plus = model.labels.index(model.positive)
    weight = chosen(log_odds_of(scores.damped, plus), said, sample.labels == plus) if choose else start.weight
    if not weight:
        note = f"from your messages alone: the {start.name} makes the out-of-fold log loss worse"
        return replace(model, base=None), sample, scores, note
    added = np.zeros((len(sample), 2))
    added[:, plus] = weight * said
    note = f"from the {start.name}, weight {weight:g}{' (chosen by folds)' if choose else ''}"
    with_start = replace(scores, damped=scores.damped + added, known=np.maximum(scores.known, known))
    return replace(model, base=start.replace(weight=weight)), replace(sample, started=added), with_start, note


def chosen(own: FloatArray, said: FloatArray, positive: NDArray[np.bool_]) -> float:
    """The weight of least loss, given out-of-fold log-odds of one's own and those of the start."""

    def loss(weight: float) -> float:
        pull = PULL * np.log2(max(weight, LEAST) / USUAL) ** 2
        return float(losses(own + weight * said, positive).sum() + pull)

    return min(WEIGHTS, key=loss)


def base_log_odds(start: BaseModel, store: CountStore, sample: Sample) -> tuple[FloatArray, IntArray]:
    """Log-odds of the start for each message of a sample, and how much of it the start knows."""
    model = start.model
    scorer, rows = model.engine.scorer, model.store.find(store.keys)
    entries = _translated(sample.entries, rows)
    shapes = model.store.kinds == SHAPE
    everything, nothing = np.arange(len(sample)), np.zeros(0, np.int64)
    fold = Fold(everything, nothing, entries, Stats.of(model.store), shapes)
    plain = Sample(entries, sample.labels, sample.digests)
    damped, known, scale = score_fold(model.store, scorer, plain, fold)
    raw = log_odds_of(damped, model.labels.index(model.positive))
    if model.active_correction is not None:
        added = sums(scorer, entries, model.active_correction.of(model.store.keys).astype(np.float32))
        raw = raw + model.sign * (added * scale + model.active_correction.bias)
    return model.calibration.apply(raw), known


def _translated(entries: Entries, rows: IntArray) -> Entries:
    """The same messages in the ids of another store, without what that does not know (-1)."""
    ids = rows[entries.ids]
    keep = np.flatnonzero(ids >= 0)
    order = keep[np.lexsort((ids[keep], entries.rows[keep]))]
    return Entries(entries.size, entries.rows[order], ids[order], entries.counts[order], entries.lengths)
