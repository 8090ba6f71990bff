"""Runs a command on one core and measures its time and memory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "data"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(frozen=True)
class Cost:
    """The wall time, the peak memory and the processor time of a finished process."""

    seconds: float
    megabytes: float
    cpu: float = 0.0


# Peak memory counts from the fork on, when a process is still as large as the one that started it. So a small
# process in between starts the command, pins it to one core and tells what it took.
_LAUNCHER = """
import os, sys, time
if hasattr(os, "sched_setaffinity") and not os.environ.get("ANY_CORE"):
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
started = time.perf_counter()
pid = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(pid, 0)
cpu = usage.ru_utime + usage.ru_stime
measured = time.perf_counter() - started, usage.ru_maxrss / 1024, cpu, os.waitstatus_to_exitcode(status)
os.write(int(sys.argv[1]), " ".join(map(str, measured)).encode())
"""


def run(
    command: Sequence[str], stdin: Path | None = None, stdout: Path | None = None, any_core: bool = False
) -> Cost:
    """Run a command, on one core if not on any, and wait for it; its own resource usage is what counts."""
    measured, report = os.pipe()
    with open(stdin or os.devnull, "rb") as source, open(stdout or os.devnull, "wb") as sink:
        subprocess.run(
            [sys.executable, "-S", "-c", _LAUNCHER, str(report), *command],
            stdin=source,
            stdout=sink,
            stderr=subprocess.DEVNULL,
            env=os.environ | ONE_THREAD | {"ANY_CORE": "1" if any_core else ""},
            pass_fds=(report,),
            check=True,
        )
    os.close(report)
    with open(measured) as pipe:
        seconds, megabytes, cpu, code = map(float, pipe.read().split())
    if code:
        raise SystemExit(f"failed with exit code {code:.0f}: {' '.join(command)}")
    return Cost(seconds, megabytes, cpu)


def in_turn(commands: Mapping[str, Sequence[str]], rounds: int, **streams: Any) -> dict[str, list[Cost]]:
    """Every command in turn, `rounds` times, so that a slow minute of the machine hits all of them."""
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            costs[name].append(run(command, **streams))
    return costs


def best(costs: Sequence[Cost]) -> Cost:
    """The shortest times and the largest memory, so that a noisy moment does not count."""
    seconds, megabytes, cpu = ([getattr(c, name) for c in costs] for name in ("seconds", "megabytes", "cpu"))
    return Cost(min(seconds), max(megabytes), min(cpu))


def interleaved(commands: Mapping[str, Sequence[str]], rounds: int, **streams: Any) -> dict[str, Cost]:
    """Every command in turn, `rounds` times; the best of each."""
    return {name: best(costs) for name, costs in in_turn(commands, rounds, **streams).items()}


def spamnb(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "spamnb", *arguments]
