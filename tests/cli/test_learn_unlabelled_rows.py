"""`spamnb learn` of a table in which only some rows have labels."""

from __future__ import annotations

from pathlib import Path

from tests.helpers.command_line import Cli


def test_rows_without_a_label_are_skipped(cli: Cli, tiny: Path) -> None:
    cli.write("m.spamnb", tiny.read_bytes())
    for rows, expected in (
        ("win it,spam\nsee you,\n", ["1 row without a label skipped"]),
        ("win us,spam\nsee you,\n" + "lunch,\n" * 6, ["7 rows without a label skipped"]),
        ("win,spam\nsee,\n,ham\n", ["1 row without a label skipped", "1 skipped (line 4: no text)"]),
        (
            "win,spam\n" + "see,\n" * 6 + ",ham",
            ["6 rows without a label skipped", "1 skipped (1 no text)"],
        ),
    ):
        cli.write("part.csv", f"text,label\n{rows}")
        status = cli("learn", "part.csv", "-m", "m.spamnb").err.splitlines()
        assert [line for line in status[1:] if line.startswith("part.csv")] == [
            f"part.csv: {text}" for text in expected
        ]
