"""Model files with a right checksum and a wrong state: a sample of `altered_models`."""

from __future__ import annotations

from pathlib import Path

from tests.robustness import altered_models
from tests.robustness.altered_states import good_states


def test_altered_models_are_refused_or_work() -> None:
    tried, accepted, faults, _ = altered_models.tried(seed=4, number=300)
    assert faults == {}
    assert tried == 300
    assert 10 < accepted < 150  # else only refusals, or only good models, would be tried


def test_the_models_are_good_before_they_are_altered(tmp_path: Path) -> None:
    assert [altered_models.fault(state, tmp_path) for state in good_states()] == [("", False)] * 7


def test_a_fault_is_seen(tmp_path: Path) -> None:
    """A state that breaks the program when it is used is found out."""
    state = dict(good_states()[0])
    original = altered_models.use
    try:
        altered_models.use = lambda *_: 1 / 0  # type: ignore[assignment]
        assert altered_models.fault(state, tmp_path)[0].startswith("ZeroDivisionError: division by zero")
    finally:
        altered_models.use = original
