"""Reads JSON lines: one object per line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from spamnb.errors import DataError
from spamnb.messages import Chunk
from spamnb.readers.decoded_input import DecodedInput
from spamnb.readers.read_options import ReadOptions
from spamnb.readers.row_blocks import Blocks
from spamnb.readers.skipped_rows import SkippedRecords
from spamnb.readers.source import Source
from spamnb.readers.tables.chunk_builder import ChunkBuilder, ListRecords, table_builder
from spamnb.readers.tables.column_choice import Rows
from spamnb.readers.tables.kept_columns import JsonColumns
from spamnb.readers.tables.label_words import TEXT_NAMES, is_label_name, normalize_name
from spamnb.readers.tables.labels import LabelMap

Record = dict[str, Any]
_MOST_NAMES = 200
_INNER_END = re.compile(r"}\s*,")  # an object that ends inside a line; or a text, which costs only time


def open_input(decoded: DecodedInput, options: ReadOptions, *, format: str, labelled: bool) -> Source:  # noqa: ARG001
    """Opens JSON lines; blank lines are no records."""
    _refuse_array(decoded)
    names, sample = read_sample(decoded, options.columns.stated)
    if not names and labelled:
        raise DataError(
            f"no JSON objects in the first lines of {decoded.name}",
            hint="this is no JSONL: try --input-format csv, or check the file",
        )
    names = names or [options.columns.text or "text", *options.columns.beside_text]
    builder = table_builder(decoded.name, names, sample, options, labelled=labelled)
    kept = tuple(names) if options.keep_columns else None
    reader = LineReader({i: names[i] for i in builder.columns.wanted}, builder, kept)
    blocks = Blocks(
        reader,
        lambda: decoded.blocks(options.chunk_bytes, b"\n"),
        start=decoded.start(0),
        file=decoded.stream.stored,
    )
    source = Source(
        decoded.stream,
        f"{describe_lines(decoded)}, {builder.describe(names)}",
        reader.chunks(decoded, options.chunk_bytes),
        skipped=builder.skipped,
        labels=builder.labels,
        blocks=blocks,
    )
    source.columns = kept
    return source


def describe_lines(decoded: DecodedInput) -> str:
    """Writes `sms.jsonl: JSONL (UTF-8)`."""
    return f"{decoded.name}: JSONL ({', '.join(decoded.storage)})"


@dataclass(frozen=True)
class LineReader:
    """Reads blocks of lines; `wanted` maps the numbers of the columns to their names.

    `kept` are the names of all columns, if they are kept.
    """

    wanted: dict[int, str]
    builder: ChunkBuilder
    kept: tuple[str, ...] | None = None

    @property
    def labels(self) -> LabelMap | None:
        return self.builder.labels

    def read(self, block: bytes, skipped: SkippedRecords) -> Iterator[tuple[Chunk, int]]:
        yield self._build(replace(self.builder, skipped=skipped), block, 1, 0), block.count(b"\n")

    def _build(self, builder: ChunkBuilder, block: bytes, first: int, position: int) -> Chunk:
        """Builds a chunk of the objects of a block whose first line is `first`."""
        records, lines, faults = parse_lines(block)
        columns = {i: [as_bytes(record.get(name)) for record in records] for i, name in self.wanted.items()}
        values = ListRecords(np.array(lines, np.int64) + first, columns, faults)
        kept = None if self.kept is None else JsonColumns(self.kept, records)
        return builder.build(values, position, kept)

    def chunks(self, decoded: DecodedInput, size: int) -> Iterator[Chunk]:
        """Reads an input in blocks of about `size` bytes."""
        first = 1
        for block in decoded.blocks(size, b"\n"):
            chunk = self._build(self.builder, block, first, decoded.stream.position)
            first += block.count(b"\n")
            if len(chunk):
                yield chunk


def read_sample(decoded: DecodedInput, stated: Iterable[str]) -> tuple[list[str], Rows]:
    """Returns the names of the values in the first records, and those records as rows.

    A row has a field for each name. So of very many names only the first are returned, and those that are
    stated or usual: where every record has names of its own, the rows would grow without limit.
    """
    head = decoded.head if decoded.stream.ended else decoded.head[: decoded.head.rfind(b"\n") + 1]
    records, _, _ = parse_lines(head)
    names = list(dict.fromkeys(name for record in records for name in record))
    wanted = {normalize_name(name) for name in stated} | {*TEXT_NAMES}
    more = (name for name in names[_MOST_NAMES:] if normalize_name(name) in wanted or is_label_name(name))
    names = [*names[:_MOST_NAMES], *more]
    rows = [[as_bytes(record.get(name)).decode("utf-8", "replace") for name in names] for record in records]
    return names, rows


def parse_lines(block: bytes) -> tuple[list[Record], list[int], dict[int, str]]:
    r"""Returns the objects, their 0-based lines, and the faults of damaged ones (which are empty).

    >>> parse_lines(b'{"text": "ok"}\n\n[]\n{"text')
    ([{'text': 'ok'}, {}, {}], [0, 2, 3], {1: 'not a JSON object', 2: 'bad JSON'})
    """
    text = block.decode("utf-8", "replace")
    lines = text.split("\n")
    numbers = [number for number, line in enumerate(lines) if line and not line.isspace()]
    lines = [lines[number] for number in numbers]
    records = None if _INNER_END.search(text) else _parse_at_once(lines)
    if records is not None:
        return records, numbers, {}
    parsed = [_parse(line) for line in lines]
    faults = {i: record for i, record in enumerate(parsed) if isinstance(record, str)}
    return [{} if isinstance(record, str) else record for record in parsed], numbers, faults


def _parse_at_once(lines: list[str]) -> list[Record] | None:
    """Parses all lines as one array, four times as fast as one by one; None if they are not as many objects.

    If no object ends inside a line, as many objects as lines means one object per line.
    """
    try:
        records = json.loads(f"[{','.join(lines)}]")
    except (ValueError, RecursionError):
        return None
    same = len(records) == len(lines) and all(type(record) is dict for record in records)
    return records if same else None


def _parse(line: str) -> Record | str:
    """Returns the object of a line, or its fault."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return "bad JSON"
    return record if isinstance(record, dict) else "not a JSON object"


def as_bytes(value: object) -> bytes:
    """Converts a value to text; null and nested values become nothing.

    >>> as_bytes("ok"), as_bytes(True), as_bytes(1.0), as_bytes(None), as_bytes([1])
    (b'ok', b'true', b'1.0', b'', b'')
    """
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, bool):
        return b"true" if value else b"false"
    return str(value).encode() if isinstance(value, (int, float)) else b""


def _refuse_array(decoded: DecodedInput) -> None:
    if decoded.head.lstrip().startswith(b"["):
        raise DataError(
            f"{decoded.name} is a JSON array, expected one JSON object per line",
            hint=f"convert it first: jq -c '.[]' {decoded.name} > messages.jsonl",
        )
