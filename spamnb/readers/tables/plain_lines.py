"""One message per line, or per NUL byte: for prediction, since such an input has no labels."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from spamnb.errors import DataError
from spamnb.messages import Chunk, Texts
from spamnb.readers.decoded_input import LONGEST_RECORD, DecodedInput
from spamnb.readers.formats import any_of, table_formats
from spamnb.readers.read_options import ReadOptions
from spamnb.readers.skipped_rows import SkippedRecords
from spamnb.readers.source import Source
from spamnb.readers.tables.labels import LabelMap, shown


def open_input(given: DecodedInput, options: ReadOptions, *, format: str, labelled: bool) -> Source:
    """Open an input of bare messages, told apart by newlines (`lines`) or NUL bytes (`null`)."""
    kind = "one message per line" if format == "lines" else "NUL separated messages"
    unlabelled = labelled and options.label is None
    if unlabelled or options.columns or options.text_column or options.label_column:
        what = "labels" if unlabelled else "columns"
        raise DataError(
            f"{given.name} is read as {kind} and has no {what}",
            hint=f"labels and columns need --format {any_of(table_formats())}",
        )
    packed = [given.stream.compression] if given.stream.compression else []
    cut, skipped = _line_chunks if format == "lines" else _null_chunks, SkippedRecords()
    about = f"{given.name}: {kind} ({', '.join([given.encoding, *packed])})"
    if not labelled or options.label is None:
        chunks = cut(given, options.chunk_bytes, skipped)
        return Source(given.name, about, given.stream.size, chunks, given.stream.close, skipped=skipped)
    labels = LabelMap([options.label])
    label = labels[options.label.encode()]
    return Source(
        given.name,
        f"{about}, all {shown(label)}",
        given.stream.size,
        (_labelled(chunk, label, skipped) for chunk in cut(given, options.chunk_bytes, None)),
        given.stream.close,
        skipped=skipped,
        labels=labels,
    )


def _labelled(chunk: Chunk, label: str, skipped: SkippedRecords) -> Chunk:
    """The messages with their label; blank ones teach nothing."""
    texts, lines = chunk.texts, chunk.lines
    blank = texts.starts == texts.ends
    if blank.any():
        for line in lines[blank].tolist():
            skipped.add(line, "no text")
        texts, lines = texts.select(np.flatnonzero(~blank)), lines[~blank]
    return Chunk(texts, lines, [label] * len(texts), position=chunk.position)


def _line_chunks(given: DecodedInput, size: int, skipped: SkippedRecords | None) -> Iterator[Chunk]:
    """One message a line; `skipped` takes those that are too long, which come out empty (None: refused)."""
    at = _Place(skipped)
    for block in given.blocks(size, b"\n", at.dropped):
        texts = Texts.lines(block)
        yield Chunk(texts, np.arange(at.line, at.line + len(texts)), position=given.stream.position)
        at.move(len(texts))


def _null_chunks(given: DecodedInput, size: int, skipped: SkippedRecords | None) -> Iterator[Chunk]:
    at = _Place(skipped)
    for block in given.blocks(size, b"\0", at.dropped):
        data = block if block.endswith(b"\0") else block + b"\0"
        ends = np.flatnonzero(np.frombuffer(data, np.uint8) == 0)
        starts = np.concatenate(([0], ends[:-1] + 1))
        newlines = np.flatnonzero(np.frombuffer(data, np.uint8) == 10)
        lines = at.line + np.searchsorted(newlines, starts)
        texts = Texts(data.replace(b"\0", b"\n"), starts, ends)
        yield Chunk(texts, lines, position=given.stream.position)
        at.move(len(newlines))


class _Place:
    """The line that the next block begins with, and what to say of a message that was dropped there."""

    def __init__(self, skipped: SkippedRecords | None) -> None:
        self.line = 1
        self.dropped = None if skipped is None else partial(self._dropped, skipped)
        self._lost = 0

    def _dropped(self, skipped: SkippedRecords, newlines: int) -> None:
        skipped.add(self.line, f"longer than {LONGEST_RECORD >> 20} MiB")
        self._lost = newlines

    def move(self, lines: int) -> None:
        self.line += lines + self._lost
        self._lost = 0
