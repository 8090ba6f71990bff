"""Sparse batches: which token occurs in which message, as flat arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from spamnb.core import IntArray, Record, StringArray, run_starts

KeyArray = NDArray[np.uint64]
_T = TypeVar("_T", bound=np.generic)
Speller = Callable[[IntArray], StringArray]

OTHER = 0  # the kind of a token that is no word n-gram (a pattern, characters); n-grams have kind n
SHAPE = 255  # the kind of tokens that every message has


class Stream(Record):
    """Tokens of one kind in reading order: token i is `keys[i]` in message `rows[i]`, spelled by `spell`.

    Rows ascend but for those of shapes.
    """

    kind: int
    rows: IntArray
    keys: KeyArray
    spell: Speller

    def bare(self, rows: IntArray) -> Stream:
        return Stream(self.kind, rows, np.zeros(0, np.uint64), _unspelled)


def _unspelled(_: IntArray) -> StringArray:
    raise AssertionError("nobody can spell these tokens any more")


class Batch(Record):
    """The tokens of `size` messages. Repeats are kept: they are merged only once keys have become small ids.

    Sorting (row, id) packed into one word costs 5 ns a token, sorting 64-bit keys with their rows (an
    argsort) 60: that is why a Batch is not deduplicated here but in `Entries.of`.
    """

    size: int
    streams: tuple[Stream, ...]

    def select(self, rows: IntArray, ids: list[IntArray]) -> tuple[Batch, list[IntArray]]:
        """The tokens of some messages, renumbered 0.. (`rows` ascending), and which `ids` belong to them.

        Keys and spellings are left behind: they would hold on to the whole batch.
        """
        if len(rows) == self.size:
            return Batch(self.size, tuple(s.bare(s.rows) for s in self.streams)), ids
        streams, kept = [], []
        for stream, every in zip(self.streams, ids, strict=True):
            shape = stream.kind == SHAPE
            keep, new = _places(stream.rows, rows, self.size) if shape else _ranges(stream.rows, rows)
            streams.append(stream.bare(new))
            kept.append(every[keep])
        return Batch(len(rows), tuple(streams)), kept

    @property
    def rows(self) -> IntArray:
        return _concat([s.rows for s in self.streams], np.dtype(np.int64))

    @property
    def keys(self) -> KeyArray:
        return _concat([s.keys for s in self.streams], np.dtype(np.uint64))


NO_GRAM = -2  # in a sequence: the message has no n-gram that ends here; -1 is one the model does not know


class Entries(Record):
    """A batch after lookup, in canonical order: token `ids[i]` occurs `counts[i]` times in message `rows[i]`.

    Where a scorer asks for them, `lengths` are the numbers of tokens of each message, known or not, and
    `sequence` holds the words in reading order: `sequence[n - 1, j]` is the id of the n-gram that ends at
    word j, which stands in message `sequence_rows[j]`.
    """

    size: int
    rows: IntArray
    ids: IntArray
    counts: IntArray
    lengths: IntArray | None = None
    sequence: IntArray | None = None
    sequence_rows: IntArray | None = None

    @classmethod
    def of(cls, batch: Batch, ids: list[IntArray], order: int = 0, lengths: bool = True) -> Entries:
        """Merge repeats; `ids` belong to each stream's tokens, unknown ones are below 0 and are dropped."""
        rows, every = batch.rows, _concat(ids, np.dtype(np.int64))
        sizes = np.bincount(rows, minlength=batch.size) if lengths else None
        if len(every) and every.min() < 0:
            known = every >= 0
            rows, every = rows[known], every[known]
        parts = _merged(rows, every, batch.size)
        return cls(batch.size, *parts, sizes, *_sequence(batch, ids, order))

    @property
    def tokens(self) -> IntArray:
        """How many each message has, repeats included."""
        return np.bincount(self.rows, self.counts, self.size).astype(np.int64)

    def select(self, rows: IntArray) -> Entries:
        """The entries of some messages, renumbered 0.. in the order given (`rows` ascending)."""
        keep, new = _ranges(self.rows, rows)
        sizes = None if self.lengths is None else self.lengths[rows]
        words, word_rows = self.sequence, self.sequence_rows
        if words is not None and word_rows is not None:
            chosen, word_rows = _ranges(word_rows, rows)
            words = words[:, chosen]
        return Entries(len(rows), new, self.ids[keep], self.counts[keep], sizes, words, word_rows)

    def renumbered(self, new: IntArray) -> Entries:
        """The same messages with id i called `new[i]`; entries within a message stay in ascending order."""
        words = self.sequence
        if words is not None:
            words = np.where(words >= 0, new[np.maximum(words, 0)], words)
        ids, counts = _in_order(self.rows, new[self.ids], self.counts)
        return Entries(self.size, self.rows, ids, counts, self.lengths, words, self.sequence_rows)

    def compact(self, rows: IntArray) -> Entries:
        """The same messages with ids that point into `rows`, the ascending ids that occur."""
        place = np.empty(int(rows[-1]) + 1 if len(rows) else 0, np.int64)  # only touched where needed
        place[rows] = np.arange(len(rows))
        words = self.sequence
        if words is not None and len(rows):
            words = np.where(words >= 0, place[np.maximum(words, rows[0])], words)
        ids = place[self.ids]
        return Entries(self.size, self.rows, ids, self.counts, self.lengths, words, self.sequence_rows)

    def used(self, vocabulary: int) -> IntArray:
        """The ids that occur, ascending; marks in a table take a tenth of the time of a sort."""
        marks = np.zeros(vocabulary, bool)
        self.mark(marks)
        return np.flatnonzero(marks)

    def mark(self, marks: NDArray[np.bool_]) -> None:
        """Set the marks of the ids that occur."""
        marks[self.ids] = True
        if self.sequence is not None:
            marks[self.sequence[self.sequence >= 0]] = True

    def where(self, there: NDArray[np.bool_]) -> Entries:
        """Without the ids that are not `there`."""
        keep, words = np.flatnonzero(there[self.ids]), self.sequence
        if words is not None:
            words = np.where((words >= 0) & ~there[words], -1, words)
        kept = self.rows[keep], self.ids[keep], self.counts[keep]
        return Entries(self.size, *kept, self.lengths, words, self.sequence_rows)

    def only(self, rows: IntArray, vocabulary: int) -> Entries:
        """Without the ids that are not in `rows` (ascending), and the others pointing into it."""
        there = np.zeros(vocabulary, bool)
        there[rows] = True
        return self.where(there).compact(rows)

    @staticmethod
    def concat(parts: list[Entries]) -> Entries:
        """Several batches one after the other."""
        if len(parts) == 1:
            return parts[0]
        shifts = np.cumsum([0, *(p.size for p in parts)]).tolist()
        lengths = [p.lengths for p in parts if p.lengths is not None]
        sequences = [p.sequence for p in parts if p.sequence is not None]
        where = [
            p.sequence_rows + s for p, s in zip(parts, shifts, strict=False) if p.sequence_rows is not None
        ]
        return Entries(
            shifts[-1],
            np.concatenate([p.rows + s for p, s in zip(parts, shifts, strict=False)]),
            np.concatenate([p.ids for p in parts]),
            np.concatenate([p.counts for p in parts]),
            np.concatenate(lengths) if lengths else None,
            np.concatenate(sequences, axis=1) if sequences else None,
            np.concatenate(where) if where else None,
        )


