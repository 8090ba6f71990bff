"""Copies of this process that work for it: they start in milliseconds and need not load anything again."""

from __future__ import annotations

import mmap
import os
import pickle
import signal
import sys
import tempfile
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import accumulate, chain, islice
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, NoReturn, Protocol, TypeVar, runtime_checkable

from spamnb.errors import SpamnbError

T = TypeVar("T")
R = TypeVar("R")
_AHEAD = 2  # items for each process that are under way or done and not yet asked for


def can_fork() -> bool:
    """Can a process be copied as it is, within milliseconds and with all it has loaded?

    macOS has the call, but its own libraries do not survive it.
    """
    return sys.platform.startswith("linux")


def ordered_map(
    function: Callable[[T], R], items: Iterable[T], jobs: int, gathering: ResultCollector | None = None
) -> Iterator[R]:
    """The result for each item, in order; items are taken only some steps ahead of the results.

    Items and results must be able to travel to another process, and where processes cannot be forked the
    function too; for one job or one item nothing travels. `gathering` needs processes that can be forked.

    >>> list(ordered_map(len, ["a", "bcd"], 1))
    [1, 3]
    """
    rest = iter(items)
    if jobs == 1:
        return map(function, rest)
    first = list(islice(rest, 2))
    if len(first) < 2:
        return map(function, first)
    if can_fork():
        return forked_map(function, chain(first, rest), jobs, gathering, _AHEAD)
    return _in_processes(function, chain(first, rest), jobs)


def _in_processes(function: Callable[[T], R], items: Iterable[T], jobs: int) -> Iterator[R]:
    from joblib.externals.loky import get_reusable_executor

    executor = get_reusable_executor(max_workers=jobs)
    waiting: deque[Any] = deque()
    try:
        for item in items:
            waiting.append(executor.submit(function, item))
            if len(waiting) >= _AHEAD * jobs:
                yield _result(waiting.popleft())
        while waiting:
            yield _result(waiting.popleft())
    finally:
        for future in waiting:
            future.cancel()


def _result(future: Any) -> Any:
    from joblib.externals.loky import BrokenProcessPool

    try:
        return future.result()
    except BrokenProcessPool as error:
        raise lost() from error


_SMALL = 1 << 15  # bytes that a pipe takes at once, even if nobody reads it yet
_LAST = b""  # told instead of an item: there are no more
_ALIGNED = 64
_AT_ONCE = getattr(mmap, "MAP_POPULATE", 0)


class Worker:
    """A copy of this process that answers items with `function`, one after the other."""

    def __init__(
        self, function: Callable[[Any], Any], gathering: ResultCollector | None, others: list[Worker]
    ) -> None:
        self.numbers: list[int] = []  # of the items it was given
        self.answered = 0
        self._file = shared_file()
        self._pipe, theirs = Pipe()
        with warnings.catch_warnings():  # numpy has threads; no copy of this process uses them
            warnings.simplefilter("ignore", DeprecationWarning)
            self.pid = os.fork()
        if not self.pid:
            for end in (self._pipe, *(other._pipe for other in others)):
                end.close()  # else nobody would notice that this process has gone
            _serve(theirs, self._file, function, gathering)
        theirs.close()

    @property
    def waiting(self) -> int:
        return len(self.numbers) - self.answered

    def give(self, number: int, item: bytes) -> None:
        self.numbers.append(number)
        self._send(item)

    def take(self) -> tuple[int, tuple[bool, Any]]:
        """The next result, or what went wrong, with the number of its item."""
        number = self.numbers[self.answered]
        self.answered += 1
        return number, self._receive()

    def last(self) -> None:
        """There are no more items: gather."""
        self._send(_LAST)

    def gathered(self) -> Any:
        return from_file(self._file, *_checked(self._receive()))

    def end(self) -> None:
        self._pipe.close()
        os.close(self._file)
        try:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        except OSError:  # somebody else has waited for it
            pass

    def _send(self, data: bytes) -> None:
        try:
            with no_sigpipe():
                self._pipe.send_bytes(data)
        except OSError as error:
            raise lost() from error

    def _receive(self) -> tuple[bool, Any]:
        try:
            answer: tuple[bool, Any] = pickle.loads(self._pipe.recv_bytes())
        except (EOFError, OSError) as error:
            raise lost() from error
        return answer

    @staticmethod
    def ready(workers: list[Worker]) -> list[Worker]:
        """Those that have an answer; waits for the first."""
        ends = wait([worker._pipe for worker in workers])
        return [worker for worker in workers if worker._pipe in ends]


