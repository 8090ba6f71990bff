"""What a model has seen, as integers: statistics of K classes that add, subtract and merge exactly."""

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

Categories = Mapping[str, Mapping[str, tuple[int, ...]]]  # column -> value -> messages of each class
Numbers = Mapping[str, tuple[Moments, ...]]  # column -> moments of each class


class CountStore(Record):
    """Counts by token and class; rows ascend by key and no row is all zero, so equal contents are equal bits.

    `tokens[i, c]` is N_ic (occurrences of token i in class c), `messages[i, c]` is D_ic (messages of class c
    that hold it), `message_totals[c]` is D_c; `kinds[i]` is n for a word n-gram and 0 for any other token.
    """

    labels: tuple[str, ...]
    message_totals: IntArray
    keys: KeyArray
    kinds: NDArray[np.uint8]
    tokens: IntArray
    messages: IntArray
    spellings: StringArray
    categories: Categories = MappingProxyType({})
    numbers: Numbers = MappingProxyType({})

    @classmethod
    def empty(cls) -> CountStore:
        none = np.zeros((0, 0), np.int64)
        keys, kinds = np.zeros(0, np.uint64), np.zeros(0, np.uint8)
        return cls((), np.zeros(0, np.int64), keys, kinds, none, none, StringArray.of([]))

    def columns_only(self) -> CountStore:
        """This store without its tokens: its messages, categories and numbers."""
        none = np.zeros((0, len(self.labels)), np.int64)
        empty = np.zeros(0, np.uint64), np.zeros(0, np.uint8), none, none, StringArray.of([])
        return CountStore(self.labels, self.message_totals, *empty, self.categories, self.numbers)

    def with_totals(self, token: IntArray, presence: IntArray, word: IntArray, words: int) -> CountStore:
        """This store with its sums known: a large table takes longer to add up than a message to score."""
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
        """N_c of single words alone."""
        return column_sums(self.tokens, np.flatnonzero(self.kinds == 1))

    @cached_property
    def word_vocabulary(self) -> int:
        """How many of the tokens are single words."""
        return int(np.count_nonzero(self.kinds == 1))

    @cached_property
    def gram_vocabulary(self) -> int:
        """How many of the tokens are of several words."""
        return int(np.count_nonzero(are_grams(self.kinds)))

    @property
    def vocabulary(self) -> int:
        return len(self.keys)

    def prune(self, min_messages: int) -> CountStore:
        """Without the tokens that fewer than `min_messages` messages hold."""
        return self.rows(np.flatnonzero(self.messages.sum(axis=1) >= min_messages))

    def find(self, keys: KeyArray) -> IntArray:
        """The row of each key, -1 where unknown: for a few keys, as it touches no other part of the file."""
        if not self.vocabulary:
            return np.full(len(keys), -1, np.int64)
        at = np.minimum(np.searchsorted(self.keys, keys), self.vocabulary - 1)
        return np.where(self.keys[at] == keys, at, -1)

    def rows(self, which: IntArray) -> CountStore:
        """Only some of the tokens."""
        return CountStore(
            self.labels,
            self.message_totals,
            self.keys[which],
            self.kinds[which],
            self.tokens[which],
            self.messages[which],
            self.spellings.take(which),
            self.categories,
            self.numbers,
        )


def are_grams(kinds: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    """Which tokens are of several words."""
    return np.asarray((kinds > 1) & (kinds < SHAPE))


def rows_with_any(table: IntArray) -> NDArray[np.bool_]:
    """Which rows are not all zero; column by column, because any(axis=1) over two columns is 10x slower."""
    found = np.zeros(len(table), bool)
    for column in table.T:
        found |= column != 0
    return found


def column_sums(table: IntArray, rows: IntArray | None = None) -> IntArray:
    """The sum of each column, maybe of some rows: sum(axis=0) of two columns takes twenty times as long."""
    columns = (column if rows is None else column[rows] for column in table.T)
    return np.array([column.sum(dtype=np.int64) for column in columns], np.int64)


def canonical(store: CountStore) -> CountStore:
    """Drop what has become zero; refuse what has become negative."""
    if not (possible_tokens(store) and _possible_columns(store)):
        raise DataError(
            "cannot forget what was never learned: the counts would not add up; nothing was changed",
            hint="check that the messages and their labels are exactly those that were learned",
        )
    store = store.rows(np.flatnonzero(rows_with_any(store.messages)))
    return _without_empty_labels(store)


def possible_tokens(store: CountStore) -> bool:
    """Can messages have these counts? 0 <= D_ic <= D_c, D_ic <= N_ic, and N_ic = 0 where D_ic = 0."""
    tokens, messages = store.tokens, store.messages
    held = bool((messages >= 0).all() and (messages <= store.message_totals).all())
    return held and bool((tokens >= messages).all() and (tokens[messages == 0] == 0).all())


def _possible_columns(store: CountStore) -> bool:
    """No count below zero, no class with more values than messages, no variance below zero."""
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
    categories = {
        column: {value: tuple(row[c] for c in chosen) for value, row in values.items()}
        for column, values in store.categories.items()
    }
    numbers = {column: tuple(row[c] for c in chosen) for column, row in store.numbers.items()}
    labels = tuple(store.labels[c] for c in chosen)
    tokens, messages = store.tokens[:, keep], store.messages[:, keep]
    totals = store.message_totals[keep]
    return CountStore(
        labels, totals, store.keys, store.kinds, tokens, messages, store.spellings, categories, numbers
    )
