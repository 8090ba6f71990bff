"""Counting in several processes: they parse and count blocks of the input, and the sum is exact.

A large file they cut into blocks themselves, taking turns. Other input one process cuts for them: it looks
for a place where a record ends, and says where a block lies or hands it over.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from spamnb.core import from_file, no_sigpipe, shared_file, to_file
from spamnb.errors import SpamnbError
from spamnb.messages import Chunk, Texts
from spamnb.readers import BlockReader, ReadOptions, SkippedRecords, Source, StoredFile
from spamnb.training.sampling import Order, PartialCounts
from spamnb.training.trainer import Trainer
from spamnb.training.turns import SharedFile, Token, Turns

if TYPE_CHECKING:
    from spamnb.model import SpamModel
    from spamnb.training.sampling import PartialCounts
    from spamnb.training.trainer import Trainer


# Forking on other systems than Linux may meet threads of system libraries that do not survive it.
START = "fork" if sys.platform.startswith("linux") else "spawn"
_AHEAD = 2  # blocks of a file that a worker knows of: waiting for the next one took 6% of its time
_LARGE = 4  # blocks from which on workers cut a file themselves


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
        self._turns: Turns | None = None  # likewise

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
        if self._turns is not None:
            self._turns.close()
            self._turns = None

    def feed(self, source: Source, number: int) -> Iterator[int]:
        """Have input `number` counted; tells of each block how large it was."""
        assert source.blocks is not None
        self.start()
        self._sources[number], self._reports[number] = source, []
        blocks, turns, file = source.blocks, self._turns, source.blocks.file
        if (
            turns is None
            or blocks.start is None
            or blocks.end is None
            or file is None
            or file.size < _LARGE * blocks.size
        ):
            yield from self._hand_out(source, number)
        else:
            shared = SharedFile(number, file, blocks.size, blocks.end, blocks.reader)
            yield from self._share(shared, blocks.start, turns)

    def _share(self, file: SharedFile, start: int, turns: Turns) -> Iterator[int]:
        """Let the workers cut a file, until one of them is at its end; the others follow by themselves."""
        turns.give(Token(file.number, 0, start))
        for worker in self._workers:
            self._give(worker, file)
            self._waiting[worker] += 1
        over = False
        while not over:
            for report in self._listen():
                if report.order[0] == file.number:
                    over = over or report.last
                    yield report.size

    def _hand_out(self, source: Source, number: int) -> Iterator[int]:
        """Cut an input and give each block to a worker."""
        assert source.blocks is not None
        at = source.blocks.start
        for index, block in enumerate(source.blocks.cut()):
            free = self._free(1 if at is None else _AHEAD)
            reader = None if (free, number) in self._told else source.blocks.reader
            if at is None:
                self._give(free, ((number, index), reader, None), block)
            else:
                self._give(free, ((number, index), reader, (source.blocks.file, at, len(block))))
                at += len(block)
            self._waiting[free] += 1
            self._told.add((free, number))
            yield len(block)

    def _give(self, worker: Connection, head: object, block: bytes | memoryview[int] = b"") -> None:
        """Send a block; a worker that is gone may have said why."""
        try:
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
            self._give(connection, None)
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
        self._turns = Turns() if START == "fork" else None
        for _ in range(self._jobs):
            mine, other = context.Pipe()
            inherited = [mine, *self._workers] if START == "fork" else []
            if START == "fork":
                self._files[mine] = shared_file()
            given = other, trainer, inherited, self._files.get(mine), self._turns
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

    def _listen(self) -> list[Report]:
        """What workers have to say; waits until there is something."""
        busy = [connection for connection, blocks in self._waiting.items() if blocks]
        return [self._heard(found) for found in wait(busy) if isinstance(found, Connection)]

    def _heard(self, connection: Connection) -> Report:
        report: Report = self._receive(connection)
        source = self._sources[report.order[0]]
        if report.stuck:
            _complain(source)
        meet(source, report)
        self._reports[report.order[0]].append(report)
        self._waiting[connection] -= report.last
        return report

    def _result(self, connection: Connection) -> PartialCounts:
        told = self._receive(connection)
        found: PartialCounts = from_file(self._files[connection], *told) if self._files else told
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
        with no_sigpipe():
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


def _complain(source: Source) -> NoReturn:
    """Let a source find its record that is too long: it can tell the line."""
    assert source.blocks is not None
    for _ in source.blocks.cut():
        pass
    raise SpamnbError(f"{source.name} was changed while it was read", hint="try again")


def _work(
    connection: Connection,
    trainer: Trainer,
    inherited: list[Connection],
    file: int | None,
    turns: Turns | None,
) -> None:
    """A worker: counts blocks until it is asked for the result."""
    for other in inherited:  # else this worker would keep the line to another one open
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process hears it too, and ends this one
    readers: dict[int, BlockReader] = {}
    try:
        while (head := connection.recv()) is not None:
            if isinstance(head, SharedFile):
                assert turns is not None
                for report in _count_turns(trainer, head, turns, connection.fileno()):
                    connection.send((True, report))
                continue
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


def _count_turns(trainer: Trainer, file: SharedFile, turns: Turns, line: int) -> Iterator[Report]:
    """Count those blocks of a file that fall to this worker."""
    for index, block in turns.blocks(file, line):
        order = file.number, index
        if not block:
            yield Report(order, stuck=True)
            return
        yield replace(count_block(trainer, order, file.reader, block), size=len(block), last=False)
    yield Report((file.number, sys.maxsize))


def _stored(place: StoredFile, start: int, size: int) -> bytes:
    with place.open() as file:
        file.seek(start)
        return file.read(size)


@contextmanager
def _quiet_fork() -> Iterator[None]:
    """Python 3.12 warns of forking where there are threads; those of numpy's libraries are idle here."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