def forked_map(
    function: Callable[[T], R],
    items: Iterable[T],
    jobs: int,
    gathering: ResultCollector | None,
    ahead: int,
) -> Iterator[R]:
    """The result for each item, in order; items are taken at most `ahead` for each process beforehand."""
    workers: list[Worker] = []
    try:
        for _ in range(jobs):
            workers.append(Worker(function, gathering, workers))
        yield from _results(workers, items, ahead)
        if gathering is not None:
            for worker in workers:  # all of them first: they gather side by side
                worker.last()
            gathering.gather([(worker.numbers, worker.gathered()) for worker in workers])
    finally:
        for worker in workers:
            worker.end()


def _results(workers: list[Worker], items: Iterable[Any], ahead: int) -> Iterator[Any]:
    coming = enumerate(items)
    done: dict[int, tuple[bool, Any]] = {}
    number, asked_for, item = -1, 0, _LAST
    while True:
        while item or number - asked_for + 1 < ahead * len(workers):
            if not item:
                if not (following := next(coming, None)):
                    break
                number, item = following[0], pickle.dumps(following[1], 5)
            worker = min(workers, key=lambda each: each.waiting)
            if worker.waiting and (len(item) > _SMALL or worker.waiting >= ahead):
                break  # both could wait for ever for the other one to read
            worker.give(number, item)
            item = _LAST
        busy = [worker for worker in workers if worker.waiting]
        if not busy:
            return
        done.update(worker.take() for worker in Worker.ready(busy))
        while asked_for in done:
            yield _checked(done.pop(asked_for))
            asked_for += 1


def _checked(answer: tuple[bool, Any]) -> Any:
    well, result = answer
    if not well:
        raise result
    return result


def _serve(
    pipe: Connection, file: int, function: Callable[[Any], Any], gathering: ResultCollector | None
) -> NoReturn:
    """The life of a worker; it ends without the usual farewells, which are this process's own."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        if gathering is not None:
            gathering.start()
        while item := pipe.recv_bytes():
            pipe.send_bytes(_answer(_on_bytes, function, item))
        pipe.send_bytes(_answer(_gathered, gathering, file))
        pipe.recv_bytes()  # until the other end is closed
    except BaseException:
        os._exit(1)
    os._exit(0)


def _answer(work: Callable[..., Any], *given: Any) -> bytes:
    try:
        return pickle.dumps((True, work(*given)), 5)
    except Exception as error:
        return pickle.dumps((False, error), 5)


def _on_bytes(function: Callable[[Any], Any], item: bytes) -> Any:
    return function(pickle.loads(item))


def _gathered(gathering: ResultCollector | None, file: int) -> tuple[bytes, list[int]]:
    return to_file(gathering.finish() if gathering else None, file)


@contextmanager
def no_sigpipe() -> Iterator[None]:
    """The command line asks to be ended by a broken pipe; one to a worker must be an error instead."""
    import threading

    if not hasattr(signal, "SIGPIPE") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGPIPE, before)


def to_file(result: object, file: int) -> tuple[bytes, list[int]]:
    """A result without its arrays, which are written to a file, and their sizes."""
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(result, 5, buffer_callback=buffers.append)
    parts = [buffer.raw() for buffer in buffers]
    with open(file, "wb", closefd=False) as out:
        for part in parts:
            out.write(part)
            out.write(bytes(_padded(part.nbytes) - part.nbytes))
    return head, [part.nbytes for part in parts]


def from_file(file: int, head: bytes, sizes: list[int]) -> Any:
    """The inverse of `to_file`: the arrays lie in memory that both processes have mapped, not copied."""
    shared = memoryview(mmap.mmap(file, 0, mmap.MAP_SHARED | _AT_ONCE) if any(sizes) else b"")
    places = accumulate(map(_padded, sizes), initial=0)
    parts = [shared[at : at + size] for at, size in zip(places, sizes, strict=False)]
    return pickle.loads(head, buffers=parts)


def _padded(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED


def shared_file() -> int:
    """A file without a name, in memory where the system can."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("spamnb")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


@runtime_checkable
class ResultCollector(Protocol):
    """What processes collect beside the result for each item, to be put together after the last one."""

    def start(self) -> None:
        """In each process, before its first item."""

    def finish(self) -> Any:
        """In each process, after its last item: what it has collected."""

    def gather(self, found: list[tuple[list[int], Any]]) -> None:
        """Here: what each process has collected, with the numbers of the items it was given."""


def lost() -> SpamnbError:
    """A process is gone, and its work with it."""
    return SpamnbError(
        "a worker process ended before its work was done, perhaps for lack of memory",
        hint="use fewer processes: --jobs 1",
    )
