"""Excel workbooks: found, read, damaged, and too large."""

from __future__ import annotations

import gzip
import io
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spamnb.errors import DataError, MissingExtraError
from spamnb.readers import ReadOptions, open_source
from spamnb.readers.tables.workbook_limits import check_limits, count_cells
from tests.helpers.workbooks import sheet, table_workbook, workbook

Read = Callable[..., Any]

pytest.importorskip("python_calamine", reason="reading workbooks needs python-calamine")
TABLE = table_workbook(("label", "text"), ("spam", "WIN cash now"), ("ham", "see you at six"))
ROWS = [("spam", b"WIN cash now"), ("ham", b"see you at six")]
DAMAGED = "x.xlsx is not an Excel workbook, or is damaged", "save it as .xlsx or CSV"
TOO_LARGE = (
    "x.xlsx is too large for a workbook: more than 256 MiB unpacked, or 20,000,000 cells",
    "save it as CSV, which is read piece by piece",
)


def failure(data: bytes, **options: Any) -> tuple[str, str]:
    Path("x.xlsx").write_bytes(data)
    with pytest.raises(DataError) as caught:
        list(open_source("x.xlsx", ReadOptions.from_flags(**options), labelled=True))
    return str(caught.value), caught.value.hint


@pytest.mark.parametrize("name", ["x.xlsx", "no-suffix", "wrong.csv", "x.xlsx.gz"])
def test_workbooks_are_found_by_their_bytes(read: Read, name: str) -> None:
    data = gzip.compress(TABLE) if name.endswith("gz") else TABLE
    result = read(data, name)
    assert result.rows == ROWS
    assert result.lines == [2, 3]
    assert result.source.description.endswith(
        f'{name}: Excel (header), text column "text", label column "label" (spam = "spam")'
    )
    assert read(data, name, labelled=False).texts == [text for _, text in ROWS]
    assert read(data, name, format="xlsx").rows == ROWS


def test_cells_of_every_kind(read: Read) -> None:
    strings = ("label", "text", "ham", "see you &amp; Bob")
    data = workbook(
        sheet(
            '<row r="2"><c r="B2" t="s"><v>0</v></c><c r="D2" t="s"><v>1</v></c><c r="E2"/></row>',
            '<row r="3"><c r="B3" t="s"><v>2</v></c><c r="C3"><v>7</v></c><c r="D3" t="s"><v>3</v></c></row>',
            '<row r="4"></row>',
            '<row r="5"><c r="B5" t="inlineStr"><is><t>spam</t></is></c><c r="D5"><v>12</v></c></row>',
            '<row r="6"><c r="B6" t="str"><f>A1</f><v>ham</v></c><c r="D6"><v>0.5</v></c></row>',
            '<row r="7"><c r="B7" t="s"><v>2</v></c><c r="D7" t="b"><v>1</v></c></row>',
            '<row r="8"><c r="D8" t="inlineStr"><is><t>no label</t></is></c></row>',
        ),
        strings,
    )
    result = read(data, "x.xlsx")
    assert result.rows == [("ham", b"see you & Bob"), ("spam", b"12"), ("ham", b"0.5"), ("ham", b"true")]
    assert result.lines == [3, 5, 6, 7]
    assert result.source.skipped.summary() == "1 skipped (line 8: no label)"
    assert read(data, "x.xlsx", labelled=False).texts == [
        *(b"see you & Bob", b"12", b"0.5", b"true", b"no label")
    ]


def test_days_and_times_have_one_form_in_a_column(read: Read) -> None:
    days = [(45293, 45293.5), (45294, 45294)]  # 2 and 3 January 2024; the second column has a time
    cells = [
        f'<row r="{row}"><c r="A{row}" s="1"><v>{day}</v></c><c r="B{row}" s="1"><v>{moment}</v></c></row>'
        for row, (day, moment) in enumerate(days, start=2)
    ]
    names = "".join(f'<c t="inlineStr"><is><t>{name}</t></is></c>' for name in ("day", "time"))
    result = read(
        workbook(sheet(f'<row r="1">{names}</row>', *cells)),
        "x.xlsx",
        labelled=False,
        categorical=("day", "time"),
    )
    assert result.chunks[0].categories == {
        "day": ["2024-01-02", "2024-01-03"],
        "time": ["2024-01-02T12:00:00", "2024-01-03T00:00:00"],
    }


