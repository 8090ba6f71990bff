"""Lets processes learn, forget, undo, age, prune and merge at once; checks the counts against a slow tally.

    python -m tests.robustness.concurrent_changes --processes 6 --steps 400 --seed 1

Halving does not commute with learning, so the order matters. Each process writes what it has done to a log
while it still holds the lock of the model. The tally repeats the log in Python integers.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import joblib  # noqa: F401 - so that no child has to

from spamnb.cli import cli
from spamnb.errors import ModelError
from spamnb.model.spam_model import SpamModel
from spamnb.storage.lock import Lock
from spamnb.training import lesson_writer
from spamnb.training.incremental import Learner
from spamnb.training.undo_lessons import undo
from tests.reference.changes import Tally
from tests.reference.journal import counts_of
from tests.robustness.crash_recovery import message, trained
from tests.robustness.result_row import Row

FIRST, OTHER = range(60), range(500, 520)  # messages of the model at the beginning, and of the one to merge
LEAST = 2


class Writer:
    """One of the processes: takes steps at random, each of them with the real code."""

    def __init__(self, folder: Path, number: int, seed: int) -> None:
        self.path, self.log = folder / "m.spamnb", folder / "log"
        self.other = folder / "other.spamnb"
        self.dice = random.Random(f"{seed} {number}")
        self.next = 10_000 * (number + 1)
        self.learned: list[int] = []
        self.lessons: dict[int, int] = {}  # message -> lesson

    def step(self) -> None:
        kinds = ["learn"] * 8 + ["forget"] * 2 + ["undo"] * 2 + ["age", "prune", "merge"]
        kind = self.dice.choice(kinds)
        if kind == "learn" or (kind in ("forget", "undo") and not self.learned):
            self._learn()
        elif kind == "forget":
            self._forget()
        elif kind == "undo":
            self._undo()
        else:
            self._command(kind)

    def _learn(self) -> None:
        self.next += 1
        text, label = message(self.next)
        with logged(self.log, f"learn {self.next}"), Learner(self.path, wait=300) as learner:
            learner.learn([text], [label])
        self.learned.append(self.next)
        assert learner.lesson is not None
        self.lessons[self.next] = learner.lesson.id

    def _forget(self) -> None:
        number = self.learned.pop(self.dice.randrange(len(self.learned)))
        with logged(self.log, f"forget {number}"), Learner(self.path, wait=300) as learner:
            learner.forget([message(number)[0]])

    def _undo(self) -> None:
        """Takes a lesson back; one from before an ageing, a pruning or a merge is refused."""
        number = self.learned.pop()
        with logged(self.log, f"undo {number}"), suppress(ModelError):
            undo(self.path, lesson=self.lessons[number], wait=300)

    def _command(self, kind: str) -> None:
        path = str(self.path)
        arguments = {
            "age": ["model", "age", path, "-q"],
            "prune": ["model", "prune", path, "--min-count", str(LEAST), "-q"],
            "merge": ["model", "merge", path, str(self.other), "-o", path, "-q"],
        }
        with logged(self.log, kind):
            cli.main(arguments[kind], standalone_mode=False)


class logged:
    """Writes a line to the log inside `with`, just before the lock of the model is released.

    What was refused is logged as `refused`.
    """

    def __init__(self, log: Path, line: str) -> None:
        self._log, self._line = log, line

    def __enter__(self) -> None:
        self._real = Lock.__exit__
        log, line, real = self._log, self._line, self._real

        def release(lock: Lock, *error: Any) -> None:
            handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            os.write(handle, b"refused\n" if error[0] else f"{line}\n".encode())
            os.close(handle)
            real(lock, *error)

        Lock.__exit__ = release  # type: ignore[method-assign]

    def __exit__(self, *_: object) -> None:
        Lock.__exit__ = self._real  # type: ignore[method-assign]


def replayed(log: list[str]) -> Tally:
    """The log of all processes, one step after the other."""
    tally, other = Tally(["ham", "spam"]), Tally(["ham", "spam"])
    for tallied, numbers in ((tally, FIRST), (other, OTHER)):
        for number in numbers:
            tallied.learn(*message(number))
    steps: dict[str, Callable[[int], None]] = {
        "learn": lambda number: tally.learn(*message(number)),
        "forget": lambda number: tally.forget(message(number)[0]),
        "undo": lambda number: tally.forget(message(number)[0]),
        "age": lambda _: tally.age(),
        "prune": lambda _: tally.prune(LEAST),
        "merge": lambda _: tally.merge(other),
        "refused": lambda _: None,
    }
    for line in log:
        kind, _, text = line.partition(" ")
        steps[kind](int(text or 0))
    return tally


def change_at_once(folder: Path, processes: int, steps: int, seed: int) -> list[str]:
    """Runs all processes; returns the log. The counts must be exactly those of the tally."""
    trained([message(i) for i in FIRST]).save(folder / "m.spamnb")
    trained([message(i) for i in OTHER]).save(folder / "other.spamnb")
    os.environ["JOBLIB_MULTIPROCESSING"] = "0"
    limits = lesson_writer.RECORDS, lesson_writer.LARGE, lesson_writer.SHARE
    lesson_writer.RECORDS, lesson_writer.LARGE, lesson_writer.SHARE = (
        4,
        6000,
        1 << 30,
    )  # so that journals are folded in
    try:
        children = [_start(folder, number, steps // processes, seed) for number in range(processes)]
        failed = [child for child in children if os.waitpid(child, 0)[1]]
    finally:
        lesson_writer.RECORDS, lesson_writer.LARGE, lesson_writer.SHARE = limits
    assert not failed, f"{len(failed)} of {processes} processes failed"
    log = (folder / "log").read_text().splitlines()
    assert len(log) == processes * (steps // processes), "not every step is in the log"
    counts, expected = counts_of(SpamModel.load(folder / "m.spamnb").store), replayed(log).counts()
    wrong = [name for name in counts.keys() | expected.keys() if counts.get(name) != expected.get(name)]
    assert not wrong, f"{len(wrong)} of {len(expected)} counts are wrong, such as {wrong[0]}"
    assert not [path.name for path in folder.iterdir() if path.name.endswith(".tmp")], "leftovers"
    return log


def _start(folder: Path, number: int, steps: int, seed: int) -> int:
    child = os.fork()
    if child:
        return child
    try:
        writer = Writer(folder, number, seed)
        for _ in range(steps):
            writer.step()
    except BaseException as error:
        print(f"process {number}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)


def rows(budget: float) -> list[Row]:
    """In a process of its own, which forks and changes limits."""
    steps, started = max(200, int(8 * budget)), time.monotonic()
    command = [sys.executable, "-m", "tests.robustness.concurrent_changes", "--steps", str(steps)]
    done = subprocess.run(command, stdout=subprocess.DEVNULL)
    took = time.monotonic() - started
    return [Row("concurrency", "counts as a slow tally has them", steps, done.returncode, took, 0.0)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=6)
    parser.add_argument("--steps", type=int, default=1200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        log = change_at_once(Path(name), arguments.processes, arguments.steps, arguments.seed)
    kinds = {
        kind: sum(line.startswith(kind) for line in log)
        for kind in ("learn", "forget", "age", "prune", "merge")
    }
    print(f"{arguments.processes} processes, {len(log):,} steps, exact: {kinds}")


if __name__ == "__main__":
    main()
