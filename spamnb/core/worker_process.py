"""Runs a worker process: sends it items one by one, and receives an answer for each.

Both are pickled; the arrays of an answer travel without being copied into the pickle.
"""

from __future__ import annotations

import pickle
import signal
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from spamnb.core.record import Record
from spamnb.errors import SpamnbError

if TYPE_CHECKING:
    from spamnb.core.worker_pool import ResultCollector

_LAST = b""  # sent in place of an item after the last one


class Answer(Record):
    """A result, or the exception that was raised in its place."""

    result: Any
    error: Exception | None = None

    def value(self) -> Any:
        """Returns the result or raises the exception."""
        if self.error is not None:
            raise self.error
        return self.result


class Worker:
    """A process that answers one item after the other."""

    def __init__(
        self,
        context: Any,
        function: Callable[[Any], Any],
        collector: ResultCollector | None,
        siblings: Sequence[Worker],
    ) -> None:
        self.numbers: list[int] = []  # of the items that were sent
        self.answered = 0
        self.pipe, remote = context.Pipe()
        forked = context.get_start_method() == "fork"
        # A forked worker closes the ends that it inherits: open copies would hide that a process has ended.
        inherited = [self.pipe, *(sibling.pipe for sibling in siblings)] if forked else []
        arguments = remote, inherited, function, collector
        self.process: Any = context.Process(target=_serve, args=arguments, daemon=True)
        with _quiet_fork():
            self.process.start()
        remote.close()

    @property
    def waiting(self) -> int:
        """Returns how many items were sent and not answered."""
        return len(self.numbers) - self.answered

    def send(self, number: int, item: bytes) -> None:
        self.numbers.append(number)
        self._send(item)

    def send_last(self) -> None:
        self._send(_LAST)

    def receive(self) -> Answer:
        try:
            return _receive(self.pipe)
        except (EOFError, OSError):
            raise _lost() from None

    def end(self) -> None:
        """Ends the process at once."""
        self.pipe.close()
        self.process.kill()
        self.process.join()

    def _send(self, data: bytes) -> None:
        try:
            with _no_sigpipe():
                self.pipe.send_bytes(data)
        except OSError:
            raise _lost() from None


def _serve(
    pipe: Connection,
    inherited: list[Connection],
    function: Callable[[Any], Any],
    collector: ResultCollector | None,
) -> None:
    """Runs in a worker: answers items until the caller closes the pipe."""
    for other in inherited:
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller gets Ctrl-C too, and ends this process
    try:
        while item := pipe.recv_bytes():
            _send(pipe, partial(_apply, function, item))
        if collector is not None:
            _send(pipe, collector.finish)
        pipe.recv_bytes()
    except (EOFError, OSError):  # the caller has gone or needs nothing more
        return


def _apply(function: Callable[[Any], Any], item: bytes) -> Any:
    return function(pickle.loads(item))


def _send(pipe: Connection, work: Callable[[], Any]) -> None:
    """Sends the answer of some work: its pickle and the sizes of its arrays, then the arrays."""
    try:
        head, arrays = _pickled(Answer(work()))
    except Exception as error:  # of the work, or of pickling its result
        head, arrays = _pickled(Answer(None, _portable(error)))
    pipe.send((head, [array.nbytes for array in arrays]))
    for array in arrays:
        pipe.send_bytes(array)


def _pickled(answer: Answer) -> tuple[bytes, list[memoryview]]:
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(answer, 5, buffer_callback=buffers.append)
    return head, [buffer.raw() for buffer in buffers]


def _receive(pipe: Connection) -> Answer:
    head, sizes = pipe.recv()
    arrays = [bytearray(size) for size in sizes]
    for array in arrays:
        pipe.recv_bytes_into(array)
    answer: Answer = pickle.loads(head, buffers=arrays)
    return answer


def _portable(error: Exception) -> Exception:
    """Returns the exception, or one with its message if it cannot be pickled and restored."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return SpamnbError(f"a worker process failed: {type(error).__name__}: {error}", hint="use --jobs 1")
    return error


def _lost() -> SpamnbError:
    return SpamnbError(
        "a worker process ended before its work was done, perhaps for lack of memory",
        hint="use fewer processes: --jobs 1",
    )


@contextmanager
def _no_sigpipe() -> Iterator[None]:
    """Makes a broken pipe to a worker an error; the command line lets SIGPIPE end the process."""
    import threading

    if not hasattr(signal, "SIGPIPE") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGPIPE, before)


@contextmanager
def _quiet_fork() -> Iterator[None]:
    """Silences the warning of Python 3.12 about forking with threads: numpy's threads are idle here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield
