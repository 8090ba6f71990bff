"""`spamnb predict` of damaged rows: each has a verdict in its place, and says what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.command_line import Cli

LINES = '{"text": "win prize"}\n{"text": "win\n[1]\n\n{"text": "see you"}\n'
CSV = 'text\nwin prize\n"see you\n'


@pytest.mark.parametrize("jobs", [(), ("--jobs", "2!")], ids=["one process", "two processes"])
@pytest.mark.parametrize(
    ("name", "table", "faults", "message"),
    [
        (
            "m.jsonl",
            LINES,
            {1: "bad JSON", 2: "not a JSON object"},
            "2 rows unsure: cannot be read (line 2",
        ),
        ("m.csv", CSV, {1: "quote is never closed"}, "1 row unsure: cannot be read (line 3"),
    ],
)
def test_a_damaged_row_says_what_is_wrong(
    name: str, table: str, faults: dict[int, str], message: str, jobs: tuple[str, ...], cli: Cli, tiny: Path
) -> None:
    cli.write(name, table)
    done = cli("predict", "-m", tiny, name, "--format", "jsonl", *jobs)
    reasons = [record.get("unsure_reason") for record in done.records]
    assert {i: reason for i, reason in enumerate(reasons) if reason} == {
        i: f"damaged row: {fault}" for i, fault in faults.items()
    }
    assert len(done.records) == (4 if name == "m.jsonl" else 2)
    assert done.err.splitlines()[-1].startswith(f"{name}: {message}: {faults[1]}")
