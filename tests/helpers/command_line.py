"""Runs the command line as its users do: as a process, in a folder and with a home directory of its own."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.helpers.paths import ROOT

PATIENCE = 60.0  # seconds after which a process is taken to hang; nothing here is timed

# Small enough to be reckoned by hand: six words, four occurrences a class, so with alpha 1
# P(win|spam) = 3/10, P(win|ham) = 1/10, P(prize|spam) = 2/10, and the other way round for see and you.
TINY = "label,text\nspam,win prize\nspam,win money\nham,see you\nham,see mum\n"
TINY_FLAGS = (
    "--tokens",
    "plain",
    "--alpha",
    "1",
    "--set",
    "counts=all",
    "--set",
    "damping=0",
    "--folds",
    "0",
)

_UNWANTED = ("NO_COLOR", "FORCE_COLOR", "PYTHONDONTWRITEBYTECODE", "PYTHONIOENCODING")
_CLEAN = {
    name: value
    for name, value in os.environ.items()
    if name not in _UNWANTED and not name.startswith("SPAMNB_")
}


@dataclass(frozen=True)
class Result:
    """What a process left behind."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def lines(self) -> list[bytes]:
        """The lines of stdout; each must have been ended."""
        assert not self.out or self.out.endswith(b"\n")
        return self.out.split(b"\n")[:-1]

    @property
    def json(self) -> Any:
        """stdout as strict JSON: no NaN, no Infinity."""
        return json.loads(self.out, parse_constant=_refuse)

    @property
    def records(self) -> list[dict[str, Any]]:
        return [json.loads(line, parse_constant=_refuse) for line in self.lines]


def _refuse(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


class Cli:
    """`cli("predict", "-m", model, stdin=b"...")` runs `spamnb predict -m model` in the folder `here`."""

    def __init__(self, here: Path) -> None:
        self.here = here
        self.data = here / "home" / "data"
        self.config = here / "home" / "config"
        self.env = _CLEAN | {
            "HOME": str(here / "home"),
            "XDG_DATA_HOME": str(self.data),
            "XDG_CONFIG_HOME": str(self.config),
            "PYTHONPATH": str(ROOT),
            "COLUMNS": "100",
            "LC_ALL": "C.UTF-8",
            "SPAMNB_TRAIN_BASE": "none",  # tests have few messages, and mean a model of these alone
        }

    @property
    def own_model(self) -> Path:
        """Where `train` writes a model of texts by default."""
        return self.data / "spamnb" / "my-text.spamnb"

    @property
    def own_mail_model(self) -> Path:
        """Where `train` writes a model of mails by default."""
        return self.data / "spamnb" / "my-mail.spamnb"

    def command(self, *args: str | Path) -> list[str]:
        return [sys.executable, "-m", "spamnb", *map(str, args)]

    def __call__(
        self, *args: str | Path, stdin: bytes = b"", env: Mapping[str, str] | None = None, code: int = 0
    ) -> Result:
        done = subprocess.run(
            self.command(*args),
            input=stdin,
            capture_output=True,
            cwd=self.here,
            env=self.env | dict(env or {}),
            timeout=PATIENCE,
            check=False,
        )
        return self._checked(args, done.returncode, done.stdout, done.stderr, code)

    def shell(self, script: str, *args: str | Path, code: int = 0) -> Result:
        """A line of shell in which "$@" is `spamnb` with these arguments."""
        done = subprocess.run(
            ["/bin/sh", "-c", script, "sh", *self.command(*args)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=self.here,
            env=self.env,
            timeout=PATIENCE,
            check=False,
        )
        return self._checked(args, done.returncode, done.stdout, done.stderr, code)

    @staticmethod
    def _checked(args: Sequence[str | Path], got: int, out: bytes, err: bytes, code: int) -> Result:
        shown = err.decode()
        assert "Traceback" not in shown, shown
        assert "spamnb has a fault" not in shown, shown
        assert got == code, f"{args}: exit code {got}, expected {code}\n{shown}"
        return Result(got, out, shown)

    def start(self, *args: str | Path) -> Talk:
        """A process to talk to."""
        pipe = subprocess.PIPE
        running = subprocess.Popen(
            self.command(*args), stdin=pipe, stdout=pipe, stderr=pipe, cwd=self.here, env=self.env
        )
        return Talk(running)

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.here / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def fails(self, *args: str | Path, stdin: bytes = b"", code: int = 1) -> list[str]:
        """The lines of a refusal: nothing on stdout, the error and the next step on stderr."""
        done = self(*args, stdin=stdin, code=code)
        assert done.out == b""
        return done.err.splitlines()


class Talk:
    """A running process: `say` a line, `hear` one, both at once or not at all."""

    def __init__(self, running: subprocess.Popen[bytes]) -> None:
        self.running = running
        self._heard = b""

    def __enter__(self) -> Talk:
        return self

    def __exit__(self, *_: object) -> None:
        if self.running.poll() is None:
            self.running.kill()
        self.running.communicate()

    def say(self, data: bytes) -> None:
        assert self.running.stdin is not None
        self.running.stdin.write(data)
        self.running.stdin.flush()

    def hear(self) -> bytes:
        """The next line; fails where none comes."""
        assert self.running.stdout is not None
        file, end = self.running.stdout.fileno(), time.monotonic() + PATIENCE
        while b"\n" not in self._heard:
            ready = select.select([file], [], [], max(0.0, end - time.monotonic()))[0]
            assert ready, f"no answer after {PATIENCE:g} s"
            more = os.read(file, 1 << 16)
            assert more, "the process ended its output"
            self._heard += more
        line, _, self._heard = self._heard.partition(b"\n")
        return line

    def end(self) -> tuple[int, str]:
        """Close stdin and wait: exit code and stderr."""
        _, err = self.running.communicate(timeout=PATIENCE)
        return self.running.returncode, err.decode()


@dataclass(frozen=True)
class Sms:
    """Every other row of the sample to train on, the rest to test with, and the model."""

    train: Path
    test: Path
    model: Path


@dataclass(frozen=True)
class Three:
    """Messages of three classes and their model."""

    data: Path
    model: Path


@dataclass(frozen=True)
class Tennis:
    """The weather that decides about a game: two columns of categories, two of numbers, no text."""

    data: Path
    model: Path
    err: str  # of `train`


# Modules that a .pth file of the environment brings along are no doing of spamnb: only new ones count. The
# command line leaves through os._exit, so that is the last moment to look.
PROBE = """
import sys
before = set(sys.modules)
import os
leave = os._exit
def look(code):
    sys.stdout.flush()
    print("\\n".join(["MODULES", *sorted(set(sys.modules) - before)]), file=sys.stderr, flush=True)
    leave(code)
os._exit = look
from spamnb.cli import main
main()
"""


def imported(cli: Cli, *args: str | Path, stdin: bytes = b"") -> set[str]:
    """The top-level packages that a command imports."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *map(str, args)],
        input=stdin,
        capture_output=True,
        cwd=cli.here,
        env=cli.env,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    listed = done.stderr.decode().partition("MODULES\n")[2].split()
    assert "spamnb.cli" in listed
    return {name.partition(".")[0] for name in listed} | {n for n in listed if n.startswith("spamnb.")}
