"""Twice as much of any bad input takes about twice as long: no path of the program is quadratic."""

from __future__ import annotations

import pytest

from tests.robustness import time_growth
from tests.robustness.time_growth import CASES, MAX_GROWTH, growth


@pytest.mark.parametrize("name", CASES)
def test_the_time_about_doubles(name: str) -> None:
    assert growth(name, enough=0.004, tries=10)[0] < MAX_GROWTH


def test_time_that_grows_too_fast_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def triples(data: bytes) -> int:
        steps = range(0, len(data), 64)
        return sum(data.count(data[i : i + 1]) for i in steps for _ in steps)

    monkeypatch.setitem(time_growth.CASES, "triples", (time_growth.filled("ab"), triples))
    assert growth("triples", tries=2)[0] > MAX_GROWTH
