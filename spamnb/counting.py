"""Counting a stream of batches into a CountStore in one pass; memory grows with the vocabulary only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from spamnb.counts import CountStore
from spamnb.keytable import KeyTable
from spamnb.message import FloatArray, IntArray
from spamnb.moments import Moments
from spamnb.sparse import Batch, Stream, changes, repeats
from spamnb.spellings import Spellings, joined


class Tally:
    """Counts under construction. Tokens get ids in the order they are met; `finish` sorts them by key."""

    def __init__(self) -> None:
        self._table = KeyTable()
        self._finished = False
        self._keys: list[NDArray[np.uint64]] = []
        self._kinds: list[NDArray[np.uint8]] = []
        self._spellings: list[Spellings] = []
        self._labels: dict[str, int] = {}
        self.codes = np.zeros(0, np.int64)  # of the labels added last; `coded` takes digests apart by them
        self._totals: Counter[int] = Counter()
        self._columns = 0
        self._tokens = np.zeros(0, np.int64)  # N_ic by id and label, id after id
        self._repeats = np.zeros(0, np.int64)  # N_ic - D_ic: what comes again within a message
        self._categories: dict[str, Counter[tuple[str, int]]] = {}
        self._numbers: dict[str, dict[int, Moments]] = {}

    def add(
        self,
        batch: Batch,
        labels: Sequence[str],
        categories: Mapping[str, Sequence[str]] | None = None,
        numbers: Mapping[str, FloatArray] | None = None,
    ) -> list[IntArray]:
        """Count one batch; returns this tally's ids of the tokens of each stream."""
        assert not self._finished
        codes = self.codes = self._label_codes(labels)
        ids = [self._intern(stream) for stream in batch.streams]
        self._room()
        for rows, every in _by_kind(batch, ids):
            np.add.at(self._tokens, every * len(self._labels) + codes.take(rows), 1)
            rows, every = repeats(rows, every, batch.size)
            np.add.at(self._repeats, every * len(self._labels) + codes.take(rows), 1)
        self._add_columns(codes, categories or {}, numbers or {})
        return ids

    def _label_codes(self, labels: Sequence[str]) -> IntArray:
        known = self._labels
        for label in sorted(set(labels).difference(known)):
            known[label] = len(known)
        codes = np.fromiter(map(known.__getitem__, labels), np.int64, len(labels))
        self._totals.update(dict(enumerate(np.bincount(codes, minlength=len(known)).tolist())))
        return codes

    def coded(self, values: NDArray[np.uint64], codes: IntArray) -> dict[str, NDArray[np.uint64]]:
        """Values by label, ascending."""
        return {label: np.sort(values[codes == code]) for label, code in sorted(self._labels.items())}

    def _intern(self, stream: Stream) -> IntArray:
        """The ids of a stream's tokens; new ones are added to the vocabulary with their spelling."""
        ids = self._table.find(stream.keys)
        missing = np.flatnonzero(ids < 0)
        if len(missing):
            start, keys = self._table.size, stream.keys[missing]
            new = _by_frequency(keys)
            self._table.add(new)
            ids[missing] = self._table.find(keys)
            somewhere = np.empty(len(new), np.int64)
            somewhere[ids[missing] - start] = missing
            self._keys.append(new)
            self._kinds.append(np.full(len(new), stream.kind, np.uint8))
            self._spellings.append(stream.spell(somewhere))
        return ids

    def _room(self) -> None:
        """Make the tables large enough for all tokens and classes, with as much again for those to come."""
        rows, columns = self._table.size, len(self._labels)
        if len(self._tokens) < rows * columns or columns > self._columns:
            self._tokens = _grown(self._tokens, self._columns, 2 * rows, columns)
            self._repeats = _grown(self._repeats, self._columns, 2 * rows, columns)
            self._columns = columns

    def _add_columns(
        self, codes: IntArray, categories: Mapping[str, Sequence[str]], numbers: Mapping[str, FloatArray]
    ) -> None:
        for column, values in categories.items():
            pairs = (pair for pair in zip(values, codes.tolist(), strict=True) if pair[0])
            self._categories.setdefault(column, Counter()).update(pairs)
        for column, array in numbers.items():
            seen = self._numbers.setdefault(column, {})
            for c in np.unique(codes).tolist():
                seen[c] = seen.get(c, Moments()).plus(Moments.of(array[codes == c].tolist()))

    def finish(self) -> tuple[CountStore, IntArray]:
        """The store, and for each id of this tally its row in the store; then it takes no more batches."""
        self._room()
        self._finished, self._table = True, KeyTable()  # the table took nearly half of the memory
        keys = np.concatenate(self._keys) if self._keys else np.zeros(0, np.uint64)
        order = np.argsort(keys)
        labels = sorted(self._labels)
        codes = np.array([self._labels[label] for label in labels], np.int64)
        kinds = np.concatenate(self._kinds) if self._kinds else np.zeros(0, np.uint8)
        tokens, again = (
            np.ascontiguousarray(table.reshape(-1, max(1, self._columns)).take(order, axis=0)[:, codes])
            for table in (self._tokens, self._repeats)
        )
        store = CountStore(
            tuple(labels),
            np.array([self._totals[c] for c in codes.tolist()], np.int64),
            keys[order],
            kinds[order],
            tokens,
            tokens - again,
            joined(self._spellings).take(order),
            self._finish_categories(codes.tolist()),
            self._finish_numbers(codes.tolist()),
        )
        rows = np.empty_like(order)
        rows[order] = np.arange(len(order))
        return store, rows

    def _finish_categories(self, codes: list[int]) -> dict[str, dict[str, tuple[int, ...]]]:
        result = {}
        for column, seen in sorted(self._categories.items()):
            values = sorted({value for value, _ in seen})
            if values:
                result[column] = {value: tuple(seen[value, c] for c in codes) for value in values}
        return result

    def _finish_numbers(self, codes: list[int]) -> dict[str, tuple[Moments, ...]]:
        rows = {n: tuple(seen.get(c, Moments()) for c in codes) for n, seen in sorted(self._numbers.items())}
        return {name: row for name, row in rows.items() if any(m.count for m in row)}


def _by_kind(batch: Batch, ids: list[IntArray]) -> list[tuple[IntArray, IntArray]]:
    """Rows and ids of all tokens, those of one kind together: others are never the same token."""
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
    """The different keys, the most frequent first: the table finds the first ones fastest."""
    ordered = np.sort(keys)
    first = changes(ordered)
    times = np.minimum(np.diff(first, append=len(ordered)), 0xFFFF).astype(np.uint16)
    return ordered[first[np.argsort(0xFFFF - times, kind="stable")]]  # of 16-bit numbers a radix sort


def _grown(table: IntArray, width: int, rows: int, columns: int) -> IntArray:
    bigger = np.zeros((rows, columns), np.int64)
    if len(table):
        old = table.reshape(-1, width)
        bigger[: len(old), :width] = old
    return bigger.reshape(-1)


def count(
    batch: Batch,
    labels: Sequence[str],
    categories: Mapping[str, Sequence[str]] | None = None,
    numbers: Mapping[str, FloatArray] | None = None,
) -> CountStore:
    """The counts of one batch of labelled messages."""
    tally = Tally()
    tally.add(batch, labels, categories, numbers)
    return tally.finish()[0]
