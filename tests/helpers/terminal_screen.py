"""Runs a line of shell in a terminal of its own, and shows what is on its screen in the end."""

from __future__ import annotations

import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

PATIENCE = 60.0  # seconds after which a process is taken to hang; nothing here is timed

# The terminal becomes that of a new session, so that ^C interrupts what runs in it.
_LAUNCHER = """
import fcntl, os, sys, termios
fcntl.ioctl(2, termios.TIOCSCTTY, 0)
os.execvp("/bin/sh", ["/bin/sh", "-c", sys.argv[1], "sh", *sys.argv[2:]])
"""
_SEQUENCE = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|(\r)|(\n)|([^\x1b\r\n])")


class Terminal:
    """A pseudo-terminal of so many columns in which one line of shell runs; "$@" is the command."""

    def __init__(
        self, script: str, command: Sequence[str], here: Path, env: Mapping[str, str], columns: int = 80
    ) -> None:
        self.columns, self.written = columns, b""
        self._outer, inner = os.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        self.running = subprocess.Popen(
            [sys.executable, "-c", _LAUNCHER, script, *command],
            stdin=inner,
            stdout=inner,
            stderr=inner,
            cwd=here,
            env={**env, "TERM": "xterm"},
            start_new_session=True,
        )
        os.close(inner)

    def type(self, keys: bytes) -> None:
        os.write(self._outer, keys)

    def wait_for(self, text: bytes) -> None:
        """Waits until the text was written to the terminal."""
        end = time.monotonic() + PATIENCE
        while text not in self.written:
            assert time.monotonic() < end, self.written
            assert self._read(), self.written

    def finish(self) -> list[str]:
        """Waits for the end; returns the lines of the screen, without those that are empty at its end."""
        while self._read():
            pass
        os.close(self._outer)
        self.running.wait(PATIENCE)
        return screen(self.written.decode(), self.columns)

    def _read(self) -> bool:
        """Reads what has arrived; False at the end."""
        if not select.select([self._outer], [], [], PATIENCE)[0]:
            self.running.kill()
            raise AssertionError(f"nothing arrives: {self.written!r}")
        try:
            data = os.read(self._outer, 1 << 16)
        except OSError:  # Linux: the other end is closed
            return False
        self.written += data
        return bool(data)


def screen(text: str, columns: int) -> list[str]:
    r"""The lines that a terminal shows: it knows \r, \n, erasing to the end of a line, and wraps lines.

    >>> screen("30%\r\x1b[Kdone\r\nab\rc\x1b[1m\r\n\r\n12345", 4)
    ['done', 'cb', '', '1234', '5']
    """
    lines, row, column = [list[str]()], 0, 0
    for match in _SEQUENCE.finditer(text):
        _, letter, back, down, char = match.groups()
        if letter == "K":
            del lines[row][column:]
        elif back:
            column = 0
        elif down:
            row += 1
        elif char:
            if column == columns:
                row, column = row + 1, 0
            lines += [[] for _ in range(row + 1 - len(lines))]
            lines[row] += " " * (column + 1 - len(lines[row]))
            lines[row][column] = char
            column += 1
        lines += [[] for _ in range(row + 1 - len(lines))]
    shown = ["".join(line).rstrip() for line in lines]
    while shown and not shown[-1]:
        shown.pop()
    return shown
