"""Counts a stream of batches into a CountStore in one pass; memory grows with the vocabulary only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spamnb.core import (
    FloatArray,
    GrowableArray,
    IntArray,
    StringArray,
    distinct_values,
    release_memory,
    reorder_strings,
    run_starts,
    string_bounds,
)
from spamnb.counts.count_store import CountStore
from spamnb.counts.entries import repeated_pairs
from spamnb.counts.key_table import KeyTable
from spamnb.counts.moments import Moments
from spamnb.counts.pair_columns import NO_PAIRS, PairColumns, category_pairs, number_pairs
from spamnb.features import Batch, Stream

_TIDY = 64  # batches, about 64 MB, after which idle memory is released
_LARGE = 1 << 32  # occurrences of all tokens from which on counts take 64 bits

CategoryCounts = dict[str, dict[str, tuple[int, ...]]]
NumberMoments = dict[str, tuple[Moments, ...]]


class Tally:
    """Counts under construction. Tokens get ids in the order they come; `finish` sorts them by key."""

    def __init__(self, pairs: PairColumns = NO_PAIRS) -> None:
        self._vocabulary, self._columns = _Vocabulary(), _ColumnCounts(pairs)
        self._labels: dict[str, int] = {}
        self.codes = np.zeros(0, np.int64)  # of the labels added last
        self._totals: Counter[int] = Counter()
        # By id and label, id after id. 32 bits suffice while there are fewer tokens than they count.
        self._tokens = GrowableArray[Any](np.dtype(np.uint32))  # N_ic
        self._repeats = GrowableArray[Any](np.dtype(np.uint32))  # N_ic - D_ic: repeats within a message
        self._counted = self.batches = 0
        self._finished = False

    def add(
        self,
        batch: Batch,
        labels: Sequence[str],
        categories: Mapping[str, Sequence[str]] | None = None,
        numbers: Mapping[str, FloatArray] | None = None,
    ) -> list[IntArray]:
        """Counts one batch; returns this tally's ids of the tokens of each stream."""
        assert not self._finished
        self.batches += 1
        if self.batches % _TIDY == 0:
            release_memory()
        codes = self.codes = self._label_codes(labels)
        ids = [self._vocabulary.intern(stream) for stream in batch.streams]
        self._make_room(sum(map(len, ids)))
        one = self._tokens.dtype.type(1)  # with another type it takes ten times as long
        for rows, every in _by_kind(batch, ids):
            np.add.at(self._tokens.array, every * len(self._labels) + codes.take(rows), one)
            rows, every = repeated_pairs(rows, every, batch.size)
            np.add.at(self._repeats.array, every * len(self._labels) + codes.take(rows), one)
        self._columns.add(codes, categories or {}, numbers or {})
        return ids

    def _label_codes(self, labels: Sequence[str]) -> IntArray:
        known = self._labels
        for label in sorted(set(labels).difference(known)):
            known[label] = len(known)
        codes = np.fromiter(map(known.__getitem__, labels), np.int64, len(labels))
        self._totals.update(dict(enumerate(np.bincount(codes, minlength=len(known)).tolist())))
        return codes

    @property
    def messages(self) -> int:
        """The number of messages so far."""
        return sum(self._totals.values())

    @property
    def labels(self) -> dict[str, int]:
        """The code of each label."""
        return dict(sorted(self._labels.items()))

    def _make_room(self, more: int) -> None:
        """Makes the tables large enough for all tokens and classes, and for counts with so many more."""
        self._counted += more
        dtype = np.dtype(np.uint32 if self._counted < _LARGE else np.int64)
        if self._tokens.width != len(self._labels) or self._tokens.dtype != dtype:
            self._tokens = _widened(self._tokens, dtype, len(self._labels))
            self._repeats = _widened(self._repeats, dtype, len(self._labels))
        self._tokens.room(self._vocabulary.size)
        self._repeats.room(self._vocabulary.size)

    def finish(self) -> tuple[CountStore, IntArray]:
        """Returns the store, and for each id of this tally its row in the store; no batch can follow.

        Each table is released as soon as it is sorted, so that none exists twice for long.
        """
        self._make_room(0)
        self._finished = True
        codes = [code for _, code in sorted(self._labels.items())]
        order, keys, kinds, spellings = self._vocabulary.finish()
        tokens, again = self._finish_tables(order, codes)
        store = CountStore(
            tuple(sorted(self._labels)),
            np.array([self._totals[c] for c in codes], np.int64),
            *(keys, kinds, tokens, np.subtract(tokens, again, out=again), spellings),
            *(self._columns.categories(codes), self._columns.numbers(codes)),
        )
        release_memory()
        rows = np.empty(len(order), np.int64)
        rows[order] = np.arange(len(order))
        return store, rows

    def _finish_tables(self, order: NDArray[Any], codes: list[int]) -> tuple[NDArray[Any], NDArray[Any]]:
        tokens = _sorted_table(self._tokens, order, codes)
        self._tokens = GrowableArray(tokens.dtype)
        again = _sorted_table(self._repeats, order, codes)
        self._repeats = GrowableArray(again.dtype)
        return tokens, again


