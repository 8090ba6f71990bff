"""The cluster path: any number of shards gives the bytes of one process, also when workers are killed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from spamnb.errors import ConfigError, DataError, SpamnbError
from spamnb.settings import FeatureConfig
from spamnb.training import dask_cluster
from spamnb.training.dask_cluster import (
    Shard,
    ShardResult,
    count_on_cluster,
    count_shard,
    make_shards,
    merge_results,
)
from spamnb.training.trainer import Trainer
from tests.helpers.table_training import FILES, SMALL, files, inputs, same, serial, table

pytestmark = pytest.mark.usefixtures("small_heads")


def here(trainer: Trainer, shards: list[Shard]) -> ShardResult:
    """The tasks of a cluster without one."""
    return merge_results(*(count_shard(trainer, shard) for shard in shards))


@pytest.mark.parametrize("name", FILES)
def test_ranges_of_one_file(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name])
    expected = serial([path])
    for size in (1, 1000, 1 << 30):
        trainer = Trainer()
        count_on_cluster(trainer, inputs([path]), here, size)
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
    lines = count_on_cluster(Trainer(), inputs(paths), here, 1)
    whole = count_on_cluster(Trainer(), inputs(paths), here)
    assert lines == whole
    assert [line.partition(": ")[0] for line in lines] == [str(paths[0]), str(paths[0]), str(paths[1])]
    assert lines[1].endswith("1 skipped (line 74: no text)")


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="a cluster cannot read standard input"):
        count_on_cluster(Trainer(), [("-", SMALL)], here)
    with pytest.raises(ConfigError, match="counts in one process only"):
        count_on_cluster(
            Trainer(FeatureConfig(numeric=("n",)), keep={"ham": 1 << 63}), inputs(files(tmp_path, 1)), here
        )


def test_a_worker_of_another_version_refuses(tmp_path: Path) -> None:
    shard = replace(make_shards(0, str(files(tmp_path, 1)[0]), SMALL, 1)[0][0], version="9.9")
    with pytest.raises(SpamnbError, match=r"a worker has spamnb .*, expected 9.9") as refused:
        count_shard(Trainer(), shard)
    assert refused.value.hint == "install spamnb 9.9 on every worker"


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
    with pytest.raises(SpamnbError, match="the dask cluster has had no workers for 4 s"):
        dask_cluster._wait_for(looks, Pending(), patience=4.0)
    assert not looks.looks  # the first loss was made good
