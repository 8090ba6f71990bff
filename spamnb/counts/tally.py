"""Counting a stream of batches into a CountStore in one pass; memory grows with the vocabulary only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
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
from spamnb.features import Batch, Stream

_TIDY = 64  # batches, about 64 MB, after which what lies idle is given back
_LARGE = 1 << 32  # occurrences of all tokens, from which on counts take 64 bits


class Tally:
    """Counts under construction. Tokens get ids in the order they are met; `finish` sorts them by key."""

    def __init__(self) -> None:
        self._table = KeyTable()
        self._finished = False
        self._kinds = GrowableArray(np.dtype(np.uint8))
        self._letters = GrowableArray(np.dtype(np.uint8))  # of all spellings, token after token
        self._sizes = GrowableArray(np.dtype(np.uint32))  # of the spellings, in bytes
        self._labels: dict[str, int] = {}
        self.codes = np.zeros(0, np.int64)  # of the labels added last
        self._totals: Counter[int] = Counter()
        # By id and label, id after id. 32 bits suffice while there are fewer tokens than they count.
        self._tokens = GrowableArray[Any](np.dtype(np.uint32))  # N_ic
        self._repeats = GrowableArray[Any](
            np.dtype(np.uint32)
        )  # N_ic - D_ic: what comes again within a message
        self._counted = self._batches = 0
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
        self._batches += 1
        if self._batches % _TIDY == 0:
            release_memory()
        codes = self.codes = self._label_codes(labels)
        ids = [self._intern(stream) for stream in batch.streams]
        self._room(sum(map(len, ids)))
        one = self._tokens.dtype.type(1)  # of another type it takes ten times as long
        for rows, every in _by_kind(batch, ids):
            np.add.at(self._tokens.array, every * len(self._labels) + codes.take(rows), one)
            rows, every = repeated_pairs(rows, every, batch.size)
            np.add.at(self._repeats.array, every * len(self._labels) + codes.take(rows), one)
        self._add_columns(codes, categories or {}, numbers or {})
        return ids

    def _label_codes(self, labels: Sequence[str]) -> IntArray:
        known = self._labels
        for label in sorted(set(labels).difference(known)):
            known[label] = len(known)
        codes = np.fromiter(map(known.__getitem__, labels), np.int64, len(labels))
        self._totals.update(dict(enumerate(np.bincount(codes, minlength=len(known)).tolist())))
        return codes

    @property
    def labels(self) -> dict[str, int]:
        """The code of each label."""
        return dict(sorted(self._labels.items()))

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
            self._kinds.extend(np.full(len(new), stream.kind, np.uint8))
            spelled = stream.spell(somewhere)
            self._letters.extend(spelled.blob)
            self._sizes.extend(np.diff(spelled.ends, prepend=0).astype(np.uint32))
        return ids

    def _room(self, more: int) -> None:
        """Make the tables large enough for all tokens and classes, and for counts with so many more."""
        self._counted += more
        kind = np.dtype(np.uint32 if self._counted < _LARGE else np.uint64)
        if self._tokens.width != len(self._labels) or self._tokens.dtype != kind:
            self._tokens = _as(self._tokens, kind, len(self._labels))
            self._repeats = _as(self._repeats, kind, len(self._labels))
        self._tokens.room(self._table.size)
        self._repeats.room(self._table.size)

    def _add_columns(
        self, codes: IntArray, categories: Mapping[str, Sequence[str]], numbers: Mapping[str, FloatArray]
    ) -> None:
        for column, values in categories.items():
            pairs = (pair for pair in zip(values, codes.tolist(), strict=True) if pair[0])
            self._categories.setdefault(column, Counter()).update(pairs)
        for column, array in numbers.items():
            seen = self._numbers.setdefault(column, {})
            for c in distinct_values(codes).tolist():
                seen[c] = seen.get(c, Moments()).plus(Moments.of(array[codes == c].tolist()))

    def finish(self) -> tuple[CountStore, IntArray]:
        """The store, and for each id of this tally its row in the store; then it takes no more batches.

        Tables are given up as soon as they are in order: nothing is there twice for long.
        """
        self._room(0)
        self._finished, keys, self._table = True, self._table.keys, KeyTable()
        release_memory()
        order = np.argsort(keys).astype(np.uint32 if len(keys) < 1 << 32 else np.int64)
        spellings = self._spelled(order)
        codes = [code for _, code in sorted(self._labels.items())]
        tokens, again = self._counts(order, codes)
        store = CountStore(
            tuple(sorted(self._labels)),
            np.array([self._totals[c] for c in codes], np.int64),
            keys[order],
            self._kinds.array[order],
            tokens,
            np.subtract(tokens, again, out=again),
            spellings,
            self._finish_categories(codes),
            self._finish_numbers(codes),
        )
        del keys
        self._kinds = GrowableArray(self._kinds.dtype)
        release_memory()
        rows = np.empty(len(order), np.int64)
        rows[order] = np.arange(len(order))
        return store, rows

    def _spelled(self, order: NDArray[Any]) -> StringArray:
        bounds = string_bounds(self._sizes.array)
        self._sizes = GrowableArray(self._sizes.dtype)
        spelled = reorder_strings(self._letters.array, bounds, order)
        self._letters = GrowableArray(self._letters.dtype)
        return spelled

    def _counts(self, order: NDArray[Any], codes: list[int]) -> tuple[NDArray[Any], NDArray[Any]]:
        tokens = _in_order(self._tokens, order, codes)
        self._tokens = GrowableArray(tokens.dtype)
        again = _in_order(self._repeats, order, codes)
        self._repeats = GrowableArray(again.dtype)
        return tokens, again

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
    first = run_starts(ordered)
    times = np.minimum(np.diff(first, append=len(ordered)), 0xFFFF).astype(np.uint16)
    return ordered[first[np.argsort(0xFFFF - times, kind="stable")]]  # of 16-bit numbers a radix sort


def _as(table: GrowableArray[Any], kind: np.dtype[Any], columns: int) -> GrowableArray[Any]:
    """The same table for more classes or larger counts."""
    bigger: GrowableArray[Any] = GrowableArray(kind, max(1, columns))
    bigger.room(table.size)
    for c in range(table.width):
        bigger.array[c :: bigger.width] = table.array[c :: table.width]
    return bigger


def _in_order(table: GrowableArray[Any], order: NDArray[Any], codes: list[int]) -> NDArray[Any]:
    """The rows of a table in this order, with the classes in theirs."""
    found = np.empty((len(order), len(codes)), table.dtype)
    for new, old in enumerate(codes):
        found[:, new] = table.array[old :: table.width].take(order)
    return found


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
