"""Holds the predictions of a model for a batch of messages, as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spamnb.core import BoolArray, FloatArray, IntArray, Record
from spamnb.model.calibration import LIMIT, probabilities, probability
from spamnb.model.raw_scores import RawScores
from spamnb.model.verdicts import MOST, Verdicts

if TYPE_CHECKING:
    from spamnb.model.spam_model import SpamModel

UNSURE_LABEL = "unsure"
TOO_CLOSE = "too close to call"  # the reason to be unsure of a message in which enough is known


class Predictions(Record):
    """The predictions for n messages.

    `log_odds` and `probability` (n,) are those of the positive class, or with more than two classes of the
    predicted one; `codes` index `names`, whose last is "unsure"; `known` (n,) counts the known tokens and
    columns of each message; `scored` has the raw scores. `lacks_evidence` (n,) marks the messages that are
    unsure because too little in them is known: their log-odds are still the sum of the evidence, but their
    probability is not near 0 or 1.
    """

    names: tuple[str, ...]
    codes: IntArray
    probability: FloatArray
    log_odds: FloatArray
    known: IntArray
    scored: RawScores
    lacks_evidence: BoolArray

    @property
    def labels(self) -> list[str]:
        return [self.names[code] for code in self.codes.tolist()]

    def unsure_reason(self, row: int) -> str:
        """Explains why a message is unsure; empty if it is not."""
        if self.codes[row] < len(self.names) - 1:
            return ""
        if self.known[row] == 0:
            return "nothing in it is known"
        words = self.scored.words
        if self.lacks_evidence[row] and words is not None:
            return f"few known words: {words.known[row]:,} of {words.total[row]:,}"
        return TOO_CLOSE


def class_probabilities(model: SpamModel, damped: FloatArray, known: IntArray) -> FloatArray:
    """(n, K): the probability of each of more than two classes; all alike where every class is impossible.

    Where nothing is known it is the prior, drawn to equal shares if one class has more than `MOST`.
    """
    equal = 1 / len(model.labels)
    p = np.nan_to_num(probabilities(model.calibration.apply(damped)), nan=equal)
    unknown = model.lacks_evidence(known)
    if not unknown.any():
        return p
    prior = model.engine.prior
    excess = max(0.0, (prior.max() - MOST) / (prior.max() - equal)) if prior.max() > equal else 0.0
    return np.where(unknown[:, None], (1 - excess) * prior + excess * equal, p)


def predict_pair(
    model: SpamModel, verdicts: Verdicts, log_odds: FloatArray, scored: RawScores
) -> Predictions:
    """Returns the verdicts on messages of two classes with their scores."""
    assert model.pair is not None
    codes, names = np.array([*model.pair[::-1], 2])[verdicts.codes], (*model.labels, UNSURE_LABEL)
    scores = log_odds, scored.known, scored
    return Predictions(names, codes, verdicts.probability, *scores, verdicts.lacks_evidence)


def all_probabilities(model: SpamModel, predictions: Predictions) -> FloatArray:
    """(n, K): the probability of every class, in the order of the model's labels."""
    if model.pair is None:
        return class_probabilities(model, predictions.scored.damped, predictions.known)
    p, exact = predictions.probability, probability(-predictions.log_odds)
    both = np.where(predictions.lacks_evidence, 1 - p, exact), p
    return np.stack(both if model.pair[0] == 1 else both[::-1], axis=1)


def predict_classes(model: SpamModel, scored: RawScores) -> Predictions:
    """Predicts one of more than two classes, by likelihood or cost, or unsure where nothing is known."""
    labels, proba = model.labels, class_probabilities(model, scored.damped, scored.known)
    lacking = model.lacks_evidence(scored.known)
    verdicts = model.choose(proba)
    codes = np.where(lacking, len(labels), verdicts)
    p = proba[np.arange(len(proba)), verdicts]
    with np.errstate(divide="ignore"):
        log_odds = np.clip(np.log(p) - np.log1p(-p), -LIMIT, LIMIT)
    return Predictions((*labels, UNSURE_LABEL), codes, p, log_odds, scored.known, scored, lacking)