class _Vocabulary:
    """The tokens of a tally, by id: key, kind and spelling."""

    def __init__(self) -> None:
        self._table = KeyTable()
        self._kinds = GrowableArray(np.dtype(np.uint8))
        self._letters = GrowableArray(np.dtype(np.uint8))  # of all spellings, token after token
        self._sizes = GrowableArray(np.dtype(np.uint32))  # of the spellings, in bytes

    @property
    def size(self) -> int:
        return self._kinds.size

    def intern(self, stream: Stream) -> IntArray:
        """Returns the ids of a stream's tokens; adds new ones with their spelling."""
        ids = self._table.find(stream.keys)
        missing = np.flatnonzero(ids < 0)
        if len(missing):
            start, keys = self._table.size, stream.keys[missing]
            new = _by_frequency(keys)
            self._table.add(new)
            ids[missing] = self._table.find(keys)
            somewhere = np.empty(len(new), np.int64)
            somewhere[ids[missing] - start] = missing
            self._kinds.extend(np.full(len(new), stream.kind, np.uint8))
            spelled = stream.spell(somewhere)
            self._letters.extend(spelled.blob)
            self._sizes.extend(np.diff(spelled.ends, prepend=0).astype(np.uint32))
        return ids

    def finish(self) -> tuple[NDArray[Any], NDArray[np.uint64], NDArray[np.uint8], StringArray]:
        """Returns the ids in the order of their keys, and keys, kinds and spellings in that order."""
        keys, self._table = self._table.keys, KeyTable()
        release_memory()
        order = np.argsort(keys).astype(np.uint32 if len(keys) < 1 << 32 else np.int64)
        bounds = string_bounds(self._sizes.array)
        self._sizes = GrowableArray(self._sizes.dtype)
        spellings = reorder_strings(self._letters.array, bounds, order)
        self._letters = GrowableArray(self._letters.dtype)
        kinds = self._kinds.array[order]
        self._kinds = GrowableArray(self._kinds.dtype)
        return order, keys[order], kinds, spellings


class _ColumnCounts:
    """The counts of categorical columns and the moments of numeric ones, by label code."""

    def __init__(self, pairs: PairColumns) -> None:
        self._pairs = pairs
        self._categories: dict[str, Counter[tuple[str, int]]] = {}
        self._numbers: dict[str, dict[int, Moments]] = {}

    def add(
        self, codes: IntArray, categories: Mapping[str, Sequence[str]], numbers: Mapping[str, FloatArray]
    ) -> None:
        pairs_of = category_pairs(self._pairs.categorical, categories)
        for column, values in chain(categories.items(), pairs_of):
            pairs = (pair for pair in zip(values, codes.tolist(), strict=True) if pair[0])
            self._categories.setdefault(column, Counter()).update(pairs)
        for c in distinct_values(codes).tolist():
            rows = np.flatnonzero(codes == c)
            for column, array in numbers.items():
                self._add_moments(column, c, Moments.of(array[rows].tolist()))
            for column, moments in number_pairs(self._pairs.numeric, numbers, rows):
                self._add_moments(column, c, moments)

    def _add_moments(self, column: str, c: int, moments: Moments) -> None:
        seen = self._numbers.setdefault(column, {})
        seen[c] = seen.get(c, Moments()).plus(moments)

    def categories(self, codes: list[int]) -> CategoryCounts:
        columns = {}
        for column, seen in sorted(self._categories.items()):
            values = sorted({value for value, _ in seen})
            if values:
                columns[column] = {value: tuple(seen[value, c] for c in codes) for value in values}
        return columns

    def numbers(self, codes: list[int]) -> NumberMoments:
        rows = {n: tuple(seen.get(c, Moments()) for c in codes) for n, seen in sorted(self._numbers.items())}
        return {name: row for name, row in rows.items() if any(m.count for m in row)}


def _by_kind(batch: Batch, ids: list[IntArray]) -> list[tuple[IntArray, IntArray]]:
    """Returns rows and ids of all tokens by kind: tokens of different kinds are never the same."""
    groups: dict[int, list[tuple[IntArray, IntArray]]] = {}
    for stream, every in zip(batch.streams, ids, strict=True):
        groups.setdefault(stream.kind, []).append((stream.rows, every))
    return [
        pairs[0]
        if len(pairs) == 1
        else (np.concatenate([r for r, _ in pairs]), np.concatenate([i for _, i in pairs]))
        for pairs in groups.values()
    ]


def _by_frequency(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Returns the distinct keys, the most frequent first: the table finds the first ones fastest."""
    ordered = np.sort(keys)
    first = run_starts(ordered)
    times = np.minimum(np.diff(first, append=len(ordered)), 0xFFFF).astype(np.uint16)
    return ordered[first[np.argsort(0xFFFF - times, kind="stable")]]  # of 16-bit numbers a radix sort


def _widened(table: GrowableArray[Any], dtype: np.dtype[Any], columns: int) -> GrowableArray[Any]:
    """Returns the same table for more classes or larger counts."""
    bigger: GrowableArray[Any] = GrowableArray(dtype, max(1, columns))
    bigger.room(table.size)
    for c in range(table.width):
        bigger.array[c :: bigger.width] = table.array[c :: table.width]
    return bigger


def _sorted_table(table: GrowableArray[Any], order: NDArray[Any], codes: list[int]) -> NDArray[Any]:
    """Returns the rows of a table in this order, with the classes in theirs."""
    rows = np.empty((len(order), len(codes)), table.dtype)
    for new, old in enumerate(codes):
        rows[:, new] = table.array[old :: table.width].take(order)
    return rows


def count(
    batch: Batch,
    labels: Sequence[str],
    categories: Mapping[str, Sequence[str]] | None = None,
    numbers: Mapping[str, FloatArray] | None = None,
    pairs: PairColumns = NO_PAIRS,
) -> CountStore:
    """Counts one batch of labelled messages."""
    tally = Tally(pairs)
    tally.add(batch, labels, categories, numbers)
    return tally.finish()[0]