@dataclass
class Report:
    """What became of one block: usable rows, lines, what was left out, and the labels that occurred.

    `last`: nothing more comes of what a worker was given. `stuck`: here begins a record that is too long.
    """

    order: Order
    size: int = 0
    last: bool = True
    stuck: bool = False
    rows: int = 0
    lines: int = 0
    skipped: SkippedRecords = field(default_factory=lambda: SkippedRecords(most=sys.maxsize))
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


class Counting:
    """Each process counts its mails for itself; after the last one the trainer absorbs what they counted.

    `number` is that of the input.
    """

    def __init__(self, trainer: Trainer, number: int = 0) -> None:
        self._trainer, self._number = trainer, number

    def start(self) -> None:
        self._trainer = replace(self._trainer, partial=True)  # the same settings, nothing counted

    def __call__(self, chunk: Chunk) -> Chunk:
        assert chunk.labels is not None
        self._trainer.add(chunk.texts, chunk.labels)
        return Chunk(_empty(chunk), chunk.lines, chunk.labels, position=chunk.position, made=True)

    def finish(self) -> PartialCounts:
        return self._trainer.result()

    def gather(self, found: list[tuple[list[int], PartialCounts]]) -> None:
        for numbers, partial in found:
            for part in partial.parts:  # the process only knows which of its own items this was
                part.order = self._number, numbers[part.order[1]]
        self._trainer.absorb([partial for _, partial in found])


class Scoring:
    """Messages come with what the model says about them, and with their texts only if these are `wanted`.

    To hand over all texts of 6,000 mails took 0.07 of 0.97 s.
    """

    def __init__(self, model: SpamModel, wanted: bool) -> None:
        self._model, self._wanted = model, wanted

    def __call__(self, chunk: Chunk) -> Chunk:
        made = self._model.score(chunk.texts)
        texts = chunk.texts if self._wanted else _empty(chunk, ("subject",))
        return Chunk(
            texts, chunk.lines, chunk.labels, position=chunk.position, sources=chunk.sources, made=made
        )


def _empty(chunk: Chunk, tags: tuple[str, ...] = ()) -> Texts:
    """As many texts without a letter, but for the tags that somebody will read."""
    none = np.zeros(len(chunk), np.int64)
    return Texts(b"", none, none, {tag: chunk.texts.tags[tag] for tag in tags if tag in chunk.texts.tags})


def with_work(reading: ReadOptions, work: Counting | Scoring) -> ReadOptions:
    """How to read, with this work for the processes that read, if there are several."""
    return reading.with_mail(work=work) if reading.mail.jobs > 1 else reading
