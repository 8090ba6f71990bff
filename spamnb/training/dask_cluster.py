"""Counts the data on a dask cluster: workers count shards and merge their results, exactly.

A shard is a file, or a range of bytes of a large one that ends where a record ends. Counting one has no
effect but its result, so dask counts again what is lost with a worker.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from spamnb._version import __version__
from spamnb.errors import ConfigError, DataError, MissingExtraError, SpamnbError
from spamnb.readers import BlockReader, ReadOptions, Source, open_source
from spamnb.training.message_counter import MessageCounter
from spamnb.training.parallel_training import BlockResult, count_block, finish_source
from spamnb.training.sampling import PartialCounts, merge_partials, sample_size
from spamnb.training.trainer import Trainer

Path = str | tuple[str, ...]
SHARD_BYTES = 64 << 20  # about a second of work: a task costs the scheduler some milliseconds
PATIENCE = 30.0  # seconds to wait for a scheduler, for a first worker, and without any worker
_LOOK = 2.0  # seconds between looks at whether there are workers
_NAMED = 10  # shards that an error names
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
    version: str = __version__

    @property
    def name(self) -> str:
        path = self.path if isinstance(self.path, str) else f"{self.path[0]} and {len(self.path) - 1} more"
        return f"{path}, bytes {self.start} to {self.start + sum(self.sizes)}" if self.sizes else path


@dataclass
class ShardResult:
    """The result of one or several shards: counts, results of blocks, and status lines of whole inputs."""

    counts: PartialCounts
    blocks: list[BlockResult] = field(default_factory=list)
    status: dict[int, list[str]] = field(default_factory=dict)  # by the number of the input


def make_shards(
    number: int, path: Path, options: ReadOptions, size: int
) -> tuple[list[Shard], Source | None]:
    """Returns the shards of an input, and the opened input if it is cut into several."""
    if path == "-":
        hint = "put the data where all workers can read it"
        raise DataError("a cluster cannot read standard input", hint)
    path = os.path.abspath(path) if isinstance(path, str) else tuple(map(os.path.abspath, path))
    whole = Shard(number, 0, path, options.with_mail(jobs=1))
    if not isinstance(path, str) or not os.path.isfile(path) or os.path.getsize(path) <= size:
        return [whole], None
    source = open_source(path, whole.options, labelled=True)
    with source:
        if source.blocks is None or source.blocks.start is None:
            return [whole], None
        shards = list(_cut(whole, source, size))
        return (shards, source) if source.blocks.is_as_stored() else ([whole], None)


def _cut(whole: Shard, source: Source, size: int) -> Iterator[Shard]:
    """Cuts an input into shards of about `size` bytes."""
    assert source.blocks is not None
    assert source.blocks.start is not None
    shard = replace(whole, reader=source.blocks.reader, start=source.blocks.start)
    for length in map(len, source.blocks.cut()):
        shard = replace(shard, sizes=(*shard.sizes, length))
        if sum(shard.sizes) >= size:
            yield shard
            end = shard.start + sum(shard.sizes)
            shard = replace(shard, index=shard.index + 1, start=end, sizes=())
    if shard.sizes:
        yield shard


def count_shard(settings: MessageCounter, shard: Shard) -> ShardResult:
    """Counts one shard; runs on a worker, which needs nothing but spamnb and the file."""
    if shard.version != __version__:
        hint = f"install spamnb {shard.version} on every worker"
        raise SpamnbError(f"a worker has spamnb {__version__}, expected {shard.version}", hint)
    counter = settings.part()
    if shard.reader is not None and isinstance(shard.path, str):
        blocks = []
        with open(shard.path, "rb") as file:
            file.seek(shard.start)
            for i, size in enumerate(shard.sizes, shard.index << 32):
                blocks.append(count_block(counter, (shard.number, i), shard.reader, file.read(size)))
        return ShardResult(counter.result(), blocks)
    with open_source(shard.path, shard.options, labelled=True) as source:
        for i, chunk in enumerate(source):
            counter.add_chunk(chunk, (shard.number, i))
        return ShardResult(counter.result(), status={shard.number: _status(source)})


def _status(source: Source) -> list[str]:
    lines = source.skipped.lines()
    lines += [source.notes.by_reason()] if source.notes.count else []
    return [source.description, *(f"{source.name}: {line}" for line in lines)]


def merge_results(*results: ShardResult) -> ShardResult:
    """Merges the results of several shards."""
    counts = [result.counts for result in results]
    messages = sum(part.messages for part in counts)
    return ShardResult(
        merge_partials(counts, sample_size(messages)),
        [block for result in results for block in result.blocks],
        {number: lines for result in results for number, lines in result.status.items()},
    )


def count_on_cluster(
    trainer: Trainer,
    inputs: Sequence[tuple[Path, ReadOptions]],
    run: Callable[[MessageCounter, list[Shard]], ShardResult],
    size: int = SHARD_BYTES,
) -> list[str]:
    """Lets `run` count all inputs for the trainer; returns the status lines of each input, in order."""
    if trainer.keep is not None and (trainer.features.categorical or trainer.features.numeric):
        hint = "leave out the cluster, or use --set balance=weight"
        raise ConfigError("--set balance=undersample with columns counts in one process only", hint)
    planned = [make_shards(number, path, how, size) for number, (path, how) in enumerate(inputs)]
    result = run(trainer.part(), [shard for shards, _ in planned for shard in shards])
    trainer.absorb([result.counts])
    blocks = sorted(result.blocks, key=lambda block: block.order)
    for number, (_, source) in enumerate(planned):
        if source is not None:
            finish_source(source, [block for block in blocks if block.order[0] == number])
            result.status[number] = _status(source)
    return [line for number in range(len(planned)) for line in result.status.get(number, ())]


def on_dask(
    counter: MessageCounter, shards: list[Shard], address: str, patience: float = PATIENCE
) -> ShardResult:
    """Counts on the dask cluster at an address: a task for each shard, then a tree of merges."""
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtraError("--set dask", "dask") from None
    try:
        connect: Any = Client  # has no annotations
        client = connect(address, timeout=patience, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        hint = "start one with `dask scheduler`, and give the address that it prints"
        raise SpamnbError(f"cannot reach a dask scheduler at {address}: {error}", hint) from None
    with client:
        tasks = client.map(partial(count_shard, counter), shards, pure=False, retries=0)
        level = list(tasks)
        while len(level) > 1:
            groups = [level[i : i + _BRANCHES] for i in range(0, len(level), _BRANCHES)]
            level = [client.submit(merge_results, *group, pure=False) for group in groups]
        try:
            result: ShardResult = _wait_for(client, level[0], patience)
        except SpamnbError:
            raise
        except Exception as error:
            raise _failure(error, tasks, shards) from error
        return result


def _wait_for(client: Any, task: Any, patience: float) -> Any:
    """Returns the result of a task; gives up where there has been no worker for a while."""
    alone = 0.0
    while True:
        try:
            return task.result(timeout=_LOOK)
        except TimeoutError:
            if task.done():  # it is the task's own error, or it has come just now
                return task.result()
        alone = 0.0 if client.nthreads() else alone + _LOOK
        if alone >= patience:
            hint = "start some with `dask worker`; look at the logs of those that ended"
            raise SpamnbError(f"the dask cluster has had no workers for {alone:g} s", hint)


def _failure(error: Exception, tasks: list[Any], shards: list[Shard]) -> SpamnbError:
    failed = [shard for task, shard in zip(tasks, shards, strict=True) if task.status == "error"]
    if not failed:
        what = f"the dask cluster was lost: {type(error).__name__}"
        return SpamnbError(what, hint="nothing was written; start the cluster again")
    # Where a worker died again and again, tasks that waited on it failed too: the cause is among them.
    names = ", ".join(shard.name for shard in failed[:_NAMED])
    what = f"counting {'one of ' * (len(failed) > 1)}{names} failed: {type(error).__name__}: {error}"
    if isinstance(error, ImportError):
        return SpamnbError(what, hint=f"install spamnb {__version__} on every worker")
    return SpamnbError(what, hint="look at the logs of the workers; it may be their memory limit")
