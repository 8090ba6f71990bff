"""Kills workers of a server under load: no lesson is lost, no answer is wrong, and the next worker goes on.

python -m tests.robustness.killed_servers 300
"""

from __future__ import annotations

import os
import random
import re
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path

import spamnb
from spamnb.training.incremental import Learner
from spamnb.training.trainer import train
from tests.helpers.command_line import Cli
from tests.helpers.running_server import Server
from tests.robustness.result_row import Row

_SECONDS_PER_KILL = 1.5
_TAUGHT = "the minutes of the meeting"  # learned as ham before: whatever else is learned, its verdict stays
_READY = re.compile(r'ready message="process (\d+)"')


class Pupil(threading.Thread):
    """Teaches messages, remembers which were confirmed, and asks for the verdict on a known one."""

    def __init__(self, server: Server, number: int) -> None:
        super().__init__(daemon=True)
        self.server, self.number = server, number
        self.confirmed, self.wrong, self.stop = list[str](), 0, threading.Event()

    def run(self) -> None:
        count = 0
        while not self.stop.is_set():
            count += 1
            text = f"lesson {self.number} number {count} zeppelin{self.number}x{count}"
            try:
                self.server.post("/learn", {"text": text, "label": "spam"})
                self.confirmed.append(text)
                answer = self.server.post("/predict", {"text": _TAUGHT})
                self.wrong += answer["verdict"] != "ham"
            except (OSError, HTTPException):  # its worker was killed: the client does not know what happened
                continue


def runs(kills: int, seed: int = 0) -> Iterator[tuple[int, int]]:
    """Yields after all kills the number of lessons, and of lessons lost and answers wrong."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        cli, model = Cli(Path(folder)), Path(folder) / "m.spamnb"
        train(
            ["win a prize", "free prize win", "see you", "lunch at noon"], ["spam", "spam", "ham", "ham"]
        ).save(model)
        with Learner(model) as learner:
            learner.learn([_TAUGHT], ["ham"])
        with Server(cli, "-m", model, "--workers", "2") as server:
            pupils = [Pupil(server, number) for number in range(3)]
            for pupil in pupils:
                pupil.start()
            for _ in range(kills):
                time.sleep(chance.uniform(0.05, _SECONDS_PER_KILL))
                alive = [int(pid) for pid in _READY.findall(server.log) if Path(f"/proc/{pid}").exists()]
                if alive:
                    os.kill(chance.choice(alive), signal.SIGKILL)
            for pupil in pupils:
                pupil.stop.set()
            for pupil in pupils:
                pupil.join(60)
        confirmed = [text for pupil in pupils for text in pupil.confirmed]
        taught = spamnb.load(str(model)).score(confirmed) if confirmed else None
        lost = 0 if taught is None else sum(not taught.taught_label(row) for row in range(len(confirmed)))
        yield len(confirmed), lost + sum(pupil.wrong for pupil in pupils)


def rows(seconds: float) -> list[Row]:
    kills = max(3, int(seconds / _SECONDS_PER_KILL))
    began = time.monotonic()
    [(lessons, failures)] = runs(kills)
    return [
        Row("killed-servers", f"{kills} kills: lessons", lessons, failures, time.monotonic() - began, 0.0)
    ]


if __name__ == "__main__":
    print(rows(int(sys.argv[1]) * _SECONDS_PER_KILL))
