"""Holds the tokens of a batch of messages as flat arrays, one stream for each kind of token."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from spamnb.core import IntArray, Record, StringArray, find_ranges, join_arrays

KeyArray = NDArray[np.uint64]
Speller = Callable[[IntArray], StringArray]

OTHER = 0  # the kind of a token that is no word n-gram (a pattern, characters); n-grams have kind n
SHAPE = 255  # the kind of tokens that every message has


class Stream(Record):
    """Tokens of one kind in reading order: token i is `keys[i]` in message `rows[i]`, spelled by `spell`.

    Rows ascend, except in streams of shapes.
    """

    kind: int
    rows: IntArray
    keys: KeyArray
    spell: Speller

    def take(self, which: IntArray, rows: IntArray) -> Stream:
        """Selects tokens and gives them these rows."""
        return Stream(self.kind, rows, self.keys[which], lambda where: self.spell(which[where]))

    def without_keys(self, rows: IntArray) -> Stream:
        """Returns a stream with these rows that does not keep the keys and the texts in memory."""
        return Stream(self.kind, rows, np.zeros(0, np.uint64), _no_spelling)


def _no_spelling(_: IntArray) -> StringArray:
    raise AssertionError("the spelling of these tokens was dropped")


class Batch(Record):
    """The tokens of `size` messages. Repeats are kept: they are merged once keys have become small ids.

    Sorting (row, id) packed into one number costs 5 ns a token, sorting 64-bit keys with their rows (an
    argsort) 60: that is why `Entries.of` merges repeats, after the lookup.
    """

    size: int
    streams: tuple[Stream, ...]

    def select(self, rows: IntArray, ids: list[IntArray]) -> tuple[Batch, list[IntArray]]:
        """Selects the tokens of messages, renumbered 0.. (`rows` ascending), and their ids.

        Keys and spellings are dropped: they would keep the whole batch in memory.
        """
        if len(rows) == self.size:
            return Batch(self.size, tuple(s.without_keys(s.rows) for s in self.streams)), ids
        streams, selected = [], []
        for stream, stream_ids in zip(self.streams, ids, strict=True):
            ascending = stream.kind != SHAPE
            keep, new = find_ranges(stream.rows, rows) if ascending else _find(stream.rows, rows, self.size)
            streams.append(stream.without_keys(new))
            selected.append(stream_ids[keep])
        return Batch(len(rows), tuple(streams)), selected

    def take(self, rows: IntArray) -> Batch:
        """Selects messages with their keys and spellings, renumbered 0.. in the order of `rows`.

        A message may be taken several times.
        """
        streams = []
        for stream in self.streams:
            order = np.argsort(stream.rows, kind="stable")  # those of shapes do not ascend
            which, new = find_ranges(stream.rows[order], rows)
            streams.append(stream.take(order[which], new))
        return Batch(len(rows), tuple(streams))

    @property
    def rows(self) -> IntArray:
        return join_arrays([s.rows for s in self.streams], np.dtype(np.int64))

    @property
    def keys(self) -> KeyArray:
        return join_arrays([s.keys for s in self.streams], np.dtype(np.uint64))


def _find(values: IntArray, rows: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """Does `find_ranges` for values below `size` in any order; a table takes a tenth of a search's time."""
    table = np.full(size, -1, np.int64)
    table[rows] = np.arange(len(rows))
    which = table.take(values)
    keep = np.flatnonzero(which >= 0)
    return keep, which[keep]
