"""Eight times as many long, different, non-ASCII lines take about the same memory."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.robustness import memory_growth
from tests.robustness.every_command import prepare


@pytest.mark.skipif(sys.platform == "win32", reason="the peak memory of a process is read with wait4")
def test_caches_do_not_grow_with_the_input(tmp_path: Path) -> None:
    prepare(tmp_path)
    grown = memory_growth.growth("predict", 900, tmp_path, 4_000_000, 32_000_000)
    assert grown.ratio < memory_growth.MAX_GROWTH
