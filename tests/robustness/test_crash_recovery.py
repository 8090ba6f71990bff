"""Learners killed at random moments, and many at once: a short run of `crash_recovery`."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.helpers.paths import ROOT


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the script forks")
def test_old_or_new_and_nothing_else() -> None:
    flags = ["--kills", "60", "--seconds", "5", "--learns", "400"]
    done = subprocess.run(
        [sys.executable, "-m", "tests.robustness.crash_recovery", *flags],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("30 learners killed: old or new model each time")
    for line, name in zip(lines[1:], ("train", "merge", "prune", "age", "import"), strict=False):
        assert line.startswith(f"6 times {name} killed")
    assert lines[6].endswith("learned, exact")
    assert lines[7].startswith("400 learned one by one from 8 processes")
