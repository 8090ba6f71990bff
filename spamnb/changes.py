"""A change to a model: what it adds to the counts, below zero for what it takes out, and to the digests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from spamnb.counts import CountStore, combined, rows_with_any
from spamnb.digests import ByLabel
from spamnb.message import IntArray
from spamnb.record import Record
from spamnb.runs import changes as starts
from spamnb.since import Since
from spamnb.sparse import KeyArray
from spamnb.spellings import Spellings

_NOTHING: Mapping[str, KeyArray] = {}


class Change(Record):
    """What learning or forgetting some messages does: to the counts, to the digests, to the account of it.

    `counts` is what is added to the store, below zero for what is taken out. `struck` are digests of messages
    that have faded: they are no longer known either, but their counts stay. They are apart from those of
    whole messages, so that changes can be added up in any order.
    """

    counts: CountStore
    learned: ByLabel = _NOTHING
    forgotten: ByLabel = _NOTHING
    since: Since = Since()
    struck: ByLabel = _NOTHING

    def condensed(self) -> Change:
        """Without the tokens that it does not change in the end."""
        counts = self.counts
        rows = np.flatnonzero(rows_with_any(counts.tokens) | rows_with_any(counts.messages))
        return Change(counts.rows(rows), self.learned, self.forgotten, self.since, self.struck)


def negative(store: CountStore) -> CountStore:
    """These counts, to be taken out."""
    return combined(CountStore.empty(), store, -1)


def total(changes: Sequence[Change]) -> Change:
    """All of them as one; each token is spelled as the first that has it spells it."""
    if len(changes) == 1:
        return changes[0]
    since = Since()
    for change in changes:
        since = since.plus(change.since)
    learned, forgotten = _gathered([c.learned for c in changes]), _gathered([c.forgotten for c in changes])
    struck = _gathered([c.struck for c in changes])
    return Change(sum_counts([c.counts for c in changes]), learned, forgotten, since, struck)


def _gathered(parts: list[ByLabel]) -> ByLabel:
    labels = sorted({label for part in parts for label in part})
    return {label: np.concatenate([part[label] for part in parts if label in part]) for label in labels}


def sum_counts(stores: Sequence[CountStore], known: tuple[str, ...] = ()) -> CountStore:
    """The sum of some counts, whatever their signs, not put in order: rows of zeros stay.

    Every class of `known` has a column in it, needed or not.
    """
    labels = tuple(sorted({*known, *(label for store in stores for label in store.labels)}))
    keys = np.concatenate([s.keys for s in stores])
    order = np.argsort(keys, kind="stable")
    begin = starts(keys[order])
    first = order[begin]
    columns = _columns(stores)
    return CountStore(
        labels,
        np.sum([wide(s.message_totals[None], s, labels)[0] for s in stores], axis=0, dtype=np.int64),
        keys[first],
        np.concatenate([s.kinds for s in stores])[first],
        _added([wide(s.tokens, s, labels) for s in stores], order, begin),
        _added([wide(s.messages, s, labels) for s in stores], order, begin),
        _spelled([s.spellings for s in stores], first),
        columns.categories,
        columns.numbers,
    )


def _added(tables: list[IntArray], order: IntArray, begin: IntArray) -> IntArray:
    rows = np.concatenate(tables)
    return np.add.reduceat(rows[order], begin, axis=0, dtype=np.int64) if len(begin) else rows


def _spelled(parts: list[Spellings], which: IntArray) -> Spellings:
    shift, ends = 0, []
    for part in parts:
        ends.append(part.ends + shift)
        shift += len(part.blob)
    return Spellings(np.concatenate([p.blob for p in parts]), np.concatenate(ends)).take(which)


def _columns(stores: Sequence[CountStore]) -> CountStore:
    total = _tokenless(stores[0])
    if any(s.categories or s.numbers for s in stores):
        for store in stores[1:]:
            total = combined(total, _tokenless(store), 1)
    return total


def _tokenless(store: CountStore) -> CountStore:
    """The classes and columns of a store."""
    none, totals = np.zeros((0, len(store.labels)), np.int64), store.message_totals
    keys, kinds = np.zeros(0, np.uint64), np.zeros(0, np.uint8)
    columns = store.categories, store.numbers
    return CountStore(store.labels, totals, keys, kinds, none, none, Spellings.of([]), *columns)


def wide(table: IntArray, store: CountStore, labels: tuple[str, ...]) -> IntArray:
    """The columns of a store's classes among those of all classes."""
    if store.labels == labels:
        return table
    out = np.zeros((len(table), len(labels)), np.int64)
    out[:, [labels.index(label) for label in store.labels]] = table
    return out
