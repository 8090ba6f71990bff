"""A store and a scorer put together: batches in, log scores of every class out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from spamnb.core import FloatArray, IntArray, Record, distinct_values, row_sums
from spamnb.counts import CountStore, Entries, KeyTable
from spamnb.features import SHAPE, Batch
from spamnb.model.weight_correction import Correction
from spamnb.scorers import Scorer, Stats, make, pair_sums
from spamnb.settings import ScorerConfig


class WordCounts(Record):
    """How many words n messages have, repeats counted, and how many of them the model knows."""

    total: IntArray
    known: IntArray

    @property
    def share(self) -> FloatArray:
        """Known words of all; where there are none, nothing is missing."""
        return np.where(self.total > 0, self.known / np.maximum(self.total, 1), 1.0)


class RawScores(Record):
    """Log scores of n messages and K classes.

    joint (n, K) is log P(c) + log P(x|c); `scale` (n,) is what damping multiplies it with; `known` (n,) is
    how much of the message the model knows: tokens but shapes, which every message has, and columns; where
    the scorer counts repeats, they count here too. `correction` (n,) is what a linear model adds to the
    log-odds of its class, damped already, `started` (n,) what the model that this one starts from adds to
    those of the positive class; None if there is none.
    """

    joint: FloatArray
    scale: FloatArray
    known: IntArray
    correction: FloatArray | None = None
    started: FloatArray | None = None
    words: WordCounts | None = None  # only where they are asked for

    @property
    def damped(self) -> FloatArray:
        return self.joint * self.scale[:, None]

    @property
    def evidence(self) -> FloatArray:
        """log p(x) = log sum_c exp(joint_c): how usual a message is (document 001)."""
        top = self.joint.max(axis=1)
        safe = np.where(np.isfinite(top), top, 0.0)
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray(safe + np.log(np.exp(self.joint - safe[:, None]).sum(axis=1)))


class LookedUpBatch(Record):
    """A batch looked up: its entries, and the statistics and weights their ids point into."""

    entries: Entries
    stats: Stats
    weights: FloatArray
    rows: IntArray | None  # the store's rows behind the ids, None where they are the ids

    def store_rows(self, ids: IntArray) -> IntArray:
        return ids if self.rows is None else self.rows[ids]


class Engine:
    """Scores batch after batch. A first few tokens are searched in the sorted keys, which touches only the
    pages of the file where they lie; a long stream builds a table and all weights once."""

    def __init__(self, store: CountStore, config: ScorerConfig, correction: Correction | None = None) -> None:
        self.store = store
        self.correction = correction
        self.scorer: Scorer = make(config)
        self.config = config
        self._seen = 0
        self._table: KeyTable | None = None
        self._whole: tuple[Stats, FloatArray, FloatArray] | None = None

    def score(
        self,
        batch: Batch,
        categories: Mapping[str, Sequence[str]] | None = None,
        numbers: Mapping[str, FloatArray] | None = None,
        words: bool = False,
    ) -> RawScores:
        found = self._ids(batch)
        if self._unmerged(batch):
            joint, known, added = self._sum_all(batch, found)
            parts = known
        else:
            joint, known, parts, added = self._sum_merged(batch, found)
        for terms in self.columns(batch.size, categories, numbers).values():
            joint = joint + terms
            present = terms.any(axis=1)
            known, parts = known + present, parts + present
        scale = damping_scale(parts, self.config)
        bias = self.correction.bias if self.correction is not None else 0.0
        corrected = None if added is None else added * scale + bias
        return RawScores(joint, scale, known, corrected, None, _words(batch, found) if words else None)

    def _unmerged(self, batch: Batch) -> bool:
        """Can every occurrence be added as it comes? Then repeats need not be found, a fifth of the work."""
        linear = self.scorer.linear and not self.scorer.once and not self.config.damping
        linear = linear and not self.config.max_evidence
        return linear and len(self.store.labels) == 2 and all(s.kind != SHAPE for s in batch.streams)

    def _sum_all(self, batch: Batch, found: list[IntArray]) -> tuple[FloatArray, IntArray, FloatArray | None]:
        """Log scores, how many tokens of each message are known, repeats included, and their correction."""
        if self._table is None:
            rows = distinct_values(np.concatenate([ids[ids >= 0] for ids in found]))
            stats = weighted(Stats.of(self.store, rows), self.config)
            weights = self.scorer.weights(stats)
            found = [np.where(ids >= 0, np.searchsorted(rows, ids), -1) for ids in found]
            added = self.added(rows)
        else:
            stats, weights, _ = self._all()
            added = self.added(None)
        joint, known = np.zeros((batch.size, 2)), np.zeros(batch.size, np.int64)
        corrected = None if added is None else np.zeros(batch.size)
        for stream, ids in zip(batch.streams, found, strict=True):
            there = ids >= 0
            at, ids = (stream.rows, ids) if there.all() else (stream.rows[there], ids[there])
            joint += pair_sums(weights, at, ids, batch.size)
            known += np.bincount(at, minlength=batch.size)
            if added is not None and corrected is not None:
                corrected += row_sums(at, added.take(ids), batch.size)
        return joint + self.bias(stats), known, corrected

    def _sum_merged(
        self, batch: Batch, found: list[IntArray]
    ) -> tuple[FloatArray, IntArray, IntArray, FloatArray | None]:
        """Log scores, known tokens but shapes, distinct known tokens of each message, their correction."""
        looked = self.look_up(batch, found)
        joint = self.scorer.text_scores(looked.entries, looked.stats, looked.weights) + self.bias(
            looked.stats
        )
        parts = np.bincount(looked.entries.rows, minlength=batch.size)
        values = self.correct(looked)
        corrected = None if values is None else row_sums(looked.entries.rows, values, batch.size)
        return joint, self._known(looked, parts), parts, corrected

    def correct(self, looked: LookedUpBatch) -> FloatArray | None:
        """What the correction adds for each entry, before damping."""
        added = self.added(looked.rows)
        if added is None:
            return None
        values = added.take(looked.entries.ids)
        return values if self.scorer.once else values * looked.entries.counts

    def added(self, rows: IntArray | None) -> FloatArray | None:
        """The correction of these rows of the store, None meaning all of them."""
        if self.correction is None:
            return None
        return self._added if rows is None else self.correction.of(self.store.keys[rows])

    @cached_property
    def _added(self) -> FloatArray:
        assert self.correction is not None
        return self.correction.of(self.store.keys)

    def _ids(self, batch: Batch) -> list[IntArray]:
        """The store's rows of each stream's tokens, -1 where unknown."""
        keys = [s.keys for s in batch.streams]
        self._seen += sum(map(len, keys))
        if self._table is None and self._seen > self.store.vocabulary // 2:
            self._table = KeyTable.ranked(self.store.keys, self.store.messages.sum(axis=1, dtype=np.int64))
        find = self.store.find if self._table is None else self._table.find
        return [find(k) for k in keys]

    def look_up(self, batch: Batch, found: list[IntArray] | None = None) -> LookedUpBatch:
        found = self._ids(batch) if found is None else found
        entries = Entries.of(batch, found, self.scorer.order, self.scorer.needs_lengths)
        if self._table is None and not self.scorer.needs_full_vocabulary:
            return self._few(entries)
        stats, weights, _ = self._all()
        return LookedUpBatch(self.scorer.limited(entries, weights), stats, weights, None)

    def _few(self, entries: Entries) -> LookedUpBatch:
        """Statistics and weights of just the tokens in these entries."""
        words = entries.sequence if entries.sequence is not None else np.zeros(0, np.int64)
        rows = distinct_values(np.concatenate((entries.ids, words[words >= 0])))
        stats = weighted(Stats.of(self.store, rows), self.config)
        weights = self.scorer.weights(stats)
        return LookedUpBatch(self.scorer.limited(entries.compact(rows), weights), stats, weights, rows)

    def _all(self) -> tuple[Stats, FloatArray, FloatArray]:
        if self._whole is None:
            stats = weighted(Stats.of(self.store), self.config)
            weights = np.ascontiguousarray(self.scorer.weights(stats))
            self._whole = stats, weights, self.scorer.bias(stats)
        return self._whole

    def bias(self, stats: Stats) -> FloatArray:
        """The bias, worked out once where it takes a walk over the whole vocabulary."""
        return self._whole[2] if self._whole is not None else self.scorer.bias(stats)

    @cached_property
    def _shaped(self) -> bool:
        """Does the store hold tokens that every message has?"""
        return bool(self.store.vocabulary) and int(self.store.kinds.max()) == SHAPE

    def _known(self, looked: LookedUpBatch, parts: IntArray) -> IntArray:
        """Known tokens but shapes, counted as the scorer counts them."""
        if not self._shaped and self.scorer.once:
            return parts
        entries = looked.entries
        shapes = self.store.kinds.take(looked.store_rows(entries.ids)) == SHAPE
        if self.scorer.once:
            return parts - np.bincount(entries.rows[shapes], minlength=entries.size)
        times = np.where(shapes, 0, entries.counts)
        return np.bincount(entries.rows, times, entries.size).astype(np.int64)

    def columns(
        self,
        size: int,
        categories: Mapping[str, Sequence[str]] | None,
        numbers: Mapping[str, FloatArray] | None,
    ) -> dict[str, FloatArray]:
        """(size, K) evidence of each categorical and numeric column."""
        if not categories and not numbers:
            return {}
        from spamnb.scorers import column_terms

        return column_terms(self.store, self.config, size, categories or {}, numbers or {})


def _words(batch: Batch, found: list[IntArray]) -> WordCounts:
    """The words of each message, of which those are known that were found."""
    total, known = np.zeros(batch.size, np.int64), np.zeros(batch.size, np.int64)
    for stream, ids in zip(batch.streams, found, strict=True):
        if stream.kind == 1:
            total += np.bincount(stream.rows, minlength=batch.size)
            known += np.bincount(stream.rows[ids >= 0], minlength=batch.size)
    return WordCounts(total, known)


def log_odds_of(scores: FloatArray, plus: int) -> FloatArray:
    """Log-odds of one of two classes from their log scores (n, 2); impossible in both says nothing: 0."""
    with np.errstate(invalid="ignore"):
        raw = scores[:, plus] - scores[:, 1 - plus]
    return np.where(np.isnan(raw), 0.0, raw)


def damping_scale(parts: IntArray, config: ScorerConfig) -> FloatArray:
    """1 / m^d for a message of m distinct known tokens: repeated evidence is no new evidence.

    Chosen on folds of the training part of SMS Spam Collection: d = 1 took (1-AUC)% from 1.1 to 0.16;
    counting unknown tokens into m gave 0.19.
    """
    return np.asarray(np.maximum(parts, 1).astype(np.float64) ** -config.damping)


def weighted(stats: Stats, config: ScorerConfig) -> Stats:
    """With `--balance weight` every class counts alike: a message of class c weighs D / (K D_c)."""
    if config.balance != "weight":
        return stats
    totals = np.maximum(stats.message_totals, 1.0)
    return stats.weighted(totals.sum() / (len(totals) * totals))
