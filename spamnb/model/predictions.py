"""Holds the predictions of a model for a batch of messages, as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spamnb.core import BoolArray, FloatArray, IntArray, Record
from spamnb.model.calibration import LIMIT, probabilities, probability
from spamnb.model.raw_scores import RawScores
from spamnb.model.unsure_verdicts import MOST, Verdicts, taught_range

if TYPE_CHECKING:
    from spamnb.model.model_parts import ModelParts

UNSURE_LABEL = "unsure"
TOO_CLOSE = "too close to call"  # the reason to be unsure of a message in which enough is known


class Predictions(Record):
    """The predictions for n messages.

    `log_odds` and `probability` (n,) are those of the positive class, or with more than two classes of the
    predicted one; `codes` index `names`, whose last is "unsure"; `known` (n,) counts the known tokens and
    columns of each message; `scored` has the raw scores. `lacks_evidence` (n,) marks the messages that are
    unsure because too little in them is known: their log-odds are still the sum of the evidence, but their
    probability is not near 0 or 1. `taught_as` (n,) is the class that a message was taught with, word for
    word, -1 for all others: it is the verdict, and the probability follows it, while the log-odds stay. So
    it is for mails in `listed`, the entry of an allow or block list for each message, "" for all others.
    """

    names: tuple[str, ...]
    codes: IntArray
    probability: FloatArray
    log_odds: FloatArray
    known: IntArray
    scored: RawScores
    lacks_evidence: BoolArray
    taught_as: IntArray | None = None
    listed: tuple[str, ...] = ()

    def __repr__(self) -> str:
        counts = ((name, int((self.codes == code).sum())) for code, name in enumerate(self.names))
        listed = ", ".join(f"{count:,} {name}" for name, count in counts if count)
        return f"<Predictions: {len(self.codes):,} messages{': ' if listed else ''}{listed}>"

    @property
    def labels(self) -> list[str]:
        """Returns the verdict on each message."""
        return [self.names[code] for code in self.codes.tolist()]

    def taught_label(self, row: int) -> str:
        """Returns the label that a message was taught with, word for word; empty if it was not."""
        if self.taught_as is None or self.taught_as[row] < 0 or self.listed_entry(row):
            return ""
        return str(self.names[self.taught_as[row]])

    def listed_entry(self, row: int) -> str:
        """Returns the entry of an allow or block list that decides a message; empty if there is none."""
        return self.listed[row] if self.listed else ""

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


def class_probabilities(model: ModelParts, damped: FloatArray, known: IntArray) -> FloatArray:
    """Returns (n, K): the probability of each of more than two classes; all alike if each is impossible.

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
    model: ModelParts, verdicts: Verdicts, log_odds: FloatArray, scored: RawScores
) -> Predictions:
    """Returns the verdicts on messages of two classes with their scores."""
    assert model.pair is not None
    codes, names = np.array([*model.pair[::-1], 2])[verdicts.codes], (*model.labels, UNSURE_LABEL)
    scores = log_odds, scored.known, scored
    return Predictions(names, codes, verdicts.probability, *scores, verdicts.lacks_evidence)


def all_probabilities(model: ModelParts, predictions: Predictions) -> FloatArray:
    """Returns (n, K): the probability of every class, in the order of the model's labels."""
    if model.pair is None:
        return _with_taught(
            class_probabilities(model, predictions.scored.damped, predictions.known), predictions.taught_as
        )
    p, exact, inexact = (
        predictions.probability,
        probability(-predictions.log_odds),
        predictions.lacks_evidence,
    )
    if predictions.taught_as is not None:
        inexact = inexact | (predictions.taught_as >= 0)
    both = np.where(inexact, 1 - p, exact), p
    return np.stack(both if model.pair[0] == 1 else both[::-1], axis=1)


def predict_classes(model: ModelParts, scored: RawScores) -> Predictions:
    """Predicts one of more than two classes, by likelihood or cost, or unsure where nothing is known."""
    labels, proba = model.labels, class_probabilities(model, scored.damped, scored.known)
    lacking = model.lacks_evidence(scored.known)
    verdicts = model.choose(proba)
    codes = np.where(lacking, len(labels), verdicts)
    p = proba[np.arange(len(proba)), verdicts]
    with np.errstate(divide="ignore"):
        log_odds = np.clip(np.log(p) - np.log1p(-p), -LIMIT, LIMIT)
    return Predictions((*labels, UNSURE_LABEL), codes, p, log_odds, scored.known, scored, lacking)


def remember(model: ModelParts, predictions: Predictions, taught_as: IntArray) -> Predictions:
    """Gives messages that were taught word for word the label that they were taught with."""
    taught = taught_as >= 0
    if not taught.any():
        return predictions
    if model.pair is None:
        own = class_probabilities(model, predictions.scored.damped, predictions.known)
        p = _with_taught(own, taught_as)[np.arange(len(own)), taught_as]
    else:
        ham, spam = taught_range(model.decision.for_classes(model.labels, model.positive))
        is_spam, p = taught_as == model.pair[0], predictions.probability
        p = np.where(is_spam, np.maximum(p, spam), np.minimum(p, ham))
    return predictions.replace(
        codes=np.where(taught, taught_as, predictions.codes),
        probability=np.where(taught, p, predictions.probability),
        lacks_evidence=predictions.lacks_evidence & ~taught,
        taught_as=taught_as,
    )


def _with_taught(proba: FloatArray, taught_as: IntArray | None) -> FloatArray:
    """Returns (n, K): at least `MOST` for the class a message was taught with; others share the rest."""
    rows = np.zeros(0, np.int64) if taught_as is None else np.flatnonzero(taught_as >= 0)
    if taught_as is None or not len(rows):
        return proba
    own = proba[rows, taught_as[rows]]
    raised = np.maximum(own, MOST)
    proba = proba.copy()
    proba[rows] *= np.where(own < 1, (1 - raised) / np.maximum(1 - own, 1e-300), 1.0)[:, None]
    proba[rows, taught_as[rows]] = raised
    return proba
