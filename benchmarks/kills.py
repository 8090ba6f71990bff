"""`make bench-dask`: kills workers of a dask cluster while they count, and checks that no bit is lost."""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import corpus
from spamnb.counts.count_state import to_state
from spamnb.readers import ReadOptions
from spamnb.training.dask_cluster import count_on_cluster, on_dask
from spamnb.training.trainer import Trainer

SHARDS = 16


def main(kills: int = 20) -> None:
    """Print how many of `kills` runs, each with a worker killed at a random moment, gave the same counts."""
    import distributed

    with tempfile.TemporaryDirectory() as name:
        inputs = [(str(path), ReadOptions(default_format="csv")) for path in _files(Path(name))]
        options: dict[str, Any] = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
        make: Any = distributed.LocalCluster
        with make(n_workers=2, host="127.0.0.1", **options) as cluster:
            run = partial(on_dask, address=cluster.scheduler_address)
            started = time.perf_counter()
            expected = _counts(inputs, run)
            whole = time.perf_counter() - started
            good = 0
            for seed in range(kills):
                good += _one(cluster, inputs, run, whole, seed) == expected
                print(f"{good} of {seed + 1} runs with a killed worker gave the counts of the run without")


def _files(folder: Path) -> list[Path]:
    rows = corpus.varied(SHARDS)
    paths = [folder / f"{i:02}.tsv" for i in range(SHARDS)]
    for i, path in enumerate(paths):
        path.write_text("".join(f"{label}\t{text}\n" for label, text in rows[i::SHARDS]), encoding="utf-8")
    return paths


def _one(cluster: Any, inputs: Any, run: Any, seconds: float, seed: int) -> bytes:
    after = random.Random(seed).uniform(0.1, 0.9) * seconds
    victim = _workers(cluster)[seed % 2].pid
    killer = threading.Timer(after, os.kill, (victim, signal.SIGKILL))
    killer.start()
    try:
        return _counts(inputs, run)
    finally:
        killer.join()


def _workers(cluster: Any) -> list[Any]:
    """Both of them; the one that was killed last may still have to come back."""
    for _ in range(600):
        found = [worker for worker in cluster.workers.values() if getattr(worker, "pid", None)]
        if len(found) == 2:
            return found
        time.sleep(0.1)
    raise SystemExit("a worker that was killed did not come back within a minute")


def _counts(inputs: Any, run: Any) -> bytes:
    trainer = Trainer()
    count_on_cluster(trainer, inputs, run)
    state = to_state(trainer.counted()[0].store)
    return b"".join(state[name].tobytes() for name in ("keys", "tokens", "messages", "spelling_bytes"))


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
