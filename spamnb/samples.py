"""What one of several workers has counted: a store and its part of the sample, put together exactly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from spamnb.counts import CountStore
from spamnb.countstate import from_state, to_state
from spamnb.crossval import Digests, Sample
from spamnb.digests import Known, all_known
from spamnb.features.hashing import token_key
from spamnb.merging import merge_stores
from spamnb.message import FloatArray, IntArray, Texts
from spamnb.sparse import Entries, Unmerged

Order = tuple[int, int]  # the number of the input, and that of the block in it
Row = tuple[object, ...]


@dataclass
class Part:
    """The sampled messages of one batch; ids are the tally's.

    The digest 0 stands for rows of a table without a word, whose digests need to know how many equal ones
    came before: `waiting` are these rows in their order.
    """

    entries: Entries | Unmerged
    labels: list[str]
    digests: Digests
    categories: dict[str, list[str]]
    numbers: dict[str, FloatArray]
    order: Order = (0, 0)
    waiting: list[Row] = field(default_factory=list)
    texts: Texts | None = None

    def keep(self, limit: int) -> Part:
        rows = np.flatnonzero(self.digests < np.uint64(limit))
        if len(rows) == len(self.digests):
            return self
        return Part(
            self.entries.select(rows),
            pick(self.labels, rows),
            self.digests[rows],
            {c: pick(v, rows) for c, v in self.categories.items()},
            {c: v[rows] for c, v in self.numbers.items()},
            self.order,
            self.waiting,
            None if self.texts is None else self.texts.select(rows),
        )

    def settle(self, seen: Counter[Row]) -> None:
        """Give the waiting rows their digests."""
        for i, row in zip(np.flatnonzero(self.digests == 0).tolist(), self.waiting, strict=True):
            seen[row] += 1
            self.digests[i] = row_digest(row, seen[row])
        self.waiting = []


def row_digest(row: Row, times: int) -> int:
    """For messages without a word: equal rows of a table have different digests."""
    return token_key(f"row:{row}:{times}")


@dataclass
class Partial:
    """Counts and sample of one worker; ids are rows of its store. It travels with its counts made small."""

    store: CountStore
    parts: list[Part]
    limit: int
    known: Known | None = None  # the digests of all messages, where they are to be remembered

    def __reduce__(self) -> tuple[Any, ...]:
        known = None if self.known is None else self.known.to_state()
        return _rebuilt, (to_state(self.store), self.parts, self.limit, known)


def _rebuilt(state: dict[str, Any], parts: list[Part], limit: int, known: dict[str, Any] | None) -> Partial:
    return Partial(from_state(state), parts, limit, Known.from_state(known))


def together(partials: Sequence[Partial], most: int) -> Partial:
    """One partial of many with a sample of at most `most` messages, in the order of the data."""
    store = merge_stores([p.store for p in partials])
    limit = min(p.limit for p in partials)
    parts: list[Part] = []
    for partial in partials:
        kept = [part.keep(limit) for part in partial.parts]
        new = _rows(kept, partial.store, store)
        parts += [renumbered(part, new) for part in kept]
    parts, limit = shrunk(parts, limit, most)
    known = all_known([partial.known for partial in partials])
    return Partial(store, sorted(parts, key=lambda part: part.order), limit, known)


def _rows(parts: list[Part], mine: CountStore, store: CountStore) -> IntArray:
    """For each id in some parts its row in another store; what stands at other places means nothing."""
    rows = np.empty(mine.vocabulary, np.int64)
    used = joined(parts).used(mine.vocabulary) if parts else np.zeros(0, np.int64)
    rows[used] = np.searchsorted(store.keys, mine.keys[used])
    return rows


def shrunk(parts: list[Part], limit: int, most: int) -> tuple[list[Part], int]:
    """A message stays if its digest is below a limit, which falls until there are at most `most` of them.

    Copies of one text stay or go together, so no copy of a held-out message is left in the counts. The limit
    is the largest that leaves so few, whatever the order of the data and however it was divided. Messages
    whose digest is not known yet stay.
    """
    while sum(int(np.count_nonzero(part.digests)) for part in parts) > most:
        limit //= 2
        parts = [part.keep(limit) for part in parts]
    return parts, limit


class Sampling:
    """The sample of a stream of batches, of at most `most` messages."""

    def __init__(self, most: int) -> None:
        self.parts: list[Part] = []
        self.limit = (1 << 64) - 1
        self._most = most
        self._held = 0

    def rows(self, digests: Digests) -> IntArray:
        """Which messages of a batch belong to the sample so far."""
        return np.flatnonzero(digests < np.uint64(self.limit))

    def add(self, part: Part) -> None:
        if len(part.digests):
            self.parts.append(part)
            self._held += int(np.count_nonzero(part.digests))
        if self._held > self._most:
            self.shrink()

    def shrink(self) -> None:
        """Keep no more than there may be, and no part without a message."""
        parts, self.limit = shrunk(self.parts, self.limit, self._most)
        self.parts = [part for part in parts if len(part.digests)]
        self._held = sum(int(np.count_nonzero(part.digests)) for part in self.parts)

    def taken(self, store: CountStore, fewest: int) -> Sample | None:
        """The sample, if it has `fewest` messages of each class; the parts are given up."""
        parts, self.parts = self.parts, []
        if not parts:
            return None
        index = {label: i for i, label in enumerate(store.labels)}
        labels = np.array([index[label] for p in parts for label in p.labels], np.int64)
        if np.bincount(labels, minlength=len(index)).min() < fewest:
            return None
        columns = {c: [v for p in parts for v in p.categories[c]] for c in parts[0].categories}
        numbers = {c: np.concatenate([p.numbers[c] for p in parts]) for c in parts[0].numbers}
        kept = [p.texts for p in parts if p.texts is not None]
        digests, texts = np.concatenate([p.digests for p in parts]), Texts.concat(kept) if kept else None
        return Sample(joined(parts), labels, digests, columns, numbers, texts)


def merged(part: Part, order: int, lengths: bool) -> Part:
    """The same messages with the repeats of their tokens counted."""
    assert isinstance(part.entries, Unmerged)
    return replace(part, entries=Entries.of(part.entries.batch, part.entries.ids, order, lengths))


def renumbered(part: Part, new: IntArray) -> Part:
    """The same messages with id i called `new[i]`."""
    assert isinstance(part.entries, Entries)
    return replace(part, entries=part.entries.renumbered(new))


def joined(parts: Sequence[Part]) -> Entries:
    """The messages of all parts one after the other."""
    return Entries.concat([part.entries for part in parts if isinstance(part.entries, Entries)])


def pick(values: Sequence[str], rows: IntArray) -> list[str]:
    return [values[i] for i in rows.tolist()]
