"""Scores every fold without a second pass: its own counts are subtracted from the store."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from spamnb.core import FloatArray, IntArray, distinct_values, group_values
from spamnb.counts import CountStore, Tally, subtract_store
from spamnb.features import Batch
from spamnb.model import damping_scale, weighted
from spamnb.scorers import Scorer, column_terms, make
from spamnb.settings import ScorerConfig
from spamnb.training.fold_counts import Fold, FoldCounts
from spamnb.training.sampling import Digests, Sample, pick_columns


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FoldScores:
    """Out-of-fold scores of a sample: damped log scores (n, K), known tokens, damping."""

    damped: FloatArray
    known: IntArray
    scale: FloatArray = field(default_factory=lambda: np.zeros(0))  # where refinement is to follow
    counts: FoldCounts | None = None  # likewise


def folds(sample: Sample, k: int) -> IntArray:
    """The fold of each message: distinct texts of a class take turns in the order of their digests.

    A text that stands under two labels counts for the first of them, so that it is in one fold only.
    """
    texts, text = group_values(sample.digests)
    label = np.full(len(texts), np.iinfo(np.int64).max)
    np.minimum.at(label, text, sample.labels)
    order = np.argsort(label, kind="stable")  # by label, then by digest
    first = np.searchsorted(label[order], label[order])
    fold = np.empty(len(texts), np.int64)
    fold[order] = (np.arange(len(texts)) - first) % k
    return fold[text]


def copies(digests: Digests) -> int:
    """How many messages have the same words as one before them."""
    return len(digests) - len(distinct_values(digests))


def copies_note(digests: Digests) -> list[str]:
    """What to tell of copies, if there are any.

    >>> copies_note(np.array([7, 8, 7], np.uint64))
    ['1 of 3 messages is a duplicate of another (the same words)']
    """
    found = copies(digests)
    some = "is a duplicate of another" if found == 1 else "are duplicates of others"
    return [f"{found:,} of {len(digests):,} messages {some} (the same words)"] if found else []


def cross_validated_scores(store: CountStore, config: ScorerConfig, sample: Sample, k: int) -> FoldScores:
    """Score each fold as if the model had been trained on everything else."""
    scorer, fold = make(config), folds(sample, k)
    counts = FoldCounts(store, sample.entries, sample.labels, fold, k, scorer.needs_full_vocabulary)
    damped = np.zeros((len(sample), len(store.labels)))
    known, scale = np.zeros(len(sample), np.int64), np.ones(len(sample))
    for f, rows in enumerate(counts.rows):
        if len(rows):
            damped[rows], known[rows], scale[rows] = score_fold(store, scorer, sample, counts.take_out([f]))
    return FoldScores(damped, known, scale, counts)


def score_fold(
    store: CountStore, scorer: Scorer, sample: Sample, fold: Fold
) -> tuple[FloatArray, IntArray, FloatArray]:
    """(n, K) damped log scores of a fold, how much of each message is known, and the damping."""
    size, stats = len(fold.rows), weighted(fold.stats, scorer.config)
    weights = scorer.weights(stats)
    entries = scorer.limited(fold.entries, weights)
    joint = scorer.text_scores(entries, stats, weights) + scorer.bias(stats)
    parts = np.bincount(entries.rows, minlength=size)
    times = np.where(fold.shapes[entries.ids], 0, 1 if scorer.once else entries.counts)
    known = np.bincount(entries.rows, times, size).astype(np.int64)
    for terms in _columns_without(store, scorer.config, sample, fold).values():
        joint, present = joint + terms, terms.any(axis=1)
        parts, known = parts + present, known + present
    scale = damping_scale(parts, scorer.config)
    damped = joint * scale[:, None]
    return damped if sample.base_scores is None else damped + sample.base_scores[fold.rows], known, scale


def _columns_without(
    store: CountStore, config: ScorerConfig, sample: Sample, fold: Fold
) -> dict[str, FloatArray]:
    if not sample.categories and not sample.numbers:
        return {}
    tally = Tally()
    labels = [store.labels[c] for c in sample.labels[fold.out].tolist()]
    tally.add(Batch(len(fold.out), ()), labels, *pick_columns(sample.categories, sample.numbers, fold.out))
    rest = subtract_store(store.columns_only(), tally.finish()[0])
    terms = column_terms(
        rest, config, len(fold.rows), *pick_columns(sample.categories, sample.numbers, fold.rows)
    )
    at = [store.labels.index(label) for label in rest.labels]
    return {name: _widened(values, at, len(store.labels)) for name, values in terms.items()}


def _widened(values: FloatArray, at: list[int], width: int) -> FloatArray:
    """Terms of all classes; one of which no message is left says nothing."""
    out = np.zeros((len(values), width))
    out[:, at] = values
    return out
