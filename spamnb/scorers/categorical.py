"""Scores by the categorical filter of the lab (document 002, equations 7.5 to 7.7).

    log pi_c + sum_i n_i log P(i|c)          P(i|c) = (N_ic + l) / (N_c + 2 l)

l = 1 is the lab's add-one smoothing, l = 0 its first model N_ic / N_c. A word in neither class has factor 1.
"""

from spamnb.core import FloatArray
from spamnb.scorers.base import Fraction, Scorer, Stats


class Categorical(Scorer):
    """Models each word as one of N outcomes; smoothing adds two possible outcomes, not V."""

    name = "categorical"

    def estimate(self, stats: Stats) -> FloatArray:
        return self.fraction(stats).log(self.counts(stats)[0], stats.is_ngram)

    def fraction(self, stats: Stats) -> Fraction:
        alpha = self.config.smoothing(2)
        return Fraction(alpha, alpha, self.counts(stats)[1] + 2 * alpha)
