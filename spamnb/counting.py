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
from spamnb.sparse import Batch, Entries, Stream, changes
from spamnb.spellings import Spellings, joined


class Tally:
    """Counts under construction. Tokens get ids in the order they are met; `finish` sorts them by key."""

    def __init__(self, order: int = 0, lengths: bool = False) -> None:
        self._order = order  # how many words back the scorer looks: entries carry that sequence
        self._lengths = lengths  # whether entries carry the lengths of messages
        self._table = KeyTable()
        self._keys: list[NDArray[np.uint64]] = []
        self._kinds: list[NDArray[np.uint8]] = []
        self._spellings: list[Spellings] = []
        self._labels: dict[str, int] = {}
        self._totals: Counter[int] = Counter()
        self._messages = np.zeros((0, 0), np.int64)  # D_ic by id and label
        self._repeats = np.zeros((0, 0), np.int64)  # N_ic - D_ic: what comes again within a message
        self._categories: dict[str, Counter[tuple[str, int]]] = {}
        self._numbers: dict[str, dict[int, Moments]] = {}

    def add(
        self,
        batch: Batch,
        labels: Sequence[str],
        categories: Mapping[str, Sequence[str]] | None = None,
        numbers: Mapping[str, FloatArray] | None = None,
    ) -> Entries:
        """Count one batch; returns its entries, with this tally's ids."""
        codes = self._label_codes(labels)
        entries = Entries.of(
            batch, [self._intern(stream) for stream in batch.streams], self._order, self._lengths
        )
        self._room()
        cells = entries.ids * len(self._labels) + codes[entries.rows]
        np.add.at(self._messages.reshape(-1), cells, 1)
        again = np.flatnonzero(entries.counts > 1)
        np.add.at(self._repeats.reshape(-1), cells[again], entries.counts[again] - 1)
        self._add_columns(codes, categories or {}, numbers or {})
        return entries

    def _label_codes(self, labels: Sequence[str]) -> IntArray:
        known = self._labels
        for label in sorted(set(labels).difference(known)):
            known[label] = len(known)
        codes = np.fromiter(map(known.__getitem__, labels), np.int64, len(labels))
        self._totals.update(dict(enumerate(np.bincount(codes, minlength=len(known)).tolist())))
        return codes

    def _intern(self, stream: Stream) -> IntArray:
        """The ids of a stream's tokens; new ones are added to the vocabulary with their spelling."""
        ids = self._table.find(stream.keys)
        missing = np.flatnonzero(ids < 0)
        if len(missing):
            new, numbers, first = _by_frequency(stream.keys[missing])
            ids[missing] = self._table.size + numbers
            self._table.add(new)
            self._keys.append(new)
            self._kinds.append(np.full(len(new), stream.kind, np.uint8))
            self._spellings.append(stream.spell(missing[first]))
        return ids

    def _room(self) -> None:
        """Make the tables large enough for all tokens and classes, with as much again for those to come."""
        rows, columns = self._table.size, len(self._labels)
        if self._messages.shape[0] < rows or self._messages.shape[1] < columns:
            self._messages = _grown(self._messages, 2 * rows, columns)
            self._repeats = _grown(self._repeats, 2 * rows, columns)

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
        """The store, and for each id of this tally its row in the store."""
        self._room()
        keys = np.concatenate(self._keys) if self._keys else np.zeros(0, np.uint64)
        order = np.argsort(keys)
        labels = sorted(self._labels)
        codes = np.array([self._labels[label] for label in labels], np.int64)
        kinds = np.concatenate(self._kinds) if self._kinds else np.zeros(0, np.uint8)
        messages = np.ascontiguousarray(self._messages.take(order, axis=0)[:, codes])
        store = CountStore(
            tuple(labels),
            np.array([self._totals[c] for c in codes.tolist()], np.int64),
            keys[order],
            kinds[order],
            messages + np.ascontiguousarray(self._repeats.take(order, axis=0)[:, codes]),
            messages,
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


def _by_frequency(keys: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], IntArray, IntArray]:
    """The different keys, the most frequent first: the table finds the first ones fastest.

    With them the number of each given key among them, and where each of them stands.

    >>> [found.tolist() for found in _by_frequency(np.array([7, 5, 7], np.uint64))]
    [[7, 5], [0, 1, 0], [0, 1]]
    """
    order = np.argsort(keys)
    ordered = keys[order]
    begin = changes(ordered)
    times = np.diff(begin, append=len(ordered))
    rare = 0xFFFF - np.minimum(times, 0xFFFF).astype(np.uint16)
    rank = np.argsort(rare, kind="stable")  # of 16-bit numbers a radix sort
    number = np.empty(len(rank), np.int64)
    number[rank] = np.arange(len(rank))
    numbers = np.empty(len(keys), np.int64)
    numbers[order] = np.repeat(number, times)
    return ordered[begin[rank]], numbers, order[begin[rank]]


def _grown(table: IntArray, rows: int, columns: int) -> IntArray:
    bigger = np.zeros((rows, columns), np.int64)
    bigger[: table.shape[0], : table.shape[1]] = table
    return bigger


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
