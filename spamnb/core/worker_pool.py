"""Runs a function in several worker processes; results come in the order of the items.

Workers are forked where that is safe: they start within milliseconds and share what is loaded. Elsewhere they
are spawned, and the function is pickled. In a `with` block no worker outlives its pool.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

if TYPE_CHECKING:
    from spamnb.core.worker_process import Answer, Worker

T = TypeVar("T")
R = TypeVar("R")
_AHEAD = 2  # items for each worker that are handed out and not yet returned
_SMALL = 1 << 15  # bytes that a pipe takes at once, whether or not the worker reads


@runtime_checkable
class ResultCollector(Protocol):
    """Collects something in each worker besides the results, for the caller to merge after the last item."""

    def finish(self) -> Any:
        """Returns what a worker has collected, after its last item."""

    def gather(self, collected: list[tuple[list[int], Any]]) -> None:
        """Takes over what each worker has collected, with the numbers of its items; runs in the caller."""


def can_fork() -> bool:
    """Tells whether this process can be copied: macOS has the call, but its libraries do not survive it."""
    return sys.platform.startswith("linux")


def ordered_map(
    function: Callable[[T], R], items: Iterable[T], jobs: int, collector: ResultCollector | None = None
) -> Iterator[R]:
    """Yields the result for each item, in order; items are taken only a few steps ahead of the results.

    With one job or one item the function runs in this process, without the collector.

    >>> list(ordered_map(len, ["a", "bcd"], 1))
    [1, 3]
    """
    waiting = iter(items)
    first = list(islice(waiting, 2)) if jobs > 1 else []
    if len(first) < 2:
        yield from map(function, chain(first, waiting))
        return
    with WorkerPool(function, jobs, collector) as pool:
        yield from pool.feed(chain(first, waiting))
        yield from pool.finish()


class WorkerPool:
    """Worker processes that apply one function: `feed` them items, then `finish`."""

    def __init__(
        self, function: Callable[[Any], Any], jobs: int, collector: ResultCollector | None = None
    ) -> None:
        self._function, self._jobs, self._collector = function, jobs, collector
        self.workers: list[Worker] = []
        self._sent = self._returned = 0
        self._answers: dict[int, Answer] = {}  # by the number of the item; not yet returned

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.workers:
            worker.end()

    def start(self) -> None:
        """Starts the workers if they are not running yet; best before this process has threads."""
        from multiprocessing import get_context

        from spamnb.core.worker_process import Worker

        context = get_context("fork" if can_fork() else "spawn")
        while len(self.workers) < self._jobs:
            self.workers.append(Worker(context, self._function, self._collector, self.workers))

    def feed(self, items: Iterable[Any]) -> Iterator[Any]:
        """Hands out the items and yields results that are due; the last ones come with the next call."""
        import pickle

        self.start()
        for item in items:
            data = pickle.dumps(item, 5)
            while (worker := self._free_worker(len(data))) is None:
                self._receive()
            worker.send(self._sent, data)
            self._sent += 1
            while self._sent - self._returned >= _AHEAD * self._jobs:
                yield from self._due()

    def finish(self) -> Iterator[Any]:
        """Yields the remaining results, then lets the collector gather."""
        while self._returned < self._sent:
            yield from self._due()
        if self._collector is not None:
            for worker in self.workers:  # all of them first, so that they finish side by side
                worker.send_last()
            self._collector.gather([(worker.numbers, worker.receive().value()) for worker in self.workers])

    def _free_worker(self, size: int) -> Worker | None:
        """Returns the worker with the fewest items, if it can take one of this size without blocking.

        A large item goes to an idle worker only: else both sides might wait for the other one to read.
        """
        worker = min(self.workers, key=lambda each: each.waiting)
        free = worker.waiting < _AHEAD if size <= _SMALL else not worker.waiting
        return worker if free else None

    def _receive(self) -> None:
        """Waits for the next answers of workers."""
        from multiprocessing.connection import wait

        busy = {worker.pipe: worker for worker in self.workers if worker.waiting}
        for pipe in wait(list(busy)):
            worker = busy[pipe]
            self._answers[worker.numbers[worker.answered]] = worker.receive()
            worker.answered += 1

    def _due(self) -> Iterator[Any]:
        """Waits for the next result in order; yields it and those after it that are there."""
        while self._returned not in self._answers:
            self._receive()
        while self._returned in self._answers:
            self._returned += 1
            yield self._answers.pop(self._returned - 1).value()
