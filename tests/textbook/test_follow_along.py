"""Runs the commands of docs/reference/worked-figures.md, and every row of its tables.

A row has an item, a command that prints JSON, the document's figure, and ours: where it is in the JSON, and
its value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.helpers.paths import ROOT, SHARED
from tools import command_docs

PAGE = (ROOT / "docs" / "reference" / "worked-figures.md").read_text("utf-8")
FILE = SHARED / "sms" / "sms_spam_collection.csv"  # the lab's; no part of the repository
HEADER = "| item | command | figure | ours |"


class Row(NamedTuple):
    document: str
    item: str
    command: str
    figure: str
    path: str
    ours: str


def rows_of(document: str, table: str) -> list[Row]:
    """The rows of a table; a bar within a cell is written as \\|."""
    rows = []
    for line in table.split("\n\n")[0].splitlines()[2:]:
        item, command, figure, ours = (
            cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]
        )
        path, value = re.fullmatch(r"`(\S+)` (\S+)", ours).groups()  # type: ignore[union-attr]
        rows.append(Row(document, item, command.strip("`"), figure, path, value))
    return rows


def tables_of(page: str) -> Iterator[list[Row]]:
    """The tables of all sections, in order."""
    for section in page.split("\n## ")[1:]:
        title = re.split("[:\n]", section)[0].removeprefix("Document ")
        yield from (rows_of(title, table) for table in section.split(HEADER)[1:])


TABLES = list(tables_of(PAGE))
OF_THE_LAB = next(rows for rows in TABLES if rows[0].command.endswith("lab.spamnb in --json -"))
FIGURES = [row for rows in TABLES for row in rows if rows is not OF_THE_LAB]


def section(title: str) -> str:
    return PAGE.split(f"\n## {title}:")[1].split("\n## ")[0]


def lab_commands() -> Iterator[str]:
    for block in re.findall(r"^```sh\n(.*?)^```$", section("Document 002"), re.M | re.S):
        yield from block.splitlines()


class Session:
    """A folder in which the commands of the page have been run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / command_docs.HOME).mkdir(parents=True)
        (folder / "data").symlink_to(ROOT / "data", target_is_directory=True)
        self.json = cache(self._json)

    def run(self, command: str) -> str:
        return command_docs.output(command, self.folder)

    def _json(self, command: str) -> Any:
        printed = self.run(command)
        if printed.startswith("{\n"):
            return json.loads(printed)
        records = [json.loads(line) for line in printed.splitlines()]
        return records[0] if len(records) == 1 else records

    def value(self, row: Row) -> Any:
        value = self.json(row.command)
        for name in row.path.split("."):
            value = value[int(name) if isinstance(value, list) else name]
        return value


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    session = Session(tmp_path_factory.mktemp("follow").resolve())
    for command in command_docs.commands_of(PAGE):
        session.run(command)
    return session


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Session:
    if not FILE.exists():
        pytest.skip(f"the lab's file is not beside the checkout: no {FILE.name}")
    session = Session(tmp_path_factory.mktemp("lab").resolve())
    (session.folder / FILE.name).symlink_to(FILE)
    for command in lab_commands():
        session.run(command)
    return session


def check(row: Row, value: Any) -> None:
    """The value is ours as printed, and the document's figure to the digits that the document prints."""
    if isinstance(value, str):
        assert value == row.figure == row.ours
        return
    assert f"{value:.{digits(row.ours)}f}" == row.ours or float(row.ours) == value
    if "/" in row.figure:
        assert value == pytest.approx(float(Fraction(row.figure)), rel=1e-9)
    else:
        assert abs(value - float(row.figure)) <= 0.5000001 * 10.0 ** -digits(row.figure)


def digits(figure: str) -> int:
    """How many digits stand behind the point.

    >>> digits("-0.405")
    3
    """
    return len(figure.partition(".")[2])


@pytest.mark.parametrize("row", FIGURES, ids=lambda row: f"{row.document}, {row.item}")
def test_figure(session: Session, row: Row) -> None:
    check(row, session.value(row))


@pytest.mark.parametrize("row", OF_THE_LAB, ids=lambda row: row.item)
def test_figure_of_the_lab(lab: Session, row: Row) -> None:
    check(row, lab.value(row))


def test_all_documents_have_figures_and_commands() -> None:
    assert len(FIGURES) >= 80
    assert len(OF_THE_LAB) >= 18
    numbers = {"000", "001", "002", "003", "004"}
    assert {row.document for row in FIGURES} >= numbers
    for number in sorted(numbers):
        assert "spamnb train" in section(f"Document {number}")


@pytest.mark.parametrize(
    ("row", "value"),
    [
        (Row("", "", "", "0.0206", "", "0.0206"), 0.0207),
        (Row("", "", "", "5/9", "", "0.5556"), 0.5556),
        (Row("", "", "", "spam", "", "spam"), "ham"),
    ],
)
def test_a_wrong_figure_is_found(row: Row, value: Any) -> None:
    with pytest.raises(AssertionError):
        check(row, value)
