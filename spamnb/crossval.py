"""Honest scores without a second pass: every fold is scored with its own counts subtracted from the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from spamnb.config import ScorerConfig
from spamnb.counting import Tally
from spamnb.counts import CountStore, rows_with_any
from spamnb.message import FloatArray, IntArray, Texts
from spamnb.parallel import can_fork, ordered_map
from spamnb.scorers import make
from spamnb.scorers.base import Scorer, Stats
from spamnb.scorers.columns import column_terms
from spamnb.scoring import damping_scale, weighted
from spamnb.sparse import SHAPE, Batch, Entries, distinct, grouped

Digests = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sample:
    """Messages kept from training: their entries (ids are rows of the store), labels and columns.

    `digests` are equal for messages of the same words, so that copies never straddle two folds. `started`
    (n, K) is what a model adds that has seen none of the folds.
    """

    entries: Entries
    labels: IntArray
    digests: Digests
    categories: Mapping[str, list[str]] = field(default_factory=dict)
    numbers: Mapping[str, FloatArray] = field(default_factory=dict)
    texts: Texts | None = None  # only where a report is to show them
    started: FloatArray | None = None

    def __len__(self) -> int:
        return self.entries.size


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FoldScores:
    """Out-of-fold scores of a sample: damped log scores (n, K), known tokens, damping."""

    damped: FloatArray
    known: IntArray
    scale: FloatArray = field(default_factory=lambda: np.zeros(0))  # where refinement is to follow


def folds(sample: Sample, k: int) -> IntArray:
    """The fold of each message: distinct texts of a class take turns in the order of their digests.

    A text that stands under two labels counts for the first of them, so that it is in one fold only.
    """
    texts, text = grouped(sample.digests)
    label = np.full(len(texts), np.iinfo(np.int64).max)
    np.minimum.at(label, text, sample.labels)
    order = np.argsort(label, kind="stable")  # by label, then by digest
    first = np.searchsorted(label[order], label[order])
    fold = np.empty(len(texts), np.int64)
    fold[order] = (np.arange(len(texts)) - first) % k
    return fold[text]


def copies(digests: Digests) -> int:
    """How many messages have the same words as one before them."""
    return len(digests) - len(distinct(digests))


def copies_note(digests: Digests) -> list[str]:
    """What to tell of copies, if there are any.

    >>> copies_note(np.array([7, 8, 7], np.uint64))
    ['1 of 3 messages is a copy of another (the same words)']
    """
    found = copies(digests)
    some = "is a copy of another" if found == 1 else "are copies of others"
    return [f"{found:,} of {len(digests):,} messages {some} (the same words)"] if found else []


def out_of_fold(store: CountStore, config: ScorerConfig, sample: Sample, k: int, jobs: int = 1) -> FoldScores:
    """Score each fold as if the model had been trained on everything else."""
    fold = folds(sample, k)
    every = [rows for f in range(k) if len(rows := np.flatnonzero(fold == f))]
    score = partial(score_without, store, make(config), sample)
    damped = np.zeros((len(sample), len(store.labels)))
    known = np.zeros(len(sample), np.int64)
    scale = np.ones(len(sample))
    for rows, scores in zip(every, ordered_map(score, every, jobs if can_fork() else 1), strict=True):
        damped[rows], known[rows], scale[rows] = scores
    return FoldScores(damped, known, scale)


def score_without(
    store: CountStore, scorer: Scorer, sample: Sample, rows: IntArray
) -> tuple[FloatArray, IntArray, FloatArray]:
    """Damped log scores, known tokens and damping of some messages by a model that never saw any of them."""
    return score_fold(store, scorer, sample, take_out(store, sample, rows, scorer.whole))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Fold:
    """Messages and the counts without them, for any scorer: what does not depend on the scorer, done once.

    `out` are the rows of the sample that are taken out of the counts, `rows` those of them to score.
    """

    rows: IntArray
    out: IntArray
    entries: Entries
    stats: Stats
    shapes: NDArray[np.bool_]


def take_out(
    store: CountStore, sample: Sample, rows: IntArray, whole: bool = False, out: IntArray | None = None
) -> Fold:
    """The fold of the messages `rows` of the sample, with `out` (by default the same) out of the counts.

    `whole` keeps the statistics of all tokens, for scorers whose bias looks at the whole vocabulary.
    """
    without = sample.entries.select(rows if out is None else out)
    used = np.arange(store.vocabulary) if whole else used_in(without, store.vocabulary)
    without = without.compact(used)
    stats, alive = stats_without(store, without, sample.labels[rows if out is None else out], used)
    if out is None:
        entries, out = without.only(alive, len(used)), rows
    else:
        entries = sample.entries.select(rows).only(used[alive], store.vocabulary)
    return Fold(rows, out, entries, _only(stats, alive), store.kinds[used[alive]] == SHAPE)


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
    return damped if sample.started is None else damped + sample.started[fold.rows], known, scale


def used_in(entries: Entries, vocabulary: int) -> IntArray:
    """The ids that occur, ascending; marks in a table take a tenth of the time of a sort."""
    marks = np.zeros(vocabulary, bool)
    marks[entries.ids] = True
    if entries.sequence is not None:
        marks[entries.sequence[entries.sequence >= 0]] = True
    return np.flatnonzero(marks)


def stats_without(
    store: CountStore, entries: Entries, labels: IntArray, used: IntArray
) -> tuple[Stats, IntArray]:
    """The statistics of the tokens `used` without these messages, and which of them are still there."""
    k = len(store.labels)
    cells = entries.ids * k + labels[entries.rows]
    shape = (len(used), k)
    messages = np.bincount(cells, minlength=len(used) * k).reshape(shape)
    tokens = np.bincount(cells, entries.counts, len(used) * k).astype(np.int64).reshape(shape)
    left = store.messages[used].astype(np.int64) - messages
    alive = np.flatnonzero(rows_with_any(left))
    words = store.kinds[used] == 1
    # Sums over the entries: those down the columns of the tables take four times as long.
    code = labels[entries.rows]
    word = np.flatnonzero(words[entries.ids])
    stats = Stats(
        (store.tokens[used].astype(np.int64) - tokens).astype(np.float64),
        left.astype(np.float64),
        (store.token_totals - np.bincount(code, entries.counts, k)).astype(np.float64),
        (store.presence_totals - np.bincount(code, minlength=k)).astype(np.float64),
        (store.message_totals - np.bincount(labels, minlength=k)).astype(np.float64),
        store.vocabulary - (len(used) - len(alive)),
        (store.word_totals - np.bincount(code[word], entries.counts[word], k)).astype(np.float64),
        store.word_vocabulary - int(words.sum()) + int(words[alive].sum()),
    )
    return stats, alive


def _only(stats: Stats, rows: IntArray) -> Stats:
    return Stats(
        stats.tokens[rows],
        stats.messages[rows],
        stats.token_totals,
        stats.presence_totals,
        stats.message_totals,
        stats.vocabulary,
        stats.word_totals,
        stats.word_vocabulary,
    )


def _columns_without(
    store: CountStore, config: ScorerConfig, sample: Sample, fold: Fold
) -> dict[str, FloatArray]:
    if not sample.categories and not sample.numbers:
        return {}
    tally = Tally()
    labels = [store.labels[c] for c in sample.labels[fold.out].tolist()]
    tally.add(Batch(len(fold.out), ()), labels, *_columns_of(sample, fold.out))
    rest = store.columns_only().minus(tally.finish()[0])
    terms = column_terms(rest, config, len(fold.rows), *_columns_of(sample, fold.rows))
    at = [store.labels.index(label) for label in rest.labels]
    return {name: _widened(values, at, len(store.labels)) for name, values in terms.items()}


def _columns_of(sample: Sample, rows: IntArray) -> tuple[dict[str, list[str]], dict[str, FloatArray]]:
    categories = {c: [values[i] for i in rows.tolist()] for c, values in sample.categories.items()}
    return categories, {c: values[rows] for c, values in sample.numbers.items()}


def _widened(values: FloatArray, at: list[int], width: int) -> FloatArray:
    """Terms of all classes; one of which no message is left says nothing."""
    out = np.zeros((len(values), width))
    out[:, at] = values
    return out
