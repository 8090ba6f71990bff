"""Scores single messages that arrive at the same time together.

A batch of 32 costs little more than one message, because the cost of a call hardly depends on its size. The
queue is drained once in each turn of the event loop: no message waits for others, and the busier the server
is, the larger the batches are. Light batches are scored on the event loop, which saves two changes of the
thread for each; heavy ones in a thread, so that a large mail does not stop other clients.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from spamnb.service.live_model import LiveModels
from spamnb.service.message_scoring import Message, Scored, score_messages

MOST = 256  # messages of one batch
HEAVY = 1 << 15  # bytes of a batch that is scored in a thread
T = TypeVar("T")


class MicroBatch:
    """Scores messages for the tasks of one event loop."""

    def __init__(self, models: LiveModels, heavy: int = HEAVY) -> None:
        self.models, self._heavy = models, heavy
        self._waiting: deque[tuple[Message, asyncio.Future[Scored]]] = deque()
        self._heavy_waiting: deque[tuple[Message, asyncio.Future[Scored]]] = deque()
        self._scheduled = self._thread_busy = False
        self._thread = ThreadPoolExecutor(1, "scoring")

    def submit(self, message: Message) -> asyncio.Future[Scored]:
        """Queues a message; the future has its predictions, or the error."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Scored] = loop.create_future()
        if len(message.raw) > self._heavy:
            self._heavy_waiting.append((message, future))
            self._start_heavy()
            return future
        self._waiting.append((message, future))
        if not self._scheduled:
            self._scheduled = True
            loop.call_soon(self._drain)
        return future

    async def run(self, work: Callable[[], T], size: int, count: int = 1) -> T:
        """Runs other work on messages of `size` bytes: where a batch of them would be scored."""
        if size <= self._heavy and count <= MOST:
            return work()
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _drain(self) -> None:
        """Scores the queue, or as much of it as one turn of the loop may take."""
        batch, size = list[tuple[Message, asyncio.Future[Scored]]](), 0
        while self._waiting and len(batch) < MOST and size <= self._heavy:
            batch.append(self._waiting.popleft())
            size += len(batch[-1][0].raw)
        self._scheduled = bool(self._waiting)
        if self._scheduled:
            asyncio.get_running_loop().call_soon(self._drain)
        _deliver(batch, score_messages(self.models, [message for message, _ in batch]))

    def _start_heavy(self) -> None:
        """Scores heavy messages one by one, so that each is answered as soon as it is ready."""
        if self._thread_busy or not self._heavy_waiting:
            return
        job = self._heavy_waiting.popleft()
        self._thread_busy = True
        work = asyncio.get_running_loop().run_in_executor(self._thread, score_messages, self.models, [job[0]])
        work.add_done_callback(lambda done: self._finish_heavy(job, done))

    def _finish_heavy(
        self,
        job: tuple[Message, asyncio.Future[Scored]],
        done: asyncio.Future[list[Scored | Exception]],
    ) -> None:
        self._thread_busy = False
        self._start_heavy()
        if not done.cancelled():
            error = done.exception()
            _deliver([job], [RuntimeError(str(error))] if error is not None else done.result())


def _deliver(
    batch: Sequence[tuple[Message, asyncio.Future[Scored]]], results: Sequence[Scored | Exception]
) -> None:
    for (_, future), result in zip(batch, results, strict=True):
        if future.done():  # the client has gone
            continue
        if isinstance(result, Exception):
            future.set_exception(result)
        else:
            future.set_result(result)
