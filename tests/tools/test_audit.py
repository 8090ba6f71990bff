"""Checks the verdict of the audit: a vulnerability fails, silence is reported."""

from __future__ import annotations

import pytest

from tools import audit

GOOD = {"name": "a", "version": "1", "vulns": []}
BAD = {"name": "b", "version": "1", "vulns": [{"id": "X-1", "fix_versions": []}]}
SILENT = {"name": "c", "skip_reason": "not found"}


def test_the_audit_fails_on_a_finding_and_tells_when_it_could_not_ask() -> None:
    skipped = (["pip-audit: skipped, the advisory service did not answer"], 0)
    assert audit.outcome_of(None) == audit.outcome_of([]) == audit.outcome_of([SILENT]) == skipped
    assert audit.outcome_of([GOOD, SILENT]) == (["pip-audit: 1 package asked about, 0 vulnerabilities"], 0)
    output = ["b 1: X-1 (fixed in no version)", "pip-audit: 2 packages asked about, 1 vulnerability"]
    assert audit.outcome_of([GOOD, BAD]) == (output, 1)


def test_an_audit_that_ends_without_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "_COMMAND", ("-c", "raise SystemExit('no network')"))
    assert audit.answer() is None
    monkeypatch.setattr(audit, "_COMMAND", ("-c", "print('{\"dependencies\": []}')"))
    assert audit.answer() == []
