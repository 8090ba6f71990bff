"""Counts labelled messages: every token, the digests of all messages, and a sample for cross-validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from spamnb.core import FloatArray, IntArray, Record, distinct_values
from spamnb.counts import Entries, PairColumns, Tally
from spamnb.features import Batch, extract
from spamnb.messages import Chunk, Texts
from spamnb.model import SeenMessages, message_digests
from spamnb.scorers import Scorer
from spamnb.settings import FeatureConfig, TrainingConfig
from spamnb.training.sampling import (
    Digester,
    Digests,
    Order,
    PartialCounts,
    Row,
    Sample,
    SampleBlock,
    SampleCollector,
    below,
    fold_digests,
    merge_partials,
    pick,
    pick_columns,
    sample_size,
)


class _Messages(Record):
    """Labelled messages with their columns and digests."""

    texts: Texts
    labels: Sequence[str]
    categories: dict[str, list[str]]
    numbers: dict[str, FloatArray]
    digests: Digests
    places: Sequence[str] = ()

    @property
    def columns(self) -> tuple[dict[str, list[str]], dict[str, FloatArray]]:
        return self.categories, self.numbers

    def select(self, rows: IntArray) -> _Messages:
        labels, columns = pick(self.labels, rows), pick_columns(*self.columns, rows)
        places = pick(self.places, rows) if self.places else ()
        return _Messages(self.texts.select(rows), labels, *columns, self.digests[rows], places)


@dataclass
class MessageCounter:
    """Counts messages with `add_chunk`; `result` hands out the counts and the sample so far.

    `keep` under-samples: the digest below which messages of each label are kept. With `keep_texts` the sample
    keeps its texts and places, for a list of mistakes. A `partial` counter counts a part of the data.
    """

    features: FeatureConfig
    scorer: Scorer
    training: TrainingConfig
    keep: Mapping[str, int] | None = None
    keep_texts: bool = False
    partial: bool = False

    def __post_init__(self) -> None:
        self._tally = Tally(PairColumns.needed(self.features, self.scorer.config))
        self._digester = Digester(self.partial)
        self._collector = SampleCollector(sample_size(0, self.training.refine))
        self._seen: dict[int, list[Digests]] = {}  # by the code of the label

    def part(self) -> MessageCounter:
        """Returns a new counter with the same settings that counts a part of the data."""
        return replace(self, partial=True)

    @property
    def messages(self) -> int:
        """The number of messages so far."""
        return self._tally.messages

    @property
    def labels(self) -> set[str]:
        """The labels of all messages so far."""
        return set(self._tally.labels)

    def add_chunk(self, chunk: Chunk, order: Order | None = None, words: Digests | None = None) -> Digests:
        """Counts labelled messages; returns the digests of their words, which duplicates share.

        `order` is their place in the data if they come in another one. `words` are the digests of another
        counter that reads the same messages with other features: so both sample the same ones.
        """
        assert chunk.labels is not None
        batch = extract(chunk.texts, self.features)
        words = fold_digests(chunk.texts, batch, self.features) if words is None else words
        columns = dict(chunk.categories), dict(chunk.numbers)
        places = [chunk.place(row) for row in range(len(chunk))] if self.keep_texts else ()
        messages = _Messages(chunk.texts, chunk.labels, *columns, words.copy(), places)
        waiting = self._digester.complete(messages.digests, chunk.texts, chunk.labels, *columns)
        if self.keep is not None:
            rows = self._rows_to_keep(chunk.labels, messages.digests)
            messages, batch = messages.select(rows), batch.take(rows)
        ids = self._tally.add(batch, messages.labels, *messages.columns)
        if self.training.remember:
            self._remember(message_digests(messages.texts, *messages.columns))
        if self.training.folds:
            self._sample(messages, batch, ids, order or (0, self._tally.batches - 1), waiting)
        return words

    def _rows_to_keep(self, labels: Sequence[str], digests: Digests) -> IntArray:
        """Chooses by digest which messages under-sampling keeps: the same ones in any order of the data."""
        assert self.keep is not None
        last = np.array([max(self.keep.get(label, 1 << 64), 1) - 1 for label in labels], np.uint64)
        return np.flatnonzero(digests <= last)

    def _remember(self, contents: Digests) -> None:
        for code in distinct_values(self._tally.codes).tolist():
            self._seen.setdefault(code, []).append(contents[self._tally.codes == code])

    def _sample(
        self, messages: _Messages, batch: Batch, ids: list[IntArray], order: Order, waiting: list[Row]
    ) -> None:
        """Adds those messages of a batch to the sample that belong to it so far."""
        rows = below(messages.digests, self._collector.limit)
        block = SampleBlock(
            Entries.of(*batch.select(rows, ids), self.scorer.order, self.scorer.needs_lengths),
            pick(messages.labels, rows),
            messages.digests[rows],
            *pick_columns(*messages.columns, rows),
            order,
            waiting,
            messages.texts.select(rows) if self.keep_texts else None,
            pick(messages.places, rows) if self.keep_texts else (),
        )
        self._collector.most = sample_size(self.messages, self.training.refine)
        self._collector.add(block)

    def result(self) -> PartialCounts:
        """Returns the counts and the sample so far, for `absorb`; then the trainer takes no more messages."""
        store, rows = self._tally.finish()
        blocks = [block.remap_ids(rows) for block in self._collector.blocks]
        del rows  # a large table
        return PartialCounts(store, blocks, self._collector.limit, self._seen_messages())

    def _seen_messages(self) -> SeenMessages | None:
        if not self._seen:
            return None
        codes = self._tally.labels.items()
        return SeenMessages({label: np.sort(np.concatenate(self._seen[code])) for label, code in codes})

    def merge(self, others: Sequence[PartialCounts], fewest: int) -> tuple[PartialCounts, Sample | None]:
        """Adds the counts of other counters: the result is the same as if all had been counted here.

        There is a sample if each class has `fewest` messages in it.
        """
        messages = self.messages + sum(partial.messages for partial in others)
        partial, most = self.result(), sample_size(messages, self.training.refine)
        if others:
            partial = merge_partials([partial, *others], most)
        collector = self._collector
        collector.blocks, collector.limit, collector.most = partial.blocks, partial.limit, most
        for block in collector.blocks:
            self._digester.settle(block)
        collector.shrink()
        return partial, collector.to_sample(partial.store, fewest)
