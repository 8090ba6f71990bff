"""Classifies, explains and learns for the protocols of a server, and reports what was done."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from spamnb.mail import DEFAULT, Limits
from spamnb.model import Explanation, mail_verdict, verdict_fields
from spamnb.report import header_reasons
from spamnb.service.lessons import Lessons, Taught
from spamnb.service.live_model import LiveModels
from spamnb.service.message_scoring import Message, Scored, ScoredGroup, in_order, score_groups
from spamnb.service.micro_batch import MicroBatch
from spamnb.service.verdict_events import Answered, Corrected, Events, RequestIds

BLOCK, BLOCK_BYTES = 3000, 1 << 19  # messages of a list that are scored together, and their bytes
T = TypeVar("T")


class FilterService:
    """The one object behind HTTP and spamd. It knows neither of them."""

    def __init__(
        self,
        option: str | None = None,
        warn: Callable[[str], None] = lambda _: None,
        limits: Limits = DEFAULT,
    ) -> None:
        self.models = LiveModels(option, warn, limits)
        self.batch = MicroBatch(self.models)
        self.lessons = Lessons(self.models, option)
        self.events, self.ids = Events(), RequestIds()
        self.started_at = time.time()

    async def classify(self, message: Message, source: str) -> tuple[str, Scored]:
        """Classifies one message, together with those that arrive at the same time."""
        begin, request = time.perf_counter(), self.ids.next()
        scored = await self.batch.submit(message)
        seconds = time.perf_counter() - begin
        verdict, probability = [scored.verdict], [scored.probability]
        self.events.answered(Answered(request, source, [message], verdict, probability, seconds))
        return request, scored

    async def classify_all(
        self, messages: Sequence[Message], source: str, write: Callable[[Sequence[ScoredGroup]], T]
    ) -> AsyncIterator[T]:
        """Classifies a list, block by block; `write` turns what is predicted for a block into its answer."""
        request = self.ids.next()
        for block, size in _blocks_of(messages):
            begin, score = time.perf_counter(), partial(self._score_block, block, write)
            answer, verdicts, probabilities = await self.batch.run(score, size, len(block))
            seconds = time.perf_counter() - begin
            self.events.answered(Answered(request, source, block, verdicts, probabilities, seconds))
            yield answer

    def _score_block(
        self, block: Sequence[Message], write: Callable[[Sequence[ScoredGroup]], T]
    ) -> tuple[T, list[str], list[float]]:
        groups = score_groups(self.models, block)
        verdicts = in_order(groups, lambda group: group.predictions.labels)
        return write(groups), verdicts, in_order(groups, lambda group: group.predictions.probability.tolist())

    async def explain(self, message: Message, source: str) -> tuple[str, Scored, Explanation]:
        """Explains the verdict on a message."""
        request, scored = await self.classify(message, source)
        return request, scored, await self.explain_scored(scored)

    async def explain_scored(self, scored: Scored) -> Explanation:
        """Explains a message by the model that has classified it."""
        return await self.batch.run(
            lambda: scored.loaded.model.explain(scored.message), len(scored.message.data)
        )

    async def header_fields(self, scored: Scored) -> list[tuple[str, str]]:
        """Returns the fields for the header of a mail, with the strongest reasons for its verdict."""
        explanation = await self.explain_scored(scored)
        verdict = mail_verdict(scored.loaded.model, scored.predictions, scored.row)
        return verdict_fields(verdict, [header_reasons(explanation), *scored.notes])

    async def learn(self, messages: Sequence[Message], label: str, source: str) -> tuple[str, Taught]:
        return await self._teach(lambda: self.lessons.learn(messages, label), source)

    async def forget(self, messages: Sequence[Message], label: str, source: str) -> tuple[str, Taught]:
        return await self._teach(lambda: self.lessons.forget(messages, label), source)

    async def undo(
        self, source: str, lesson: int | None = None, model: str | None = None
    ) -> tuple[str, Taught]:
        return await self._teach(lambda: self.lessons.undo(lesson, model), source)

    async def _teach(self, change: Callable[[], Taught], source: str) -> tuple[str, Taught]:
        begin, request = time.perf_counter(), self.ids.next()
        # Shielded: a lesson of a client that has gone is written and reported all the same.
        taught = await asyncio.shield(asyncio.ensure_future(asyncio.to_thread(change)))
        self.events.corrected(Corrected(request, source, taught, time.perf_counter() - begin))
        return request, taught


def _blocks_of(messages: Sequence[Message]) -> Iterator[tuple[Sequence[Message], int]]:
    """Yields a list in blocks, with their sizes in bytes."""
    start = size = 0
    for end, message in enumerate(messages, 1):
        size += len(message.raw)
        if end - start == BLOCK or size >= BLOCK_BYTES or end == len(messages):
            yield messages[start:end], size
            start, size = end, 0
