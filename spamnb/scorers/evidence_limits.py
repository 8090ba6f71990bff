"""Limits the evidence against the positive class, so that good words cannot make spam look like ham.

    u_i = w_i + v_i        the weight of token i for the positive class of two, correction included
    max_token_weight X     u_i is raised to at least -X
    max_evidence N         share = min(1, N max |u_i| / sum n_i |u_i|), over a message's tokens with u_i < 0;
                           of such a token that share counts, in the sum and in m

n_i is how often token i counts in the message, m the number of tokens that damping divides by. A spammer can
append any number of ham words: together they say at most what N tokens say that are as strong as the
strongest of them. Evidence for the positive class has no limit, so words of spam in a long message all count.
What is impossible in the positive class (u_i of -inf, without smoothing) stays impossible.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spamnb.core import FloatArray, IntArray, Record, run_starts
from spamnb.counts import Entries
from spamnb.scorers.base import Scorer, Stats
from spamnb.settings import ScorerConfig

# A weight this near to 0 is no evidence: its sign would depend on how its probabilities were rounded.
NEUTRAL = 1e-9


class EvidenceLimits(Record):
    """The limits for two classes of which column `plus` is the positive one; 0 is no limit."""

    plus: int
    tokens: int
    weight: float

    @classmethod
    def of(cls, config: ScorerConfig, labels: Sequence[str], positive: str) -> EvidenceLimits | None:
        """Returns the limits of a scorer; None without any, or if `positive` is not one of two classes."""
        if len(labels) != 2 or positive not in labels or not (config.max_evidence or config.max_token_weight):
            return None
        return cls(labels.index(positive), config.max_evidence or 0, config.max_token_weight)

    def raise_weights(self, weights: FloatArray) -> FloatArray:
        """Returns the weights u_i raised to the limit on one token.

        >>> EvidenceLimits(1, 0, 5.0).raise_weights(np.array([-9.0, -2.0, 9.0, -np.inf])).tolist()
        [-5.0, -2.0, 9.0, -inf]
        """
        if not self.weight:
            return weights
        return np.where(np.isfinite(weights), np.maximum(weights, -self.weight), weights)

    def apply(self, log_p: FloatArray, added: NDArray[Any] | None) -> tuple[FloatArray, FloatArray | None]:
        """Returns what is added to each w_i to give the raised u_i, and with max_evidence min(u_i, 0).

        log_p (R, 2) are the weights of each class, whose difference is w_i; `added` is v_i, None without it.
        """
        bayes = self._bayes_weights(log_p)
        finite = np.isfinite(bayes)
        weights = self.raise_weights((bayes if added is None else bayes + added)[finite])
        change, against = np.zeros(len(bayes)), np.zeros(len(bayes))
        change[finite] = weights - bayes[finite]
        against[finite] = np.where(weights < -NEUTRAL, weights, 0.0)
        return change, against if self.tokens else None

    def _bayes_weights(self, log_p: FloatArray) -> FloatArray:
        """Returns w_i, the difference of both classes; 0 for what is impossible in both."""
        with np.errstate(invalid="ignore"):
            weights = log_p[:, self.plus] - log_p[:, 1 - self.plus]
        return np.where(np.isnan(weights), 0.0, weights)


class Shares(Record):
    """What the limit changes of n messages.

    `excess` (n,) is 1 - share, `raised` (n,) is added to the sum of the evidence, `missing` (n,) is
    subtracted from m.
    """

    excess: FloatArray
    raised: FloatArray
    missing: FloatArray

    @classmethod
    def of(cls, limit: int, entries: Entries, against: FloatArray, once: bool) -> Shares:
        """Computes the shares from min(u_i, 0) of all tokens.

        >>> rows, ids = np.array([0, 0, 0]), np.array([0, 1, 2])
        >>> shares = Shares.of(1, Entries(2, rows, ids, ids), np.array([-3.0, -1.0, 0.0]), once=True)
        >>> shares.excess.tolist(), shares.raised.tolist(), shares.missing.tolist()
        ([0.25, 0.0], [1.0, 0.0], [0.5, 0.0])
        """
        excess, raised, missing = np.zeros((3, entries.size))
        begin, weights = run_starts(entries.rows), against.take(entries.ids)
        if len(begin):
            total = np.add.reduceat(weights if once else weights * entries.counts, begin)
            most = limit * np.minimum.reduceat(weights, begin)
            over = (total < most).nonzero()[0]
            rows, number = entries.rows[begin[over]], np.add.reduceat(weights < 0, begin, dtype=np.int64)
            excess[rows] = 1.0 - most[over] / total[over]
            raised[rows] = most[over] - total[over]
            missing[rows] = excess[rows] * number[over]
        return cls(excess, raised, missing)


def limited_scores(
    limits: EvidenceLimits | None,
    scorer: Scorer,
    entries: Entries,
    stats: Stats,
    added: NDArray[Any] | None = None,
) -> tuple[FloatArray, FloatArray | IntArray]:
    """Returns text scores (n, K), those of the positive class with correction and limits, and m (n,)."""
    weights, parts = scorer.estimate(stats), np.bincount(entries.rows, minlength=entries.size)
    if limits is None:
        return scorer.text_scores(entries, stats, weights), parts
    change, against = limits.apply(weights, added)
    weights[:, limits.plus] += change
    scores = scorer.text_scores(entries, stats, weights)
    if against is None:
        return scores, parts
    shares = Shares.of(limits.tokens, entries, against, scorer.once)
    scores[:, limits.plus] += shares.raised
    return scores, parts - shares.missing
