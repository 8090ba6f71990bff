"""Scores by the set of words of a message (document 000).

log pi_c + sum over distinct known i of log P(i|c)       P(i|c) = (D_ic + l) / (D_c + 2 l)
"""

from spamnb.core import FloatArray
from spamnb.scorers.base import Fraction, Scorer, Stats


class Binary(Scorer):
    """Models a message as the set of its words; absent words are no evidence."""

    name = "binary"
    generative = False  # absent words are not modelled

    @property
    def once(self) -> bool:
        return True

    def estimate(self, stats: Stats) -> FloatArray:
        return self.fraction(stats).log(stats.messages, stats.is_ngram)

    def fraction(self, stats: Stats) -> Fraction:
        alpha = self.config.smoothing(2)
        return Fraction(alpha, alpha, stats.totals.messages + 2 * alpha)
