"""Multinomial naive Bayes (document 003, case 2).

    log pi_c + sum_i n_i log theta_ic        theta_ic = (N_ic + l) / (N_c + l V)

With `once`, D_ic and sum_i D_ic stand in for N_ic and N_c, and n_i for min(n_i, 1).
"""

from spamnb.message import FloatArray
from spamnb.scorers.base import Scorer, Stats, log_ratio


class Multinomial(Scorer):
    """Each token is a draw from the class's vocabulary."""

    name = "multinomial"

    def estimate(self, stats: Stats) -> FloatArray:
        counts, totals = self.counts(stats)
        alpha = self.config.alpha
        return log_ratio(counts + alpha, totals + alpha * stats.vocabulary)
