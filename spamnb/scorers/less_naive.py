"""Scores by less-naive Bayes (document 001): each word depends on the k words before it.

    log pi_c + sum_j log P_k(w_j | w_j-1 .. w_j-k, c)               k = 0 is multinomial over single words
    P_0(w|c)   = (N_wc + l) / (N_c + l V)                           over single words
    P_m(w|h,c) = (N_hw,c + s P_m-1(w|h',c)) / (N_h,c + s)           h' is h without its oldest word

N_hw counts the n-gram "h w", N_h the n-gram h (an h that ends a message is followed by "nothing"); s is the
strength of the back-off. Words that the model does not know are skipped.
"""

import numpy as np

from spamnb.core import FloatArray, IntArray
from spamnb.counts import NO_GRAM, Entries
from spamnb.scorers.base import Form, Fraction, Scorer, Stats

# 5-fold cross-validation within the training part of SMS Spam Collection, k = 1: log loss and accuracy were
# flat between s = 2 and s = 20.
BACK_OFF = 5.0


class LessNaive(Scorer):
    """Models each class as a Markov chain of order k."""

    name = "less-naive"
    form = Form.CHAIN

    @property
    def order(self) -> int:
        return self.config.order

    @property
    def once(self) -> bool:
        return False

    def estimate(self, stats: Stats) -> FloatArray:
        """Computes log P_0."""
        return self.fraction(stats).log(stats.tokens, stats.is_ngram)

    def fraction(self, stats: Stats) -> Fraction:
        alpha = self.config.smoothing(stats.word_vocabulary)
        return Fraction(alpha, alpha, stats.totals.words + alpha * stats.word_vocabulary)

    def terms(self, weights: FloatArray, entries: Entries, stats: Stats) -> tuple[IntArray, FloatArray]:
        words, rows = entries.sequence, entries.sequence_rows
        if words is None or rows is None:
            raise ValueError("less-naive needs entries with a word sequence")
        known = np.flatnonzero(words[0] >= 0)
        p = np.exp(weights[words[0, known]])
        for m in range(1, self.order + 1):
            together, before = words[m, known], words[m - 1, np.maximum(known - 1, 0)]
            n_hw = np.where(together[:, None] >= 0, stats.tokens[np.maximum(together, 0)], 0.0)
            n_h = np.where(before[:, None] >= 0, stats.tokens[np.maximum(before, 0)], 0.0)
            backed = (n_hw + BACK_OFF * p) / (n_h + BACK_OFF)
            p = np.where(together[:, None] == NO_GRAM, p, backed)
        with np.errstate(divide="ignore"):
            return rows[known], np.log(p)
