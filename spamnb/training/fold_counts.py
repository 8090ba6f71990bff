"""Counts each fold of a sample separately, so that any folds can be subtracted from the store.

Counting the messages of two folds again for each of the ten pairs of five folds, and scoring them, took
0.45 s on 6,000 mails with 1.5 million entries. Counting each fold once takes 0.1 s, the pairs then 0.18 s.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from spamnb.core import IntArray, Record
from spamnb.counts import CountStore, Entries, are_grams, rows_with_any
from spamnb.features import SHAPE
from spamnb.scorers import ClassTotals, Stats

WORD = 1


class Fold(Record):
    """Messages and the counts without them: all that does not depend on the scorer.

    `out` are the rows of the sample that are subtracted from the counts, `rows` those of them to score.
    `tokens` are the store's rows of the tokens that the statistics are of.
    """

    rows: IntArray
    out: IntArray
    entries: Entries
    stats: Stats
    shapes: NDArray[np.bool_]
    tokens: IntArray


class Cells(Record):
    """N_ic and D_ic of one fold where they are not zero, with their places `at` = i K + c."""

    at: IntArray
    tokens: IntArray
    messages: IntArray

    @classmethod
    def of(cls, entries: Entries, labels: IntArray, vocabulary: int, classes: int) -> Cells:
        cells, size = entries.ids * classes + labels[entries.rows], vocabulary * classes
        messages = np.bincount(cells, minlength=size)
        at = np.flatnonzero(messages)
        tokens = np.bincount(cells, entries.counts, size)[at].astype(np.int64)
        return cls(at, tokens, messages[at])

    def among(self, place: IntArray, classes: int) -> Cells:
        """Returns the cells of tokens that have a place, at their places."""
        ids = place[self.at // classes]
        shared = np.flatnonzero(ids >= 0)
        at = ids[shared] * classes + self.at[shared] % classes
        return Cells(at, self.tokens[shared], self.messages[shared])

    def at_tokens(self, tokens: IntArray, classes: int) -> Cells:
        """Returns the same cells with `tokens[i]` in place of token i."""
        at = tokens[self.at // classes] * classes + self.at % classes
        return Cells(at, self.tokens, self.messages)


class SharedTokens(Record):
    """The tokens that messages of the sample share with others: their rows in the store, kinds and counts."""

    rows: IntArray
    kinds: NDArray[np.uint8]
    tokens: IntArray
    messages: IntArray

    @classmethod
    def of(cls, store: CountStore, rows: IntArray) -> SharedTokens:
        return cls(rows, store.kinds[rows], store.tokens[rows], store.messages[rows])


class FoldCounts:
    """The counts of a sample in folds; the ids of its entries are rows of the store.

    `whole` keeps the statistics of all tokens, for scorers whose bias needs the full vocabulary; else they
    are of the tokens that a message of the sample shares with another one.
    """

    def __init__(
        self, store: CountStore, entries: Entries, labels: IntArray, fold: IntArray, k: int, whole: bool
    ) -> None:
        self.fold, self.rows = fold, [np.flatnonzero(fold == f) for f in range(k)]
        self._store, self._whole, classes = store, whole, len(store.labels)
        used = entries.used(store.vocabulary)
        compact = entries.compact(used)  # tables of all tokens of the store take longer to make than to fill
        parts = [compact.select(rows) for rows in self.rows]
        labelled = [(part, labels[rows]) for part, rows in zip(parts, self.rows, strict=True)]
        cells = [Cells.of(*part, len(used), classes) for part in labelled]
        self._every = [each.at_tokens(used, classes) for each in cells]
        kinds = store.kinds[used]
        self._totals = [_totals(kinds, classes, *part) for part in labelled]
        times = _times(store.messages[used])
        shared = np.flatnonzero(times > 1)
        # Each fold begins with these: picking them took as long as all the rest of a fold.
        self._shared = SharedTokens.of(store, used[shared])
        place = np.full(len(used), -1, np.int64)
        place[shared] = np.arange(len(shared))
        self._cells = self._every if whole else [each.among(place, classes) for each in cells]
        self._parts = [
            entries.select(rows) if whole else part.only(shared, len(used))
            for part, rows in zip(parts, self.rows, strict=True)
        ]
        # Without the only message of a token, nothing is left of the token.
        alone = [ids[times[ids] == 1] for ids in (each.at // classes for each in cells)]
        self._lost = [_sizes(kinds[ids]) for ids in alone]

    def stats(self, out: Sequence[int], every: bool = False) -> tuple[Stats, NDArray[np.bool_]]:
        """Returns the statistics without some folds, maybe of every token, and which tokens are left."""
        store, every = self._store, every or self._whole
        table = store if every else self._shared
        kinds, tokens, left = table.kinds, table.tokens.astype(np.int64), table.messages.astype(np.int64)
        for cells in ((self._every if every else self._cells)[f] for f in out):
            tokens.reshape(-1)[cells.at] -= cells.tokens
            left.reshape(-1)[cells.at] -= cells.messages
        present = rows_with_any(left)
        gone = [_sizes(kinds[~present])] + [self._lost[f] for f in out if not every]
        lost, lost_words, lost_grams = (sum(sizes) for sizes in zip(*gone, strict=True))
        taken = np.sum([self._totals[f] for f in out], axis=0)
        stats = Stats(
            tokens.astype(np.float64),
            left.astype(np.float64),
            ClassTotals(*(np.array(ClassTotals.of(store)) - taken)),
            are_grams(kinds),
            store.vocabulary - lost,
            store.word_vocabulary - lost_words,
            store.gram_vocabulary - lost_grams,
            store.labels,
        )
        return stats, present

    def take_out(self, out: Sequence[int], score: Sequence[int] | None = None) -> Fold:
        """Returns the messages of some folds and the counts without them; `score` are the folds to score."""
        chosen = out if score is None else score
        stats, present = self.stats(out)
        rows, taken = (np.concatenate([self.rows[f] for f in some]) for some in (chosen, out))
        entries = Entries.concat([self._parts[f].where(present) for f in chosen])
        shapes = (self._store if self._whole else self._shared).kinds == SHAPE
        if self._whole:  # the bias looks at every row
            alive = np.flatnonzero(present)
            return Fold(rows, taken, entries.compact(alive), only(stats, alive), shapes[alive], alive)
        return Fold(rows, taken, entries, stats, shapes, self._shared.rows)


def _times(messages: IntArray) -> IntArray:
    """Counts the messages of any class with each token."""
    times = np.zeros(len(messages), np.int64)
    for column in messages.T:
        times += column
    return times


def _sizes(kinds: NDArray[np.uint8]) -> tuple[int, int, int]:
    """Counts the tokens, the words among them, and those of several words."""
    return len(kinds), int((kinds == WORD).sum()), int(are_grams(kinds).sum())


def _totals(kinds: NDArray[np.uint8], k: int, entries: Entries, labels: IntArray) -> NDArray[np.float64]:
    """Counts (4, classes): tokens, tokens once a message, messages, and words."""
    code = labels[entries.rows]
    words = np.flatnonzero(kinds[entries.ids] == WORD)
    return np.array(
        [
            np.bincount(code, entries.counts, k),
            np.bincount(code, minlength=k),
            np.bincount(labels, minlength=k),
            np.bincount(code[words], entries.counts[words], k),
        ]
    )


def only(stats: Stats, rows: IntArray) -> Stats:
    """Returns the statistics of some of the tokens."""
    return stats.replace(
        tokens=stats.tokens[rows], messages=stats.messages[rows], is_ngram=stats.is_ngram[rows]
    )