def _merged(rows: IntArray, ids: IntArray, size: int) -> tuple[IntArray, IntArray, IntArray]:
    """Distinct (row, id) in ascending order, and how often each occurs.

    Both are packed into one number and sorted: 5 ns each where 32 bits hold them, as they do for batches
    of SMS, and 12 in 64 bits.
    """
    codes, shift = _packed(rows, ids, size)
    first = run_starts(codes)
    return *_unpacked(codes[first], shift), np.diff(first, append=len(codes))


def repeats(rows: IntArray, ids: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """The pairs (row, id) that stand there again, once for each time.

    >>> [pair.tolist() for pair in repeats(np.array([0, 0, 0, 1]), np.array([7, 8, 7, 7]), 2)]
    [[0], [7]]
    """
    codes, shift = _packed(rows, ids, size)
    return _unpacked(codes[np.flatnonzero(codes[1:] == codes[:-1])], shift)


def _packed(rows: IntArray, ids: IntArray, size: int) -> tuple[NDArray[Any], int]:
    shift = int(ids.max(initial=0)).bit_length()
    kind: Any = np.uint32 if size.bit_length() + shift <= 32 else np.uint64
    codes = rows.astype(kind) << kind(shift)
    codes |= ids.astype(kind)
    codes.sort()
    return codes, shift


def _unpacked(codes: NDArray[Any], shift: int) -> tuple[IntArray, IntArray]:
    kind = codes.dtype.type
    return (codes >> kind(shift)).astype(np.int64), (codes & kind((1 << shift) - 1)).astype(np.int64)


def _in_order(rows: IntArray, ids: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
    """Ids and counts with the ids of each row ascending; `rows` ascend already.

    All three are packed into one number, which is sorted: half of the time of an argsort. Ids of which
    the order was kept, as between stores whose keys ascend, are only looked at.
    """
    if not ((ids[1:] <= ids[:-1]) & (rows[1:] == rows[:-1])).any():
        return ids, counts
    low, middle = (int(values.max(initial=0)).bit_length() for values in (counts, ids))
    if low + middle + int(rows.max(initial=0)).bit_length() > 63:
        order = np.lexsort((ids, rows))
        return ids[order], counts[order]
    codes = rows << (low + middle)
    codes |= ids << low
    codes |= counts
    codes.sort()
    return (codes >> low) & ((1 << middle) - 1), codes & ((1 << low) - 1)


def _ranges(ascending: IntArray, rows: IntArray) -> tuple[IntArray, IntArray]:
    """Where some values stand in an ascending array, and for each place which of `rows` it belongs to."""
    first = np.searchsorted(ascending, rows, side="left")
    sizes = np.searchsorted(ascending, rows, side="right") - first
    new = np.repeat(np.arange(len(rows)), sizes)
    return np.arange(len(new)) + np.repeat(first - (np.cumsum(sizes) - sizes), sizes), new


def _places(values: IntArray, rows: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """The same for values below `size` in any order; a table takes a tenth of the time of a search."""
    table = np.full(size, -1, np.int64)
    table[rows] = np.arange(len(rows))
    which = table.take(values)
    keep = np.flatnonzero(which >= 0)
    return keep, which[keep]


def _sequence(batch: Batch, ids: list[IntArray], order: int) -> tuple[IntArray | None, IntArray | None]:
    """The word n-grams of n = 1 .. order + 1 by the word they end at."""
    if not order:
        return None, None
    rows = next(s.rows for s in batch.streams if s.kind == 1)
    grid = np.full((order + 1, len(rows)), NO_GRAM, np.int64)
    done = {0}
    for stream, stream_ids in zip(batch.streams, ids, strict=True):
        n = stream.kind
        if n <= order + 1 and n not in done:  # only the first stream of words is in reading order
            done.add(n)
            ends = np.flatnonzero(rows[n - 1 :] == rows[: max(0, len(rows) - n + 1)]) + n - 1
            grid[n - 1, ends] = stream_ids
    return grid, rows


def _concat(parts: list[NDArray[_T]], dtype: np.dtype[_T]) -> NDArray[_T]:
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.zeros(0, dtype)
