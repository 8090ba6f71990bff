"""Scores every fold without a second pass: its own counts are subtracted from the store."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spamnb.core import FloatArray, IntArray, distinct_values, group_values
from spamnb.counts import CountStore, PairColumns, Tally, subtract_store
from spamnb.features import Batch
from spamnb.model import SpamModel, damping_scale, log_odds_of, prior_if_impossible, weighted
from spamnb.scorers import ColumnScores, EvidenceLimits, Scorer, limited_scores, make
from spamnb.settings import ScorerConfig
from spamnb.training.fold_counts import Fold, FoldCounts
from spamnb.training.sampling import Digests, Sample, pick_columns

# What is added to the weight of each token of the store, and to each score, of messages of a fold.
FoldCorrections = dict[int, tuple[NDArray[np.float32], float]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FoldScores:
    """Out-of-fold scores of a sample: damped log scores (n, K) and the number of known tokens."""

    damped: FloatArray
    known: IntArray
    scale: FloatArray = field(default_factory=lambda: np.zeros(0))  # the damping; for a weight correction
    counts: FoldCounts | None = None  # for a weight correction and for limits, which the scores do not have


def folds(sample: Sample, k: int) -> IntArray:
    """Assigns messages to folds: distinct texts of a class take turns in the order of their digests.

    A text with two labels counts for the first of them, so that it is in one fold only.
    """
    texts, text = group_values(sample.digests)
    label = np.full(len(texts), np.iinfo(np.int64).max)
    np.minimum.at(label, text, sample.labels)
    order = np.argsort(label, kind="stable")  # by label, then by digest
    first = np.searchsorted(label[order], label[order])
    fold = np.empty(len(texts), np.int64)
    fold[order] = (np.arange(len(texts)) - first) % k
    return fold[text]


def count_duplicates(digests: Digests) -> int:
    """Counts the messages with the same words as an earlier one."""
    return len(digests) - len(distinct_values(digests))


def duplicates_note(digests: Digests) -> list[str]:
    """Returns a note on duplicates, if there are any.

    >>> duplicates_note(np.array([7, 8, 7], np.uint64))
    ['1 of 3 messages is a duplicate (same words)']
    """
    count = count_duplicates(digests)
    are = "is a duplicate" if count == 1 else "are duplicates"
    return [f"{count:,} of {len(digests):,} messages {are} (same words)"] if count else []


def cross_validated_scores(store: CountStore, config: ScorerConfig, sample: Sample, k: int) -> FoldScores:
    """Scores each fold by the counts without it."""
    scorer, fold = make(config), folds(sample, k)
    counts = FoldCounts(store, sample.entries, sample.labels, fold, k, scorer.needs_full_vocabulary)
    damped = np.zeros((len(sample), len(store.labels)))
    known, scale = np.zeros(len(sample), np.int64), np.ones(len(sample))
    for f, rows in enumerate(counts.rows):
        if len(rows):
            damped[rows], known[rows], scale[rows] = score_fold(store, scorer, sample, counts.take_out([f]))
    return FoldScores(damped, known, scale, counts)


def limited_log_odds(
    model: SpamModel, sample: Sample, counts: FoldCounts, limits: EvidenceLimits, corrections: FoldCorrections
) -> FloatArray:
    """Computes out-of-fold log-odds with limits on the evidence; folds without a correction have none."""
    scorer, raw = make(model.scoring), np.zeros(len(sample))
    for f, rows in enumerate(counts.rows):
        if len(rows):
            added, bias = corrections.get(f, (None, 0.0))
            fold = counts.take_out([f])
            damped, *_ = score_fold(model.store, scorer, sample, fold, limits, added)
            raw[rows] = log_odds_of(damped, limits.plus) + bias
    return raw


def score_fold(
    store: CountStore,
    scorer: Scorer,
    sample: Sample,
    fold: Fold,
    limits: EvidenceLimits | None = None,
    added: NDArray[Any] | None = None,
) -> tuple[FloatArray, IntArray, FloatArray]:
    """Returns damped log scores (n, K) of a fold, the number of known tokens, and the damping.

    With `limits` on the evidence, `added` (one for each token of the store) is the correction of the weights
    that they limit; the scores of the positive class then have it.
    """
    size, stats, entries = len(fold.rows), weighted(fold.stats, scorer.config), fold.entries
    times = np.where(fold.shapes[entries.ids], 0, 1 if scorer.once else entries.counts)
    known = np.bincount(entries.rows, times, size).astype(np.int64)
    added = None if added is None else added[fold.tokens]
    joint, parts = limited_scores(limits, scorer, entries, stats, added)
    joint = joint + scorer.bias(stats)
    for terms in _columns_without(store, scorer.config, sample, fold).values():
        joint, known = joint + terms, known + terms.any(axis=1)
    scale = damping_scale(parts, scorer.config)
    damped = prior_if_impossible(joint, scorer.log_prior(stats)) * scale[:, None]
    if sample.base_scores is not None:
        damped = damped + sample.base_scores[fold.rows]
    return damped, known, scale


def _columns_without(
    store: CountStore, config: ScorerConfig, sample: Sample, fold: Fold
) -> dict[str, FloatArray]:
    """Computes the terms of each column by the counts without the fold."""
    if not sample.categories and not sample.numbers:
        return {}
    tally = Tally(PairColumns.in_store(store))
    labels = [store.labels[c] for c in sample.labels[fold.out].tolist()]
    tally.add(Batch(len(fold.out), ()), labels, *pick_columns(sample.categories, sample.numbers, fold.out))
    others = subtract_store(store.columns_only(), tally.finish()[0])
    columns = pick_columns(sample.categories, sample.numbers, fold.rows)
    terms = ColumnScores(others, config).terms(len(fold.rows), *columns)
    at = [store.labels.index(label) for label in others.labels]
    return {name: _widened(values, at, len(store.labels)) for name, values in terms.items()}


def _widened(values: FloatArray, at: list[int], width: int) -> FloatArray:
    """Returns terms of all classes; they are 0 for a class without a message outside of the fold."""
    out = np.zeros((len(values), width))
    out[:, at] = values
    return out
