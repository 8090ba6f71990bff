"""JSON lines: one object per line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
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
from spamnb.readers.tables.chunk_builder import ChunkBuilder, ListRecords
from spamnb.readers.tables.column_choice import choose_columns, describe_columns, label_map
from spamnb.readers.tables.label_words import LABEL_NAMES, TEXT_NAMES, normal
from spamnb.readers.tables.labels import LabelMap

Record = dict[str, Any]
_MOST_NAMES = 200
_INNER_END = re.compile(
    r"}\s*,"
)  # of an object, before the end of its line; or just text, which costs only time


def open_input(given: DecodedInput, options: ReadOptions, *, format: str, labelled: bool) -> Source:  # noqa: ARG001
    """Open JSON lines; blank lines are no records."""
    _refuse_array(given)
    sample, _, _ = parse_lines(given.head if given.stream.ended else _whole_lines(given.head))
    names = names_of(sample, (options.text_column, options.label_column, *options.columns))
    if not names and labelled:
        raise DataError(
            f"no JSON objects in the first lines of {given.name}",
            hint="this is no JSONL: try --format csv, or check the file",
        )
    names = names or [options.text_column or "text", *options.columns]
    rows = [[as_bytes(record.get(name)).decode("utf-8", "replace") for name in names] for record in sample]
    columns = choose_columns(given.name, names, rows, options, labelled=labelled)
    labels = label_map(columns, names, rows, options)
    skipped = SkippedRecords()
    lines = JsonLines({i: names[i] for i in columns.wanted}, ChunkBuilder(columns, labels, skipped))
    packed = [given.stream.compression] if given.stream.compression else []
    about = f"{given.name}: JSONL ({', '.join([given.encoding, *packed])})"
    return Source(
        given.name,
        f"{about}, {describe_columns(columns, names, labels)}",
        given.stream.size,
        _chunks(given, lines, options.chunk_bytes),
        given.stream.close,
        skipped=skipped,
        labels=labels,
        blocks=Blocks(
            lines,
            lambda: given.blocks(options.chunk_bytes, b"\n"),
            start=given.start(0),
            file=given.stream.stored,
        ),
    )


@dataclass(frozen=True)
class JsonLines:
    """Reads blocks of lines."""

    wanted: dict[int, str]
    builder: ChunkBuilder

    @property
    def labels(self) -> LabelMap | None:
        return self.builder.labels

    def read(self, block: bytes, skipped: SkippedRecords) -> Iterator[tuple[Chunk, int]]:
        yield replace(self.builder, skipped=skipped).build(self.records(block, 1), 0), block.count(b"\n")

    def records(self, block: bytes, first: int) -> ListRecords:
        """The objects of a block whose first line is `first`."""
        records, lines, faults = parse_lines(block)
        columns = {i: [as_bytes(record.get(name)) for record in records] for i, name in self.wanted.items()}
        return ListRecords(np.array(lines, np.int64) + first, columns, faults)


def _chunks(given: DecodedInput, lines: JsonLines, size: int) -> Iterator[Chunk]:
    first = 1
    for block in given.blocks(size, b"\n"):
        records = lines.records(block, first)
        first += block.count(b"\n")
        if len(records.lines):
            yield lines.builder.build(records, given.stream.position)


def parse_lines(block: bytes) -> tuple[list[Record], list[int], dict[int, str]]:
    r"""The objects, their 0-based lines, and what is wrong with which (such a one is empty).

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
    """All lines as one array, four times as fast as one by one; None if they are not as many objects.

    Where no object ends inside a line, as many objects as lines means one object per line.
    """
    try:
        records = json.loads(f"[{','.join(lines)}]")
    except (ValueError, RecursionError):
        return None
    same = len(records) == len(lines) and all(type(record) is dict for record in records)
    return records if same else None


def _parse(line: str) -> Record | str:
    """The object of a line, or what is wrong with it."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return "bad JSON"
    return record if isinstance(record, dict) else "not a JSON object"


def as_bytes(value: object) -> bytes:
    """A value as text; null and nested values are nothing.

    >>> as_bytes("ok"), as_bytes(True), as_bytes(1.0), as_bytes(None), as_bytes([1])
    (b'ok', b'true', b'1.0', b'', b'')
    """
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, bool):
        return b"true" if value else b"false"
    return str(value).encode() if isinstance(value, (int, float)) else b""


def names_of(sample: Sequence[Record], stated: Iterable[str | None]) -> list[str]:
    """The names in some records; of very many only the first, those stated and those that names often are.

    Each record has a place for each name: where every record has names of its own, all would be too many.
    """
    names = list(dict.fromkeys(name for record in sample for name in record))
    wanted = {normal(name) for name in stated if name} | set(TEXT_NAMES) | set(LABEL_NAMES)
    return names[:_MOST_NAMES] + [name for name in names[_MOST_NAMES:] if normal(name) in wanted]


def _whole_lines(head: bytes) -> bytes:
    return head[: head.rfind(b"\n") + 1]


def _refuse_array(given: DecodedInput) -> None:
    if given.head.lstrip().startswith(b"["):
        raise DataError(
            f"{given.name} is a JSON array, expected one JSON object per line",
            hint=f"convert it first: jq -c '.[]' {given.name} > messages.jsonl",
        )
