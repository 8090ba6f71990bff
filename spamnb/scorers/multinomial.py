"""Scores by multinomial naive Bayes (document 003, case 2).

    log pi_c + sum_i n_i log theta_ic        theta_ic = (N_ic + l) / (N_c + l V)

With `once`, D_ic and sum_i D_ic stand in for N_ic and N_c, and n_i for min(n_i, 1).

Most n-grams occur once or twice, by chance. So their l is `ngram_smoothing_ratio` times that of other
tokens, and alpha is the geometric mean of both; the denominator adds up every l. The ratio was chosen on
splits of training parts of SMS Spam Collection: see docs/internals/quality.md.
"""

from math import sqrt

from spamnb.core import FloatArray
from spamnb.scorers.base import Fraction, Scorer, Stats


class Multinomial(Scorer):
    """Each token is a draw from the class's vocabulary."""

    name = "multinomial"

    def estimate(self, stats: Stats) -> FloatArray:
        return self.fraction(stats).log(self.counts(stats)[0], stats.is_ngram)

    def fraction(self, stats: Stats) -> Fraction:
        _, totals = self.counts(stats)
        alpha, ratio = self.config.smoothing(stats.vocabulary), self.config.ratio
        if ratio == 1.0 or not stats.gram_vocabulary:
            return Fraction(alpha, alpha, totals + alpha * stats.vocabulary)
        one, several = alpha / sqrt(ratio), alpha * sqrt(ratio)
        below = totals + one * (stats.vocabulary - stats.gram_vocabulary) + several * stats.gram_vocabulary
        return Fraction(one, several, below)
