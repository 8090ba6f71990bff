"""Feeds broken inputs to every reader and parser; only the errors of spamnb itself may come out.

python -m tests.robustness.fuzzing --seconds 600

Inputs that lead to an outcome not seen before join the seeds, so later ones go deeper. All is decided by the
seed, which is printed: the same seed makes the same inputs in the same order.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from spamnb.errors import SpamnbError
from tests.helpers.paths import ROOT
from tests.robustness.child_process import SHM
from tests.robustness.fuzz_parsers import PARTS
from tests.robustness.fuzz_readers import READERS
from tests.robustness.mutants import mutants
from tests.robustness.result_row import Row

SEEDS = ROOT / "tests" / "robustness" / "seeds"
FOUND = ROOT / ".fuzz"  # where inputs that broke something are kept
TARGETS = READERS | PARTS
PER_INPUT = 5.0  # seconds of processor time, after which an input counts as a hang
MEMORY = 1 << 30  # bytes that a target may take beside what it has at its start
_MOST_SEEDS = 400
_VARIABLE = re.compile(r"\d+|\"[^\"]*\"|'[^']*'|\S*/\S*")  # what tells outcomes of one kind apart


class Hang(BaseException):
    """An input took too long; no handler for ordinary exceptions may catch it."""


class Result(NamedTuple):
    """What came of one target; `crashes` has the place of each, and an input for it."""

    name: str
    tried: int
    seconds: float
    worst: float
    megabytes: float
    crashes: dict[str, bytes]


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Processor time, so that a busy machine makes no hang."""

    def stop(_: int, __: FrameType | None) -> None:
        raise Hang

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def corpus(name: str) -> list[bytes]:
    """The seeds of a target."""
    folder = SEEDS / TARGETS[name][0]
    return [path.read_bytes() for path in sorted(folder.iterdir())]


def attempt(name: str, data: bytes, folder: Path) -> tuple[str, str]:
    """What came of one input, and the place of the crash if it was one."""
    try:
        with limited(PER_INPUT), warnings.catch_warnings():
            warnings.simplefilter("error")
            return repr(TARGETS[name][1](data, folder)), ""
    except SpamnbError as error:
        return error.message, ""
    except (Exception, Hang) as error:
        return "", _place(error)


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    inside = [f for f in frames if "/spamnb/" in f.filename.replace("\\", "/")] or frames
    last = inside[-1]
    return (
        f"{type(error).__name__} in {Path(last.filename).name}:{last.lineno} {last.name}: {str(error)[:160]}"
    )


def fuzz(name: str, seed: str, seconds: float = float("inf"), most: float = float("inf")) -> Result:
    """Try inputs until the time is over or so many were tried."""
    inputs = corpus(name)
    seen: set[str] = set()
    crashes: dict[str, bytes] = {}
    places: set[str] = set()
    start, tried, worst = time.perf_counter(), 0, 0.0
    with tempfile.TemporaryDirectory(dir=SHM) as folder:
        for data in mutants(f"{seed} {name}", inputs):
            before = time.process_time()
            outcome, crash = attempt(name, data, Path(folder))
            worst = max(worst, time.process_time() - before)
            tried += 1
            kind = _VARIABLE.sub("#", outcome)
            if not crash and kind not in seen and len(inputs) < _MOST_SEEDS:
                seen.add(kind)
                inputs.append(data)
            if crash and crash.partition(": ")[0] not in places:
                places.add(crash.partition(": ")[0])
                crashes[crash] = data
            if tried >= most or time.perf_counter() - start > seconds:
                break
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Result(name, tried, time.perf_counter() - start, worst, peak, crashes)


def apart(name: str, seed: str, seconds: float) -> Result:
    """One target in a process of its own, whose memory is limited and which is ended if it does not end."""
    command = [
        sys.executable,
        "-m",
        "tests.robustness.fuzzing",
        "--target",
        name,
        "--seed",
        seed,
        "--seconds",
        str(seconds),
    ]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=10 * seconds + 120, check=False)
    except subprocess.TimeoutExpired:
        return Result(name, 0, seconds, seconds, 0.0, {"did not end": b""})
    if done.returncode:
        last_line = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        return Result(
            name, 0, seconds, seconds, 0.0, {f"ended with {done.returncode}: {last_line[:200]}": b""}
        )
    _, tried, took, worst, megabytes, crashes = json.loads(done.stdout)
    crash_inputs = {place: bytes.fromhex(data) for place, data in crashes.items()}
    return Result(name, tried, took, worst, megabytes, crash_inputs)


def _one(name: str, seed: str, seconds: float) -> None:
    """What `apart` runs: the target, and its result as JSON."""
    fuzz(name, seed, most=len(corpus(name)))  # what is imported and remembered does not count as its memory
    if (sizes := Path("/proc/self/statm")).exists():
        used = int(sizes.read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    result = fuzz(name, seed, seconds)
    json.dump([*result[:-1], {place: data.hex() for place, data in result.crashes.items()}], sys.stdout)


def kept(result: Result) -> Iterator[str]:
    """Store the inputs that broke something; gives what to say about each."""
    for place, data in result.crashes.items():
        FOUND.mkdir(exist_ok=True)
        path = (
            FOUND
            / f"{result.name.replace(' ', '-').replace(',', '')}-{hashlib.sha256(data).hexdigest()[:12]}"
        )
        path.write_bytes(data)
        yield f"  {place}\n  input: {path.relative_to(ROOT)}"


def results(budget: float, seed: str) -> Iterator[Result]:
    """All targets, with the same share of the budget each."""
    for name in TARGETS:
        yield apart(name, seed, budget / len(TARGETS))


def rows(budget: float, seed: str = "1") -> list[Row]:
    """For the table of `make hardening`."""
    done = list(results(budget, seed))
    for line in (line for result in done for line in kept(result)):
        print(line)
    return [Row("fuzzing", r.name, r.tried, len(r.crashes), r.worst, r.megabytes) for r in done]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", default=str(time.time_ns() % 1_000_000))
    parser.add_argument("--target", choices=TARGETS)
    arguments = parser.parse_args()
    if arguments.target:
        return _one(arguments.target, arguments.seed, arguments.seconds)
    print(f"seed {arguments.seed}, {arguments.seconds:g} seconds (--seed {arguments.seed} repeats it)")
    print(f"{'target':<18}{'inputs':>9}{'inputs/s':>10}{'slowest':>10}{'memory':>9}{'crashes':>9}")
    crashes = 0
    for r in results(arguments.seconds, arguments.seed):
        crashes += len(r.crashes)
        rate, slowest = r.tried / max(r.seconds, 1e-9), f"{r.worst:.3f} s"
        print(
            f"{r.name:<18}{r.tried:>9,}{rate:>10,.0f}{slowest:>10}{r.megabytes:>6.0f} MB{len(r.crashes):>9}"
        )
        print("".join(line + "\n" for line in kept(r)), end="", flush=True)
    sys.exit(crashes > 0)


if __name__ == "__main__":
    main()
