"""Measures what `train --jobs N` gains, by the clock and by processor time.

On a busy machine the clock says little, processor time says more. The first process reads and cuts while the
workers count; all else that it does, they wait for. So on N free cores N workers take

    what the first process does beside reading + (reading + all workers) / N

"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import sms_corpus
from benchmarks.command_cost import ONE_THREAD

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
from spamnb import processor
from spamnb.cli import cli
processor.prepare()
from spamnb.training.parallel_training import Pool
feed, reading = Pool.feed, []
def timed(*given):
    begun = time.process_time()
    yield from feed(*given)
    reading.append(time.process_time() - begun)
Pool.feed = timed
cli.main(standalone_mode=False)
own = resource.getrusage(resource.RUSAGE_SELF)
measured = time.perf_counter() - started, own.ru_utime + own.ru_stime, sum(reading), workers
print(json.dumps(measured))
"""


@dataclass(frozen=True)
class Measured:
    """Seconds by the clock, and processor seconds: of the first process, of its reading, of each worker."""

    clock: float
    first: float
    reading: float
    workers: list[float]

    def on_free_cores(self, cores: int) -> float:
        return self.first - self.reading + (self.reading + sum(self.workers)) / cores


def trained(table: Path, jobs: int, model: Path) -> Measured:
    done = subprocess.run(
        [sys.executable, "-c", _TOLD, "train", str(table), "-o", str(model), "-q", "--jobs", str(jobs)],
        stdout=subprocess.PIPE,
        env=os.environ | ONE_THREAD,
        check=True,
    )
    return Measured(*json.loads(done.stdout))


def show(jobs: int, measured: Measured) -> None:
    workers = f"workers {sum(measured.workers):.2f} s, the slowest {max(measured.workers, default=0.0):.2f} s"
    first = f"first process {measured.first:.2f} s, of it reading {measured.reading:.2f} s"
    print(f"--jobs {jobs}: {measured.clock:.2f} s by the clock; processor time: {first}; {workers}")


def main() -> None:
    parser: Any = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", type=Path, help="a CSV file; without it one is made")
    parser.add_argument("--copies", type=int, default=400, help="of the corpus; 400 are 208 MB")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = arguments.table or sms_corpus.write(folder, arguments.copies)[0]
        print(f"{table.stat().st_size / 1e6:.0f} MB")
        for _ in range(arguments.rounds):
            one = trained(table, 1, folder / "one.spamnb")
            show(1, one)
            more = trained(table, arguments.jobs, folder / "more.spamnb")
            show(arguments.jobs, more)
            assert (folder / "one.spamnb").read_bytes() == (folder / "more.spamnb").read_bytes()
            ideal = one.first / more.on_free_cores(arguments.jobs)
            whole = (more.first + sum(more.workers)) / max(more.first, *more.workers)
            print(f"{one.clock / more.clock:.2f} times as fast by the clock, {ideal:.2f} on free cores")
            print(f"all processor time by that of the busiest process: {whole:.2f}")


if __name__ == "__main__":
    main()
