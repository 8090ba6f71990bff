"""A real dask cluster of two workers: the bytes of one process, also when workers are killed."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from test_cluster import files, inputs
from test_shards import same, serial, table

from spamnb import cluster
from spamnb.cluster import Counted, Shard, count, count_shard, on_dask
from spamnb.errors import SpamnbError
from spamnb.training import Trainer

distributed = pytest.importorskip(
    "distributed", reason="distributed is not installed: pip install 'spamnb[dask]'"
)
POISON = "poison.csv"


@pytest.fixture(scope="module")
def dask_cluster() -> Iterator[Any]:
    import dask

    # One death is forgiven, not three: a worker takes seconds to come back on a busy machine.
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",
            host="127.0.0.1",
            silence_logs=50,
        ) as running,
    ):
        yield running


@pytest.mark.parametrize("number", [1, 2, 16])
def test_dask_gives_the_same_bytes(number: int, dask_cluster: Any, tmp_path: Path) -> None:
    paths, trainer = files(tmp_path, number), Trainer()
    count(trainer, inputs(paths), partial(on_dask, address=dask_cluster.scheduler_address))
    same(trainer.finish(), serial(paths), tmp_path)


def test_an_error_in_a_shard_is_told_as_it_is(dask_cluster: Any, tmp_path: Path) -> None:
    paths = files(tmp_path, 3)
    paths[1].write_text("label,text\nham,\n")
    with pytest.raises(SpamnbError, match=r"no usable rows in .*part-01.csv: 1 skipped \(line 2: no text\)"):
        count(Trainer(), inputs(paths), partial(on_dask, address=dask_cluster.scheduler_address))


def dawdling(trainer: Trainer, shard: Shard) -> Counted:
    time.sleep(0.1)  # long enough that a kill hits some work
    return count_shard(trainer, shard)


def test_dask_survives_killed_workers(
    dask_cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "count_shard", dawdling)
    paths = files(tmp_path, 16)
    expected = serial(paths)
    for after in (0.3, 0.5, 0.8):
        trainer = Trainer()
        killer = threading.Timer(after, os.kill, (dask_cluster.workers[0].pid, signal.SIGKILL))
        killer.start()
        count(trainer, inputs(paths), partial(on_dask, address=dask_cluster.scheduler_address))
        killer.join()
        same(trainer.finish(), expected, tmp_path)


def deadly(trainer: Trainer, shard: Shard) -> Counted:
    if str(shard.path).endswith(POISON):
        os._exit(1)
    return count_shard(trainer, shard)


def test_a_shard_that_kills_workers_is_named(
    dask_cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "count_shard", deadly)
    poison = tmp_path / POISON
    poison.write_bytes(table(20))
    with pytest.raises(SpamnbError) as told:
        count(
            Trainer(),
            inputs([*files(tmp_path, 3), poison]),
            partial(on_dask, address=dask_cluster.scheduler_address),
        )
    assert told.value.message.startswith("workers died again and again while they counted ")
    assert str(poison) in told.value.message


def test_no_scheduler_at_the_address(tmp_path: Path) -> None:
    with pytest.raises(SpamnbError, match=r"cannot reach a dask scheduler at tcp://127.0.0.1:9: "):
        count(
            Trainer(), inputs(files(tmp_path, 1)), partial(on_dask, address="tcp://127.0.0.1:9", patience=1)
        )
