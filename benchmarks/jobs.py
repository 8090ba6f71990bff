"""`python -m benchmarks.jobs`: what `train --jobs N` gains, by the clock and by processor time.

On a busy machine the clock says little. The processor time of the first process and of the slowest worker
says more: where every process has a core, no run is faster than the slowest of them, and none need be slower
than the first process and the slowest worker one after the other.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import corpus
from benchmarks.common import ONE_THREAD

# Whoever waits for a worker learns what it took: so every wait is made to tell.
_TOLD = """
import json, os, resource, sys, time
started, workers = time.perf_counter(), []
def waitpid(pid, options):
    found, status, usage = os.wait4(pid, options)
    if found:
        workers.append(usage.ru_utime + usage.ru_stime)
    return found, status
os.waitpid = waitpid
from spamnb.cli import cli
cli.main(standalone_mode=False)
own = resource.getrusage(resource.RUSAGE_SELF)
told = time.perf_counter() - started, own.ru_utime + own.ru_stime, workers
print(json.dumps(told))
"""


def trained(table: Path, jobs: int, model: Path) -> tuple[float, float, list[float]]:
    """Seconds by the clock, processor seconds of the first process, and of each process that it started."""
    done = subprocess.run(
        [sys.executable, "-c", _TOLD, "train", str(table), "-o", str(model), "-q", "--jobs", str(jobs)],
        stdout=subprocess.PIPE,
        env=os.environ | ONE_THREAD,
        check=True,
    )
    seconds, first, workers = json.loads(done.stdout)
    return seconds, first, workers


def show(jobs: int, told: tuple[float, float, list[float]], alone: float) -> None:
    seconds, first, workers = told
    busiest = max(workers, default=0.0)
    print(
        f"--jobs {jobs}: {seconds:.2f} s by the clock; processor time: first {first:.2f} s, "
        f"workers {sum(workers):.2f} s, the slowest {busiest:.2f} s; with a core for each "
        f"{alone / (first + busiest):.2f} to {alone / max(first, busiest):.2f} times as fast"
    )


def main() -> None:
    parser: Any = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", type=Path, help="a CSV file; without it one is made")
    parser.add_argument("--copies", type=int, default=400, help="of the corpus; 400 are 208 MB")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = given.table or corpus.write(folder, given.copies)[0]
        print(f"{table.stat().st_size / 1e6:.0f} MB")
        for _ in range(given.rounds):
            one = trained(table, 1, folder / "one.spamnb")
            show(1, one, one[1])
            more = trained(table, given.jobs, folder / "more.spamnb")
            show(given.jobs, more, one[1])
            assert (folder / "one.spamnb").read_bytes() == (folder / "more.spamnb").read_bytes()
            print(f"by the clock {one[0] / more[0]:.2f} times as fast")


if __name__ == "__main__":
    main()
