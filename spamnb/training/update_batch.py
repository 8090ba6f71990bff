"""Scores the messages of an update and applies its plan to a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import numpy as np

from spamnb.core import FloatArray
from spamnb.counts import CountStore, PairColumns, add_delta, count, merge_stores
from spamnb.errors import DataError
from spamnb.features import Batch, KeyArray, extract
from spamnb.messages import Chunk, Texts
from spamnb.model import (
    LOSS_UNIT,
    NO_WEIGHTS,
    Change,
    ChangedDigests,
    ChangeHistory,
    SeenMessages,
    SpamModel,
    Weights,
    by_label,
    message_digests,
)
from spamnb.training.update_plan import Pair, UpdatePlan

READ_AHEAD = 32 << 20  # bytes of messages that are read before the model is locked
SMALLEST = 1e-15  # a probability for the log loss of a certain mistake


class UpdateBatch:
    """Holds the messages of an update with their digests, where the model remembers any.

    Only messages that a plan needs are tokenised, and each of them once.
    """

    def __init__(
        self,
        model: SpamModel,
        texts: Texts,
        labels: list[str],
        categories: Mapping[str, Sequence[str]],
        numbers: Mapping[str, FloatArray],
    ) -> None:
        self.labels = labels
        self._texts, self._features = texts, model.features
        self._pairs = PairColumns.needed(model.features, model.scoring)
        self._categories, self._numbers = categories, numbers
        self.digests: KeyArray | None = None
        if model.seen_messages is not None:
            self.digests = message_digests(texts, self._categories, self._numbers)

    def tokenize(self, rows: list[int]) -> None:
        """Tokenises these messages (ascending rows), so that they can be scored and counted."""
        if not rows:
            return
        self._rows = np.array(rows, np.int64)
        texts = self._texts if len(rows) == len(self._texts) else self._texts.select(self._rows)
        self._tokens = extract(texts, self._features)

    def take(self, rows: list[int]) -> tuple[Batch, dict[str, list[str]], dict[str, FloatArray]]:
        """Returns the tokens and columns of these messages; a message may be taken several times."""
        at = np.array(rows, np.int64)
        tokens = self._tokens
        if len(at) != len(self._rows) or (at != self._rows).any():
            tokens = tokens.take(np.searchsorted(self._rows, at))
        categories = {c: [values[i] for i in rows] for c, values in self._categories.items()}
        return tokens, categories, {c: np.asarray(values)[at] for c, values in self._numbers.items()}

    def counts(self, pairs: list[Pair]) -> CountStore:
        """Returns the counts of some messages with these labels."""
        if not pairs:
            return CountStore.empty()
        tokens, categories, numbers = self.take([row for row, _ in pairs])
        return count(tokens, [label for _, label in pairs], categories, numbers, self._pairs)

    def digests_of(self, pairs: list[Pair]) -> dict[str, KeyArray]:
        """Returns the digests of some messages by label; none if the model does not remember messages."""
        if self.digests is None or not pairs:
            return {}
        return by_label(self.digests[[row for row, _ in pairs]], [label for _, label in pairs])


def score_before_learning(
    model: SpamModel, batch: UpdateBatch, rows: list[int]
) -> tuple[ChangeHistory, list[int]]:
    """Measures the model on messages that it is about to learn; also gives those that it gets right.

    A message that was learned before does not count: it says nothing about new ones.
    """
    rows = [row for row in rows if batch.labels[row] in model.labels]
    if not rows or len(model.labels) < 2:
        return ChangeHistory(), []
    predictions = model.score_batch(*batch.take(rows))
    truth = np.array([model.labels.index(batch.labels[row]) for row in rows])
    p = model.proba(predictions)[np.arange(len(rows)), truth]
    unsure, correct = predictions.codes == len(model.labels), predictions.codes == truth
    new = np.ones(len(rows), bool)
    if model.seen_messages is not None and batch.digests is not None:
        new = ~model.seen_messages.contains(batch.digests[rows])
    ham = new & (truth == model.pair[1]) if model.pair is not None else np.zeros(len(rows), bool)
    history = ChangeHistory(
        classified=int(new.sum()),
        wrong=int((~correct & ~unsure & new).sum()),
        unsure=int((unsure & new).sum()),
        loss=round(float(-np.log(np.maximum(p[new], SMALLEST)).sum()) / LOSS_UNIT) * LOSS_UNIT,
        ham=int(ham.sum()),
        lost_ham=int((ham & ~correct & ~unsure).sum()),
    )
    return history, [rows[i] for i in np.flatnonzero(correct).tolist()]


def verdicts_on(model: SpamModel, batch: UpdateBatch, rows: list[int]) -> tuple[list[str], list[str]]:
    """Returns the verdicts on messages of a batch, and those that their evidence alone would give."""
    if len(model.labels) < 2:
        return (only := [*model.labels, "unsure"][:1] * len(rows)), only
    predictions = model.score_batch(*batch.take(rows))
    evidence, seen = predictions.labels, model.seen_messages
    if seen is None or batch.digests is None:
        return evidence, evidence
    taught = seen.taught_labels(model.labels, batch.digests[rows]).tolist()
    return [model.labels[t] if t >= 0 else label for t, label in zip(taught, evidence, strict=True)], evidence


def apply_plan(
    model: SpamModel, batch: UpdateBatch, plan: UpdatePlan, history: ChangeHistory
) -> tuple[SpamModel, Change, int]:
    """Returns the model after a plan, the change, and how many removed messages left their counts behind."""
    exact, stale = _split_removals(model.seen_messages, batch.digests, plan)

    def change(removed: list[Pair]) -> Change:
        counts = merge_stores([batch.counts(plan.added), batch.counts(removed)], [1, -1])
        learned, forgotten, stale_removed = map(batch.digests_of, (plan.added, exact, stale))
        digests = ChangedDigests(learned, forgotten, stale_removed, taught=learned)
        if model.seen_messages is None or not plan.removed:
            return Change(counts, digests, history)
        untaught = model.seen_messages.lessons_among(batch.digests_of(plan.removed), taught=learned)
        weights = removed_weights(model, counts)
        return Change(counts, digests.replace(untaught=untaught), history, weights)

    try:
        delta = change(exact)
        return model.changed(delta), delta, len(stale)
    except DataError:
        if model.seen_messages is None:
            raise
    # Another version of spamnb, which found other tokens in them, has learned these messages.
    removable = _removable(model.store, batch, plan.added, exact)
    delta = change(removable)
    return model.changed(delta), delta, len(stale) + len(exact) - len(removable)


def removed_weights(model: SpamModel, counts: CountStore) -> Weights:
    """Returns the corrected weights of tokens of which messages are removed."""
    if model.correction is None:
        return NO_WEIGHTS
    keys = counts.keys[(counts.messages < 0).any(axis=1)]
    weights = model.correction.of(keys).astype(np.float32)
    return keys[weights != 0], weights[weights != 0]


def _split_removals(
    seen: SeenMessages | None, digests: KeyArray | None, plan: UpdatePlan
) -> tuple[list[Pair], list[Pair]]:
    """Splits the removals of a plan into exact ones (those of messages that it adds too) and stale ones."""
    if seen is None or digests is None or not seen.stale or not plan.removed:
        return plan.removed, []
    copies: Counter[tuple[int, str]] = Counter((int(digests[row]), label) for row, label in plan.added)
    for row, label in set(plan.removed):
        digest = digests[row : row + 1]
        copies[int(digest[0]), label] += int(seen.count_exact(label, digest)[0])
    exact, stale = list[Pair](), list[Pair]()
    for row, label in plan.removed:
        copies[int(digests[row]), label] -= 1
        (exact if copies[int(digests[row]), label] >= 0 else stale).append((row, label))
    return exact, stale


def _removable(store: CountStore, batch: UpdateBatch, added: list[Pair], removed: list[Pair]) -> list[Pair]:
    """Returns the messages, of those to be removed, whose counts are all there, tried one by one."""
    removable: list[Pair] = []
    store = add_delta(store, batch.counts(added)) if added else store
    for pair in removed:
        counts = batch.counts([pair])
        if (store.find(counts.keys) < 0).any():  # most of those that are not all there: cheaply found
            continue
        try:
            store = add_delta(store, merge_stores([counts], [-1]))
        except DataError:
            continue
        removable.append(pair)
    return removable


def read_ahead(chunks: Iterator[Chunk]) -> Iterator[Chunk]:
    """Returns the same chunks, the first of them read already: a slow pipe must not keep the model locked."""
    ready, size = [], 0
    for chunk in chunks:
        ready.append(chunk)
        size += len(chunk.texts.data)
        if size > READ_AHEAD:
            break
    return chain(ready, chunks)
