"""Scores by the Poisson filter of the lab (document 002, equations 7.8 to 7.11).

    log pi_c + sum over distinct i of [ n_i log(r_ic n) - r_ic n - log n_i! ]
    r_ic = (N_ic + l) / (N_c + 2 l)

n is the length of the message, words unknown to the model included.
"""

import numpy as np

from spamnb.core import FloatArray, IntArray
from spamnb.counts import Entries
from spamnb.scorers.base import Form, Fraction, Scorer, Stats

_LOG_FACTORIAL = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, 171)))))


class Poisson(Scorer):
    """Models each word as occurring at its own rate per word of text."""

    name = "poisson"
    form = Form.RATES
    needs_lengths = True

    def estimate(self, stats: Stats) -> FloatArray:
        """Computes log r_ic."""
        return self.fraction(stats).log(self.counts(stats)[0], stats.is_ngram)

    def fraction(self, stats: Stats) -> Fraction:
        alpha = self.config.smoothing(2)
        return Fraction(alpha, alpha, self.counts(stats)[1] + 2 * alpha)

    def terms(self, weights: FloatArray, entries: Entries, _: Stats) -> tuple[IntArray, FloatArray]:
        n_i = (np.minimum(entries.counts, 1) if self.once else entries.counts)[:, None]
        assert entries.lengths is not None
        n = entries.lengths[entries.rows][:, None]
        log_rate = weights[entries.ids]
        return entries.rows, n_i * (log_rate + np.log(n)) - np.exp(log_rate) * n - log_factorial(n_i)


def log_factorial(n: IntArray) -> FloatArray:
    """Computes log n!, by table up to 170 and by Stirling's series beyond (its error there is below 1e-12).

    >>> round(float(log_factorial(np.array([5]))[0]), 6)  # log 120
    4.787492
    """
    m = np.maximum(n, 1).astype(np.float64)
    stirling = m * np.log(m) - m + 0.5 * np.log(2 * np.pi * m) + 1 / (12 * m) - 1 / (360 * m**3)
    return np.where(n <= 170, _LOG_FACTORIAL[np.minimum(n, 170)], stirling)
