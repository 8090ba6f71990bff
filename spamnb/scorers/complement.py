"""Scores by complement naive Bayes (Rennie, Shih, Teevan and Karger, ICML 2003).

    sum_i n_i w_ic      w_ic = -log[ (sum over c' != c of N_ic' + l) / (sum over c' != c of N_c' + l V) ]

The weights come from the counts of the other classes; the prior cancels out, except with a single class.
"""

import numpy as np

from spamnb.core import FloatArray
from spamnb.scorers.base import Form, Fraction, Scorer, Stats


class Complement(Scorer):
    """Chooses the class whose complement fits a message worst."""

    name = "complement"
    form = Form.COMPLEMENT
    generative = False

    def estimate(self, stats: Stats) -> FloatArray:
        counts, _ = self.counts(stats)
        return -self.fraction(stats).log(counts.sum(axis=1, keepdims=True) - counts, stats.is_ngram)

    def fraction(self, stats: Stats) -> Fraction:
        """Computes P(i|not c), from the counts of the other classes."""
        _, totals = self.counts(stats)
        alpha = self.config.smoothing(stats.vocabulary)
        return Fraction(alpha, alpha, totals.sum() - totals + alpha * stats.vocabulary)

    def bias(self, stats: Stats) -> FloatArray:
        return super().bias(stats) if stats.classes == 1 else np.zeros(stats.classes)

    def log_prior(self, stats: Stats) -> FloatArray:
        return self.bias(stats)
