"""Putting a small change into a large store, in a fraction of the time that adding two stores takes."""

from __future__ import annotations

from typing import Any

import numpy as np

from spamnb.core import IntArray, StringArray
from spamnb.counts.count_store import CountStore, canonical, combined, possible_tokens, rows_with_any
from spamnb.model import wide


def add_delta(store: CountStore, change: CountStore) -> CountStore:
    """The store with a change put in: `store.plus` for a change that is small beside it.

    The classes must stay the same for the fast way: then rows that are in both are the only ones looked at,
    and the tables are copied, 25 ms for a million tokens instead of 600.
    """
    if not set(change.labels) <= set(store.labels) or not store.vocabulary:
        return canonical(combined(store, change, 1))
    totals = store.message_totals + wide(change.message_totals[None], change, store.labels)[0]
    if (totals <= 0).any() or change.categories or change.numbers:
        return canonical(combined(store, change, 1))
    return _Patch(store, change, totals).store()


class _Patch:
    """The fast way of `patched`."""

    def __init__(self, store: CountStore, change: CountStore, totals: IntArray) -> None:
        self.old, self.change, self.totals = store, change, totals
        self.d_tokens = wide(change.tokens, change, store.labels)
        self.d_messages = wide(change.messages, change, store.labels)
        self.row = store.find(change.keys)
        known = self.row >= 0
        at = self.row[known]
        self.tokens, self.messages = self.d_tokens.astype(np.int64), self.d_messages.astype(np.int64)
        self.tokens[known] += store.tokens[at]
        self.messages[known] += store.messages[at]
        some = rows_with_any(self.messages)
        self.kept = np.flatnonzero(known & some)
        self.gone = np.flatnonzero(known & ~some)
        self.new = np.flatnonzero(~known & some)

    def store(self) -> CountStore:
        self._check()
        old, change = self.old, self.change
        tokens = _put(old.tokens, self.row[self.kept], self.tokens[self.kept])
        messages = _put(old.messages, self.row[self.kept], self.messages[self.kept])
        keys, kinds, spellings = old.keys, old.kinds, old.spellings
        if len(self.gone) or len(self.new):
            where = self._order()
            tokens = _joined(tokens, self.tokens[self.new]).take(where, axis=0)
            messages = _joined(messages, self.messages[self.new]).take(where, axis=0)
            keys = np.concatenate((keys, change.keys[self.new])).take(where)
            kinds = np.concatenate((kinds, change.kinds[self.new])).take(where)
            spellings = self._spellings(where)
        new = CountStore(
            *(old.labels, self.totals, keys, kinds, tokens, messages, spellings),
            *(old.categories, old.numbers),
        )
        return self._summed(new)

    def _check(self) -> None:
        """What the change touches must be possible; where a class has shrunk, the others must still fit."""
        old, change = self.old, self.change
        tables = self.tokens, self.messages
        touched = CountStore(old.labels, self.totals, change.keys, change.kinds, *tables, change.spellings)
        fits = True
        if (self.totals < old.message_totals).any():
            left = old.messages.copy()
            left[self.row[self.row >= 0]] = 0
            fits = bool((left.max(axis=0) <= self.totals).all())
        if not fits or not possible_tokens(touched):
            canonical(combined(old, change, 1))  # which refuses it, with the words for it

    def _order(self) -> IntArray:
        """Where each row of the new tables is in the old ones with the new rows after them."""
        size, new = self.old.vocabulary, self.new
        cuts = np.searchsorted(self.old.keys, self.change.keys[new])
        at = cuts + np.arange(len(new))
        fresh = np.zeros(size + len(new), bool)
        fresh[at] = True
        where = np.cumsum(~fresh) - 1
        where[at] = size + np.arange(len(new))
        keep = np.ones(size + len(new), bool)
        gone = self.row[self.gone]
        keep[gone + np.searchsorted(cuts, gone, "right")] = False
        return where[keep]

    def _spellings(self, where: IntArray) -> StringArray:
        """The bytes between two places of change are copied in one piece, not token by token."""
        old, change = self.old.spellings, self.change.spellings
        sizes = np.concatenate((np.diff(old.ends, prepend=0), np.diff(change.ends, prepend=0)[self.new]))
        cuts = np.searchsorted(self.old.keys, self.change.keys[self.new]).tolist()
        parts = [(row, 1, i) for row, i in zip(cuts, self.new.tolist(), strict=True)]
        parts += [(row, 2, -1) for row in self.row[self.gone].tolist()]
        pieces, done = [], 0
        for row, _, i in sorted(parts):
            begin = int(old.ends[row - 1]) if row else 0
            pieces.append(old.blob[done:begin])
            done = begin if i >= 0 else int(old.ends[row])
            if i >= 0:
                pieces.append(change.blob[int(change.ends[i - 1]) if i else 0 : int(change.ends[i])])
        return StringArray(np.concatenate([*pieces, old.blob[done:]]), np.cumsum(sizes.take(where)))

    def _summed(self, new: CountStore) -> CountStore:
        old, words = self.old, self.change.kinds == 1
        grown = np.count_nonzero(words[self.new]) - np.count_nonzero(words[self.gone])
        return new.with_totals(
            old.token_totals + self.d_tokens.sum(axis=0),
            old.presence_totals + self.d_messages.sum(axis=0),
            old.word_totals + self.d_tokens[words].sum(axis=0),
            old.word_vocabulary + int(grown),
        )


def _put(table: IntArray, rows: IntArray, values: IntArray) -> IntArray:
    """A copy with some rows replaced, in a type that holds them."""
    out = table.astype(_type(table, values))
    out[rows] = values
    return out


def _joined(a: IntArray, b: IntArray) -> IntArray:
    return np.concatenate((a, b.astype(_type(a, b))))


def _type(table: IntArray, values: IntArray) -> np.dtype[Any]:
    """The table's own type unless a value is too large for it."""
    top = int(values.max(initial=0))
    kinds: list[np.dtype[Any]] = [table.dtype, *map(np.dtype, ("<u2", "<u4", "<i8"))]
    return next(k for k in kinds if top <= np.iinfo(k).max)
