"""Builds chunks of messages from records: picks columns, maps labels, skips unusable records."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from spamnb.core import FloatArray, IntArray
from spamnb.messages import Chunk, InputColumns, Texts
from spamnb.readers.read_options import ReadOptions
from spamnb.readers.skipped_rows import NO_TEXT, SkippedRecords
from spamnb.readers.tables.column_choice import (
    Columns,
    Rows,
    choose_columns,
    describe_columns,
    label_map,
    number,
)
from spamnb.readers.tables.labels import LabelMap

_UNREADABLE = ("rows unsure: cannot be read", "row unsure: cannot be read")


class Records(Protocol):
    """Records in order: their 1-based lines, their columns as bytes, and the faults of damaged ones."""

    @property
    def lines(self) -> IntArray: ...

    @property
    def faults(self) -> Mapping[int, str]: ...

    def column(self, column: int) -> list[bytes]: ...

    def texts(self, column: int) -> Texts: ...

    def distinct(self, column: int) -> tuple[list[bytes], IntArray]: ...


@dataclass(frozen=True)
class ListRecords:
    """Records as one list of values per column."""

    lines: IntArray
    columns: Mapping[int, list[bytes]]
    faults: Mapping[int, str] = field(default_factory=dict)

    def column(self, column: int) -> list[bytes]:
        return self.columns[column]

    def texts(self, column: int) -> Texts:
        values = self.columns[column]
        return join_texts(values, np.fromiter(map(len, values), np.int64, len(values)))

    def distinct(self, column: int) -> tuple[list[bytes], IntArray]:
        return factorise(self.columns[column])


def factorise(values: Iterable[bytes]) -> tuple[list[bytes], IntArray]:
    """Returns the distinct values in order of appearance, and for each value the index of its distinct one.

    >>> factorise([b"ham", b"spam", b"ham"])
    ([b'ham', b'spam'], array([0, 1, 0]))
    """
    seen: dict[bytes, int] = {}
    index = [seen.setdefault(value, len(seen)) for value in values]
    return list(seen), np.array(index, np.int64)


@dataclass
class ChunkBuilder:
    """Builds chunks of records; `labels` is None if labels are not read."""

    columns: Columns
    labels: LabelMap | None
    skipped: SkippedRecords

    def describe(self, names: Sequence[str]) -> str:
        """Describes the chosen columns of those with these names."""
        return describe_columns(self.columns, names, self.labels)

    def build(self, records: Records, position: int, kept: InputColumns | None = None) -> Chunk:
        """Builds a chunk; `kept` are all columns of the records, if they are kept.

        Without labels every record comes out, a damaged one without anything to classify it by.
        """
        columns, lines = self.columns, records.lines
        texts = _no_texts(len(lines)) if columns.text is None else records.texts(columns.text)
        labels = self._labels(records)
        keep = self._keep(records, texts, labels)
        categories = {name: _categories(records, i) for name, i in columns.categorical.items()}
        numbers = {name: _numbers(records.column(i)) for name, i in columns.numeric.items()}
        if keep is not None:
            texts, lines = Texts.of(compress(texts.tolist(), keep)), lines[keep]
            labels = list(compress(labels or (), keep))
            categories = {name: list(compress(values, keep)) for name, values in categories.items()}
            numbers = {name: values[keep] for name, values in numbers.items()}
        chunk = Chunk(texts, lines, labels, categories, numbers, position, columns=kept)
        return _without_evidence(chunk, sorted(records.faults)) if keep is None and records.faults else chunk

    def _labels(self, records: Records) -> list[str] | None:
        if self.labels is not None and self.columns.all_labelled:
            return [self.labels[self.columns.all_labelled.encode()]] * len(records.lines)
        if self.labels is None or self.columns.label is None:
            return None
        return _map_distinct(*records.distinct(self.columns.label), self.labels.__getitem__)

    def _keep(self, records: Records, texts: Texts, labels: list[str] | None) -> NDArray[np.bool_] | None:
        """Marks the usable records (None: all) and counts the others; without labels, all come out."""
        if labels is None or self.labels is None:
            reasons = dict(records.faults)
        else:
            reasons = self._reasons(records, texts, labels, self.labels)
        for row in sorted(reasons):
            self.skipped.add(int(records.lines[row]), reasons[row])
        if not reasons or labels is None:
            return None
        keep = np.ones(len(labels), bool)
        keep[list(reasons)] = False
        return keep

    def _reasons(
        self, records: Records, texts: Texts, labels: list[str], label_map: LabelMap
    ) -> dict[int, str]:
        """Maps the rows of unusable records to the reasons."""
        reasons: dict[int, str] = {}
        if self.columns.needs_text:
            reasons = dict.fromkeys(texts.blank_rows(), NO_TEXT)
        if self.columns.label is not None and not all(labels):
            written = records.column(self.columns.label)
            reasons |= {i: label_map.reason(written[i]) for i, label in enumerate(labels) if not label}
        return reasons | dict(records.faults)


def table_builder(
    source: str, names: Sequence[str], rows: Rows, options: ReadOptions, *, labelled: bool
) -> ChunkBuilder:
    """Chooses the columns of a table from their names and some rows, and how to read its labels.

    Rows with too many fields, whose values may stand in other columns, have no say while others fit.
    """
    fitting = [row for row in rows if not any(row[len(names) :])] or rows
    columns = choose_columns(source, names, fitting, options, labelled=labelled)
    text_is_last = columns.text == len(names) - 1  # then its delimiters make the fields
    labels = label_map(source, columns, names, rows if text_is_last else fitting, options)
    return ChunkBuilder(columns, labels, SkippedRecords() if labelled else SkippedRecords(*_UNREADABLE))


def join_texts(texts: list[bytes], sizes: IntArray) -> Texts:
    """Does the same as `Texts.of` where the sizes are known."""
    ends = np.cumsum(sizes + 1) - 1
    return Texts(b"\n".join(texts), ends - sizes, ends)


def _without_evidence(chunk: Chunk, damaged: Sequence[int]) -> Chunk:
    """Empties the damaged records of a chunk: their values may stand in the wrong columns."""
    return chunk.replace(
        texts=Texts.of(_blank(chunk.texts.tolist(), damaged, b"")),
        categories={name: _blank(values, damaged, "") for name, values in chunk.categories.items()},
        numbers={name: _blank(values, damaged, math.nan) for name, values in chunk.numbers.items()},
    )


def _blank(values: Any, rows: Sequence[int], blank: object) -> Any:
    """Replaces the values of these rows."""
    for row in rows:
        values[row] = blank
    return values


def _no_texts(count: int) -> Texts:
    return join_texts([b""] * count, np.zeros(count, np.int64))


def _map_distinct(values: list[bytes], index: IntArray, convert: Callable[[bytes], str]) -> list[str]:
    """Converts each distinct value once."""
    converted = np.array([convert(value) for value in values], object)
    column: list[str] = converted[index].tolist()
    return column


def _categories(records: Records, column: int) -> list[str]:
    return _map_distinct(*records.distinct(column), lambda value: value.decode("utf-8", "replace").strip())


def _numbers(values: list[bytes]) -> FloatArray:
    return np.fromiter(map(number, values), np.float64, len(values))
