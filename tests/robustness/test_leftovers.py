"""What a killed writer left behind goes with the next change of any kind; nothing else does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.helpers.command_line import Cli
from tests.helpers.small_models import NEWS, ROWS, learn, trained

if sys.platform == "win32":
    pytest.skip("Windows removes files of processes that die", allow_module_level=True)

WRITERS: dict[str, tuple[str, ...]] = {
    "train": ("train", "data.csv", "-o", "m.spamnb"),
    "train a new one": ("train", "data.csv", "-o", "new.spamnb"),
    "learn": ("learn", "--spam", "-m", "m.spamnb"),
    "learn the first": ("learn", "--spam", "-m", "fresh.spamnb"),
    "learn --compact": ("learn", "--compact", "-m", "m.spamnb"),
    "forget": ("forget", "-m", "m.spamnb"),
    "undo": ("model", "undo", "1", "-m", "m.spamnb"),
    "merge": ("model", "merge", "m.spamnb", "fresh.spamnb", "-o", "m.spamnb"),
    "prune": ("model", "prune", "m.spamnb", "--min-count", "2"),
    "age": ("model", "age", "m.spamnb"),
    "import": ("model", "import", "m.jsonl", "-o", "m.spamnb"),
}
SLOW = "import os, sys, time; os.replace = lambda *_: time.sleep(60); import spamnb.cli; spamnb.cli.main()"


@pytest.fixture
def here(cli: Cli) -> Path:
    trained(ROWS).save(cli.here / "m.spamnb")
    trained(ROWS[1:]).save(cli.here / "fresh.spamnb")
    learn(cli.here / "m.spamnb", NEWS[0])
    cli.write("data.csv", "label,text\n" + "".join(f"{label},{text}\n" for text, label in ROWS))
    cli("model", "export", "m.spamnb", "-o", "m.jsonl")
    return cli.here


def temporary(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.name.startswith(".spamnb-")}


def killed_writer(cli: Cli) -> None:
    """A real `train` that is killed before it gives the new file its name."""
    before = temporary(cli.here)
    command = [sys.executable, "-c", SLOW, "train", "data.csv", "-o", "other.spamnb", "-q"]
    process = subprocess.Popen(command, cwd=cli.here, env=cli.env)
    while temporary(cli.here) == before:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert temporary(cli.here) != before


@pytest.mark.parametrize("name", WRITERS)
def test_every_writer_sweeps_up(cli: Cli, here: Path, name: str) -> None:
    killed_writer(cli)
    busy, victim = here / ".spamnb-busy.tmp", here / "victim"
    victim.write_text("precious")
    (here / ".spamnb-link.tmp").symlink_to(victim)
    with open(busy, "wb") as file:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX)  # as a writer holds its own
        cli(*WRITERS[name], stdin=b"prize of the week\n" if name == "forget" else b"one more\n")
        assert temporary(here) == {".spamnb-busy.tmp", ".spamnb-link.tmp"}
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("name", ["predict", "inspect", "model list"])
def test_readers_remove_nothing(cli: Cli, here: Path, name: str) -> None:
    killed_writer(cli)
    left = temporary(here)
    args = {
        "predict": ("predict", "-m", "m.spamnb"),
        "inspect": ("inspect", "m.spamnb"),
        "model list": ("model", "list"),
    }
    cli(*args[name], stdin=b"win\n")
    assert temporary(here) == left
    assert left


def test_what_another_live_writer_needs_stays(cli: Cli, here: Path) -> None:
    command = [sys.executable, "-c", SLOW, "train", "data.csv", "-o", "other.spamnb", "-q"]
    process = subprocess.Popen(command, cwd=here, env=cli.env)
    try:
        while not temporary(here):
            assert process.poll() is None
            time.sleep(0.01)
        left = temporary(here)
        cli("learn", "--spam", "-m", "m.spamnb", stdin=b"one more\n")
        assert temporary(here) == left
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
