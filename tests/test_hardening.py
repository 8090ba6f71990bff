"""The table of `make hardening` and the verdict of the audit: a failure is seen, silence is told."""

from __future__ import annotations

import sys

import pytest

from benchmarks import audit, hardening
from benchmarks.hardrow import Row


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
    monkeypatch.setitem(hardening.AREAS, "faults", (lambda _: rows, 1.0))
    monkeypatch.setattr(sys, "argv", ["hardening", "--only", "faults"])
    with pytest.raises(SystemExit) as ended:
        hardening.main()
    assert ended.value.code == code
    assert capsys.readouterr().out.splitlines()[1].split()[-1] == state


def test_the_areas_share_all_the_time() -> None:
    assert sum(share for _, share in hardening.AREAS.values()) == pytest.approx(1.0)


GOOD = {"name": "a", "version": "1", "vulns": []}
BAD = {"name": "b", "version": "1", "vulns": [{"id": "X-1", "fix_versions": []}]}
SILENT = {"name": "c", "skip_reason": "not found"}


def test_the_audit_fails_on_a_finding_and_tells_when_it_could_not_ask() -> None:
    skipped = (["pip-audit: skipped, the advisory service did not answer"], 0)
    assert audit.judged(None) == audit.judged([]) == audit.judged([SILENT]) == skipped
    assert audit.judged([GOOD, SILENT]) == (["pip-audit: 1 package asked about, 0 vulnerabilities"], 0)
    told = ["b 1: X-1 (fixed in no version)", "pip-audit: 2 packages asked about, 1 vulnerability"]
    assert audit.judged([GOOD, BAD]) == (told, 1)


def test_an_audit_that_ends_without_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "_COMMAND", ("-c", "raise SystemExit('no network')"))
    assert audit.answer() is None
    monkeypatch.setattr(audit, "_COMMAND", ("-c", "print('{\"dependencies\": []}')"))
    assert audit.answer() == []
