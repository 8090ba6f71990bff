"""Holds the counts of K classes as integers, so that they add, subtract and merge exactly."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spamnb.core import IntArray, Record, StringArray
from spamnb.counts.moments import Moments
from spamnb.errors import DataError
from spamnb.features import SHAPE, KeyArray

CategoryCounts = Mapping[str, Mapping[str, tuple[int, ...]]]  # column -> value -> messages of each class
ColumnMoments = Mapping[str, tuple[Moments, ...]]  # column -> moments of each class
LARGEST = (1 << 63) - 1


class CountStore(Record):
    """Counts by token and class; rows ascend by key and no row is all zero, so equal contents are equal bits.

    `tokens[i, c]` is N_ic (occurrences of token i in class c), `messages[i, c]` is D_ic (messages of class c
    that hold it), `message_totals[c]` is D_c; `kinds[i]` is n for a word n-gram and 0 for any other token.
    All counts of a store add up to at most LARGEST. Tables have at most 32 unsigned or 64 signed bits: numpy
    adds int64 and uint64 as floating-point numbers, which are exact to 2^53 only.
    """

    labels: tuple[str, ...]
    message_totals: IntArray
    keys: KeyArray
    kinds: NDArray[np.uint8]
    tokens: IntArray
    messages: IntArray
    spellings: StringArray
    categories: CategoryCounts = MappingProxyType({})
    numbers: ColumnMoments = MappingProxyType({})

    @classmethod
    def empty(cls, labels: tuple[str, ...] = ()) -> CountStore:
        table, totals = np.zeros((0, len(labels)), np.int64), np.zeros(len(labels), np.int64)
        keys, kinds = np.zeros(0, np.uint64), np.zeros(0, np.uint8)
        return cls(labels, totals, keys, kinds, table, table, StringArray.of([]))

    def columns_only(self) -> CountStore:
        """Returns this store without its tokens: its messages, categories and numbers."""
        return CountStore.empty(self.labels).replace(
            message_totals=self.message_totals, categories=self.categories, numbers=self.numbers
        )

    def with_totals(self, token: IntArray, presence: IntArray, word: IntArray, words: int) -> CountStore:
        """Sets the sums where they are known: adding up a large table takes longer than scoring a message."""
        known = {"token_totals": token, "presence_totals": presence, "word_totals": word}
        self.__dict__.update(known, word_vocabulary=words)
        return self

    @cached_property
    def token_totals(self) -> IntArray:
        """N_c: all token occurrences of each class."""
        return column_sums(self.tokens)

    @cached_property
    def presence_totals(self) -> IntArray:
        """The sum over tokens of D_ic: all occurrences of each class when a token counts once per message."""
        return column_sums(self.messages)

    @cached_property
    def word_totals(self) -> IntArray:
        """N_c of single words only."""
        return column_sums(self.tokens, np.flatnonzero(self.kinds == 1))

    @cached_property
    def word_vocabulary(self) -> int:
        """The number of tokens that are single words."""
        return int(np.count_nonzero(self.kinds == 1))

    @cached_property
    def gram_vocabulary(self) -> int:
        """The number of tokens of several words."""
        return int(np.count_nonzero(are_grams(self.kinds)))

    @property
    def vocabulary(self) -> int:
        return len(self.keys)

    def prune(self, min_messages: int) -> CountStore:
        """Drops the tokens that fewer than `min_messages` messages hold."""
        return self.rows(np.flatnonzero(self.messages.sum(axis=1) >= min_messages))

    def find(self, keys: KeyArray) -> IntArray:
        """Returns the row of each key, -1 where unknown; reads few pages of a mapped file for a few keys."""
        if not self.vocabulary:
            return np.full(len(keys), -1, np.int64)
        at = np.minimum(np.searchsorted(self.keys, keys), self.vocabulary - 1)
        return np.where(self.keys[at] == keys, at, -1)

    def rows(self, which: IntArray) -> CountStore:
        """Returns the store with only these rows."""
        return self.replace(
            keys=self.keys[which],
            kinds=self.kinds[which],
            tokens=self.tokens[which],
            messages=self.messages[which],
            spellings=self.spellings.take(which),
        )


def are_grams(kinds: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    """Marks the tokens of several words."""
    return np.asarray((kinds > 1) & (kinds < SHAPE))


def rows_with_any(table: IntArray) -> NDArray[np.bool_]:
    """Marks the rows that are not all zero; any(axis=1) over two columns takes ten times as long."""
    marks = np.zeros(len(table), bool)
    for column in table.T:
        marks |= column != 0
    return marks


def column_sums(table: IntArray, rows: IntArray | None = None) -> IntArray:
    """Sums each column, of some rows or all; sum(axis=0) of two columns takes twenty times as long."""
    columns = (column if rows is None else column[rows] for column in table.T)
    return np.array([column.sum(dtype=np.int64) for column in columns], np.int64)


def sum_of_sizes(table: IntArray) -> int:
    """Returns the sum of |n| over a table, exactly: 64 bits could overflow.

    >>> sum_of_sizes(np.array([[-(1 << 63), (1 << 63) - 1]])) == (1 << 64) - 1
    True
    """
    sizes = np.abs(table.astype(np.int64, copy=False)).view(np.uint64)  # |-2^63| is 2^63 when unsigned
    high, low = (sizes >> np.uint64(32)).sum(), (sizes & np.uint64(0xFFFFFFFF)).sum()
    return (int(high) << 32) + int(low)


def canonical(store: CountStore) -> CountStore:
    """Drops rows and classes that have become zero; refuses counts that no messages can have."""
    if not (possible_tokens(store) and possible_columns(store)):
        raise DataError(
            "cannot forget what was never learned: the counts would not add up; nothing was changed",
            hint="check that the messages and their labels are exactly those that were learned",
        )
    store = store.rows(np.flatnonzero(rows_with_any(store.messages)))
    return _without_empty_labels(store)


def possible_tokens(store: CountStore) -> bool:
    """Tells whether 0 <= D_ic <= D_c, D_ic <= N_ic, and N_ic = 0 where D_ic = 0.

    Where D_ic <= N_ic, as many N_ic as D_ic are zero only if they are zero in the same places.
    """
    tokens, messages = store.tokens, store.messages
    if messages.dtype.kind == "i" and messages.min(initial=0) < 0:
        return False
    totals = store.message_totals.tolist()
    if int(messages.max(initial=0)) > min(totals, default=0):  # of a whole table it takes a tenth of the time
        pairs = zip(messages.T, totals, strict=True)
        if any(int(column.max()) > total for column, total in pairs):
            return False
    return bool((tokens >= messages).all()) and np.count_nonzero(tokens) == np.count_nonzero(messages)


def possible_columns(store: CountStore) -> bool:
    """Tells whether columns are possible: no count or variance below 0, no more values than messages."""
    totals = store.message_totals.tolist()
    if min(totals, default=0) < 0:
        return False
    for column in store.categories.values():
        if min((n for row in column.values() for n in row), default=0) < 0:
            return False
        if any(sum(row[c] for row in column.values()) > n for c, n in enumerate(totals)):
            return False
    moments = [(m, n) for row in store.numbers.values() for m, n in zip(row, totals, strict=True)]
    return all(0 <= m.count <= n and m.is_possible for m, n in moments)


def _without_empty_labels(store: CountStore) -> CountStore:
    keep = np.flatnonzero(store.message_totals)
    if len(keep) == len(store.labels):
        return store
    chosen = keep.tolist()
    return store.replace(
        labels=tuple(store.labels[c] for c in chosen),
        message_totals=store.message_totals[keep],
        tokens=store.tokens[:, keep],
        messages=store.messages[:, keep],
        categories={
            column: {value: tuple(row[c] for c in chosen) for value, row in values.items()}
            for column, values in store.categories.items()
        },
        numbers={column: tuple(row[c] for c in chosen) for column, row in store.numbers.items()},
    )
