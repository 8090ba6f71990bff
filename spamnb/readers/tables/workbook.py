"""Reads the first sheet of an Excel workbook (needs the optional package python-calamine)."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import date, datetime, time
from itertools import chain, islice
from typing import Any

import numpy as np

from spamnb.errors import MissingExtraError
from spamnb.messages import Chunk
from spamnb.readers.decoded_input import DecodedInput
from spamnb.readers.read_options import ReadOptions
from spamnb.readers.source import Source
from spamnb.readers.tables.chunk_builder import ChunkBuilder, ListRecords, table_builder
from spamnb.readers.tables.csv_dialect import MOST_COLUMNS, has_header, too_many_columns
from spamnb.readers.tables.kept_columns import TableColumns, unique_names
from spamnb.readers.tables.workbook_limits import MOST_BYTES, check_limits, damaged_workbook, too_large

_SAMPLE_ROWS = 500
_BATCH_ROWS = 4096
_BLOCK = 1 << 20

Row = tuple[int, list[str]]  # its number, and its cells as text


def open_input(decoded: DecodedInput, options: ReadOptions, *, format: str, labelled: bool) -> Source:  # noqa: ARG001
    """Opens a workbook; the line of a record is its row number, blank rows are no records."""
    rows = _read_rows(decoded)
    sample = list(islice(rows, _SAMPLE_ROWS))
    width = max((len(cells) for _, cells in sample), default=1)
    if width > MOST_COLUMNS:
        raise too_many_columns(decoded.name)
    header = has_header([cells for _, cells in sample], options.columns)
    names = [cell.strip() for cell in sample[0][1]] if header else [str(i + 1) for i in range(width)]
    sample = sample[header:]
    cells = [cells for _, cells in sample]
    builder = table_builder(decoded.name, names, cells, options, labelled=labelled)
    about = "header" if header else "no header"
    description = f"{decoded.name}: Excel ({about}), {builder.describe(names)}"
    kept = unique_names(names) if options.keep_columns else None
    chunks = _chunks(chain(sample, rows), builder, decoded, kept)
    source = Source(decoded.stream, description, chunks, skipped=builder.skipped, labels=builder.labels)
    source.columns = kept
    return source


def _chunks(
    rows: Iterator[Row], builder: ChunkBuilder, decoded: DecodedInput, kept: tuple[str, ...] | None
) -> Iterator[Chunk]:
    wanted = builder.columns.wanted if kept is None else range(len(kept))
    while batch := list(islice(rows, _BATCH_ROWS)):
        columns = {i: [cells[i].encode() for _, cells in batch] for i in wanted}
        records = ListRecords(np.array([number for number, _ in batch], np.int64), columns)
        everything = None if kept is None else TableColumns(kept, records, builder.columns.text)
        yield builder.build(records, decoded.stream.position, everything)


def _read_rows(decoded: DecodedInput) -> Iterator[Row]:
    """Yields the rows that are not blank; all have the same number of cells."""
    try:
        import python_calamine
    except ImportError:
        raise MissingExtraError("reading Excel workbooks", "xlsx") from None
    data = _read_all(decoded)
    check_limits(data, decoded.name)
    try:
        book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        return _text_rows(book.get_sheet_by_index(0))
    except BaseException as error:
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":  # of its Rust code
            raise damaged_workbook(decoded.name) from error
        raise


def _text_rows(sheet: Any) -> Iterator[Row]:
    with_time = _columns_with_time(sheet)
    for number, row in enumerate(sheet.iter_rows(), start=1):
        cells = [as_text(value) for value in row]
        for i in with_time:
            cells[i] += "T00:00:00" * (type(row[i]) is date)
        if any(cells):
            yield number, cells


def _columns_with_time(sheet: Any) -> set[int]:
    """Returns the columns in which a day has a time: there midnight, which is read as a day, has one too."""
    return {i for row in sheet.iter_rows() for i, value in enumerate(row) if isinstance(value, datetime)}


def _read_all(decoded: DecodedInput) -> bytes:
    blocks, size = [], 0
    for block in decoded.raw_blocks(_BLOCK):
        blocks.append(block)
        size += len(block)
        if size > MOST_BYTES:
            raise too_large(decoded.name)
    return b"".join(blocks)


def as_text(value: object) -> str:
    """Writes the value of a cell as text: a whole number without a point, a day or time as ISO 8601.

    >>> as_text("ok"), as_text(1.0), as_text(0.5), as_text(True)
    ('ok', '1', '0.5', 'true')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    text = value.isoformat() if isinstance(value, (date, time)) else str(value)
    return text.encode("utf-8", "replace").decode()
