"""Counting on a cluster: shards of the data are counted by workers and their results merged, exactly.

A shard is a file, or a range of bytes of a large one that ends where a record ends. To count one has no
effect but its result, so that what is lost with a worker is simply counted again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial as bound
from typing import Any

from spamnb._version import __version__
from spamnb.errors import ConfigError, DataError, SpamnbError
from spamnb.readers import BlockReader, ReadOptions, Source, open_source
from spamnb.training.guarded import guarded
from spamnb.training.parallel_training import Report, count_block, settle
from spamnb.training.sampling import PartialCounts, merge_partials, sample_size
from spamnb.training.trainer import Trainer

Path = str | tuple[str, ...]
SHARD_BYTES = 64 << 20  # about a second of work: a task costs the scheduler some milliseconds
PATIENCE = 30.0  # seconds to wait for a scheduler and for a first worker
_LOOK = 2.0  # seconds between looks at whether there are workers
_SUSPECTS = 10  # shards that are named
_BRANCHES = 8  # results that one merge takes


@dataclass(frozen=True)
class Shard:
    """What one task counts: input `number`, or of a large one the blocks of `sizes` bytes from `start` on."""

    number: int
    index: int
    path: Path
    options: ReadOptions
    reader: BlockReader | None = None
    start: int = 0
    sizes: tuple[int, ...] = ()
    version: str = __version__  # of who made it

    @property
    def name(self) -> str:
        path = self.path if isinstance(self.path, str) else f"{self.path[0]} and {len(self.path) - 1} more"
        return f"{path}, bytes {self.start} to {self.start + sum(self.sizes)}" if self.sizes else path


@dataclass
class ShardResult:
    """What one or several shards gave: counts, reports of blocks, and what was said about whole inputs."""

    partial: PartialCounts
    reports: list[Report] = field(default_factory=list)
    told: dict[int, list[str]] = field(default_factory=dict)


def make_shards(
    number: int, path: Path, options: ReadOptions, size: int
) -> tuple[list[Shard], Source | None]:
    """The shards of an input, and the opened input if it is large enough to be cut into several."""
    if path == "-":
        raise DataError(
            "a cluster cannot read standard input", hint="put the data where all workers can read it"
        )
    path = os.path.abspath(path) if isinstance(path, str) else tuple(map(os.path.abspath, path))
    options = options.with_mail(jobs=1)  # it is the shards that are counted side by side
    whole = [Shard(number, 0, path, options)]
    if not isinstance(path, str) or not os.path.isfile(path) or os.path.getsize(path) <= size:
        return whole, None
    source = open_source(path, options, labelled=True)
    blocks = source.blocks
    if blocks is None or blocks.start is None:
        source.close()
        return whole, None
    with source:
        found: list[Shard] = []
        start, sizes = blocks.start, list[int]()
        for length in (*map(len, blocks.cut()), None):
            if length is not None:
                sizes.append(length)
            if sizes and (length is None or sum(sizes) >= size):
                shard = Shard(number, len(found), path, options, blocks.reader, start, tuple(sizes))
                found.append(shard)
                start, sizes = start + sum(sizes), []
    return found, source


def count_shard(settings: Trainer, shard: Shard) -> ShardResult:
    """Count one shard; runs on a worker, which needs nothing but spamnb and the file."""
    if shard.version != __version__:
        raise SpamnbError(
            f"a worker has spamnb {__version__}, expected {shard.version}", hint=_install(shard.version)
        )
    trainer = replace(settings, partial=True)  # a new one: several tasks may share what they are given
    try:
        if shard.reader is not None:
            reports = list(_count_blocks(trainer, shard, shard.reader))
            return ShardResult(trainer.result(), reports)
        told = _count_input(trainer, shard)
        return ShardResult(trainer.result(), told={shard.number: told})
    except SpamnbError as error:  # of a class that can travel
        raise SpamnbError(error.message, error.hint) from None


def _install(version: str) -> str:
    return f"install spamnb {version} on every worker"


def _count_blocks(trainer: Trainer, shard: Shard, reader: BlockReader) -> Iterator[Report]:
    assert isinstance(shard.path, str)
    with open(shard.path, "rb") as file:
        file.seek(shard.start)
        for i, size in enumerate(shard.sizes):
            yield count_block(trainer, (shard.number, shard.index << 32 | i), reader, file.read(size))


def _count_input(trainer: Trainer, shard: Shard) -> list[str]:
    with open_source(shard.path, shard.options, labelled=True) as source:
        for i, chunk in enumerate(source):
            assert chunk.labels is not None
            columns = dict(chunk.categories), dict(chunk.numbers)
            trainer.add(chunk.texts, chunk.labels, *columns, (shard.number, i))
        return [source.description, *_left_out(source)]


def _left_out(source: Source) -> list[str]:
    lines = [source.skipped.summary()] if source.skipped.count else []
    lines += [source.notes.by_reason()] if source.notes.count else []
    return [f"{source.name}: {line}" for line in lines]


def merge_counted(*results: ShardResult) -> ShardResult:
    """Several results as one."""
    told = {number: lines for result in results for number, lines in result.told.items()}
    reports = [report for result in results for report in result.reports]
    partials = [result.partial for result in results]
    messages = sum(int(partial.store.message_totals.sum()) for partial in partials)
    return ShardResult(merge_partials(partials, sample_size(messages)), reports, told)


def count(
    trainer: Trainer,
    inputs: Sequence[tuple[Path, ReadOptions]],
    run: Callable[[Trainer, list[Shard]], ShardResult],
    size: int = SHARD_BYTES,
) -> list[str]:
    """Let `run` count all inputs for the trainer; what there is to be said about each of them, in order."""
    if trainer.keep is not None and (trainer.features.categorical or trainer.features.numeric):
        raise ConfigError(
            "--balance undersample with columns counts in one process only",
            hint="leave out the cluster, or use --balance weight",
        )
    planned = [make_shards(number, path, how, size) for number, (path, how) in enumerate(inputs)]
    result = run(trainer, [shard for shards, _ in planned for shard in shards])
    trainer.absorb([result.partial])
    for number, (_, source) in enumerate(planned):
        if source is not None:
            settle(source, [report for report in result.reports if report.order[0] == number])
            result.told[number] = [source.description, *_left_out(source)]
    return [line for number in range(len(planned)) for line in result.told.get(number, ())]


def on_dask(trainer: Trainer, shards: list[Shard], address: str, patience: float = PATIENCE) -> ShardResult:
    """Count on the dask cluster at an address: a task for each shard, and a tree of merges on the workers."""
    try:
        from distributed import Client
    except ImportError:
        raise SpamnbError("--dask needs the package distributed", hint="pip install 'spamnb[dask]'") from None
    try:
        connect: Any = Client  # has no annotations
        client = connect(address, timeout=patience, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise SpamnbError(
            f"cannot reach a dask scheduler at {address}: {error}",
            hint="start one with `dask scheduler`, and give the address that it prints",
        ) from None
    with client:
        _await_workers(client, address, patience)
        return _gathered(client, trainer, shards, patience)


def _await_workers(client: Any, address: str, patience: float) -> None:
    try:
        client.wait_for_workers(1, timeout=patience)
    except TimeoutError:
        raise SpamnbError(
            f"the dask cluster at {address} has no workers", hint=f"start some: `dask worker {address}`"
        ) from None


def _gathered(client: Any, trainer: Trainer, shards: list[Shard], patience: float) -> ShardResult:
    """No retries of what fails: the same shard would fail again. What a lost worker held is counted again.

    A shard whose worker was lost is counted in a process of its own, so that one that takes workers down is
    found out with the second attempt.
    """
    from uuid import uuid4

    run = uuid4().hex  # names of tasks must not meet those of another run
    names = [f"spamnb-count-{run}-{i}" for i in range(len(shards))]
    work = bound(guarded, bound(count_shard, trainer))
    tasks = client.map(work, shards, [shard.name for shard in shards], names, key=names, retries=0)
    level = list(tasks)
    while len(level) > 1:
        groups = [level[i : i + _BRANCHES] for i in range(0, len(level), _BRANCHES)]
        level = [client.submit(merge_counted, *group, pure=False) for group in groups]
    try:
        result: ShardResult = _waited(client, level[0], patience)
    except Exception as error:
        raise _failure(error, tasks, shards) from error
    return result


def _waited(client: Any, last: Any, patience: float) -> Any:
    """The result of a task; it is not waited for where there has been nobody to work for a while."""
    alone = 0.0
    while True:
        try:
            return last.result(timeout=_LOOK)
        except TimeoutError:
            if last.done():  # it is the task's own error, or it has come just now
                return last.result()
        alone = 0.0 if client.nthreads() else alone + _LOOK
        if alone >= patience:
            raise SpamnbError(
                f"all dask workers are gone, for {alone:g} s now",
                hint="look at their logs; start some again, and then this",
            )


def _failure(error: Exception, tasks: list[Any], shards: list[Shard]) -> SpamnbError:
    failed = [shard for task, shard in zip(tasks, shards, strict=True) if task.status == "error"]
    if isinstance(error, SpamnbError):
        return SpamnbError(error.message, error.hint)
    if type(error).__name__ == "KilledWorker" and failed:
        # Tasks that waited on the same workers are suspected too: the guilty one is among them.
        names = ", ".join(shard.name for shard in failed[:_SUSPECTS])
        one_of = "one of " if len(failed) > 1 else ""
        return SpamnbError(
            f"workers died again and again while they counted {one_of}{names}",
            hint="look at the logs of the workers; it may be their memory limit",
        )
    if failed:
        what = f"{type(error).__name__}: {error}"
        hint = _install(__version__) if isinstance(error, ImportError) else "look at the logs of the workers"
        return SpamnbError(f"counting {failed[0].name} failed: {what}", hint)
    return SpamnbError(
        f"the dask cluster was lost: {type(error).__name__}",
        hint="nothing was written; start the cluster again",
    )
