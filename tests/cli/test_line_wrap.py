"""Lines on stderr: broken at blanks on a terminal, whole in files and pipes."""

from __future__ import annotations

import fcntl
import os
import struct
import subprocess
import termios
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from spamnb.cli.line_wrap import wrapped
from tests.helpers.command_line import PATIENCE, TINY, TINY_FLAGS, Cli


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        ("short", ["short"]),
        (
            "vocabulary        6 tokens, scorer",
            ["vocabulary        6 tokens,", " " * 18 + "scorer"],
        ),
        ("mistakes   1 of 1 message of today", ["mistakes   1 of 1 message of", "           today"]),
        ("Error: there is no such file here", ["Error: there is no such file", "          here"]),
        (
            "Hint: try `spamnb train DATA`, or wait",
            ["Hint: try", "          `spamnb train DATA`,", "          or wait"],
        ),
        ("try               echo hello | spamnb predict", ["try               echo hello | spamnb predict"]),
        ("x" * 40, ["x" * 40]),
        ("saved     " + "x" * 40 + " (1 kB)", ["saved     " + "x" * 40, "          (1 kB)"]),
    ],
)
def test_lines_are_broken_at_blanks(line: str, lines: list[str]) -> None:
    assert wrapped(line, 28) == "\n".join(lines)
    assert wrapped(line, 0) == line


@given(st.text("abc `\t(", max_size=80), st.integers(24, 60))
def test_only_blanks_are_changed(line: str, width: int) -> None:
    assert wrapped(line, width).split() == line.split()


def on_stderr(cli: Cli, width: int, *args: str | Path) -> list[str]:
    """The lines that a command writes to a terminal of that width on stderr."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    subprocess.run(
        cli.command(*args),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        cwd=cli.here,
        env=cli.env | {"TERM": "dumb"},
        timeout=PATIENCE,
        check=True,
    )
    os.close(theirs)
    received = b""
    try:
        while more := os.read(ours, 1 << 16):
            received += more
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    return received.decode().splitlines()


def test_what_train_says_fits_the_terminal(cli: Cli) -> None:
    cli.write("tiny.csv", TINY)
    output = on_stderr(cli, 60, "train", "tiny.csv", *TINY_FLAGS, "-o", "m.spamnb")
    assert output[:2] == [
        'tiny.csv: CSV (comma, header, UTF-8), text column "text",',
        '          label column "label" (spam = "spam")',
    ]
    assert all(len(line) <= 60 for line in output if not line.startswith("try "))
    piped = cli("train", "tiny.csv", *TINY_FLAGS, "-o", "n.spamnb").err.splitlines()
    assert (
        piped[0]
        == 'tiny.csv: CSV (comma, header, UTF-8), text column "text", label column "label" (spam = "spam")'
    )
