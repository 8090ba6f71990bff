"""Reads CSV and TSV: regular blocks by `delimited_fast`, all others by `delimited_fallback`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from spamnb.errors import DataError
from spamnb.messages import Chunk
from spamnb.readers.decoded_input import LONGEST_RECORD, DecodedInput, record_too_long
from spamnb.readers.read_options import ReadOptions
from spamnb.readers.row_blocks import Blocks, last_row_end
from spamnb.readers.skipped_rows import SkippedRecords
from spamnb.readers.source import Source
from spamnb.readers.tables.chunk_builder import ChunkBuilder, ListRecords, Records, table_builder
from spamnb.readers.tables.csv_dialect import CsvDialect, detect_dialect, without_stray_returns
from spamnb.readers.tables.delimited_fallback import ParsedRows, parse_rows
from spamnb.readers.tables.delimited_fast import split_rows
from spamnb.readers.tables.kept_columns import TableColumns, is_unnamed, unique_names
from spamnb.readers.tables.labels import LabelMap
from spamnb.readers.tables.written_records import written_as

_NEWLINE = 10
_FEW_ROWS = 10  # that may all have a delimiter in their text


def open_input(decoded: DecodedInput, options: ReadOptions, *, format: str, labelled: bool) -> Source:
    """Opens a delimited input; the delimiter of `csv` is detected, that of `tsv` is a tab."""
    stream, tabs = decoded.stream, format == "tsv"
    dialect = detect_dialect(decoded.head, options.columns, tabs=tabs, final=stream.ended, name=decoded.name)
    builder = table_builder(decoded.name, dialect.names, dialect.sample, options, labelled=labelled)
    kept = unique_names(dialect.names) if options.keep_columns else None
    text = builder.columns.text
    joins, written = text_owns_rest(dialect, text), written_as(dialect, text)
    reader = RowReader(replace(dialect, sample=[]), builder, kept, joins, written)
    table = TableReader(decoded, reader, options.chunk_bytes)
    first_line, start = 1 + dialect.skip_lines, decoded.start(dialect.skip)
    source = Source(
        stream,
        f"{describe_table(decoded, dialect)}, {builder.describe(dialect.names)}",
        table.chunks(),
        skipped=builder.skipped,
        labels=builder.labels,
        blocks=Blocks(reader, table.blocks, first_line, start, stream.stored, decoded.is_as_stored),
    )
    source.columns = kept
    return source


def describe_table(decoded: DecodedInput, dialect: CsvDialect) -> str:
    """Writes `sms.csv: CSV (comma, header, UTF-8)`."""
    kind = "TSV" if dialect.delimiter == "\t" else "CSV"
    return f"{decoded.name}: {kind} ({', '.join([*dialect.describe(), *decoded.storage])})"


@dataclass(frozen=True)
class RowReader:
    """Reads blocks of rows; `kept` are the names of all columns, if they are kept.

    `joins` is whether all fields from the text on are the text: see `text_owns_rest`.
    """

    dialect: CsvDialect
    builder: ChunkBuilder
    kept: tuple[str, ...] | None = None
    joins: bool = False
    written_as: Callable[[Records], Records] | None = None

    @property
    def width(self) -> int:
        """The fields of a row in which nothing is to be joined."""
        text = self.builder.columns.text
        return text + 1 if self.joins and text is not None else len(self.dialect.names)

    @property
    def labels(self) -> LabelMap | None:
        return self.builder.labels

    def read(self, block: bytes, skipped: SkippedRecords) -> Iterator[tuple[Chunk, int]]:
        reader = replace(self, builder=replace(self.builder, skipped=skipped))
        records, _, newlines = reader.records(block, True, 1)
        yield reader.builder.build(records, 0), newlines

    def end(self, data: bytes) -> int:
        """Returns where the last whole row of some bytes ends."""
        return last_row_end(data, self.dialect.delimiter, quoting=self.dialect.quoting)

    def records(self, block: bytes, final: bool, line: int) -> tuple[Records, int, int]:
        """Returns the complete rows of a block whose first line is `line`, their bytes and their lines."""
        records, used, newlines = self._records(block, final, line)
        return self.written_as(records) if self.written_as else records, used, newlines

    def _records(self, block: bytes, final: bool, line: int) -> tuple[Records, int, int]:
        dialect = self.dialect
        delimiter, quoting = dialect.delimiter, dialect.quoting
        if dialect.stray_returns:
            block = without_stray_returns(block, delimiter)
        fast = split_rows(block, delimiter, len(dialect.names), quoting=quoting, final=final)
        if fast is not None and fast.are_empty_from(self.width):
            return replace(fast, lines=fast.lines + line), fast.used, fast.newlines
        parsed = parse_rows(block, delimiter, quoting=quoting, final=final)
        return self._list_records(parsed, line), parsed.used, parsed.newlines

    def _list_records(self, parsed: ParsedRows, line: int) -> ListRecords:
        faults = {}
        for i, row in enumerate(parsed.rows):
            if len(row) > self.width and (fault := self._fit(row)):
                faults[i] = fault
        faults |= dict.fromkeys(parsed.open_quotes, "quote is never closed")
        wanted = self.builder.columns.wanted if self.kept is None else range(len(self.kept))
        columns = {j: [_field(row, j) for row in parsed.rows] for j in wanted}
        return ListRecords(np.array(parsed.lines, np.int64) + line, columns, faults)

    def _fit(self, row: list[str]) -> str:
        """Shortens a row with too many fields and returns the fault, if it still has too many.

        Empty fields at the end go. The others from the text on are joined: a text owns its delimiters if no
        other column follows it, and elsewhere nothing tells where the text ends.
        """
        width, count, text = self.width, len(row), self.builder.columns.text
        while len(row) > width and not row[-1]:
            row.pop()
        if len(row) <= width:
            return ""
        column = width - 1 if text is None else text
        row[column:] = [self.dialect.delimiter.join(row[column:])]
        if text != width - 1:
            return f"{count:,} fields, expected {width:,}"
        self.builder.skipped.joined += 1
        return ""


def text_owns_rest(dialect: CsvDialect, text: int | None) -> bool:
    """Returns whether fields after the text continue it: whether no column with a name follows it.

    A column without a name that most rows of a larger sample fill is a column, not a text that went on.
    """
    if text is None or not all(map(is_unnamed, dialect.names[text + 1 :])):
        return False
    filled = sum(any(row[text + 1 : len(dialect.names)]) for row in dialect.sample)
    return filled <= max(len(dialect.sample) // 2, _FEW_ROWS)


class TableReader:
    """Reads the rows of an input, block after block."""

    def __init__(self, decoded: DecodedInput, rows: RowReader, chunk_bytes: int) -> None:
        self._input = decoded
        self._rows = rows
        self._chunk_bytes = chunk_bytes
        self._line = 1 + rows.dialect.skip_lines
        self._pending = b""  # read, but not yet split into rows

    def chunks(self) -> Iterator[Chunk]:
        builder = self._rows.builder
        for final in self._reads():
            records, used, newlines = self._rows.records(self._pending, final, self._line)
            self._take(used, newlines)
            if len(records.lines):
                names, text = self._rows.kept, builder.columns.text
                kept = None if names is None else TableColumns(names, records, text)
                yield builder.build(records, self._input.stream.position, kept)

    def blocks(self) -> Iterator[bytes | memoryview]:
        """Yields the same rows in the same blocks, without splitting them into records."""
        for final in self._reads():
            pending = self._pending
            end = len(pending) if final else self._rows.end(pending)
            # bytes.count, which stops at each newline, took six times as long.
            lines = int(np.count_nonzero(np.frombuffer(pending, np.uint8, end) == _NEWLINE))
            self._take(end, lines or pending.count(b"\r", 0, end))
            if end:
                yield memoryview(pending)[:end]

    def _reads(self) -> Iterator[bool]:
        """Reads more bytes into the pending ones; yields whether these were the last."""
        skip, final = self._rows.dialect.skip, False
        while not final:
            size = max(self._chunk_bytes, len(self._pending))  # a long record: double the block
            data = self._input.read(min(size, LONGEST_RECORD + 1 - len(self._pending)))
            final = not data
            self._pending += data
            if len(self._pending) >= skip and self._pending:
                self._pending, skip = self._pending[skip:], 0
                yield final

    def _take(self, used: int, newlines: int) -> None:
        self._pending = self._pending[used:]
        self._line += newlines
        if len(self._pending) > LONGEST_RECORD:
            raise self._too_long()

    def _too_long(self) -> DataError:
        if not self._rows.dialect.quoting or b'"' not in self._pending:
            return record_too_long(self._input.name, self._line, LONGEST_RECORD)
        return DataError(
            f"{self._input.name} line {self._line:,}: a quote opens in this record and is not closed "
            f"within {LONGEST_RECORD >> 20} MiB",
            hint='close that quote, or double it ("") if it belongs to the text',
        )


def _field(row: list[str], column: int) -> bytes:
    return row[column].encode("utf-8", "surrogateescape") if column < len(row) else b""
