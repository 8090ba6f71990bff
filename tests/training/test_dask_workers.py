"""A real dask cluster of two workers: the bytes of one process, also when workers are killed."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from spamnb.errors import SpamnbError
from spamnb.training import dask_cluster as cluster
from spamnb.training.dask_cluster import count_on_cluster, on_dask
from spamnb.training.trainer import Trainer
from tests.helpers.dask_tasks import POISON, dawdling, deadly, deadly_once, raising
from tests.helpers.table_training import files, inputs, same, serial, table

distributed = pytest.importorskip(
    "distributed", reason="distributed is not installed: pip install distributed"
)


def two_workers() -> Any:
    return distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", host="127.0.0.1", silence_logs=50
    )


@pytest.fixture(scope="module")
def dask_cluster() -> Iterator[Any]:
    with two_workers() as running:
        yield running


@pytest.fixture
def fresh_cluster() -> Iterator[Any]:
    """A cluster for one test: workers that another test has killed take their time to come back."""
    with two_workers() as running:
        yield running


def on_cluster(running: Any) -> Any:
    """Counts there, with patience: on a busy machine a new worker takes a while to come up."""
    return partial(on_dask, address=running.scheduler_address, patience=300.0)


@pytest.mark.parametrize("number", [1, 2, 16])
def test_dask_gives_the_same_bytes(number: int, dask_cluster: Any, tmp_path: Path) -> None:
    paths, trainer = files(tmp_path, number), Trainer()
    count_on_cluster(trainer, inputs(paths), on_cluster(dask_cluster))
    same(trainer.finish(), serial(paths), tmp_path)


def test_an_error_in_a_shard_is_reported_unchanged(dask_cluster: Any, tmp_path: Path) -> None:
    paths = files(tmp_path, 3)
    paths[1].write_text("label,text\nham,\n")
    with pytest.raises(SpamnbError, match=r"no usable rows in .*part-01.csv: 1 skipped \(line 2: no text\)"):
        count_on_cluster(Trainer(), inputs(paths), on_cluster(dask_cluster))


def test_dask_survives_killed_workers(
    fresh_cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "count_shard", dawdling)
    paths = files(tmp_path, 16)
    expected = serial(paths)
    for after in (0.3, 0.5, 0.8):
        trainer = Trainer()
        killer = threading.Timer(after, os.kill, (fresh_cluster.workers[0].pid, signal.SIGKILL))
        killer.start()
        count_on_cluster(trainer, inputs(paths), on_cluster(fresh_cluster))
        killer.join()
        same(trainer.finish(), expected, tmp_path)


def counted(dask_cluster: Any, folder: Path) -> Trainer:
    """Three parts and the poison."""
    poison, trainer = folder / POISON, Trainer()
    poison.write_bytes(table(20))
    run = on_cluster(dask_cluster)
    count_on_cluster(trainer, inputs([*files(folder, 3), poison]), run)
    return trainer


def test_a_shard_that_kills_workers_is_named(
    fresh_cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "count_shard", deadly)
    with pytest.raises(SpamnbError, match=r"counting (one of )?.*poison\.csv.* failed: KilledWorker: "):
        counted(fresh_cluster, tmp_path)


def test_a_shard_whose_worker_died_by_chance_is_counted(
    fresh_cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "count_shard", deadly_once)
    trainer = counted(fresh_cluster, tmp_path)
    same(trainer.finish(), serial([*files(tmp_path, 3), tmp_path / POISON]), tmp_path)


def test_a_shard_that_raises_is_named(
    dask_cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "count_shard", raising)
    with pytest.raises(SpamnbError, match=r"counting .*poison.csv failed: ZeroDivisionError: poison"):
        counted(dask_cluster, tmp_path)


def test_no_scheduler_at_the_address(tmp_path: Path) -> None:
    with pytest.raises(SpamnbError, match=r"cannot reach a dask scheduler at tcp://127.0.0.1:9: "):
        count_on_cluster(
            Trainer(), inputs(files(tmp_path, 1)), partial(on_dask, address="tcp://127.0.0.1:9", patience=1)
        )
