"""What was counted in pieces, by one process or several, put together as if it had been counted at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from spamnb.counts import CountStore
from spamnb.message import IntArray
from spamnb.record import Record
from spamnb.sparse import Entries, changes
from spamnb.spellings import Spellings, joined

_LARGE = 200  # messages in a piece that is not put together with the next one


class Share(Record):
    """What one process has counted: its store, and the sample it has kept, with the limit of its digests.

    The ids of the sample are those of a tally: id i has the row `rows[i]` of the store.
    """

    store: CountStore
    rows: IntArray
    parts: list[Any]
    limit: int


class Pieces(Record):
    """Entries one after the other, each piece with its own ids: id i of piece p is called `names[p][i]`.

    They are renamed when they are asked for: to put all of them into one first takes as long again.
    """

    pieces: list[Entries]
    names: list[IntArray]

    @classmethod
    def of(cls, pieces: list[Entries], names: list[IntArray]) -> Pieces:
        """The same with small neighbours of the same ids put together."""
        groups: list[list[Entries]] = []
        kept: list[IntArray] = []
        size = _LARGE
        for piece, name in zip(pieces, names, strict=True):
            if size >= _LARGE or name is not kept[-1]:
                groups.append([])
                kept.append(name)
                size = 0
            groups[-1].append(piece)
            size += piece.size
        return cls([Entries.concat(group) for group in groups], kept)

    @property
    def size(self) -> int:
        return sum(piece.size for piece in self.pieces)

    def select(self, rows: IntArray) -> Entries:
        """The entries of some messages, renumbered 0.. in the order given (`rows` ascending)."""
        found: list[Entries] = []
        done = first = 0
        for piece, name in zip(self.pieces, self.names, strict=True):
            last = int(np.searchsorted(rows, done + piece.size))
            found.append(piece.select(rows[first:last] - done).renumbered(name))
            done, first = done + piece.size, last
        return Entries.concat(found)


def united(stores: list[CountStore]) -> tuple[CountStore, list[IntArray]]:
    """Stores without columns as one, and for each of them its rows in that one.

    All keys are merged at once: 150 ns a token with all its counts, where `CountStore.plus` takes 1,600.
    """
    keys = np.concatenate([store.keys for store in stores])
    order = np.argsort(keys, kind="stable")  # merges what is sorted already: a sixth of the time
    begin = changes(keys[order])
    places = np.empty(len(keys), np.int64)
    places[order] = np.repeat(np.arange(len(begin)), np.diff(begin, append=len(keys)))
    rows = np.split(places, np.cumsum([store.vocabulary for store in stores])[:-1])
    first = order[begin]
    labels = tuple(sorted({label for store in stores for label in store.labels}))
    totals = np.zeros(len(labels), np.int64)
    tokens, messages = np.zeros((2, len(begin), len(labels)), np.int64)
    for store, at in zip(stores, rows, strict=True):
        for c, label in enumerate(store.labels):
            k = labels.index(label)
            totals[k] += store.message_totals[c]
            tokens[at, k] += store.tokens[:, c]
            messages[at, k] += store.messages[:, c]
    kinds = np.concatenate([store.kinds for store in stores])[first]
    spellings: Spellings = joined([store.spellings for store in stores]).take(first)
    return CountStore(labels, totals, keys[first], kinds, tokens, messages, spellings), rows
