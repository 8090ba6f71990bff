"""What one of several workers has counted: a store and its part of the sample, put together exactly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from spamnb.core import FloatArray, IntArray
from spamnb.counts import CountStore, Entries, RawEntries, from_state, merge_stores, to_state
from spamnb.features import token_key
from spamnb.messages import Texts
from spamnb.model import SeenMessages, merge_seen
from spamnb.training.cross_validation import Digests, Sample
from spamnb.training.fit_weight_correction import LARGEST

SAMPLE = 10_000  # messages for the figures, of more than WHOLE
WHOLE = LARGEST  # messages that are all in the sample, to fit the correction to all of them
TOKENS = 8_000_000  # of a sample at most, repeats included: some 0.5 GB, and 5 s to refine them
Order = tuple[int, int]  # the number of the input, and that of the block in it
Row = tuple[object, ...]


@dataclass
class SampleBlock:
    """The sampled messages of one batch; ids are the tally's.

    The digest 0 stands for rows of a table without a word, whose digests need to know how many equal ones
    came before: `waiting` are these rows in their order.
    """

    entries: Entries | RawEntries
    labels: list[str]
    digests: Digests
    categories: dict[str, list[str]]
    numbers: dict[str, FloatArray]
    order: Order = (0, 0)
    waiting: list[Row] = field(default_factory=list)
    texts: Texts | None = None
    sizes: IntArray | None = None  # of each message in tokens

    def __post_init__(self) -> None:
        if self.sizes is None:
            self.sizes = self.entries.tokens

    @property
    def tokens(self) -> IntArray:
        """How many tokens each message has."""
        assert self.sizes is not None
        return self.sizes

    def keep(self, limit: int) -> SampleBlock:
        rows = below(self.digests, limit)
        if len(rows) == len(self.digests):
            return self
        return SampleBlock(
            self.entries.select(rows),
            pick(self.labels, rows),
            self.digests[rows],
            {c: pick(v, rows) for c, v in self.categories.items()},
            {c: v[rows] for c, v in self.numbers.items()},
            self.order,
            self.waiting,
            None if self.texts is None else self.texts.select(rows),
            self.tokens[rows],
        )

    def settle(self, seen: Counter[Row]) -> None:
        """Give the waiting rows their digests."""
        for i, row in zip(np.flatnonzero(self.digests == 0).tolist(), self.waiting, strict=True):
            seen[row] += 1
            self.digests[i] = row_digest(row, seen[row])
        self.waiting = []


def below(digests: Digests, limit: int) -> IntArray:
    """Which digests are below a limit, which may be 2^64; 0 stands for a digest that is not known yet."""
    return np.flatnonzero((digests <= np.uint64(max(limit, 1) - 1)) | (digests == 0))


def row_digest(row: Row, times: int) -> int:
    """For messages without a word: equal rows of a table have different digests."""
    return token_key(f"row:{row}:{times}")


@dataclass
class PartialCounts:
    """Counts and sample of one worker; ids are rows of its store. It travels with its counts made small."""

    store: CountStore
    parts: list[SampleBlock]
    limit: int
    known: SeenMessages | None = None  # the digests of all messages, where they are to be remembered

    def __reduce__(self) -> tuple[Any, ...]:
        known = None if self.known is None else self.known.to_state()
        return _rebuilt, (to_state(self.store), self.parts, self.limit, known)


def _rebuilt(
    state: dict[str, Any], parts: list[SampleBlock], limit: int, known: dict[str, Any] | None
) -> PartialCounts:
    return PartialCounts(from_state(state), parts, limit, SeenMessages.from_state(known))


def merge_partials(partials: Sequence[PartialCounts], most: int) -> PartialCounts:
    """One partial of many with a sample of at most `most` messages, in the order of the data."""
    store = merge_stores([p.store for p in partials])
    limit = fitting([part for p in partials for part in p.parts], min(p.limit for p in partials), most)
    rows = np.empty(max(partial.store.vocabulary for partial in partials), np.int64)
    parts: list[SampleBlock] = []
    for partial in partials:
        kept = [part.keep(limit) for part in partial.parts]
        _find_rows(kept, partial.store, store, rows)
        parts += [remap_ids(part, rows) for part in kept]
    known = merge_seen([partial.known for partial in partials])
    return PartialCounts(store, sorted(parts, key=lambda part: part.order), limit, known)


def _find_rows(parts: list[SampleBlock], mine: CountStore, store: CountStore, rows: IntArray) -> None:
    """For each id in some parts its row in another store; other places of `rows` are left alone."""
    marks = np.zeros(mine.vocabulary, bool)
    for part in parts:
        assert isinstance(part.entries, Entries)
        part.entries.mark(marks)
    used = np.flatnonzero(marks)
    rows[used] = np.searchsorted(store.keys, mine.keys[used])


def fitting(parts: Sequence[SampleBlock], limit: int, most: int) -> int:
    """The limit below which the digests of at most `most` messages lie, with at most TOKENS tokens.

    Copies of one text stay or go together, so no copy of a held-out message is left in the counts. It is
    the largest of `_ladder` that leaves so few, or `limit`, whatever the order of the data and however it
    was divided. Messages whose digest is not known yet stay in any case.
    """
    digests = np.concatenate([np.zeros(0, np.uint64), *(part.digests for part in parts)])
    sizes = np.concatenate([np.zeros(0, np.int64), *(part.tokens for part in parts)])
    kept = below(digests, limit)
    kept = kept[digests[kept] != 0]
    kept = kept[np.argsort(digests[kept])]
    enough = min(most, int(np.searchsorted(np.cumsum(sizes[kept]), TOKENS, side="right")))
    if len(kept) <= enough:
        return limit
    last = int(digests[kept[enough]])  # the first that must not be there any more
    return next(step for step in _ladder() if step <= min(last, limit))


def _ladder() -> Iterator[int]:
    """Limits from 2^64 down to 0, each by an eighth to a sixteenth lower than the one before."""
    for bits in range(60, -1, -1):
        yield from (sixteenths << bits for sixteenths in range(16, 8, -1))
    yield 0


def sample_size(messages: int, refine: str = "auto") -> int:
    """How many of so many messages may be in the sample. It never rises, so a stream can follow it.

    On inner splits of Enron (seeds 300 and 301), of which half was taken before, all 14,942 messages in
    place of some 7,500 took the log loss from .0179 to .0169 and from .0155 to .0146.
    """
    return max(SAMPLE, WHOLE) if messages <= WHOLE and refine != "no" else SAMPLE


class Sampling:
    """The sample of a stream of batches, of at most `most` messages, which may become fewer.

    It holds up to twice as many, or a quarter more tokens, before some are dropped: that takes a look at all.
    """

    def __init__(self, most: int) -> None:
        self.parts: list[SampleBlock] = []
        self.limit = 1 << 64
        self.most = most
        self._messages = self._tokens = 0

    def rows(self, digests: Digests) -> IntArray:
        """Which messages of a batch belong to the sample so far."""
        return below(digests, self.limit)

    def add(self, part: SampleBlock) -> None:
        if len(part.digests):
            self.parts.append(part)
            self._count([part])
        if self._messages > 2 * self.most or self._tokens > TOKENS * 5 // 4:
            self.shrink()

    def shrink(self) -> None:
        """Keep no more than there may be, and no part without a message."""
        self.limit = fitting(self.parts, self.limit, self.most)
        parts = [part.keep(self.limit) for part in self.parts]
        self.parts = [part for part in parts if len(part.digests)]
        self._messages = self._tokens = 0
        self._count(self.parts)

    def _count(self, parts: Sequence[SampleBlock]) -> None:
        """Count what can be dropped; rows that wait for their digest stay in any case."""
        for part in parts:
            known = part.digests != 0
            self._messages += int(np.count_nonzero(known))
            self._tokens += int(part.tokens[known].sum())

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


def merge_repeats(part: SampleBlock, order: int, lengths: bool) -> SampleBlock:
    """The same messages with the repeats of their tokens counted."""
    assert isinstance(part.entries, RawEntries)
    return replace(part, entries=Entries.of(part.entries.batch, part.entries.ids, order, lengths))


def remap_ids(part: SampleBlock, new: IntArray) -> SampleBlock:
    """The same messages with id i called `new[i]`."""
    assert isinstance(part.entries, Entries)
    return replace(part, entries=part.entries.remap_ids(new))


def joined(parts: Sequence[SampleBlock]) -> Entries:
    """The messages of all parts one after the other."""
    return Entries.concat([part.entries for part in parts if isinstance(part.entries, Entries)])


def pick(values: Sequence[str], rows: IntArray) -> list[str]:
    return [values[i] for i in rows.tolist()]
