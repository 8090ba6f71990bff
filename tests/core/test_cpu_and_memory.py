"""What numpy is told of the processor, and that nobody's own settings are overruled."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from spamnb.core import cpu_and_memory

ZEN_4 = b"processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n"
FEATURES, THREADS = "NPY_DISABLE_CPU_FEATURES", "OPENBLAS_NUM_THREADS"


@pytest.fixture(autouse=True)
def a_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment with a wheel of numpy, of which nothing was said yet."""
    (tmp_path / "numpy.libs").mkdir()
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.setattr(sys, "warnoptions", [])
    monkeypatch.setattr(os, "environ", {})


def told(monkeypatch: pytest.MonkeyPatch, about: bytes) -> dict[str, str]:
    monkeypatch.setattr(cpu_and_memory, "_cpu_info", lambda: about)
    cpu_and_memory.prepare_numpy()
    return {name: os.environ[name] for name in (FEATURES, THREADS) if name in os.environ}


def test_a_processor_that_sorts_slowly_with_avx_512(monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(monkeypatch, ZEN_4) == {FEATURES: "AVX512F X86_V4", THREADS: "1"}


@pytest.mark.parametrize(
    "about",
    [b"", ZEN_4.replace(b"AuthenticAMD", b"GenuineIntel"), ZEN_4.replace(b": 25", b": 26")],
    ids=["unknown", "intel", "zen 5"],
)
def test_others_are_left_alone(about: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(monkeypatch, about) == {THREADS: "1"}


def test_what_somebody_has_set_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    os.environ.update({FEATURES: "", THREADS: "4"})
    assert told(monkeypatch, ZEN_4) == {FEATURES: "", THREADS: "4"}


def test_who_asks_for_warnings_gets_none_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "warnoptions", ["error"])
    assert FEATURES not in told(monkeypatch, ZEN_4)


def test_a_numpy_built_for_this_machine_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "numpy.libs").rmdir()
    assert FEATURES not in told(monkeypatch, ZEN_4)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has this file")
def test_the_first_lines_on_a_processor() -> None:
    assert cpu_and_memory._cpu_info()[:9] == b"processor"


CHECK = """
import os, sys
from spamnb.core import cpu_and_memory
cpu_and_memory._cpu_info = lambda: %r
before = set(sys.modules)
cpu_and_memory.prepare_numpy()
assert "numpy" not in before, "numpy was there before it could be told"
import numpy
print(os.environ.get(%r), int(numpy.sort([3, 1, 2])[0]))
"""


def test_numpy_takes_what_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    environment = {k: v for k, v in os.environ.items() if k not in (FEATURES, "PYTHONWARNINGS")}
    run = [sys.executable, "-c", CHECK % (ZEN_4, FEATURES)]
    done = subprocess.run(run, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout in ("AVX512F X86_V4 1\n", "None 1\n")  # None: this numpy is no wheel
