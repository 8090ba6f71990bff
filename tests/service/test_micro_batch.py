"""Messages that arrive together are scored together, and fail alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from threading import Event

import pytest

from spamnb.service import filter_service, message_scoring, micro_batch
from spamnb.service.filter_service import BLOCK, BLOCK_BYTES, FilterService
from spamnb.service.live_model import LiveModels
from spamnb.service.message_scoring import Message, ScoredGroup
from spamnb.service.micro_batch import HEAVY, MOST, MicroBatch


@pytest.fixture(scope="module")
def models() -> LiveModels:
    loaded = LiveModels()
    loaded.load()
    return loaded


def batch_sizes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    sizes, score = list[int](), micro_batch.score_messages
    monkeypatch.setattr(
        micro_batch, "score_messages", lambda models, part: (sizes.append(len(part)), score(models, part))[1]
    )
    return sizes


def test_what_is_queued_in_one_turn_is_one_batch(models: LiveModels, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = batch_sizes(monkeypatch)

    async def run() -> list[str]:
        batch = MicroBatch(models)
        waiting = [batch.submit(Message(b"free prize %d" % i)) for i in range(MOST + 10)]
        scored = await asyncio.gather(*waiting)
        batch.close()
        return [one.verdict for one in scored]

    verdicts = asyncio.run(run())
    assert sizes == [MOST, 10]
    assert len(verdicts) == MOST + 10


def test_a_heavy_message_is_scored_apart(models: LiveModels, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = batch_sizes(monkeypatch)

    async def run() -> list[int]:
        batch = MicroBatch(models)
        texts = [b"free " * HEAVY, b"free", b"prize " * HEAVY, b"prize"]
        scored = await asyncio.gather(*(batch.submit(Message(text)) for text in texts))
        batch.close()
        return [int(one.predictions.known[one.row]) for one in scored]

    known = asyncio.run(run())
    assert sorted(sizes) == [1, 1, 2]
    assert min(known) > 0


def test_a_message_that_fails_does_not_fail_the_others(
    models: LiveModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(messages: list[Message], *_: object) -> object:
        if any(message.raw == b"bad" for message in messages):
            raise ValueError("bad")
        return real(messages)

    real = message_scoring.texts_of
    monkeypatch.setattr(message_scoring, "texts_of", broken)

    async def run() -> list[object]:
        batch = MicroBatch(models)
        texts = [b"free", b"bad", b"prize"]
        return await asyncio.gather(*(batch.submit(Message(text)) for text in texts), return_exceptions=True)

    first, second, third = asyncio.run(run())
    assert isinstance(second, ValueError)
    assert not isinstance(first, Exception)
    assert not isinstance(third, Exception)


def test_a_list_is_scored_in_bounded_blocks_that_stop_no_other_client(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    service, may_go_on, sizes = FilterService(), Event(), list[int]()
    service.models.load()
    service.events.on_answer.append(lambda event: sizes.append(len(event.messages)))
    score = filter_service.score_groups

    def wait_and_score(models: LiveModels, block: Sequence[Message]) -> list[ScoredGroup]:
        may_go_on.wait(20)
        return score(models, block)

    monkeypatch.setattr(filter_service, "score_groups", wait_and_score)

    async def run() -> int:
        texts = [Message(b"free")] * (BLOCK + 1) + [Message(b"x" * BLOCK_BYTES), Message(b"prize")]
        blocks = service.classify_all(texts, "http", lambda groups: sum(len(one.places) for one in groups))
        waiting = asyncio.create_task(collect(blocks))
        await service.classify(Message(b"WIN a FREE prize"), "http")
        assert sizes == [1]
        may_go_on.set()
        return sum(await waiting)

    total = asyncio.run(run())
    service.batch.close()
    assert (sizes, total) == ([1, BLOCK, 2, 1], BLOCK + 3)


async def collect(blocks: AsyncIterator[int]) -> list[int]:
    return [block async for block in blocks]


def test_a_client_that_has_gone_does_not_stop_the_batch(models: LiveModels) -> None:
    async def run() -> str:
        batch = MicroBatch(models)
        gone, stays = batch.submit(Message(b"free")), batch.submit(Message(b"WIN a FREE prize"))
        gone.cancel()
        return (await stays).verdict

    assert asyncio.run(run()) == "spam"
