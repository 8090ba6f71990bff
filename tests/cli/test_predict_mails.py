"""`spamnb predict` on mail: the file and the subject beside each verdict, so that a person finds the mail."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.command_line import Cli

BOX = b"""From a@b.example Mon Jan  1 00:00:00 2024
Subject: =?utf-8?q?caf=C3=A9:_50%_off=09=1B[2J?=
 - "now"!

win prize

From a@b.example Mon Jan  1 00:00:00 2024
From: a@b.example

see you
"""
SUBJECT = 'café: 50% off \\x1b[2J - "now"!'


@pytest.fixture
def box(cli: Cli) -> Path:
    return cli.write("in.mbox", BOX)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_tsv_has_the_subject_after_the_source(jobs: str, cli: Cli, tiny: Path, box: Path) -> None:
    flags = ("predict", "-q", "-m", tiny, box.name, "--jobs", jobs, "--format")
    fields = [line.split(b"\t")[2:] for line in cli(*flags, "tsv").lines]
    assert fields == [[b"in.mbox#1", SUBJECT.encode()], [b"in.mbox#2", b""]]
    explained = [line.split(b"\t")[2:] for line in cli(*flags, "tsv", "--explain").lines]
    assert [line[:2] for line in explained] == fields
    assert all(len(line) == 3 for line in explained)
    records = cli(*flags, "jsonl").records
    assert [(r["source"], r["message"]) for r in records] == [
        ("in.mbox#1", SUBJECT.replace("\\x1b", "\x1b")),
        ("in.mbox#2", ""),
    ]


def test_the_table_has_the_subject_beside_the_source(cli: Cli, tiny: Path, box: Path) -> None:
    table = cli("predict", "-q", "-m", tiny, box.name, "--format", "table").text.splitlines()
    assert [line.split(maxsplit=2)[2] for line in table[1:]] == [f"in.mbox#1  {SUBJECT}", "in.mbox#2"]


def test_a_long_path_leaves_room_for_the_subject(cli: Cli, tiny: Path) -> None:
    (cli.here / ("long" * 30)).mkdir()
    path = cli.write("long" * 30 + "/1719.M1", b"Subject: lunch?\n\nsee you\n")
    flags = ("predict", "-q", "-m", tiny, "--format", "table", "--input-format", "eml", path)
    row = cli(*flags, env={"COLUMNS": "60"}).text.splitlines()[1]
    assert row.endswith("long/1719.M1  lunch?")
    assert "…" in row
    assert len(row) <= 60


def test_a_subject_is_shown_with_the_mark_of_another_filter(cli: Cli, tiny: Path) -> None:
    cli.write("a.eml", b"From: a@b.example\nSubject: [SPAM] Win, now\n\nsee you\n")
    done = cli("predict", "-q", "-m", tiny, "a.eml")
    assert done.lines[0].endswith(b"\ta.eml\t[SPAM] Win, now")
    assert '"message": "[SPAM] Win, now"' in cli("explain", "-m", tiny, "a.eml", "--json", "-").text
