"""No control character of a message, label, name or model reaches a terminal or stderr, markup is text."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.helpers.paths import ROOT


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_every_command_shows_hostile_text_escaped() -> None:
    command = [sys.executable, "-m", "tests.robustness.terminal_output", "--once"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    match = re.fullmatch(r"(\d+) command lines, (\d+) showed hostile text, 0 with .*\n", done.stdout)
    assert match is not None, done.stdout
    tried, hostile = map(int, match.groups())
    assert hostile > tried / 2  # else nothing was tried
