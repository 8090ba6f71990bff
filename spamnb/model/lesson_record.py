"""Identifies lessons: a number, a time and a source for each change that a learner writes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from spamnb.core import Record
from spamnb.errors import ModelError
from spamnb.features import KeyArray

LARGEST = 1 << 62
SOURCE_LENGTH = 40  # characters
Ranges = tuple[tuple[int, int], ...]  # first and last number of each


class LessonMark(Record):
    """The number of the last lesson in a model; those up to `fixed` cannot be undone.

    `origin` is the start of the checksum of the model file that had no lesson yet: it tells the history of
    this model from that of another model that was at the same path.
    """

    origin: str
    last: int
    fixed: int = 0

    def after(self, before: LessonMark | None) -> LessonMark:
        """Returns the mark of a model with the mark `before` that gets this one by a change."""
        if before is None or before.origin != self.origin:
            return self
        return before.replace(last=max(before.last, self.last))

    def to_state(self) -> dict[str, Any]:
        return {"origin": self.origin, "last": self.last, "fixed": self.fixed}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> LessonMark:
        """Reads what `to_state` gave; refuses a damaged state.

        >>> LessonMark.from_state(LessonMark("0a1b", 7, 2).to_state()).last
        7
        """
        origin, last, fixed = (state.get(name) for name in cls._fields)
        numbers = type(last) is int and type(fixed) is int and 0 <= fixed <= last < LARGEST
        if not numbers or len(state) != len(cls._fields) or not _is_origin(origin):
            raise ModelError(
                f"the model's lesson mark is damaged: got {state!r:.120}", hint="train the model again"
            )
        return cls(**state)


def _is_origin(origin: object) -> bool:
    return isinstance(origin, str) and len(origin) <= 64 and set(origin) <= set("0123456789abcdef")


class LessonEntry(Record):
    """A lesson as the journal describes it.

    `labels` has the change in messages of each class, below zero where messages were removed. `digest` is
    that of the message in 8 hexadecimal digits, or of all messages; "" if the model keeps no digests.
    `undoes` are the lessons that this one takes back.
    """

    id: int
    time: int  # seconds since 1970
    source: str
    messages: int
    labels: Mapping[str, int]
    digest: str = ""
    undoes: Ranges = ()

    def __repr__(self) -> str:
        change = ", ".join(f"{n:+,} {label}" for label, n in self.labels.items()) or "no change"
        return f"<LessonEntry {self.id}: {self.source}, {change}>"

    def to_state(self) -> dict[str, Any]:
        state = {name: getattr(self, name) for name in self._fields}
        return {**state, "labels": dict(self.labels)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> LessonEntry:
        """Reads what `to_state` gave; raises a ValueError or TypeError if that is damaged."""
        entry = cls(**{**state, "undoes": tuple((a, b) for a, b in state["undoes"])})
        numbers = (entry.id, entry.time, entry.messages, *(n for pair in entry.undoes for n in pair))
        texts = entry.source, entry.digest, *entry.labels
        if not all(type(n) is int and 0 <= n < LARGEST for n in numbers) or entry.id < 1:
            raise ValueError("lesson")
        if not all(isinstance(text, str) for text in texts) or len(entry.source) > SOURCE_LENGTH:
            raise ValueError("lesson")
        if not all(type(n) is int for n in entry.labels.values()):
            raise ValueError("lesson")
        return entry

    def undoes_lesson(self, number: int) -> bool:
        return any(first <= number <= last for first, last in self.undoes)


def short_digest(digests: KeyArray) -> str:
    """Returns the digest of one message, or one of several digests; "" for none.

    >>> short_digest(np.array([0x1234567890ABCDEF], np.uint64))
    '12345678'
    """
    distinct = np.unique(digests)
    if not len(distinct):
        return ""
    if len(distinct) == 1:
        return f"{int(distinct[0]):016x}"[:8]
    return hashlib.sha256(distinct.astype("<u8").tobytes()).hexdigest()[:8]


def as_ranges(numbers: list[int]) -> Ranges:
    """Returns ascending numbers as ranges.

    >>> as_ranges([1, 2, 3, 7])
    ((1, 3), (7, 7))
    """
    ranges: list[tuple[int, int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = ranges[-1][0], number
        else:
            ranges.append((number, number))
    return tuple(ranges)
