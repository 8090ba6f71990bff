"""Checks the table of `make hardening`: a failure is seen, and so is what was not tried."""

from __future__ import annotations

import sys

import pytest

from tests.robustness import hardening
from tests.robustness.result_row import Row


@pytest.mark.parametrize(
    ("rows", "code", "state"),
    [
        ([Row("a", "good", 3, 0, 1.0, 2.0)], 0, "ok"),
        ([Row("a", "bad", 3, 1, 1.0, 2.0)], 1, "FAILED"),
        ([Row("a", "not tried", 0, 0, 1.0, 2.0)], 1, "FAILED"),
    ],
)
def test_a_failure_and_what_was_not_tried_end_with_1(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    rows: list[Row],
    code: int,
    state: str,
) -> None:
    monkeypatch.setitem(hardening.AREAS, "system-faults", (lambda _: rows, 1.0))
    monkeypatch.setattr(sys, "argv", ["hardening", "--only", "system-faults"])
    with pytest.raises(SystemExit) as ended:
        hardening.main()
    assert ended.value.code == code
    assert capsys.readouterr().out.splitlines()[1].split()[-1] == state


def test_the_areas_share_all_the_time() -> None:
    assert sum(share for _, share in hardening.AREAS.values()) == pytest.approx(1.0)
