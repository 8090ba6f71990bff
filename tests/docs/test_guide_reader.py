"""Tests the guide's example of a reader: Excel workbooks."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from spamnb.errors import DataError
from spamnb.readers import ReadOptions, open_source
from spamnb.readers.format_detection import format_by_suffix
from spamnb.readers.formats import FORMATS, Format
from tests.docs.test_guide_examples import blocks, section


@pytest.fixture
def excel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts both blocks of the guide in place: the module of the reader, and its entry in the registry."""
    reader, entry = blocks(section("How to add a reader"), "python")
    module = ModuleType("spamnb.readers.tables.excel")
    exec(compile(reader, "CONTRIBUTING.md", "exec"), vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    format = eval(entry.strip().rstrip(","), {"Format": Format})
    monkeypatch.setitem(FORMATS, format.name, format)


def write_workbook(path: Path) -> Path:
    """Writes a workbook as Excel does: shared strings, plain numbers, and no cells for empty fields."""
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    strings = ["label", "text", "spam", "WIN cash now", "ham", "see you at six"]
    rows = [
        '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>',
        '<row r="2"><c r="A2" t="s"><v>2</v></c><c r="B2"><v>7</v></c><c r="C2" t="s"><v>3</v></c></row>',
        '<row r="3"></row>',
        '<row r="4"><c r="A4" t="s"><v>4</v></c><c r="C4" t="s"><v>5</v></c></row>',
        '<row r="5"><c r="C5" t="inlineStr"><is><t>no label</t></is></c></row>',
    ]
    shared = "".join(f"<si><t>{text}</t></si>" for text in strings)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("xl/sharedStrings.xml", f"<sst {main}>{shared}</sst>")
        sheet = f"<worksheet {main}><sheetData>{''.join(rows)}</sheetData></worksheet>"
        book.writestr("xl/worksheets/sheet1.xml", sheet)
    return path


@pytest.mark.usefixtures("excel")
@pytest.mark.parametrize("name", ["messages.xlsx", "no-suffix"])
def test_the_example_reader_reads_a_workbook(name: str, tmp_path: Path) -> None:
    path = write_workbook(tmp_path / name)
    with open_source(str(path), ReadOptions(), labelled=True) as source:
        assert source.description == (
            f'{path}: Excel, text column "text", label column "label" (spam = "spam")'
        )
        (chunk,) = source
        assert chunk.texts.tolist() == [b"WIN cash now", b"see you at six"]
        assert (chunk.labels, chunk.lines.tolist()) == (["spam", "ham"], [2, 4])
        assert source.skipped.summary() == "1 skipped (line 5: no label)"
    with open_source(str(path), ReadOptions(), labelled=False) as source:
        assert [text for chunk in source for text in chunk.texts.tolist()] == [
            *(b"WIN cash now", b"see you at six", b"no label")
        ]


@pytest.mark.usefixtures("excel")
def test_the_example_reader_refuses_a_damaged_workbook(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "messages.xlsx")
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(DataError) as caught:
        open_source(str(path), ReadOptions(), labelled=True)
    assert caught.value.message == f"{path} is no Excel workbook"
    assert format_by_suffix("messages.xlsx.gz") == "xlsx"
    assert ReadOptions(format="xlsx").format == "xlsx"
