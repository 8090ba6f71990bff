"""Classifies, explains and learns for the protocols of a server, and reports what was done."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence

from spamnb.mail import DEFAULT, Limits
from spamnb.model import Explanation, mail_verdict, verdict_fields
from spamnb.report import header_reasons
from spamnb.service.lessons import Lessons, Taught
from spamnb.service.live_model import LiveModels
from spamnb.service.message_scoring import Message, Scored, score_messages
from spamnb.service.micro_batch import MicroBatch
from spamnb.service.verdict_events import Answered, Corrected, Events, RequestIds

BLOCK = 1000  # messages of a list that are scored before other clients have their turn


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
        self.events.answered(Answered(request, source, [message], [scored], time.perf_counter() - begin))
        return request, scored

    async def classify_all(self, messages: Sequence[Message], source: str) -> AsyncIterator[list[Scored]]:
        """Classifies a list, block by block; between two blocks other clients have their turn."""
        request = self.ids.next()
        for start in range(0, len(messages), BLOCK):
            begin, block = time.perf_counter(), messages[start : start + BLOCK]
            scored = [_result(one) for one in score_messages(self.models, block)]
            self.events.answered(Answered(request, source, block, scored, time.perf_counter() - begin))
            yield scored
            await asyncio.sleep(0)

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


def _result(scored: Scored | Exception) -> Scored:
    if isinstance(scored, Exception):
        raise scored
    return scored
