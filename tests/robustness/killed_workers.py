"""Kills workers of a dask cluster while they count, and checks that no bit is lost.

python -m tests.robustness.killed_workers 20
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from spamnb.counts.count_state import to_state
from spamnb.readers import ReadOptions
from spamnb.training.dask_cluster import count_on_cluster, on_dask
from spamnb.training.trainer import Trainer
from tests.robustness.crash_recovery import message
from tests.robustness.result_row import Row

SHARDS, MESSAGES = 16, 80_000


def runs(kills: int) -> Iterator[tuple[float, bool]]:
    """Count undisturbed, then `kills` times with a worker killed: the seconds, and whether they agree.

    A cluster whose worker does not come back is replaced: dask does not start a worker again that
    is killed while it starts.
    """
    with tempfile.TemporaryDirectory() as name:
        inputs = [(str(path), ReadOptions(default_format="csv")) for path in _files(Path(name))]
        seed = 0
        while seed < kills:
            with _cluster() as cluster:
                run = partial(on_dask, address=cluster.scheduler_address, patience=300.0)  # of a busy machine
                started = time.perf_counter()
                expected = _counts(inputs, run)
                undisturbed = time.perf_counter() - started
                while seed < kills and (workers := _workers(cluster)):
                    started = time.perf_counter()
                    counts = _with_a_kill(workers[seed % 2], inputs, run, undisturbed, seed)
                    yield time.perf_counter() - started, counts == expected
                    seed += 1


def _cluster() -> Any:
    import distributed

    make: Any = distributed.LocalCluster
    return make(n_workers=2, host="127.0.0.1", threads_per_worker=1, dashboard_address=None, silence_logs=50)


def _files(folder: Path) -> list[Path]:
    paths = [folder / f"{i:02}.tsv" for i in range(SHARDS)]
    for i, path in enumerate(paths):
        lines = [f"{label}\t{text}\n" for text, label in map(message, range(i, MESSAGES, SHARDS))]
        path.write_text("".join(lines), encoding="utf-8")
    return paths


def _with_a_kill(worker: Any, inputs: Any, run: Any, seconds: float, seed: int) -> bytes:
    after = random.Random(seed).uniform(0.1, 0.9) * seconds
    killer = threading.Timer(after, os.kill, (worker.pid, signal.SIGKILL))
    killer.start()
    try:
        return _counts(inputs, run)
    finally:
        killer.join()


def _workers(cluster: Any) -> list[Any]:
    """Both workers; the one that was killed last may still have to come back. None if it does not."""
    for _ in range(300):
        workers = [worker for worker in cluster.workers.values() if _is_running(worker)]
        if len(workers) == len(cluster.scheduler.workers) == 2:  # else the killed one may be the only one
            return workers
        time.sleep(0.1)
    return []


def _is_running(worker: Any) -> bool:
    process = getattr(worker, "process", None)
    return process is not None and process.pid is not None and process.status.name == "running"


def _counts(inputs: Any, run: Any) -> bytes:
    trainer = Trainer()
    count_on_cluster(trainer, inputs, run)
    state = to_state(trainer.counted()[0].store)
    return b"".join(state[name].tobytes() for name in ("keys", "tokens", "messages", "spelling_bytes"))


def rows(budget: float) -> list[Row]:
    """One row: a try is a count with a killed worker."""
    if find_spec("distributed") is None:
        print("killed workers: distributed is not installed")
        return []
    results = list(runs(max(2, int(budget / 5))))
    wrong = sum(not same for _, same in results)
    slowest = max(seconds for seconds, _ in results)
    return [Row("killed workers", "counts on a dask cluster", len(results), wrong, slowest, 0.0)]


def main() -> None:
    good = 0
    for number, (_, same) in enumerate(runs(int((sys.argv[1:] or ["20"])[0])), 1):
        good += same
        print(f"{good} of {number} runs with a killed worker gave the counts of the run without")
    sys.exit(good < number)


if __name__ == "__main__":
    main()
