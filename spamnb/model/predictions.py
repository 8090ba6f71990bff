"""Holds the predictions of a model for a batch of messages, as arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spamnb.core import FloatArray, IntArray, Record
from spamnb.model.calibration import LIMIT, Calibration, probabilities
from spamnb.model.scoring_engine import RawScores

UNSURE_LABEL = "unsure"


class Predictions(Record):
    """The predictions for n messages.

    `log_odds` and `probability` (n,) are those of the positive class, or with more than two classes of the
    likeliest one; `codes` index `names`, whose last is "unsure"; `known` (n,) counts the known tokens and
    columns of each message; `scored` has the raw scores; `too_few_known_words` (n,) marks the messages that
    are not called ham for that reason.
    """

    names: tuple[str, ...]
    codes: IntArray
    probability: FloatArray
    log_odds: FloatArray
    known: IntArray
    scored: RawScores
    too_few_known_words: NDArray[np.bool_] | None = None

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
        if self.too_few_known_words is not None and self.too_few_known_words[row] and words is not None:
            return f"few known words: {words.known[row]:,} of {words.total[row]:,}"
        return "too close to call"


def class_probabilities(calibration: Calibration, scored: RawScores) -> FloatArray:
    """(n, K): the probability of each of more than two classes; all alike where every class is impossible."""
    p = probabilities(calibration.apply(scored.damped))
    return np.nan_to_num(p, nan=1 / p.shape[1])


def predict_classes(labels: tuple[str, ...], calibration: Calibration, scored: RawScores) -> Predictions:
    """Predicts the likeliest of more than two classes, or unsure where nothing is known."""
    proba = class_probabilities(calibration, scored)
    codes = np.where(scored.known > 0, proba.argmax(axis=1), len(labels))
    p = proba.max(axis=1)
    with np.errstate(divide="ignore"):
        log_odds = np.clip(np.log(p) - np.log1p(-p), -LIMIT, LIMIT)
    return Predictions((*labels, UNSURE_LABEL), codes, p, log_odds, scored.known, scored)
