"""Tests the guide's example of a reader: ARFF files."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from spamnb.errors import DataError
from spamnb.readers import ReadOptions, open_source
from spamnb.readers.format_detection import format_by_suffix
from spamnb.readers.formats import FORMATS, Format
from tests.docs.test_guide_examples import blocks, section

DATA = (
    b"% a comment\n@relation sms\n\n@attribute text string\n@attribute 'class' {ham,spam}\n\n@DATA\n"
    b"'WIN cash, now',spam\n\n% another\n'don\\'t be late',ham\n'three','fields',ham\n'no label',\n"
)


@pytest.fixture(autouse=True)
def arff(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts both blocks of the guide in place: the module of the reader, and its entry in the registry."""
    reader, entry = blocks(section("How to add a reader"), "python")
    module = ModuleType("spamnb.readers.tables.arff")
    exec(compile(reader, "CONTRIBUTING.md", "exec"), vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    format = eval(entry.strip().rstrip(","), {"Format": Format})
    monkeypatch.setitem(FORMATS, format.name, format)


@pytest.mark.parametrize("chunk_bytes", [1, 1 << 19])
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_the_example_reader_reads_a_file(tmp_path: Path, chunk_bytes: int, line_end: bytes) -> None:
    path = tmp_path / "sms.arff"
    path.write_bytes(DATA.replace(b"\n", line_end))
    options = ReadOptions(chunk_bytes=chunk_bytes)
    with open_source(str(path), options, labelled=True) as source:
        assert source.description == (
            f'{path}: ARFF (UTF-8), text column "text", label column "class" (spam = "spam")'
        )
        chunks = list(source)
        assert [text for chunk in chunks for text in chunk.texts.tolist()] == [
            *(b"WIN cash, now", b"don't be late")
        ]
        assert [label for chunk in chunks for label in chunk.labels or ()] == ["spam", "ham"]
        assert [line for chunk in chunks for line in chunk.lines.tolist()] == [8, 11]
        assert source.skipped.summary() == ("2 skipped (line 12: 3 fields, expected 2, line 13: no label)")
    with open_source(str(path), options, labelled=False) as source:
        assert [text for chunk in source for text in chunk.texts.tolist()] == [
            *(b"WIN cash, now", b"don't be late", b"", b"no label")
        ]


@pytest.mark.parametrize("chunk_bytes", [1, 1 << 19])
def test_the_example_reader_keeps_all_columns(tmp_path: Path, chunk_bytes: int) -> None:
    path = tmp_path / "sms.arff"
    path.write_bytes(
        b"@attribute a string\n@attribute b string\n@data\n1,see you\n2,'a longer text, the only one'\n3\n"
    )
    options = ReadOptions(chunk_bytes=chunk_bytes, keep_columns=True)
    with open_source(str(path), options, labelled=False) as source:
        chunks = list(source)
        assert source.columns == ("a", "b")
        kept = [(chunk.columns, i) for chunk in chunks for i in range(len(chunk))]
        assert [columns.record(i) for columns, i in kept if columns is not None] == [
            {"a": "1", "b": "see you"},
            {"a": "2", "b": "a longer text, the only one"},
            {"a": "", "b": ""},
        ]
        assert [text for chunk in chunks for text in chunk.texts.tolist()] == [
            *(b"see you", b"a longer text, the only one", b"")
        ]


def test_the_example_reader_refuses_another_file(tmp_path: Path) -> None:
    path = tmp_path / "sms.arff"
    path.write_bytes(b"label,text\nham,ok\n")
    with pytest.raises(DataError) as caught:
        open_source(str(path), ReadOptions(), labelled=True)
    assert caught.value.message == f"{path} is not ARFF: it needs @attribute and @data"
    assert format_by_suffix("sms.arff.gz") == "arff"
    assert ReadOptions(format="arff").format == "arff"
