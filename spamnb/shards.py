"""Counting in several processes: one reads and cuts, the others parse and count; the sum is exact.

The reading process only looks for a place where a record ends, and says where a block lies. Measured on CSV
of short messages that takes two milliseconds a megabyte; to parse and count them takes twenty times as long.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from typing import Any

from spamnb.errors import SpamnbError
from spamnb.forked import from_file, shared_file, to_file
from spamnb.readers import Source
from spamnb.readers.blocks import BlockReader
from spamnb.readers.skipped import Skipped
from spamnb.samples import Order, Partial
from spamnb.training import Trainer

# Forking on other systems than Linux may meet threads of system libraries that do not survive it.
START = "fork" if sys.platform.startswith("linux") else "spawn"
_AHEAD = 2  # blocks of a file that a worker knows of: waiting for the next one took 6% of its time


@dataclass
class Report:
    """What became of one block: usable rows, lines, what was left out, and the labels that occurred."""

    order: Order
    rows: int = 0
    lines: int = 0
    skipped: Skipped = field(default_factory=Skipped)
    labels: dict[bytes, str] = field(default_factory=dict)


def count_block(trainer: Trainer, order: Order, reader: BlockReader, block: bytes) -> Report:
    """Count the messages of one block."""
    report = Report(order)
    for chunk, lines in reader.read(block, report.skipped):
        assert chunk.labels is not None
        report.rows, report.lines = report.rows + len(chunk), report.lines + lines
        if len(chunk):
            trainer.add(chunk.texts, chunk.labels, dict(chunk.categories), dict(chunk.numbers), order)
    report.labels = dict(reader.labels or {})
    return report


def settle(source: Source, reports: list[Report]) -> None:
    """Tell a source what its blocks were like, as if it had been read here, and let it complain."""
    assert source.blocks is not None
    before = source.blocks.first_line - 1
    for report in sorted(reports, key=lambda report: report.order):
        source.skipped.extend(report.skipped, before)
        before += report.lines
        meet(source, report)
    source.check(sum(report.rows for report in reports))


def meet(source: Source, report: Report) -> None:
    """Let a source see the labels of a block: too many are an error."""
    if source.labels is not None:
        for written in report.labels:
            source.labels[written]
    report.labels = {}


class Pool:
    """Processes that count for a trainer: `feed` it sources, then `finish`; in a `with` block none survives.

    They start with the first block if not before; where the system can fork, in a hundredth of a second.
    """

    def __init__(self, trainer: Trainer, jobs: int) -> None:
        self._trainer = trainer
        self._jobs = jobs
        self._workers: dict[Connection, Any] = {}
        self._waiting: dict[Connection, int] = {}  # blocks that were given to each and not reported yet
        self._told: set[tuple[Connection, int]] = set()  # who has the reader of which source
        self._sources: dict[int, Source] = {}
        self._reports: dict[int, list[Report]] = {}
        self._files: dict[Connection, int] = {}  # for the arrays of the results, where workers are forked

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        for connection, process in self._workers.items():
            connection.close()
            process.kill()
            process.join()
        for file in self._files.values():
            os.close(file)
        self._files = {}

    def feed(self, source: Source, number: int) -> Iterator[int]:
        """Hand the blocks of input `number` to the workers; tells after each how far the input was read."""
        assert source.blocks is not None
        self.start()
        self._sources[number], self._reports[number] = source, []
        at = source.blocks.start
        for index, block in enumerate(source.blocks.cut()):
            free = self._free(1 if at is None else _AHEAD)
            reader = None if (free, number) in self._told else source.blocks.reader
            if at is None:
                self._give(free, ((number, index), reader, None), block)
            else:
                self._give(free, ((number, index), reader, (source.name, at, len(block))))
                at += len(block)
            self._waiting[free] += 1
            self._told.add((free, number))
            yield len(block)

    def _give(self, worker: Connection, head: object, block: bytes | memoryview[int] = b"") -> None:
        """Send a block; a worker that is gone may have said why."""
        try:
            with _no_sigpipe():
                _send(worker, head, block)
        except SpamnbError:
            while worker.poll():
                self._receive(worker)
            raise

    def finish(self) -> Iterator[Source]:
        """Wait for the workers and let the trainer have what they counted; the sources, in order."""
        while any(self._waiting.values()):
            self._listen()
        for connection in self._workers:  # all of them first: they put their results in order side by side
            _send(connection, None)
        self._trainer.absorb([self._result(connection) for connection in self._workers])
        for number, source in self._sources.items():
            settle(source, self._reports[number])
            yield source

    def start(self) -> None:
        """Start the processes, if they are not running yet; best before there are threads."""
        from multiprocessing import get_context

        if self._workers:
            return
        context: Any = get_context(START)
        trainer = replace(self._trainer, partial=True)
        for _ in range(self._jobs):
            mine, other = context.Pipe()
            inherited = [mine, *self._workers] if START == "fork" else []
            if START == "fork":
                self._files[mine] = shared_file()
            given = other, trainer, inherited, self._files.get(mine)
            process = context.Process(target=_work, args=given, daemon=True)
            with _quiet_fork():
                process.start()
            other.close()
            self._workers[mine], self._waiting[mine] = process, 0

    def _free(self, most: int) -> Connection:
        """Who has the least to do, once that is less than so many blocks."""
        while min(self._waiting.values()) >= most:
            self._listen()
        return min(self._waiting, key=lambda connection: self._waiting[connection])

    def _listen(self) -> None:
        busy = [connection for connection, blocks in self._waiting.items() if blocks]
        for connection in wait(busy):
            assert isinstance(connection, Connection)
            report = self._receive(connection)
            meet(self._sources[report.order[0]], report)
            self._reports[report.order[0]].append(report)
            self._waiting[connection] -= 1

    def _result(self, connection: Connection) -> Partial:
        told = self._receive(connection)
        found: Partial = from_file(self._files[connection], *told) if self._files else told
        return found

    @staticmethod
    def _receive(connection: Connection) -> Any:
        try:
            good, result = connection.recv()
        except (EOFError, ConnectionError):
            raise _lost() from None
        if not good:
            raise _error(*result)
        return result


def _send(connection: Connection, head: object, block: bytes | memoryview[int] = b"") -> None:
    try:
        connection.send(head)
        if block:
            connection.send_bytes(block)
    except OSError:
        raise _lost() from None


def _lost() -> SpamnbError:
    return SpamnbError(
        "a worker process ended before its work was done, perhaps for lack of memory",
        hint="use fewer processes: --jobs 1",
    )


def _error(kind: type[SpamnbError], message: str, hint: str) -> SpamnbError:
    error = kind.__new__(kind)
    SpamnbError.__init__(error, message, hint)
    return error


def _work(connection: Connection, trainer: Trainer, inherited: list[Connection], file: int | None) -> None:
    """A worker: counts blocks until it is asked for the result."""
    for other in inherited:  # else this worker would keep the line to another one open
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process hears it too, and ends this one
    readers: dict[int, BlockReader] = {}
    try:
        while (head := connection.recv()) is not None:
            order, reader, place = head
            if reader is not None:
                readers[order[0]] = reader
            block = connection.recv_bytes() if place is None else _stored(*place)
            connection.send((True, count_block(trainer, order, readers[order[0]], block)))
        result = trainer.result()
        connection.send((True, result if file is None else to_file(result, file)))
    except (EOFError, ConnectionError):
        return  # the first process is gone
    except SpamnbError as error:
        connection.send((False, (type(error), error.message, error.hint)))
    except Exception as error:
        message = f"a worker process failed: {type(error).__name__}: {error}"
        connection.send((False, (SpamnbError, message, "use --jobs 1")))


def _stored(path: str, start: int, size: int) -> bytes:
    with open(path, "rb", buffering=0) as file:
        file.seek(start)
        return file.read(size)


@contextmanager
def _no_sigpipe() -> Iterator[None]:
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


@contextmanager
def _quiet_fork() -> Iterator[None]:
    """Python 3.12 warns of forking where there are threads; those of numpy's libraries are idle here."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield
