"""The cluster path: any number of shards gives the bytes of one process, also when workers are killed."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from spamnb.errors import ConfigError, DataError, SpamnbError
from spamnb.settings import FeatureConfig
from spamnb.training import backends, dask_cluster
from spamnb.training.backends import on_backend
from spamnb.training.dask_cluster import Shard, ShardResult, count, count_shard, make_shards, merge_counted
from spamnb.training.trainer import Trainer
from tests.helpers.table_training import FILES, SMALL, files, inputs, same, serial, table

pytestmark = pytest.mark.usefixtures("small_heads")


def here(trainer: Trainer, shards: list[Shard]) -> ShardResult:
    """The tasks of a cluster without one."""
    return merge_counted(*(count_shard(trainer, shard) for shard in shards))


@pytest.mark.parametrize("name", FILES)
def test_ranges_of_one_file(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name])
    expected = serial([path])
    for size in (1, 1000, 1 << 30):
        trainer = Trainer()
        count(trainer, inputs([path]), here, size)
        same(trainer.finish(), expected, tmp_path)


def test_large_plain_files_are_cut_and_others_are_not(tmp_path: Path) -> None:
    sizes = {}
    for name in ("plain.csv", "bom.csv", "lines.jsonl", "wide.csv", "zip.csv.gz"):
        path = tmp_path / name
        path.write_bytes(FILES[name])
        shards = make_shards(0, str(path), SMALL, 500)[0]
        sizes[name] = len(shards)
        if shards[0].sizes:
            assert shards[-1].start + sum(shards[-1].sizes) == path.stat().st_size
    assert sizes["wide.csv"] == sizes["zip.csv.gz"] == 1
    assert min(sizes[name] for name in ("plain.csv", "bom.csv", "lines.jsonl")) > 3


def test_what_is_said_comes_in_order(tmp_path: Path) -> None:
    paths = files(tmp_path, 2)
    paths[0].write_bytes(table(30) + b"ham,\n")
    lines = count(Trainer(), inputs(paths), here, 1)
    whole = count(Trainer(), inputs(paths), here)
    assert lines == whole
    assert [line.partition(": ")[0] for line in lines] == [str(paths[0]), str(paths[0]), str(paths[1])]
    assert lines[1].endswith("1 skipped (line 74: no text)")


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="a cluster cannot read standard input"):
        count(Trainer(), [("-", SMALL)], here)
    with pytest.raises(ConfigError, match="counts in one process only"):
        count(Trainer(FeatureConfig(numeric=("n",)), keep={"ham": 0.5}), inputs(files(tmp_path, 1)), here)


def test_a_worker_of_another_version_refuses(tmp_path: Path) -> None:
    shard = replace(make_shards(0, str(files(tmp_path, 1)[0]), SMALL, 1)[0][0], version="9.9")
    with pytest.raises(SpamnbError, match=r"a worker has spamnb .*, expected 9.9") as refused:
        count_shard(Trainer(), shard)
    assert refused.value.hint == "install spamnb 9.9 on every worker"


# --- joblib


def test_a_joblib_backend(tmp_path: Path) -> None:
    paths, trainer = files(tmp_path, 3), Trainer()
    count(trainer, inputs(paths), partial(on_backend, backend="threading", jobs=2, timeout=60))
    same(trainer.finish(), serial(paths), tmp_path)


@pytest.mark.parametrize(
    ("backend", "packages"), [("ray", "ray"), ("spark", "pyspark joblibspark packaging")]
)
def test_a_missing_backend_tells_what_to_install(
    backend: str, packages: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib

    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(SpamnbError) as refused:
        on_backend(Trainer(), [], backend, 2, 5)
    assert refused.value.message == f"--backend {backend} needs the packages {packages}"
    assert refused.value.hint == f"pip install {packages}"


def slow_shard(_: Trainer, __: Shard) -> ShardResult:
    time.sleep(4)
    raise AssertionError


def test_a_backend_has_a_timeout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "count_shard", slow_shard)
    shards = [Shard(0, i, str(tmp_path), SMALL) for i in range(2)]
    with pytest.raises(SpamnbError, match="--backend threading failed: nothing came back within 1 s"):
        on_backend(Trainer(), shards, "threading", 2, 1)


def test_an_error_of_a_shard_comes_back_from_a_backend(tmp_path: Path) -> None:
    paths = files(tmp_path, 2)
    paths[1].write_text("label,text\nham,\n")
    run = partial(on_backend, backend="threading", jobs=2, timeout=60)
    with pytest.raises(SpamnbError, match=r"no usable rows in .*part-01.csv: 1 skipped"):
        count(Trainer(), inputs(paths), run)


def test_a_fault_in_a_shard_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "count_shard", lambda *_: 1 / 0)
    run = partial(on_backend, backend="threading", jobs=2, timeout=60)
    with pytest.raises(SpamnbError, match=r"counting .*part-00.csv failed: ZeroDivisionError"):
        count(Trainer(), inputs(files(tmp_path, 1)), run)


class Pending:
    """A task that nobody works on."""

    def result(self, **_: float) -> None:
        raise TimeoutError

    def done(self) -> bool:
        return False


class Scheduler:
    """Knows these workers, one look after the other."""

    def __init__(self, *looks: dict[str, int]) -> None:
        self.looks = list(looks)

    def nthreads(self) -> dict[str, int]:
        return self.looks.pop(0)


def test_nobody_is_waited_for_when_all_workers_are_gone() -> None:
    looks = Scheduler({}, {"w": 1}, {}, {})
    with pytest.raises(SpamnbError, match="all dask workers are gone, for 4 s now"):
        dask_cluster._waited(looks, Pending(), patience=4.0)
    assert not looks.looks  # the first loss was made good
