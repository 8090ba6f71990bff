"""Reads messages that are whole lines, or that end with NUL bytes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from spamnb.core import excerpt
from spamnb.errors import DataError
from spamnb.messages import Chunk, Texts
from spamnb.readers.decoded_input import LONGEST_RECORD, DecodedInput
from spamnb.readers.formats import any_of, table_formats
from spamnb.readers.read_options import ReadOptions
from spamnb.readers.skipped_rows import NO_TEXT, SkippedRecords
from spamnb.readers.source import Source
from spamnb.readers.tables.labels import LabelMap

_UNREADABLE = ("messages unsure: cannot be read", "message unsure: cannot be read")


def open_input(decoded: DecodedInput, options: ReadOptions, *, format: str, labelled: bool) -> Source:
    """Opens an input of messages separated by newlines (`lines`) or NUL bytes (`null`)."""
    kind = "one message per line" if format == "lines" else "NUL separated messages"
    _refuse_columns(decoded.name, kind, options, labelled)
    read_chunks = _line_chunks if format == "lines" else _null_chunks
    description = f"{decoded.name}: {kind} ({', '.join(decoded.storage)})"
    if not labelled or options.label is None:
        skipped = SkippedRecords(*_UNREADABLE)
        chunks = read_chunks(decoded, options.chunk_bytes, skipped)
        return Source(decoded.stream, description, chunks, skipped=skipped)
    labels, skipped = LabelMap([options.label]), SkippedRecords()
    label = labels[options.label.encode()]
    chunks = read_chunks(decoded, options.chunk_bytes, None)
    return Source(
        decoded.stream,
        f"{description}, all {excerpt(label)}",
        (_add_label(chunk, label, skipped) for chunk in chunks),
        skipped=skipped,
        labels=labels,
    )


def _refuse_columns(name: str, kind: str, options: ReadOptions, labelled: bool) -> None:
    needs_labels = labelled and options.label is None
    if needs_labels or options.columns.stated:
        raise DataError(
            f"{name} is read as {kind} and has no {'labels' if needs_labels else 'columns'}",
            hint=f"labels and columns need --input-format {any_of(table_formats())}",
        )


def _add_label(chunk: Chunk, label: str, skipped: SkippedRecords) -> Chunk:
    """Labels the messages of a chunk and skips blank ones."""
    texts, lines = chunk.texts, chunk.lines
    if blank := texts.blank_rows():
        for line in lines[blank].tolist():
            skipped.add(line, NO_TEXT)
        texts, lines = texts.select(np.delete(np.arange(len(texts)), blank)), np.delete(lines, blank)
    return Chunk(texts, lines, [label] * len(texts), position=chunk.position)


def _line_chunks(decoded: DecodedInput, size: int, skipped: SkippedRecords | None) -> Iterator[Chunk]:
    """Yields one message per line.

    A message that is too long comes out empty and is counted in `skipped`; without that it is an error.
    """
    counter = _LineCounter(skipped)
    for block in decoded.blocks(size, b"\n", counter.on_dropped):
        texts = Texts.lines(block)
        lines = np.arange(counter.line, counter.line + len(texts))
        yield Chunk(texts, lines, position=decoded.stream.position)
        counter.advance(len(texts))


def _null_chunks(decoded: DecodedInput, size: int, skipped: SkippedRecords | None) -> Iterator[Chunk]:
    counter = _LineCounter(skipped)
    for block in decoded.blocks(size, b"\0", counter.on_dropped):
        data = block if block.endswith(b"\0") else block + b"\0"
        ends = np.flatnonzero(np.frombuffer(data, np.uint8) == 0)
        starts = np.concatenate(([0], ends[:-1] + 1))
        newlines = np.flatnonzero(np.frombuffer(data, np.uint8) == 10)
        lines = counter.line + np.searchsorted(newlines, starts)
        texts = Texts(data.replace(b"\0", b"\n"), starts, ends)
        yield Chunk(texts, lines, position=decoded.stream.position)
        counter.advance(len(newlines))


class _LineCounter:
    """Counts lines: `line` is the first one of the next block. Records the messages that are dropped."""

    def __init__(self, skipped: SkippedRecords | None) -> None:
        self.line = 1
        self.on_dropped = None if skipped is None else partial(self._record_dropped, skipped)
        self._dropped_lines = 0

    def _record_dropped(self, skipped: SkippedRecords, newlines: int) -> None:
        skipped.add(self.line, f"longer than {LONGEST_RECORD >> 20} MiB")
        self._dropped_lines = newlines

    def advance(self, lines: int) -> None:
        self.line += lines + self._dropped_lines
        self._dropped_lines = 0
