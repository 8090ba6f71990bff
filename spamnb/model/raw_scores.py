"""Holds what scoring a batch gives: its tokens after lookup, and log scores before calibration."""

from __future__ import annotations

import numpy as np

from spamnb.core import BoolArray, FloatArray, IntArray, Record
from spamnb.counts import Entries
from spamnb.scorers import Ranks, Stats, select


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
    """

    joint: FloatArray
    scale: FloatArray
    known: IntArray
    correction: FloatArray | None = None
    base_log_odds: FloatArray | None = None
    words: WordCounts | None = None  # only on request

    @property
    def damped(self) -> FloatArray:
        return self.joint * self.scale[:, None]

    @property
    def log_evidence(self) -> FloatArray:
        """log p(x) = log sum_c exp(joint_c): how usual a message is."""
        top = self.joint.max(axis=1)
        safe = np.where(np.isfinite(top), top, 0.0)
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray(safe + np.log(np.exp(self.joint - safe[:, None]).sum(axis=1)))


class TokenWeights(Record):
    """The statistics and weights of some tokens.

    `added` is what correction and limits add to their weights for the positive class, None for nothing;
    `ranks` say which of them count in a message, None for all. `undone` is what takes back the weight of one
    that does not count.
    """

    stats: Stats
    weights: FloatArray
    added: FloatArray | None
    ranks: Ranks | None = None
    undone: FloatArray | None = None


class LookedUpBatch(Record):
    """A batch after lookup: its entries, which of them count (None: all), and what their ids index."""

    known: Entries
    counted: BoolArray | None
    tokens: TokenWeights
    rows: IntArray | None  # the store's rows of the ids, None where they are the ids

    @property
    def entries(self) -> Entries:
        """The entries that count."""
        return self.known if self.counted is None else select(self.known, self.counted)

    def store_rows(self, ids: IntArray) -> IntArray:
        return ids if self.rows is None else self.rows[ids]
