"""Kills `spamnb learn --mode drain` and `spamnb learn --sync` at random moments, and compares with a tally.

python -m tests.robustness.lesson_kills --kills 300
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

from spamnb.mail.parse import parse_mails
from spamnb.mailbox.mailbox_state import MailboxState
from spamnb.model.message_digest import message_digests
from spamnb.model.spam_model import SpamModel
from spamnb.training.trainer import train
from tests.helpers.command_line import PATIENCE, Cli
from tests.mailbox.conftest import numbered
from tests.mailbox.test_lesson_spool import queue
from tests.mailbox.test_maildir_sync import Maildir, Person
from tests.robustness.result_row import Row


class Trial:
    """A small model of mail, and a command that learns into it and is killed."""

    def __init__(self, folder: Path, rng: random.Random, *command: str) -> None:
        self.cli, self.rng, self.expected = Cli(folder), rng, dict[bytes, str]()
        self.model = folder / "own.spamnb"
        mails = [numbered(("spam", "ham")[n % 2], -n) for n in range(1, 101)]
        train(parse_mails(mails), [("spam", "ham")[n % 2] for n in range(1, 101)]).save(self.model)
        self._command = self.cli.command("learn", *command, "-q", "-m", self.model)

    def kill(self, times: int, act: Callable[[], None]) -> int:
        """Acts and kills so many times, runs to the end, and counts the mails that are not as they should."""
        for _ in range(times):
            act()
            running = self._start()
            time.sleep(self.rng.uniform(0.1, 0.7))
            os.kill(running.pid, signal.SIGKILL)
            running.wait(PATIENCE)
        for _ in range(2):
            assert self._start().wait(PATIENCE) == 0
        return self._wrong()

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self._command, cwd=self.cli.here, env=self.cli.env, stdin=subprocess.DEVNULL)

    def _wrong(self) -> int:
        seen = SpamModel.load(self.model).seen_messages
        assert seen is not None
        mails = list(self.expected)
        digests = message_digests(parse_mails(mails))
        spam, ham = (seen.count(label, digests).tolist() for label in ("spam", "ham"))
        counts = {"spam": (1, 0), "ham": (0, 1)}
        got = zip(spam, ham, strict=True)
        return sum(pair != counts[self.expected[raw]] for raw, pair in zip(mails, got, strict=True))


def spool_row(kills: int, seed: int) -> Row:
    rng, started = random.Random(seed), time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        spool = Path(name) / "spool"
        spool.mkdir()
        trial = Trial(Path(name), rng, "--mode", "drain", str(spool))

        def act() -> None:
            for _ in range(rng.randrange(1, 40)):
                raw, label = numbered("spam", rng.randrange(20 * kills)), rng.choice(["spam", "ham"])
                queue(spool, label, raw)
                trial.expected[raw] = label

        failures = trial.kill(kills, act)
        failures += sum(1 for part in spool.glob(".*/*/*"))
        return _row("queue", len(trial.expected), kills, failures, started)


class StoredMaildir:
    """A Maildir and the state that the command keeps of it."""

    def __init__(self, trial: Trial) -> None:
        self.maildir, self._trial = Maildir(trial.cli.here / "Maildir"), trial

    def state(self) -> MailboxState:
        places = self.maildir.root, self._trial.model
        path = self._trial.cli.data / "spamnb" / "maildir.sqlite"
        return MailboxState(str(path), " ".join(os.path.realpath(place) for place in places))


def sync_row(kills: int, seed: int) -> Row:
    rng, started = random.Random(seed), time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        trial = Trial(Path(name), rng, "--sync", "Maildir")
        person = Person(StoredMaildir(trial), rng)

        def act() -> None:
            for _ in range(rng.randrange(1, 20)):
                person.act()
            trial.expected = dict(person.expected)

        failures = trial.kill(kills, act)
        return _row("Maildir", len(person.expected), kills, failures, started)


def _row(what: str, lessons: int, kills: int, failures: int, started: float) -> Row:
    each = (time.monotonic() - started) / max(kills, 1)
    return Row("lessons", f"{what} killed, {lessons} lessons", kills, failures, each, 0.0)


def run(kills: int, seed: int) -> list[Row]:
    return [spool_row(kills, seed), sync_row(kills, seed)]


def rows(seconds: float) -> list[Row]:
    """As many kills as fit the seconds."""
    return run(max(5, int(seconds / 4)), seed=7)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    done = run(arguments.kills, arguments.seed)
    for row in done:
        print(row)
    sys.exit(any(row.failures for row in done))


if __name__ == "__main__":
    main()
