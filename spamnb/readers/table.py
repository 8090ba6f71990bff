"""CSV and TSV: rows by `fastcsv`, irregular blocks by `slowcsv`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from spamnb.errors import DataError
from spamnb.message import Chunk, IntArray
from spamnb.readers.columns import Columns, choose_columns, describe_columns, label_map
from spamnb.readers.detect import Shape, detect_shape
from spamnb.readers.fastcsv import FastRows, split_rows
from spamnb.readers.inputs import Input
from spamnb.readers.options import ReadOptions
from spamnb.readers.records import ChunkBuilder, ListRecords, Records
from spamnb.readers.skipped import Skipped
from spamnb.readers.slowcsv import ParsedRows, parse_rows
from spamnb.readers.source import Source

LONGEST_RECORD = 1 << 26  # bytes; a longer one is a quote that was never closed


def open_input(given: Input, options: ReadOptions, *, format: str, labelled: bool) -> Source:
    """Open a delimited input: `csv` finds its delimiter, `tsv` says tab."""
    shape = detect_shape(given.head, options, tabs=format == "tsv", final=given.stream.ended)
    columns = choose_columns(given.name, shape.names, shape.rows, options, labelled=labelled)
    labels = label_map(columns, shape.names, shape.rows, options)
    skipped = Skipped()
    table = _Table(given, shape, columns, ChunkBuilder(columns, labels, skipped), options.chunk_bytes)
    return Source(
        given.name,
        _describe(given, shape) + ", " + describe_columns(columns, shape.names, labels),
        given.stream.size,
        table.chunks(),
        given.stream.close,
        skipped=skipped,
        labels=labels,
    )


def _describe(given: Input, shape: Shape) -> str:
    kind = "TSV" if shape.delimiter == "\t" else "CSV"
    packed = [given.stream.compression] if given.stream.compression else []
    return f"{given.name}: {kind} ({', '.join([*shape.describe(), given.encoding, *packed])})"


class _Table:
    def __init__(
        self, given: Input, shape: Shape, columns: Columns, builder: ChunkBuilder, chunk_bytes: int
    ) -> None:
        self._input = given
        self._shape = shape
        self._columns = columns
        self._builder = builder
        self._chunk_bytes = chunk_bytes
        self._line = 1 + shape.skip_lines

    def chunks(self) -> Iterator[Chunk]:
        rest, skip, final = b"", self._shape.skip, False
        while not final:
            data = self._input.read(max(self._chunk_bytes, len(rest)))  # a long record: double the block
            final = not data
            rest += data
            if len(rest) < skip or not rest:
                continue
            rest, skip = rest[skip:], 0
            records, used = self._records(rest, final)
            rest = rest[used:]
            if len(rest) > LONGEST_RECORD:
                raise self._runaway()
            if len(records.lines):
                yield self._builder.build(records, self._input.stream.position)

    def _records(self, block: bytes, final: bool) -> tuple[Records, int]:
        shape = self._shape
        found: FastRows | ParsedRows | None
        found = split_rows(block, shape.delimiter, len(shape.names), quoting=shape.quoting, final=final)
        if found is None:
            found = parse_rows(block, shape.delimiter, quoting=shape.quoting, final=final)
        lines = np.asarray(found.lines, np.int64) + self._line
        self._line += found.newlines
        if isinstance(found, FastRows):
            return replace(found, lines=lines), found.used
        return self._listed(found, lines), found.used

    def _listed(self, found: ParsedRows, lines: IntArray) -> ListRecords:
        faults = {}
        for i, row in enumerate(found.rows):
            if len(row) > len(self._shape.names) and (fault := self._fit(row)):
                faults[i] = fault
        if found.open_quote:
            faults[len(found.rows) - 1] = "quote is never closed"
        columns = {j: [_field(row, j) for row in found.rows] for j in self._columns.wanted}
        return ListRecords(lines, columns, faults)

    def _fit(self, row: list[str]) -> str:
        """Cut a row that is too long: empty fields go; in the last column, a text owns its delimiters."""
        names, count = self._shape.names, len(row)
        while len(row) > len(names) and not row[-1]:
            row.pop()
        if len(row) > len(names) and self._columns.text == len(names) - 1:
            row[len(names) - 1 :] = [self._shape.delimiter.join(row[len(names) - 1 :])]
        return f"{count} fields, expected {len(names)}" if len(row) > len(names) else ""

    def _runaway(self) -> DataError:
        return DataError(
            f"{self._input.name} line {self._line}: a quote opens in this record and is not closed "
            f"within {LONGEST_RECORD >> 20} MiB",
            hint='close that quote, or double it ("") if it belongs to the text',
        )


def _field(row: list[str], column: int) -> bytes:
    return row[column].encode("utf-8", "surrogateescape") if column < len(row) else b""
