"""Passes what the server does on to all that want to know: log, metrics and history."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Sequence
from typing import NamedTuple

from spamnb.service.lessons import Taught
from spamnb.service.message_scoring import Message


class Answered(NamedTuple):
    """A request that was answered, or a block of a list: its messages and what was predicted for each."""

    id: str
    source: str  # `http` or `spamd`
    messages: Sequence[Message]
    verdicts: Sequence[str]
    probabilities: Sequence[float]
    seconds: float


class Corrected(NamedTuple):
    """A request that changed a model."""

    id: str
    source: str
    taught: Taught
    seconds: float


class Refused(NamedTuple):
    """A request that was not answered."""

    source: str  # `http` or `spamd`
    status: int
    route: str = ""
    reason: str = ""  # without anything that the client has sent


class Events:
    """Calls every listener in turn; they must not block and not raise."""

    def __init__(self) -> None:
        self.on_answer: list[Callable[[Answered], None]] = []
        self.on_lesson: list[Callable[[Corrected], None]] = []
        self.on_refusal: list[Callable[[Refused], None]] = []

    def answered(self, event: Answered) -> None:
        for listener in self.on_answer:
            listener(event)

    def corrected(self, event: Corrected) -> None:
        for listener in self.on_lesson:
            listener(event)

    def refused(self, event: Refused) -> None:
        for listener in self.on_refusal:
            listener(event)


class RequestIds:
    """Numbers requests: eight digits of the process, then a count, so that no two are alike.

    >>> ids = RequestIds(b"abcd")
    >>> ids.next(), ids.next()
    ('61626364-1', '61626364-2')
    """

    def __init__(self, prefix: bytes | None = None) -> None:
        self._prefix = (os.urandom(4) if prefix is None else prefix).hex()
        self._numbers = itertools.count(1)

    def next(self) -> str:
        return f"{self._prefix}-{next(self._numbers)}"
