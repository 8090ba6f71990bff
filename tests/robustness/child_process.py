"""Runs a command as a process of its own: exit code, output, time, memory; no power over locked files."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.helpers.paths import ROOT

SHM = "/dev/shm" if os.path.isdir("/dev/shm") else None  # where many small files are written
PATIENCE = 120.0  # seconds after which a process is taken to hang; nothing here is timed

# Peak memory counts from the fork on, so a small process starts the command. Where it is root's, it gives up
# the capabilities (1 and 2) that open every file and folder; PR_CAPBSET_DROP is 24.
_LAUNCHER = """
import ctypes, os, resource, sys, time
if hasattr(os, "geteuid") and os.geteuid() == 0:
    [ctypes.CDLL(None).prctl(24, power, 0, 0, 0) for power in (1, 2)]
started = time.monotonic()
pid = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(pid, 0)
costs = os.waitstatus_to_exitcode(status), time.monotonic() - started, usage.ru_maxrss / 1024
os.write(int(sys.argv[1]), " ".join(map(str, costs)).encode())
"""


class ProcessResult(NamedTuple):
    """What a process left behind, and what it took."""

    code: int
    out: bytes
    err: str
    seconds: float
    megabytes: float


def spamnb(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "spamnb", *arguments]


def run_command(
    command: Sequence[str],
    here: Path,
    script: str = "",
    stdin: bytes = b"",
    env: Mapping[str, str | None] | None = None,
) -> ProcessResult:
    """Run a command in a folder, or a line of shell in which "$@" is it; None takes a variable away."""
    words = ["/bin/sh", "-c", script, "sh", *command] if script else list(command)
    changes = {"PYTHONPATH": str(ROOT), **(env or {})}
    variables = {**os.environ, **changes}
    reading, writing = os.pipe()
    with (
        tempfile.TemporaryFile() as source,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        source.write(stdin)
        source.seek(0)
        launcher = [sys.executable, "-S", "-c", _LAUNCHER, str(writing), *words]
        running = subprocess.Popen(
            launcher,
            stdin=source,
            stdout=out,
            stderr=err,
            cwd=here,
            env={name: value for name, value in variables.items() if value is not None},
            pass_fds=(writing,),
            start_new_session=True,
        )
        _wait(running)
        os.close(writing)
        with open(reading) as pipe:
            numbers = [float(number) for number in pipe.read().split()] or [-9.0, PATIENCE, 0.0]
        out.seek(0)
        err.seek(0)
        return ProcessResult(int(numbers[0]), out.read(), err.read().decode("utf-8", "replace"), *numbers[1:])


def _wait(running: subprocess.Popen[bytes]) -> None:
    """Until it ends; what hangs is ended with all that it has started."""
    try:
        running.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, 9)
        running.wait()
