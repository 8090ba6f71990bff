"""Faults of streams, homes, locales and files: each kind with one of its commands, and long lines."""

from __future__ import annotations

import os
import random
import signal
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("made for systems with /bin/sh and FIFOs", allow_module_level=True)

from tests.robustness import long_lines, signals, system_faults
from tests.robustness.every_command import prepare

SOME = [(fault, fault.calls[i % len(fault.calls)]) for i, fault in enumerate(system_faults.FAULTS)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    prepare(folder)
    return folder


@pytest.mark.parametrize(("fault", "call"), SOME, ids=[f"{fault.what}, {call}" for fault, call in SOME])
def test_a_fault_ends_in_a_sentence(
    fault: system_faults.Fault, call: str, whole: Path, tmp_path: Path
) -> None:
    if "/dev/full" in fault.script and not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    assert system_faults.tried(fault, call, whole, tmp_path / "here")[1] == ""


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="needs /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGPIPE])
@pytest.mark.parametrize("call", ["train", "learn", "export"])
def test_a_signal_leaves_a_whole_model(
    call: str, number: signal.Signals, whole: Path, tmp_path: Path
) -> None:
    delay = random.Random(call).uniform(0.0, 0.2)
    assert signals.interrupted(call, number, whole, tmp_path / "here", delay)[1] == ""


@pytest.mark.parametrize("case", long_lines.CASES[::3], ids=lambda case: case.what)
def test_a_long_line_takes_little_memory(case: long_lines.Long, tmp_path: Path) -> None:
    prepare(tmp_path)
    assert long_lines.tried(case, tmp_path, size=200_000_000)[1] == ""
