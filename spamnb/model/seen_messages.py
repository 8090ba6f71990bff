"""Which messages a model has learned: a 64-bit digest of each, so that none is counted twice unnoticed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import zip_longest
from typing import Any

import numpy as np

from spamnb.core import FloatArray, IntArray, run_starts
from spamnb.errors import DataError, ModelError
from spamnb.features import SHAPE, Batch, KeyArray, mix, token_key

ByLabel = Mapping[str, KeyArray]

KEPT = 16  # halvings after which a message leaves no trace, and is forgotten altogether
_NONE: KeyArray = np.zeros(0, np.uint64)
_NOTHING: ByLabel = {}
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


def word_digests(batch: Batch) -> KeyArray:
    """A number for the words of each message: equal for equal words in any order, case or punctuation.

    It is 0 for a message without words.
    """
    sums = np.zeros(batch.size, np.uint64)
    for stream in batch.streams[:1]:
        if len(stream.rows):
            begin = run_starts(stream.rows)
            # Squares, because plain sums of keys that are letters agree for "a d" and "b c".
            sums[stream.rows[begin]] = np.add.reduceat(stream.keys * (stream.keys + np.uint64(1)), begin)
    return mix(sums)


def content_digests(
    batch: Batch,
    words: KeyArray | None = None,
    categories: Mapping[str, Sequence[str]] | None = None,
    numbers: Mapping[str, FloatArray] | None = None,
) -> KeyArray:
    """A number for all that the model reads out of each message: equal where every count is equal.

    So what has the digest of a learned message can be taken out of the counts again exactly, and a mail is
    the same with and without the verdict that a filter put into its header. `words` are the batch's
    `word_digests`, where they are known already: 1.5 % of training instead of 3 % (measured on SMS).
    """
    sums = (word_digests(batch) if words is None else words).copy()
    for stream in batch.streams:
        if stream.kind == SHAPE:
            np.add.at(sums, stream.rows, stream.keys)  # their rows do not ascend
        elif stream.kind != 1 and len(stream.rows):
            begin = run_starts(stream.rows)
            sums[stream.rows[begin]] += np.add.reduceat(stream.keys, begin)  # keys of n-grams are mixed
    if not any(1 < s.kind < SHAPE for s in batch.streams) and len(batch.streams[0].rows):
        rows, spread = batch.streams[0].rows, batch.streams[0].keys * _SPREAD
        # Letters that are words by themselves: sums of squares of small numbers do meet.
        np.add.at(sums, rows, spread * (spread >> _HALF))
    digests = mix(sums)
    if categories or numbers:
        digests = digests + _column_digests(batch.size, categories or {}, numbers or {})
    return digests


def _column_digests(
    size: int, categories: Mapping[str, Sequence[str]], numbers: Mapping[str, FloatArray]
) -> KeyArray:
    columns: list[tuple[str, list[Any]]] = [(n, list(categories[n])) for n in sorted(categories)]
    columns += [(n, [float(x) for x in numbers[n]]) for n in sorted(numbers)]
    rows = (token_key(f"row:{[(name, values[i]) for name, values in columns]!r}") for i in range(size))
    return np.fromiter(rows, np.uint64, size)


class SeenMessages:
    """For each label the digests of its messages, ascending; what was learned twice stands there twice.

    `faded` are those from before the counts were halved: they are known, but cannot be taken out again.

    >>> known = SeenMessages({"ham": np.array([3, 5, 5], np.uint64)})
    >>> known.count("ham", np.array([5, 7], np.uint64)).tolist(), len(known)
    ([2, 0], 3)
    >>> known.plus({"ham": np.array([4], np.uint64)}).minus({"ham": np.array([5], np.uint64)}).labels["ham"]
    array([3, 4, 5], dtype=uint64)
    """

    def __init__(
        self, labels: ByLabel, later: tuple[tuple[int, ByLabel], ...] = (), faded: tuple[ByLabel, ...] = ()
    ) -> None:
        self._base, self._later, self._faded = labels, later, faded

    @cached_property
    def _now(self) -> tuple[dict[str, KeyArray], tuple[dict[str, KeyArray], ...]]:
        """What is whole and what has faded. Changes are put in when they are asked for: a prediction never
        needs them."""
        found, faded = dict(self._base), [dict(part) for part in self._faded]
        for sign, change in self._later:
            for label, digests in change.items():
                if sign > 0:
                    found[label] = _merged(found.get(label, _NONE), digests)
                    continue
                rest = digests
                for part in [found] if sign < 0 else faded:
                    part[label], rest = _without(part.get(label, _NONE), rest)
                if len(rest):
                    raise _never_learned()
        return _in_use(found), tuple(_in_use(part) for part in faded)

    @property
    def labels(self) -> dict[str, KeyArray]:
        """The digests by label, of messages whose counts are whole."""
        return self._now[0]

    @property
    def faded(self) -> tuple[dict[str, KeyArray], ...]:
        """The digests by label of messages whose counts were halved once, twice ..."""
        return self._now[1]

    @property
    def every_label(self) -> list[str]:
        return sorted({label for part in (self.labels, *self.faded) for label in part})

    def plus(self, more: ByLabel) -> SeenMessages:
        return SeenMessages(self._base, (*self._later, (1, more)), self._faded) if more else self

    def minus(self, less: ByLabel) -> SeenMessages:
        """Without these, whose counts are whole."""
        return SeenMessages(self._base, (*self._later, (-1, less)), self._faded) if less else self

    def without_faded(self, less: ByLabel) -> SeenMessages:
        """Without these, which have faded."""
        return SeenMessages(self._base, (*self._later, (0, less)), self._faded) if less else self

    def aged(self, halvings: int) -> SeenMessages:
        """All of them known, but none whole; after KEPT halvings a message is no longer known at all."""
        younger = (_NOTHING,) * min(halvings - 1, KEPT)
        return SeenMessages({}, (), (*younger, self.labels, *self.faded)[:KEPT])

    def repeated(self, times: int) -> SeenMessages:
        """Every message learned so many times as often."""
        parts = [{label: np.repeat(d, times) for label, d in p.items()} for p in (self.labels, *self.faded)]
        return SeenMessages(parts[0], (), tuple(parts[1:]))

    def count(self, label: str, digests: KeyArray) -> IntArray:
        """How often each was learned with this label, and is still whole."""
        return _count(self.labels, label, digests)

    def times(self, label: str, digests: KeyArray) -> IntArray:
        """How often each was learned with this label, faded or not."""
        return sum((_count(part, label, digests) for part in self.faded), self.count(label, digests))

    def __len__(self) -> int:
        return sum(len(digests) for part in (self.labels, *self.faded) for digests in part.values())

    def to_state(self) -> dict[str, Any]:
        return _stored(self.labels)

    def faded_state(self) -> list[dict[str, Any]]:
        return [_stored(part) for part in self.faded]

    @classmethod
    def from_state(cls, state: object, faded: object = None) -> SeenMessages | None:
        """The inverse of `to_state` and `faded_state`; None where the model was told not to remember."""
        if state is None:
            return None
        older = [] if faded is None else faded
        if not isinstance(older, list) or len(older) > KEPT or not all(map(_is_stored, (state, *older))):
            raise ModelError("the model's digests are damaged", hint="train the model again")
        assert isinstance(state, dict)
        return cls(state, (), tuple(older))


def _stored(part: ByLabel) -> dict[str, Any]:
    return {label: np.ascontiguousarray(digests, "<u8") for label, digests in part.items()}


def _is_stored(state: object) -> bool:
    return isinstance(state, dict) and all(
        isinstance(x, np.ndarray) and x.dtype == "<u8" and x.ndim == 1 for x in state.values()
    )


def _in_use(part: ByLabel) -> dict[str, KeyArray]:
    return {label: part[label] for label in sorted(part) if len(part[label])}


def _count(part: ByLabel, label: str, digests: KeyArray) -> IntArray:
    mine = part.get(label)
    if mine is None:
        return np.zeros(len(digests), np.int64)
    return np.searchsorted(mine, digests, "right") - np.searchsorted(mine, digests, "left")


def all_known(parts: Sequence[SeenMessages | None]) -> SeenMessages | None:
    """The digests of several at once; None if nobody remembers any."""
    found = [part for part in parts if part is not None]
    if not found:
        return None
    ages = zip_longest(*((part.labels, *part.faded) for part in found), fillvalue=_NOTHING)
    whole, *faded = [_together(parts) for parts in ages]
    return SeenMessages(whole, (), tuple(faded))


def _together(parts: Sequence[ByLabel]) -> dict[str, KeyArray]:
    labels = sorted({label for part in parts for label in part})
    return {label: _in_order([part[label] for part in parts if label in part]) for label in labels}


def by_label(digests: KeyArray, labels: Sequence[str]) -> dict[str, KeyArray]:
    """The digests of each label, ascending."""
    names = {label: code for code, label in enumerate(sorted(set(labels)))}
    codes = np.fromiter(map(names.__getitem__, labels), np.int64, len(labels))
    return {label: np.sort(digests[codes == code]) for label, code in names.items()}


def _merged(a: KeyArray, b: KeyArray) -> KeyArray:
    return _in_order([a, np.sort(b)])


def _in_order(parts: Sequence[KeyArray]) -> KeyArray:
    """All values of ascending arrays, ascending: the stable sort merges runs, in a tenth of the time."""
    found = np.concatenate(parts)
    found.sort(kind="stable")
    return found


def _without(a: KeyArray, b: KeyArray) -> tuple[KeyArray, KeyArray]:
    """`a` without as many copies of each as `b` has, and what of `b` is not there."""
    if not len(b):
        return a, b
    b = np.sort(b)
    again = np.arange(len(b)) - np.searchsorted(b, b, "left")
    at = np.searchsorted(a, b, "left") + again
    there = at < len(a)
    there[there] = a[at[there]] == b[there]
    return np.delete(a, at[there]), b[~there]


def _never_learned() -> DataError:
    return DataError(
        "cannot forget what was never learned: nothing was changed",
        hint="check that the messages and their labels are exactly those that were learned",
    )
