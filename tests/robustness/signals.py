"""Interrupts commands by signals and broken pipes: the exit code, no traceback, a whole model."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from tests.helpers.paths import ROOT
from tests.robustness.child_process import PATIENCE, spamnb
from tests.robustness.every_command import CALLS, prepare, state
from tests.robustness.result_row import Row

# Until numpy is there it is Python that starts, not spamnb.
NAMES = tuple(name for name in CALLS if name not in ("model list", "config", "completion"))
_CODES = {signal.SIGINT: (0, 130), signal.SIGTERM: (0, -signal.SIGTERM), signal.SIGPIPE: (0, -signal.SIGPIPE)}


def rows(budget: float) -> list[Row]:
    """A row for each signal: as many rounds over all commands as there is time for, at least one."""
    rng, results = random.Random(1), []
    with tempfile.TemporaryDirectory() as name:
        whole = Path(name) / "whole"
        whole.mkdir()
        prepare(whole)
        for number in _CODES:
            end, tried, failures, worst = time.monotonic() + budget / 3, 0, 0, 0.0
            while not tried or time.monotonic() < end:
                for call in NAMES:
                    folder = Path(name) / f"{number}-{tried}"
                    seconds, wrong = interrupted(call, number, whole, folder, rng.uniform(0.0, 0.3))
                    tried, failures, worst = tried + 1, failures + bool(wrong), max(worst, seconds)
                    if wrong:
                        print(f"{signal.Signals(number).name}, {call}: {wrong}")
            results.append(Row("system faults", signal.Signals(number).name, tried, failures, worst, 0.0))
    return results


def interrupted(
    name: str, number: signal.Signals, whole: Path, folder: Path, delay: float
) -> tuple[float, str]:
    """Send a signal so long after the start of the work; gives the seconds it took, and what is wrong."""
    shutil.copytree(whole, folder)
    before, started = state(folder), time.monotonic()
    running = _started(name, folder, broken=number == signal.SIGPIPE)
    if number != signal.SIGPIPE:
        _await_numpy(running)
        time.sleep(delay)
        running.send_signal(number)
    _, stderr = running.communicate(timeout=PATIENCE)
    seconds, err = time.monotonic() - started, stderr.decode("utf-8", "replace")
    if running.returncode not in _CODES[number]:
        return seconds, f"exit code {running.returncode}: {err[-300:]!r}"
    if "Traceback" in err or "spamnb has a fault" in err:
        return seconds, repr(err[-300:])
    after = state(folder)
    whole_one = isinstance(after, tuple) and (after == before or name in CHANGES)
    return seconds, "" if whole_one else f"the model is {after}"


CHANGES = (
    "prune",
    "age",
    "learn",
    "learn --ham",
    "forget",
    "review",
    "model undo",
)  # such a model may be the new one


def _started(name: str, folder: Path, broken: bool) -> subprocess.Popen[bytes]:
    reading, writing = os.pipe()
    (folder / "stdin").write_bytes(CALLS[name].stdin)
    with open(reading, "rb") as end, open(writing, "wb") as out, open(folder / "stdin", "rb") as file:
        if broken:
            end.close()
        sink: int = out.fileno() if broken else subprocess.DEVNULL
        env = os.environ | {"PYTHONPATH": str(ROOT)}
        return subprocess.Popen(
            spamnb(*CALLS[name].args), stdin=file, stdout=sink, stderr=subprocess.PIPE, cwd=folder, env=env
        )


def _await_numpy(running: subprocess.Popen[bytes]) -> None:
    maps, end = Path(f"/proc/{running.pid}/maps"), time.monotonic() + PATIENCE
    while running.poll() is None and time.monotonic() < end:
        try:
            if "_multiarray_umath" in maps.read_text():
                return
        except OSError:
            return
        time.sleep(0.005)