def test_a_sheet_without_a_header(read: Read) -> None:
    result = read(table_workbook(("ham", "see you at six"), ("spam", "WIN cash now")), "x.xlsx")
    assert result.rows == ROWS[::-1]
    assert ": Excel (no header), text column 2, label column 1" in result.source.description


def test_columns_can_be_stated(read: Read) -> None:
    data = table_workbook(("a", "b", "c"), ("one", "two", "x"), ("three", "four", "y"))
    options = {"text_column": "b", "label_column": "3", "spam_label": "y"}
    assert read(data, "x.xlsx", **options).rows == [("ham", b"two"), ("spam", b"four")]


def test_more_rows_than_a_batch(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spamnb.readers.tables.workbook._BATCH_ROWS", 2)
    rows = [("ham", f"message {i}") for i in range(700)]
    result = read(table_workbook(("label", "text"), *rows, ("spam", "win")), "x.xlsx")
    assert result.texts == [text.encode() for _, text in rows] + [b"win"]
    assert len(result.chunks) > 300


@pytest.mark.usefixtures("here")
def test_empty_and_damaged_workbooks() -> None:
    assert failure(workbook(sheet()))[0].startswith("x.xlsx has one column")
    assert failure(TABLE[:-30], format="xlsx") == DAMAGED
    assert failure(TABLE[:200] + bytes(100) + TABLE[300:], format="xlsx") == DAMAGED
    assert failure(b"label,text\nham,ok\n", format="xlsx") == DAMAGED
    assert failure(workbook("<worksheet><sheetData><row"), format="xlsx") == DAMAGED


@pytest.mark.usefixtures("here")
def test_two_cells_far_apart_are_refused() -> None:
    """Python-calamine would ask for the memory of the rectangle between them, and end the process."""
    far = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    assert failure(workbook(sheet(far))) == TOO_LARGE
    assert failure(workbook(sheet(far.replace('"', "'")))) == TOO_LARGE
    assert failure(workbook(sheet(far.replace("r=", "r = ").replace("XFD", "xfd")))) == TOO_LARGE
    assert failure(workbook(sheet(far).encode("utf-16"))) == DAMAGED


def test_cells_without_references_are_counted() -> None:
    row = "<row>" + "<c><v>1</v></c>" * 7 + "</row>"
    assert count_cells(sheet(*[row] * 5).encode()) == 35
    assert count_cells(sheet('<row r="3"><c r="B3"/><c/></row>').encode()) >= 9
    assert count_cells(sheet('<x:row r="3"><x:c r="B3"/></x:row>').encode()) == 6


def test_what_unpacks_to_very_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spamnb.readers.tables.workbook_limits.MOST_BYTES", 1 << 20)
    data = workbook(sheet() + " " * (1 << 21))
    assert len(data) < 10_000
    with pytest.raises(DataError) as caught:
        check_limits(data, "x.xlsx")
    assert caught.value.message.startswith("x.xlsx is too large for a workbook")


def test_a_part_that_lies_about_its_size_is_damaged() -> None:
    """It says that it unpacks to 10 bytes: no more are unpacked."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("xl/workbook.xml", " " * (1 << 21))
    lying = file.getvalue().replace((1 << 21).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    with pytest.raises(DataError) as caught:
        check_limits(lying, "x.xlsx")
    assert (caught.value.message, caught.value.hint) == DAMAGED


def test_without_the_package_a_hint_says_what_to_install(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(MissingExtraError) as caught:
        read(TABLE, "x.xlsx")
    assert caught.value.message == "reading Excel workbooks needs the package python-calamine"
    assert caught.value.hint == "pip install python-calamine"
