"""Holds the result of scoring a batch: its tokens after lookup, and log scores before calibration."""

from __future__ import annotations

import numpy as np

from spamnb.core import BoolArray, FloatArray, IntArray, Record
from spamnb.counts import Entries
from spamnb.scorers import Stats


class WordCounts(Record):
    """The number of words of n messages, repeats included, and how many of them the model knows."""

    total: IntArray
    known: IntArray

    @property
    def share(self) -> FloatArray:
        """The share of words that are known; 1 for a message without words."""
        return np.where(self.total > 0, self.known / np.maximum(self.total, 1), 1.0)


class RawScores(Record):
    """Log scores of n messages and K classes.

    `joint` (n, K) is log P(c) + log P(x|c); `scale` (n,) is the factor of damping; `known` (n,) counts the
    known columns and tokens but shapes, which every message has; where the scorer counts repeats, they count
    here too. `correction` (n,) is what weight correction and limit on one token add to the log-odds of the
    positive class, damped already; `base_log_odds` (n,) is what the base model adds; None without it.
    `log_prior` (K,) compares the classes where every one of them is impossible.
    """

    joint: FloatArray
    scale: FloatArray
    known: IntArray
    correction: FloatArray | None = None
    base_log_odds: FloatArray | None = None
    words: WordCounts | None = None  # only on request
    log_prior: FloatArray | None = None

    @property
    def comparable(self) -> FloatArray:
        """`joint`, or the log prior where every class is impossible."""
        return self.joint if self.log_prior is None else prior_if_impossible(self.joint, self.log_prior)

    @property
    def damped(self) -> FloatArray:
        return self.comparable * self.scale[:, None]

    @property
    def log_evidence(self) -> FloatArray:
        """log p(x) = log sum_c exp(joint_c): how usual a message is."""
        top = self.joint.max(axis=1)
        safe = np.where(np.isfinite(top), top, 0.0)
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray(safe + np.log(np.exp(self.joint - safe[:, None]).sum(axis=1)))


class TokenWeights(Record):
    """The statistics and weights of some tokens, whose ids are their places here.

    `rows` are their rows in the store, None where these are the ids. `added` is what correction and limits
    add to the weights for the positive class, None for nothing. `against` is the part of the weight that is
    evidence against it, 0 or less; None where its sum is not limited.
    """

    rows: IntArray | None
    stats: Stats
    weights: FloatArray
    shapes: BoolArray
    added: FloatArray | None
    against: FloatArray | None = None


class LookedUpBatch(Record):
    """A batch after lookup: its entries, and what their ids index."""

    entries: Entries
    tokens: TokenWeights

    def store_rows(self, ids: IntArray) -> IntArray:
        return ids if self.tokens.rows is None else self.tokens.rows[ids]


def prior_if_impossible(joint: FloatArray, log_prior: FloatArray) -> FloatArray:
    """Returns log scores (n, K); the prior compares the classes where all are impossible, or several certain.

    Without smoothing a word that a class has not seen makes it impossible, -inf; in `complement` it makes the
    other classes certain, inf.

    >>> prior_if_impossible(np.array([[-np.inf, -np.inf], [-np.inf, -1.0]]), np.array([-0.1, -2.0])).tolist()
    [[-0.1, -2.0], [-inf, -1.0]]
    """
    top = joint.max(axis=1, initial=-np.inf)
    rows = np.flatnonzero(~np.isfinite(top))
    if not len(rows):
        return joint
    out = joint.copy()
    out[rows] = np.where(joint[rows] == top[rows, None], log_prior, -np.inf)
    return out
