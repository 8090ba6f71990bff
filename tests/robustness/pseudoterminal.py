"""Runs the command line in a pseudo-terminal: a forked child of a process that has it loaded already."""

from __future__ import annotations

import fcntl
import io
import os
import select
import signal
import struct
import sys
import termios
import time
import tty
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import spamnb.cli

PATIENCE = 120.0  # seconds after which a child is taken to hang


class Shown(NamedTuple):
    """What a command wrote to the terminal and to stderr if that was a file, and what it took."""

    code: int
    screen: bytes
    errors: bytes
    seconds: float
    megabytes: float


def run(
    args: Sequence[str | bytes],
    here: Path,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    errors: Path | None = None,
) -> Shown:
    """Run `spamnb` with these arguments; stderr is the terminal too, or the file `errors`."""
    screen, inner = os.openpty()
    tty.setraw(inner)  # bytes arrive as they were written
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    stdin_path = here / ".stdin"
    stdin_path.write_bytes(stdin)
    started = time.monotonic()
    child = os.fork()
    if not child:
        _command(args, here, inner, stdin_path, env or {}, errors)
    os.close(inner)
    seen = _all(screen, child)
    os.close(screen)
    _, status, usage = os.wait4(child, 0)
    stderr = errors.read_bytes() if errors is not None else b""
    code = os.waitstatus_to_exitcode(status)
    return Shown(code, seen, stderr, time.monotonic() - started, usage.ru_maxrss / 1024)


def _command(
    args: Sequence[str | bytes],
    here: Path,
    inner: int,
    stdin: Path,
    env: Mapping[str, str],
    errors: Path | None,
) -> None:
    """Become the command; `main` ends the process."""
    try:
        os.dup2(os.open(stdin, os.O_RDONLY), 0)
        os.dup2(inner, 1)
        os.dup2(inner if errors is None else os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
        sys.stdin = io.TextIOWrapper(os.fdopen(0, "rb"))
        sys.stdout = io.TextIOWrapper(os.fdopen(1, "wb"), "utf-8", line_buffering=True)
        sys.stderr = io.TextIOWrapper(os.fdopen(2, "wb"), "utf-8", "backslashreplace", line_buffering=True)
        os.environ.update(env)
        os.chdir(here)
        sys.argv = ["spamnb", *(os.fsdecode(arg) for arg in args)]
        spamnb.cli.main()
    finally:
        os._exit(99)


def _all(screen: int, child: int) -> bytes:
    """All that arrives until the last writer has gone; a child that hangs is ended."""
    parts: list[bytes] = []
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if not select.select([screen], [], [], 1.0)[0]:
            continue
        try:
            part = os.read(screen, 1 << 16)
        except OSError:  # Linux: nobody has the other end open any more
            return b"".join(parts)
        if not part:
            return b"".join(parts)
        parts.append(part)
    os.kill(child, signal.SIGKILL)
    return b"".join(parts)
