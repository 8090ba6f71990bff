"""Holds the tokens of a batch after lookup: which token id occurs how often in which message."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from spamnb.core import IntArray, Record, find_ranges, join_arrays, run_sizes, run_starts
from spamnb.features import Batch

NO_GRAM = -2  # in a sequence: the message has no n-gram that ends here; -1 is an unknown one


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
    def of(cls, batch: Batch, ids: list[IntArray], order: int | None = None, lengths: bool = True) -> Entries:
        """Merges repeats; `ids` are those of each stream's tokens, unknown ones (below 0) are dropped.

        With an `order` there is a sequence of words, each with so many words before it.
        """
        rows, all_ids = batch.rows, join_arrays(ids, np.dtype(np.int64))
        sizes = np.bincount(rows, minlength=batch.size) if lengths else None
        if len(all_ids) and all_ids.min() < 0:
            known = all_ids >= 0
            rows, all_ids = rows[known], all_ids[known]
        merged = _merge_repeats(rows, all_ids, batch.size)
        return cls(batch.size, *merged, sizes, *_sequence(batch, ids, order))

    @property
    def tokens(self) -> IntArray:
        """The number of tokens of each message, repeats included."""
        return np.bincount(self.rows, self.counts, self.size).astype(np.int64)

    def select(self, rows: IntArray) -> Entries:
        """Selects the entries of messages, renumbered 0.. (`rows` ascending)."""
        keep, new = find_ranges(self.rows, rows)
        sizes = None if self.lengths is None else self.lengths[rows]
        words, word_rows = self.sequence, self.sequence_rows
        if words is not None and word_rows is not None:
            chosen, word_rows = find_ranges(word_rows, rows)
            words = words[:, chosen]
        return Entries(len(rows), new, self.ids[keep], self.counts[keep], sizes, words, word_rows)

    def remap_ids(self, new: IntArray) -> Entries:
        """Replaces id i by `new[i]`; the ids of a message stay ascending."""
        words = self.sequence
        if words is not None:
            words = np.where(words >= 0, new[np.maximum(words, 0)], words)
        ids, counts = _sort_ids(self.rows, new[self.ids], self.counts)
        return Entries(self.size, self.rows, ids, counts, self.lengths, words, self.sequence_rows)

    def compact(self, rows: IntArray) -> Entries:
        """Replaces each id by its place in `rows`, the ascending ids that occur."""
        place = np.empty(int(rows[-1]) + 1 if len(rows) else 0, np.int64)  # only touched where needed
        place[rows] = np.arange(len(rows))
        words = self.sequence
        if words is not None and len(rows):
            words = np.where(words >= 0, place[np.maximum(words, rows[0])], words)
        ids = place[self.ids]
        return Entries(self.size, self.rows, ids, self.counts, self.lengths, words, self.sequence_rows)

    def used(self, vocabulary: int) -> IntArray:
        """Returns the ids that occur, ascending; marks in a table take a tenth of the time of a sort."""
        marks = np.zeros(vocabulary, bool)
        self.mark(marks)
        return marks.nonzero()[0]

    def mark(self, marks: NDArray[np.bool_]) -> None:
        """Sets the marks of the ids that occur."""
        marks[self.ids] = True
        if self.sequence is not None:
            marks[self.sequence[self.sequence >= 0]] = True

    def where(self, present: NDArray[np.bool_]) -> Entries:
        """Drops the ids that are not `present`."""
        keep, words = present[self.ids].nonzero()[0], self.sequence
        if words is not None:
            words = np.where((words >= 0) & ~present[words], -1, words)
        entries = self.rows[keep], self.ids[keep], self.counts[keep]
        return Entries(self.size, *entries, self.lengths, words, self.sequence_rows)

    def only(self, rows: IntArray, vocabulary: int) -> Entries:
        """Drops the ids that are not in `rows` (ascending); the others become their places in it."""
        present = np.zeros(vocabulary, bool)
        present[rows] = True
        return self.where(present).compact(rows)

    @staticmethod
    def concat(batches: list[Entries]) -> Entries:
        """Joins several batches, one after the other."""
        if len(batches) == 1:
            return batches[0]
        shifts = np.cumsum([0, *(b.size for b in batches)]).tolist()
        lengths = [b.lengths for b in batches if b.lengths is not None]
        sequences = [b.sequence for b in batches if b.sequence is not None]
        sequence_rows = [
            b.sequence_rows + s for b, s in zip(batches, shifts, strict=False) if b.sequence_rows is not None
        ]
        return Entries(
            shifts[-1],
            np.concatenate([b.rows + s for b, s in zip(batches, shifts, strict=False)]),
            np.concatenate([b.ids for b in batches]),
            np.concatenate([b.counts for b in batches]),
            np.concatenate(lengths) if lengths else None,
            np.concatenate(sequences, axis=1) if sequences else None,
            np.concatenate(sequence_rows) if sequence_rows else None,
        )


def _merge_repeats(rows: IntArray, ids: IntArray, size: int) -> tuple[IntArray, IntArray, IntArray]:
    """Returns distinct (row, id) in ascending order, and how often each occurs.

    Both are packed into one number and sorted: 5 ns each where 32 bits are enough, as for batches of SMS,
    and 12 in 64 bits.
    """
    codes, shift = _pack(rows, ids, size)
    first = run_starts(codes)
    return *_unpack(codes[first], shift), run_sizes(first, len(codes))


def repeated_pairs(rows: IntArray, ids: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """Finds the pairs (row, id) that occur again, once for each time.

    >>> [pair.tolist() for pair in repeated_pairs(np.array([0, 0, 0, 1]), np.array([7, 8, 7, 7]), 2)]
    [[0], [7]]
    """
    codes, shift = _pack(rows, ids, size)
    return _unpack(codes[(codes[1:] == codes[:-1]).nonzero()[0]], shift)


def _pack(rows: IntArray, ids: IntArray, size: int) -> tuple[NDArray[Any], int]:
    shift = int(ids.max(initial=0)).bit_length()
    kind: Any = np.uint32 if size.bit_length() + shift <= 32 else np.uint64
    codes = rows.astype(kind) << kind(shift)
    codes |= ids.astype(kind)
    codes.sort()
    return codes, shift


def _unpack(codes: NDArray[Any], shift: int) -> tuple[IntArray, IntArray]:
    kind = codes.dtype.type
    return (codes >> kind(shift)).astype(np.int64), (codes & kind((1 << shift) - 1)).astype(np.int64)


def _sort_ids(rows: IntArray, ids: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
    """Sorts the ids of each row, with their counts; `rows` ascend already.

    All three are packed into one number, which is sorted: half of the time of an argsort. Ids that are in
    order, as between stores whose keys ascend, stay as they are.
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


def _sequence(
    batch: Batch, ids: list[IntArray], order: int | None
) -> tuple[IntArray | None, IntArray | None]:
    """Arranges the word n-grams of n = 1 .. order + 1 by the word they end at."""
    if order is None:
        return None, None
    rows = next(s.rows for s in batch.streams if s.kind == 1)
    grid = np.full((order + 1, len(rows)), NO_GRAM, np.int64)
    filled = {0}
    for stream, stream_ids in zip(batch.streams, ids, strict=True):
        n = stream.kind
        if n <= order + 1 and n not in filled:  # only the first stream of words is in reading order
            filled.add(n)
            ends = (rows[n - 1 :] == rows[: max(0, len(rows) - n + 1)]).nonzero()[0] + n - 1
            grid[n - 1, ends] = stream_ids
    return grid, rows
