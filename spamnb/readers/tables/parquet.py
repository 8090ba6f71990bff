"""Parquet files, batch by batch (needs the optional package pyarrow)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from spamnb.errors import DataError, MissingExtraError
from spamnb.messages import Chunk
from spamnb.readers.decoded_input import DecodedInput
from spamnb.readers.read_options import ReadOptions
from spamnb.readers.row_blocks import Blocks
from spamnb.readers.skipped_rows import SkippedRecords
from spamnb.readers.source import Source
from spamnb.readers.tables.chunk_builder import ChunkBuilder, ListRecords
from spamnb.readers.tables.column_choice import choose_columns, describe_columns, label_map
from spamnb.readers.tables.labels import LabelMap

_SAMPLE_ROWS = 500
_ROW_BYTES = 128  # about the size of a short message: batches come out near the chunk size


def open_input(given: DecodedInput, options: ReadOptions, *, format: str, labelled: bool) -> Source:  # noqa: ARG001
    """Open a Parquet file; the line of a record is its row number."""
    file = _open(given)
    names = list(file.schema_arrow.names)
    sample = next(_batches(file, given.name, _SAMPLE_ROWS), None)
    held = [(sample or {}).get(name, []) for name in names]
    rows = [[_as_bytes(value).decode("utf-8", "replace") for value in row] for row in zip(*held, strict=True)]
    columns = choose_columns(given.name, names, rows, options, labelled=labelled)
    labels = label_map(columns, names, rows, options)
    skipped = SkippedRecords()
    wanted = {i: names[i] for i in columns.wanted}
    builder = ChunkBuilder(columns, labels, skipped)
    rows_each = options.chunk_bytes // _ROW_BYTES + 1
    groups = RowGroups(given.stream.path, wanted, builder, rows_each)

    def close() -> None:
        file.close()
        given.stream.close()

    return Source(
        given.name,
        f"{given.name}: Parquet, {describe_columns(columns, names, labels)}",
        given.stream.size,
        _chunks(file, given.name, wanted, builder, rows_each, given.stream.size or 0),
        close,
        skipped=skipped,
        labels=labels,
        blocks=Blocks(groups, lambda: (b"%d" % g for g in range(file.num_row_groups))),
    )


@dataclass(frozen=True)
class RowGroups:
    """Reads row groups; a block is the number of one, in digits."""

    path: str
    wanted: dict[int, str]
    builder: ChunkBuilder
    rows: int

    @property
    def labels(self) -> LabelMap | None:
        return self.builder.labels

    def read(self, block: bytes, skipped: SkippedRecords) -> Iterator[tuple[Chunk, int]]:
        import pyarrow.parquet

        builder = replace(self.builder, skipped=skipped)
        with pyarrow.parquet.ParquetFile(self.path) as file:
            lines = file.metadata.row_group(int(block)).num_rows
            for chunk in _chunks(file, self.path, self.wanted, builder, self.rows, 0, [int(block)]):
                yield chunk, lines
                lines = 0


def _open(given: DecodedInput) -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("reading Parquet", "parquet") from None
    if given.stream.size is None or given.stream.compression:
        raise DataError(
            f"Parquet cannot be read from {given.name}: it is a pipe or packed",
            hint="save it as an unpacked file and give its path",
        )
    try:
        return pyarrow.parquet.ParquetFile(given.stream.path)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise DataError(
            f"{given.name} is not a Parquet file, or is damaged", hint="try --format auto"
        ) from error


def _batches(file: Any, name: str, *how: Any, **columns: list[str]) -> Iterator[dict[str, list[Any]]]:
    """Batches of rows as the values of each column; what is damaged is found only when it is read."""
    import pyarrow

    try:
        for batch in file.iter_batches(*how, **columns):
            yield dict(zip(batch.schema.names, (c.to_pylist() for c in batch.columns), strict=True))
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise DataError(f"{name}: its Parquet data is damaged", hint="get the file again") from error


def _chunks(
    file: Any,
    name: str,
    wanted: dict[int, str],
    builder: ChunkBuilder,
    rows: int,
    size: int,
    groups: list[int] | None = None,
) -> Iterator[Chunk]:
    total = max(file.metadata.num_rows, 1)
    done = 0
    for batch in _batches(file, name, rows, groups, columns=list(wanted.values())):
        columns = {i: [_as_bytes(value) for value in batch[name]] for i, name in wanted.items()}
        first, done = done + 1, done + len(next(iter(batch.values())))
        lines = np.arange(first, done + 1)
        yield builder.build(ListRecords(lines, columns), size * done // total)


def _as_bytes(value: object) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, bytes):
        return value
    return b"" if value is None or value != value else str(value).encode()
