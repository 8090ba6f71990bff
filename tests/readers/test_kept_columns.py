"""Every format of tables: all columns are kept where they are wanted, whatever the size of the blocks."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from spamnb.readers import ReadOptions, open_source
from spamnb.readers.formats import table_formats
from tests.helpers.workbooks import table_workbook

ROWS = [("7", "see you at six"), ("8", "WIN cash now, call the number below")]


def parquet() -> bytes:
    arrow = pytest.importorskip("pyarrow", reason="reading Parquet needs pyarrow")
    import pyarrow.parquet

    file = io.BytesIO()
    pyarrow.parquet.write_table(arrow.table({"id": ["7", "8"], "text": [text for _, text in ROWS]}), file)
    return file.getvalue()


def workbook() -> bytes:
    pytest.importorskip("python_calamine", reason="reading workbooks needs python-calamine")
    return table_workbook(("id", "text"), *ROWS)


def jsonl() -> bytes:
    return b"".join(f'{{"id": "{n}", "text": "{text}"}}\n'.encode() for n, text in ROWS)


TABLES: dict[str, Callable[[], bytes]] = {
    "csv": lambda: b"id;text\n" + b"".join(f"{n};{text}\n".encode() for n, text in ROWS),
    "tsv": lambda: b"id\ttext\n" + b"".join(f"{n}\t{text}\n".encode() for n, text in ROWS),
    "jsonl": jsonl,
    "json": lambda: b"[" + jsonl().strip().replace(b"\n", b",\n") + b"]",
    "parquet": parquet,
    "xlsx": workbook,
}


def test_every_format_of_tables_is_here() -> None:
    assert list(TABLES) == table_formats(), "add a small table of the new format to TABLES"


@pytest.mark.parametrize("chunk_bytes", [1, 1 << 19])
@pytest.mark.parametrize("format", TABLES)
def test_all_columns_are_kept(tmp_path: Path, format: str, chunk_bytes: int) -> None:
    path = tmp_path / f"table.{format}"
    path.write_bytes(TABLES[format]())
    options = ReadOptions(keep_columns=True, chunk_bytes=chunk_bytes)
    with open_source(str(path), options, labelled=False) as source:
        chunks = list(source)
    assert source.columns == ("id", "text"), "the reader must set `columns` of its Source"
    records = [
        chunk.columns.record(i) for chunk in chunks if chunk.columns is not None for i in range(len(chunk))
    ]
    assert records == [{"id": n, "text": text} for n, text in ROWS]
