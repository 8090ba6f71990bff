"""CSV and TSV: rows by `fastcsv`, irregular blocks by `slowcsv`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from spamnb.core import IntArray
from spamnb.errors import DataError
from spamnb.messages import Chunk
from spamnb.readers.decoded_input import LONGEST_RECORD, DecodedInput
from spamnb.readers.read_options import ReadOptions
from spamnb.readers.row_blocks import Blocks, last_row_end
from spamnb.readers.skipped_rows import SkippedRecords
from spamnb.readers.source import Source
from spamnb.readers.tables.chunk_builder import ChunkBuilder, ListRecords, Records
from spamnb.readers.tables.column_choice import choose_columns, describe_columns, label_map
from spamnb.readers.tables.csv_dialect import Shape, detect_shape
from spamnb.readers.tables.delimited_fallback import ParsedRows, parse_rows
from spamnb.readers.tables.delimited_fast import FastRows, split_rows
from spamnb.readers.tables.labels import LabelMap

_NEWLINE = 10


def open_input(given: DecodedInput, options: ReadOptions, *, format: str, labelled: bool) -> Source:
    """Open a delimited input: `csv` finds its delimiter, `tsv` says tab."""
    shape = detect_shape(given.head, options, tabs=format == "tsv", final=given.stream.ended, name=given.name)
    columns = choose_columns(given.name, shape.names, shape.rows, options, labelled=labelled)
    labels = label_map(columns, shape.names, shape.rows, options)
    skipped = SkippedRecords()
    rows = TableRows(replace(shape, rows=[]), ChunkBuilder(columns, labels, skipped))
    table, start = _Table(given, rows, options.chunk_bytes), given.start(shape.skip)
    return Source(
        given.name,
        _describe(given, shape) + ", " + describe_columns(columns, shape.names, labels),
        given.stream.size,
        table.chunks(),
        given.stream.close,
        skipped=skipped,
        labels=labels,
        blocks=Blocks(rows, table.blocks, 1 + shape.skip_lines, start, given.stream.stored),
    )


def _describe(given: DecodedInput, shape: Shape) -> str:
    kind = "TSV" if shape.delimiter == "\t" else "CSV"
    packed = [given.stream.compression] if given.stream.compression else []
    return f"{given.name}: {kind} ({', '.join([*shape.describe(), given.encoding, *packed])})"


@dataclass(frozen=True)
class TableRows:
    """Reads blocks of rows."""

    shape: Shape
    builder: ChunkBuilder

    @property
    def labels(self) -> LabelMap | None:
        return self.builder.labels

    def read(self, block: bytes, skipped: SkippedRecords) -> Iterator[tuple[Chunk, int]]:
        records, _, newlines = self.records(block, True, 1)
        yield replace(self.builder, skipped=skipped).build(records, 0), newlines

    def end(self, data: bytes) -> int:
        """Where the last whole row of some bytes ends."""
        return last_row_end(data, self.shape.delimiter, quoting=self.shape.quoting)

    def records(self, block: bytes, final: bool, line: int) -> tuple[Records, int, int]:
        """The complete rows of a block whose first line is `line`, and their bytes and line ends."""
        shape = self.shape
        found: FastRows | ParsedRows | None
        found = split_rows(block, shape.delimiter, len(shape.names), quoting=shape.quoting, final=final)
        if found is None:
            found = parse_rows(block, shape.delimiter, quoting=shape.quoting, final=final)
        lines = np.asarray(found.lines, np.int64) + line
        if isinstance(found, FastRows):
            return replace(found, lines=lines), found.used, found.newlines
        return self._listed(found, lines), found.used, found.newlines

    def _listed(self, found: ParsedRows, lines: IntArray) -> ListRecords:
        faults = {}
        for i, row in enumerate(found.rows):
            if len(row) > len(self.shape.names) and (fault := self._fit(row)):
                faults[i] = fault
        if found.open_quote:
            faults[len(found.rows) - 1] = "quote is never closed"
        columns = {j: [_field(row, j) for row in found.rows] for j in self.builder.columns.wanted}
        return ListRecords(lines, columns, faults)

    def _fit(self, row: list[str]) -> str:
        """Cut a row that is too long: empty fields go; in the last column, a text owns its delimiters."""
        names, count = self.shape.names, len(row)
        while len(row) > len(names) and not row[-1]:
            row.pop()
        if len(row) > len(names) and self.builder.columns.text == len(names) - 1:
            row[len(names) - 1 :] = [self.shape.delimiter.join(row[len(names) - 1 :])]
        return f"{count} fields, expected {len(names)}" if len(row) > len(names) else ""


class _Table:
    """The rows of an input, block after block."""

    def __init__(self, given: DecodedInput, rows: TableRows, chunk_bytes: int) -> None:
        self._input = given
        self._rows = rows
        self._chunk_bytes = chunk_bytes
        self._line = 1 + rows.shape.skip_lines
        self._held = b""

    def chunks(self) -> Iterator[Chunk]:
        for final in self._reads():
            records, used, newlines = self._rows.records(self._held, final, self._line)
            self._take(used, newlines)
            if len(records.lines):
                yield self._rows.builder.build(records, self._input.stream.position)

    def blocks(self) -> Iterator[bytes | memoryview]:
        """The same rows in the same blocks, only cut and not read."""
        for final in self._reads():
            held = self._held
            end = len(held) if final else self._rows.end(held)
            # bytes.count, which stops at each newline, took six times as long.
            lines = int(np.count_nonzero(np.frombuffer(held, np.uint8, end) == _NEWLINE))
            self._take(end, lines or held.count(b"\r", 0, end))
            if end:
                yield memoryview(held)[:end]

    def _reads(self) -> Iterator[bool]:
        """Add what is read to what is held, and tell whether that was all."""
        skip, final = self._rows.shape.skip, False
        while not final:
            size = max(self._chunk_bytes, len(self._held))  # a long record: double the block
            data = self._input.read(min(size, LONGEST_RECORD + 1 - len(self._held)))
            final = not data
            self._held += data
            if len(self._held) >= skip and self._held:
                self._held, skip = self._held[skip:], 0
                yield final

    def _take(self, used: int, newlines: int) -> None:
        self._held = self._held[used:]
        self._line += newlines
        if len(self._held) > LONGEST_RECORD:
            raise self._runaway()

    def _runaway(self) -> DataError:
        if not self._rows.shape.quoting or b'"' not in self._held:
            most = f"{LONGEST_RECORD >> 20} MiB"
            return DataError(
                f"{self._input.name} line {self._line}: this record is longer than {most}",
                hint="cut it, or leave it out; if this is no table of messages, give another file",
            )
        return DataError(
            f"{self._input.name} line {self._line}: a quote opens in this record and is not closed "
            f"within {LONGEST_RECORD >> 20} MiB",
            hint='close that quote, or double it ("") if it belongs to the text',
        )


def _field(row: list[str], column: int) -> bytes:
    return row[column].encode("utf-8", "surrogateescape") if column < len(row) else b""
