"""Turns JSON objects into the rows of a table, for JSON lines and JSON arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spamnb.messages import Chunk
from spamnb.readers.read_options import ReadOptions
from spamnb.readers.tables.chunk_builder import ChunkBuilder, ListRecords, table_builder
from spamnb.readers.tables.column_choice import Rows
from spamnb.readers.tables.kept_columns import JsonColumns
from spamnb.readers.tables.label_words import TEXT_NAMES, is_label_name, normalize_name

Record = dict[str, Any]
_MOST_NAMES = 200


@dataclass(frozen=True)
class RecordTable:
    """Builds chunks of JSON objects; `names` are those of the first ones, and all are kept if `keep`."""

    names: tuple[str, ...]
    builder: ChunkBuilder
    keep: bool

    @classmethod
    def of(
        cls, file: str, names: Sequence[str], sample: Rows, options: ReadOptions, *, labelled: bool
    ) -> RecordTable:
        """Chooses the columns of a file by the first objects; without any, those that are stated."""
        all_names = names or [options.columns.text or "text", *options.columns.beside_text]
        builder = table_builder(file, all_names, sample, options, labelled=labelled)
        return cls(tuple(all_names), builder, options.keep_columns)

    @property
    def kept_names(self) -> tuple[str, ...] | None:
        return self.names if self.keep else None

    def chunk(
        self, records: Sequence[Record], lines: Iterable[int], faults: dict[int, str], position: int
    ) -> Chunk:
        """Builds a chunk of objects with their lines; damaged ones are empty and have a fault."""
        columns = {
            i: [json_bytes(record.get(self.names[i])) for record in records]
            for i in self.builder.columns.wanted
        }
        values = ListRecords(np.fromiter(lines, np.int64), columns, faults)
        text = self.builder.columns.text
        kept = JsonColumns(self.names, records, text, faults) if self.keep else None
        return self.builder.build(values, position, kept)


def sample_rows(records: list[Record], stated: Iterable[str]) -> tuple[list[str], Rows]:
    """Returns the names of the values in the first records, and those records as rows.

    A row has a field for each name. So of very many names only the first are returned, and those that are
    stated or usual: where every record has names of its own, the rows would grow without limit.
    """
    names = list(dict.fromkeys(name for record in records for name in record))
    wanted = {normalize_name(name) for name in stated} | {*TEXT_NAMES}
    more = (name for name in names[_MOST_NAMES:] if normalize_name(name) in wanted or is_label_name(name))
    names = [*names[:_MOST_NAMES], *more]
    rows = [[json_bytes(record.get(name)).decode("utf-8", "replace") for name in names] for record in records]
    return names, rows


def json_bytes(value: object) -> bytes:
    """Converts a value to text; null and nested values become nothing.

    >>> json_bytes("ok"), json_bytes(True), json_bytes(1.0), json_bytes(None), json_bytes([1])
    (b'ok', b'true', b'1.0', b'', b'')
    """
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, bool):
        return b"true" if value else b"false"
    return str(value).encode() if isinstance(value, (int, float)) else b""
