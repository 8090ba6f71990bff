"""Kills learners and lets them compete with readers: every model is the old or the new one.

python -m tests.robustness.crash_recovery --kills 1000 --seconds 60 --learns 10000
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import joblib  # noqa: F401 - so that no child has to
import numpy as np

from spamnb.cli import cli
from spamnb.counts.count_state import to_state
from spamnb.messages import Texts
from spamnb.model.spam_model import SpamModel
from spamnb.model.text_export import export_lines
from spamnb.settings import TrainingConfig
from spamnb.training import lesson_writer
from spamnb.training.incremental import Learner
from spamnb.training.trainer import Trainer
from spamnb.training.undo_lessons import history
from tests.robustness.result_row import Row

Labelled = tuple[str, str]
LIMITS = lesson_writer.RECORDS, lesson_writer.LARGE, lesson_writer.SHARE
WORDS = ["win", "prize", "call", "now", "see", "you", "later", "home", "free", "ok", "meet", "bank"]


def message(number: int) -> Labelled:
    """Message `number` of an endless corpus: no two are alike."""
    words = [WORDS[number * k % len(WORDS)] for k in (1, 5, 7, 11)]
    return f"{' '.join(words)} w{number}", "spam" if number % 3 else "ham"


def trained(rows: list[Labelled]) -> SpamModel:
    trainer = Trainer(training=TrainingConfig(folds=0))
    trainer.add(Texts.of([text for text, _ in rows]), [label for _, label in rows])
    return trainer.finish()


def same(a: SpamModel, b: SpamModel) -> bool:
    """Every array of the counts and all digests, bit by bit."""
    x, y = to_state(a.store), to_state(b.store)
    arrays = all(np.array_equal(x[k], y[k]) if isinstance(x[k], np.ndarray) else x[k] == y[k] for k in x)
    assert a.seen_messages is not None
    assert b.seen_messages is not None
    mine, theirs = a.seen_messages.exact, b.seen_messages.exact
    return arrays and list(mine) == list(theirs) and all(np.array_equal(mine[k], theirs[k]) for k in mine)


def forked(work: Callable[[int], None]) -> tuple[int, int]:
    """A child that runs `work` with the end of a pipe to write to; gives its id and the end to read from."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    os.close(reading)
    try:
        work(writing)
    except BaseException as error:
        print(f"child {os.getpid()}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)


def drained(handle: int) -> bytes:
    with open(handle, "rb") as file:
        return file.read()


def kill_learners(folder: Path, kills: int, rng: random.Random) -> tuple[int, int]:
    """Kill a learner at random moments; gives how often a record was lost in the middle of being written.

    The child says a dot after each message learned. What it has said must be there, and at most one more.
    """
    path, unsaid = folder / "kill.spamnb", 0
    lesson_writer.RECORDS, lesson_writer.LARGE, lesson_writer.SHARE = (
        3,
        3000,
        1 << 30,
    )  # so that tidying up is killed too
    reach = min(0.3, 4 * _seconds(lambda: _learn_one(path, 1000), path))
    for n in range(kills):
        if n % 40 == 0:
            rows = [message(i) for i in range(30)]
            trained(rows).save(path)
        before = len(rows)

        def work(out: int, first: int = before) -> None:
            for i in range(first, first + 10_000):
                text, label = message(i)
                with Learner(path) as learner:
                    learner.learn([text], [label])
                os.write(out, b".")

        child, dots = forked(work)
        time.sleep(rng.uniform(0.0, reach))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        dots_shown = len(drained(dots))
        model = SpamModel.load(path)
        there = int(model.store.message_totals.sum())
        assert there - before in (dots_shown, dots_shown + 1), (
            f"kill {n}: said {dots_shown}, there are {there - before}"
        )
        rows = [message(i) for i in range(there)]
        assert same(model, trained(rows)), f"kill {n}: another model"
        listed = [info.entry.id for info in history(path)]
        assert listed == list(range(there - 30, 0, -1)), f"kill {n}: other lessons"
        unsaid += there - before - dots_shown
    return kills, unsaid


def kill_writers(
    folder: Path, name: str, command: Callable[[Path], list[str]], kills: int, rng: random.Random
) -> int:
    """Kill a command while it replaces a model that has a journal; gives how often the new one was there."""
    path, new = folder / "old.spamnb", 0
    before = trained([*(message(i) for i in range(200)), message(1000)])
    _prepare(path)
    started = time.monotonic()
    _, status = os.waitpid(_running(command(path)), 0)
    assert not status, f"{name} failed"
    reach = 1.2 * (time.monotonic() - started)
    after = SpamModel.load(path)
    assert not same(before, after), f"{name} changed nothing"
    for n in range(kills):
        _prepare(path)
        child = _running(command(path))
        time.sleep(rng.uniform(0.0, reach))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        model = SpamModel.load(path)
        is_new = same(model, after)
        assert is_new or same(model, before), f"{name}, kill {n}: another model"
        new += is_new
        reach *= 0.9 if is_new else 1.1  # so that many kills come near the moment when the new model does
    return new


def _prepare(path: Path) -> None:
    """A model of 200 messages whose journal has one more."""
    trained([message(i) for i in range(200)]).save(path)
    _learn_one(path, 1000)


def _running(arguments: list[str]) -> int:
    """A child that runs a command line of spamnb."""

    def work(_: int) -> None:
        cli.main(arguments, standalone_mode=False)

    child, out = forked(work)
    os.close(out)
    return child


def writers(folder: Path) -> dict[str, Callable[[Path], list[str]]]:
    """Commands that put a new model in place of an old one, by name."""
    table, other, text = folder / "new.csv", folder / "other.spamnb", folder / "other.jsonl"
    rows = [message(i) for i in range(100, 400)]
    table.write_text("label,text\n" + "".join(f"{label},{text}\n" for text, label in rows), encoding="utf-8")
    trained(rows).save(other)
    text.write_bytes(b"".join(export_lines(trained(rows))))
    return {
        "train": lambda path: ["train", str(table), "-o", str(path), "-q"],
        "merge": lambda path: ["model", "merge", str(path), str(other), "-o", str(path), "-q"],
        "prune": lambda path: ["model", "prune", str(path), "--min-count", "3", "-q"],
        "age": lambda path: ["model", "age", str(path), "-q"],
        "import": lambda path: ["model", "import", str(text), "-o", str(path), "-q"],
    }


def _seconds(work: Callable[[], object], path: Path) -> float:
    """How long something takes in a fresh child, so that kills fall into it."""
    trained([message(i) for i in range(30)]).save(path)
    started = time.monotonic()
    child, out = forked(lambda _: (work(), None)[1])
    os.waitpid(child, 0)
    os.close(out)
    return time.monotonic() - started


def compete(folder: Path, readers: int, learners: int, seconds: float) -> tuple[int, int]:
    """Readers and learners at once; gives how many reads and how many messages learned there were."""
    path = folder / "many.spamnb"
    lesson_writer.RECORDS, lesson_writer.LARGE, lesson_writer.SHARE = LIMITS
    rows = [message(i) for i in range(30)]
    trained(rows).save(path)
    end = time.monotonic() + seconds

    def read(out: int) -> None:
        seen = 0
        while time.monotonic() < end:
            model = SpamModel.load(path)
            now = int(model.store.message_totals.sum())
            assert now >= seen, f"went back from {seen} to {now} messages"
            assert model.predict(["win a prize"]) in (["spam"], ["ham"])
            seen = now
            os.write(out, b".")

    def learn(first: int) -> Callable[[int], None]:
        def work(out: int) -> None:
            i = first
            while time.monotonic() < end:
                _learn_one(path, i)
                os.write(out, b"%d\n" % i)
                i += learners

        return work

    reading = [forked(read) for _ in range(readers)]
    learning_ = [forked(learn(100 + k)) for k in range(learners)]
    reads = sum(len(drained(out)) for _, out in reading)
    done = [int(i) for _, out in learning_ for i in drained(out).split()]
    _joined([child for child, _ in (*reading, *learning_)])
    expected = trained([*rows, *map(message, done)])
    assert same(SpamModel.load(path), expected), "the counts are not exact"
    return reads, len(done)


def learn_many(folder: Path, processes: int, learns: int) -> float:
    """One message at a time from several processes; gives the seconds it took."""
    path = folder / "all.spamnb"
    lesson_writer.RECORDS, lesson_writer.LARGE, lesson_writer.SHARE = LIMITS
    rows = [message(i) for i in range(30)]
    trained(rows).save(path)
    started = time.monotonic()

    def share(k: int) -> Callable[[int], None]:
        def work(_: int) -> None:
            for i in range(100 + k, 100 + learns, processes):
                _learn_one(path, i)

        return work

    children = [forked(share(k)) for k in range(processes)]
    _joined([child for child, _ in children])
    seconds = time.monotonic() - started
    expected = trained([*rows, *(message(i) for i in range(100, 100 + learns))])
    assert same(SpamModel.load(path), expected), "the counts are not exact"
    return seconds


def _learn_one(path: Path, number: int) -> None:
    text, label = message(number)
    with Learner(path, wait=120) as learner:
        learner.learn([text], [label])
    assert learner.outcome.changes == 1


def _joined(children: list[int]) -> None:
    failed = [child for child in children if os.waitpid(child, 0)[1]]
    assert not failed, f"{len(failed)} of {len(children)} processes failed"


def rows(budget: float) -> list[Row]:
    """A short form, in a process of its own: it changes limits and forks."""
    kills, seconds = max(20, int(budget)), max(2.0, budget / 10)
    flags = ["--kills", str(kills), "--seconds", str(seconds), "--learns", str(5 * kills)]
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "tests.robustness.crash_recovery", *flags], stdout=subprocess.DEVNULL
    )
    took = time.monotonic() - started
    return [
        Row("crash recovery", "learners killed and competing", kills, int(done.returncode != 0), took, 0.0)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--learns", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    rng = random.Random(arguments.seed)
    os.environ["JOBLIB_MULTIPROCESSING"] = "0"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        commands = writers(folder)
        each = arguments.kills // 2 // len(commands)
        kills, unsaid = kill_learners(folder, arguments.kills - each * len(commands), rng)
        print(f"{kills:,} learners killed: old or new model each time; {unsaid} times new but not yet said")
        for name, command in commands.items():
            new = kill_writers(folder, name, command, each, rng)
            print(f"{each:,} times {name} killed: {new} times the new model, {each - new} times the old one")
        reads, learned = compete(folder, 8, 4, arguments.seconds)
        print(f"8 readers, 4 learners, {arguments.seconds:g} s: {reads:,} reads, {learned:,} learned, exact")
        seconds = learn_many(folder, 8, arguments.learns)
        print(f"{arguments.learns:,} learned one by one from 8 processes in {seconds:.0f} s: none lost")


if __name__ == "__main__":
    main()
