"""Scores by Bernoulli naive Bayes (document 001): a word that is absent is evidence too.

    log pi_c + sum over present i of log p_ic + sum over absent i of log(1 - p_ic)
    p_ic = (D_ic + b) / (D_c + 2 b)

computed as one sum over the whole vocabulary, plus log p_ic - log(1 - p_ic) for each present word.
"""

import numpy as np

from spamnb.core import FloatArray, IntArray
from spamnb.counts import Entries
from spamnb.scorers.base import Form, Stats, safe_log
from spamnb.scorers.binary import Binary

# Without smoothing a word can be in every message of a class: p = 1, and its absence makes the class
# impossible. -HUGE stands for log 0 there, so that presence cancels it instead of giving inf - inf; it is
# small enough to leave the other digits of a sum alone.
HUGE = 2.0**20


class Bernoulli(Binary):
    """Models every word of the vocabulary as present or absent, independently."""

    name = "bernoulli"
    form = Form.PRESENCE
    generative = True
    needs_full_vocabulary = True

    def _log_absent(self, log_p: FloatArray) -> FloatArray:
        absent: FloatArray = np.maximum(safe_log(-np.expm1(np.minimum(log_p, 0.0))), -HUGE)
        return absent

    def bias(self, stats: Stats) -> FloatArray:
        absent: FloatArray = self._log_absent(self.estimate(stats)).sum(axis=0)
        return super().bias(stats) + absent

    def occurrence_weights(self, weights: FloatArray) -> FloatArray:
        return weights - self._log_absent(weights)

    def terms(self, weights: FloatArray, entries: Entries, _: Stats) -> tuple[IntArray, FloatArray]:
        return entries.rows, self.occurrence_weights(weights[entries.ids])
