"""Reads Parquet files, batch by batch (needs the optional package pyarrow)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from spamnb.core import Record
from spamnb.errors import DataError, MissingExtraError
from spamnb.messages import Chunk
from spamnb.readers.byte_stream import ByteStream
from spamnb.readers.decoded_input import LONGEST_RECORD, DecodedInput, record_too_long
from spamnb.readers.read_options import ReadOptions
from spamnb.readers.row_blocks import Blocks
from spamnb.readers.skipped_rows import SkippedRecords
from spamnb.readers.source import Source
from spamnb.readers.tables.chunk_builder import ChunkBuilder, ListRecords, table_builder
from spamnb.readers.tables.csv_dialect import MOST_COLUMNS, too_many_columns
from spamnb.readers.tables.labels import LabelMap
from spamnb.readers.tables.parquet_batches import read_batches
from spamnb.readers.tables.parquet_values import ParquetColumns, column_values, parquet_bytes

_SAMPLE_ROWS = 500
_ROW_BYTES = 128  # about the size of a short message: batches come out near the chunk size


def open_input(decoded: DecodedInput, options: ReadOptions, *, format: str, labelled: bool) -> Source:  # noqa: ARG001
    """Opens a Parquet file; the line of a record is its row number."""
    file = _open(decoded)
    names = list(file.schema_arrow.names)
    if len(names) > MOST_COLUMNS:
        raise too_many_columns(decoded.name)
    rows = _sample(file, decoded, names)
    builder = table_builder(decoded.name, names, rows, options, labelled=labelled)
    wanted = {i: names[i] for i in builder.columns.wanted}
    batch_rows = options.chunk_bytes // _ROW_BYTES + 1
    kept = tuple(names) if options.keep_columns else None
    reader = RowGroupReader(decoded.stream.path, decoded.name, wanted, builder, batch_rows, kept)
    origin = _ParquetFile(file, decoded.stream)
    source = Source(
        origin,
        f"{decoded.name}: Parquet, {builder.describe(names)}",
        reader.chunks(file, size=origin.size or 0),
        skipped=builder.skipped,
        labels=builder.labels,
        blocks=Blocks(reader, lambda: (b"%d" % group for group in range(file.num_row_groups))),
    )
    source.columns = kept
    return source


def _sample(file: Any, decoded: DecodedInput, names: list[str]) -> list[list[str]]:
    """Returns the first rows as text, by which columns are chosen; lists of values are left out."""
    flat = [name for name in names if not file.schema_arrow.field(name).type.num_fields]
    groups = range(min(1, file.num_row_groups))
    batches = read_batches(file, decoded.stream.path, decoded.name, _SAMPLE_ROWS, groups, flat)
    batch = next(batches, None) if flat else None
    sample = {} if batch is None else {name: column_values(batch, name, decoded.name) for name in flat}
    count = 0 if batch is None else batch.num_rows
    columns = [map(_as_text, sample.get(name, [""] * count)) for name in names]
    return [list(row) for row in zip(*columns, strict=True)]


class _ParquetFile(Record):
    """The file that pyarrow has opened, and the stream that it was recognized by."""

    file: Any
    stream: ByteStream

    @property
    def name(self) -> str:
        return self.stream.name

    @property
    def size(self) -> int | None:
        return self.stream.size

    def close(self) -> None:
        self.file.close()
        self.stream.close()


@dataclass(frozen=True)
class RowGroupReader:
    """Reads row groups in batches of so many rows; a block is the number of a row group, in digits.

    `kept` are the names of all columns, if they are kept.
    """

    path: str
    name: str
    wanted: dict[int, str]
    builder: ChunkBuilder
    batch_rows: int
    kept: tuple[str, ...] | None = None

    @property
    def labels(self) -> LabelMap | None:
        return self.builder.labels

    def read(self, block: bytes, skipped: SkippedRecords) -> Iterator[tuple[Chunk, int]]:
        import pyarrow.parquet

        reader = replace(self, builder=replace(self.builder, skipped=skipped))
        with pyarrow.parquet.ParquetFile(self.path) as file:
            lines = file.metadata.row_group(int(block)).num_rows
            for chunk in reader.chunks(file, groups=[int(block)]):
                yield chunk, lines
                lines = 0

    def chunks(self, file: Any, groups: list[int] | None = None, size: int = 0) -> Iterator[Chunk]:
        """Reads these row groups (None: all) of a file of `size` bytes."""
        rows, total = 0, max(file.metadata.num_rows, 1)
        chosen = range(file.num_row_groups) if groups is None else groups
        names = list(self.wanted.values() if self.kept is None else self.kept)
        for batch in read_batches(file, self.path, self.name, self.batch_rows, chosen, names):
            columns = {
                i: [parquet_bytes(value) for value in column_values(batch, name, self.name)]
                for i, name in self.wanted.items()
            }
            first, rows = rows + 1, rows + batch.num_rows
            self._check_lengths(columns, first)
            records = ListRecords(np.arange(first, rows + 1), columns)
            source = batch, self.name, self.builder.columns.text
            kept = None if self.kept is None else ParquetColumns(self.kept, *source)
            yield self.builder.build(records, size * rows // total, kept)

    def _check_lengths(self, columns: dict[int, list[bytes]], first: int) -> None:
        for values in columns.values():
            if max(map(len, values), default=0) > LONGEST_RECORD:
                row = next(i for i, value in enumerate(values) if len(value) > LONGEST_RECORD)
                raise record_too_long(self.name, first + row, LONGEST_RECORD)


def _open(decoded: DecodedInput) -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("reading Parquet", "parquet") from None
    if decoded.stream.size is None or decoded.stream.compression:
        raise DataError(
            f"Parquet cannot be read from {decoded.name}: it is a pipe or packed",
            hint="save it as an unpacked file and give its path",
        )
    try:
        return pyarrow.parquet.ParquetFile(decoded.stream.path)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise DataError(
            f"{decoded.name} is not a Parquet file, or is damaged",
            hint="get the file again, or name its format with --input-format",
        ) from error


def _as_text(value: object) -> str:
    return parquet_bytes(value).decode("utf-8", "replace")
