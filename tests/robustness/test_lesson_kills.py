"""A few kills of the processes that learn what people moved; `make hardening` has more."""

from __future__ import annotations

from tests.robustness.lesson_kills import run


def test_killed_processes_neither_lose_nor_double_a_lesson() -> None:
    assert [(row.tried, row.failures) for row in run(kills=4, seed=3)] == [(4, 0), (4, 0)]
