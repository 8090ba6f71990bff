"""Reads JSON lines: one object per line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from spamnb.errors import DataError
from spamnb.messages import Chunk
from spamnb.readers.decoded_input import DecodedInput
from spamnb.readers.format_detection import begins_array
from spamnb.readers.read_options import ReadOptions
from spamnb.readers.row_blocks import Blocks
from spamnb.readers.skipped_rows import SkippedRecords
from spamnb.readers.source import Source
from spamnb.readers.tables.column_choice import Rows
from spamnb.readers.tables.json_records import Record, RecordTable, sample_rows
from spamnb.readers.tables.labels import LabelMap

_INNER_END = re.compile(r"}\s*,")  # an object that ends inside a line; or a text, which costs only time


def open_input(decoded: DecodedInput, options: ReadOptions, *, format: str, labelled: bool) -> Source:  # noqa: ARG001
    """Opens JSON lines; blank lines are no records."""
    if begins_array(decoded.head):
        raise DataError(
            f"{decoded.name} is a JSON array, expected one JSON object per line",
            hint="leave out --input-format jsonl, or give json",
        )
    names, sample = read_sample(decoded, options.columns.stated)
    if not names and labelled:
        raise DataError(
            f"no JSON objects in the first lines of {decoded.name}",
            hint="this is not JSONL: try --input-format csv, or check the file",
        )
    table = RecordTable.of(decoded.name, names, sample, options, labelled=labelled)
    reader = LineReader(table)
    blocks = Blocks(
        reader,
        lambda: decoded.blocks(options.chunk_bytes, b"\n"),
        start=decoded.start(0),
        file=decoded.stream.stored,
        is_as_stored=decoded.is_as_stored,
    )
    source = Source(
        decoded.stream,
        f"{describe_lines(decoded)}, {table.builder.describe(table.names)}",
        reader.chunks(decoded, options.chunk_bytes),
        skipped=table.builder.skipped,
        labels=table.builder.labels,
        blocks=blocks,
    )
    source.columns = table.kept_names
    return source


def describe_lines(decoded: DecodedInput) -> str:
    """Writes `sms.jsonl: JSONL (UTF-8)`."""
    return f"{decoded.name}: JSONL ({', '.join(decoded.storage)})"


@dataclass(frozen=True)
class LineReader:
    """Reads blocks of lines, each of them an object."""

    table: RecordTable

    @property
    def labels(self) -> LabelMap | None:
        return self.table.builder.labels

    def read(self, block: bytes, skipped: SkippedRecords) -> Iterator[tuple[Chunk, int]]:
        table = replace(self.table, builder=replace(self.table.builder, skipped=skipped))
        yield _build(table, block, 1, 0), block.count(b"\n")

    def chunks(self, decoded: DecodedInput, size: int) -> Iterator[Chunk]:
        """Reads an input in blocks of about `size` bytes."""
        first = 1
        for block in decoded.blocks(size, b"\n"):
            chunk = _build(self.table, block, first, decoded.stream.position)
            first += block.count(b"\n")
            if len(chunk):
                yield chunk


def _build(table: RecordTable, block: bytes, first: int, position: int) -> Chunk:
    """Builds a chunk of the objects of a block whose first line is `first`."""
    records, lines, faults = parse_lines(block)
    return table.chunk(records, (line + first for line in lines), faults, position)


def read_sample(decoded: DecodedInput, stated: Iterable[str]) -> tuple[list[str], Rows]:
    """Returns the names of the values in the first records, and those records as rows."""
    head = decoded.head if decoded.stream.ended else decoded.head[: decoded.head.rfind(b"\n") + 1]
    records = parse_lines(head)[0]
    if len(records) == 1 and records[0] and all(isinstance(v, (dict, list)) for v in records[0].values()):
        raise DataError(
            f"{decoded.name} is one JSON object that holds all messages, expected an object for each",
            hint='write an array of objects; in pandas to_json(PATH, orient="records")',
        )
    return sample_rows(records, stated)


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
