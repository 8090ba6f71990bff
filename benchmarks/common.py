"""What the benchmarks share: running a command on one core and measuring its time and memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "data"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(frozen=True)
class Cost:
    """The wall time, the peak memory and the processor time of a finished process."""

    seconds: float
    megabytes: float
    cpu: float = 0.0


def run(command: Sequence[str], stdin: Path | None = None, stdout: Path | None = None) -> Cost:
    """Run a command on one core and wait for it; its own resource usage is what counts."""
    with open(stdin or os.devnull, "rb") as source, open(stdout or os.devnull, "wb") as sink:
        started = time.perf_counter()
        process = subprocess.Popen(
            list(command),
            stdin=source,
            stdout=sink,
            stderr=subprocess.DEVNULL,
            env=os.environ | ONE_THREAD,
            preexec_fn=_one_core,
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"failed with exit code {process.returncode}: {' '.join(command)}")
    return Cost(seconds, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime)


def _one_core() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def interleaved(commands: Mapping[str, Sequence[str]], rounds: int, **streams: Path) -> dict[str, Cost]:
    """Every command in turn, `rounds` times; the best time of each, so that a noisy moment hits nobody."""
    best: dict[str, Cost] = {}
    for _ in range(rounds):
        for name, command in commands.items():
            cost = run(command, **streams)
            old = best.get(name, cost)
            best[name] = Cost(
                min(cost.seconds, old.seconds), max(cost.megabytes, old.megabytes), min(cost.cpu, old.cpu)
            )
    return best


def spamnb(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "spamnb", *arguments]
