"""Records as readers cut them out of their input, and the chunks made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import compress
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from spamnb.core import FloatArray, IntArray
from spamnb.messages import Chunk, Texts
from spamnb.readers.skipped_rows import SkippedRecords
from spamnb.readers.tables.column_choice import Columns, number
from spamnb.readers.tables.labels import LabelMap


class Records(Protocol):
    """Some records in order: their 1-based lines, their columns as bytes, and what is wrong with which."""

    @property
    def lines(self) -> IntArray: ...

    @property
    def faults(self) -> Mapping[int, str]: ...

    def column(self, column: int) -> list[bytes]: ...

    def texts(self, column: int) -> Texts: ...

    def distinct(self, column: int) -> tuple[list[bytes], IntArray]: ...


@dataclass(frozen=True)
class ListRecords:
    """Records held as one list per column."""

    lines: IntArray
    columns: Mapping[int, list[bytes]]
    faults: Mapping[int, str] = field(default_factory=dict)

    def column(self, column: int) -> list[bytes]:
        return self.columns[column]

    def texts(self, column: int) -> Texts:
        parts = self.columns[column]
        return join(parts, np.fromiter(map(len, parts), np.int64, len(parts)))

    def distinct(self, column: int) -> tuple[list[bytes], IntArray]:
        return factorise(self.columns[column])


def factorise(values: Iterable[bytes]) -> tuple[list[bytes], IntArray]:
    """The different values in order of appearance, and which of them each value is.

    >>> factorise([b"ham", b"spam", b"ham"])
    ([b'ham', b'spam'], array([0, 1, 0]))
    """
    seen: dict[bytes, int] = {}
    index = [seen.setdefault(value, len(seen)) for value in values]
    return list(seen), np.array(index, np.int64)


@dataclass
class ChunkBuilder:
    """Makes chunks of records: picks the columns, maps the labels, leaves out what cannot be used."""

    columns: Columns
    labels: LabelMap | None
    skipped: SkippedRecords

    def build(self, records: Records, position: int) -> Chunk:
        wanted, lines = self.columns, records.lines
        texts = _no_texts(len(lines)) if wanted.text is None else records.texts(wanted.text)
        labels = self._labels(records)
        keep = self._keep(records, texts, labels)
        categories = {name: _categories(records, i) for name, i in wanted.categorical.items()}
        numbers = {name: _numbers(records.column(i)) for name, i in wanted.numeric.items()}
        if keep is not None:
            texts, lines = Texts.of(compress(texts.tolist(), keep)), lines[keep]
            labels = list(compress(labels or (), keep))
            categories = {name: list(compress(values, keep)) for name, values in categories.items()}
            numbers = {name: values[keep] for name, values in numbers.items()}
        return Chunk(texts, lines, labels, categories, numbers, position)

    def _labels(self, records: Records) -> list[str] | None:
        if self.labels is not None and self.columns.stated:
            return [self.labels[self.columns.stated.encode()]] * len(records.lines)
        if self.labels is None or self.columns.label is None:
            return None
        return _spread(*records.distinct(self.columns.label), self.labels.__getitem__)

    def _keep(self, records: Records, texts: Texts, labels: list[str] | None) -> NDArray[np.bool_] | None:
        """Which records are usable (None: all); notes the others. Without labels, every record comes out."""
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

    def _reasons(self, records: Records, texts: Texts, labels: list[str], mapped: LabelMap) -> dict[int, str]:
        reasons: dict[int, str] = {}
        if self.columns.needs_text:
            reasons = dict.fromkeys(np.flatnonzero(texts.starts == texts.ends).tolist(), "no text")
        if self.columns.label is not None and not all(labels):
            written = records.column(self.columns.label)
            reasons |= {i: mapped.reason(written[i]) for i, label in enumerate(labels) if not label}
        return reasons | dict(records.faults)


def join(parts: list[bytes], sizes: IntArray) -> Texts:
    """The same as `Texts.of` where the sizes are known."""
    ends = np.cumsum(sizes + 1) - 1
    return Texts(b"\n".join(parts), ends - sizes, ends)


def _no_texts(count: int) -> Texts:
    return join([b""] * count, np.zeros(count, np.int64))


def _spread(values: list[bytes], index: IntArray, convert: Callable[[bytes], str]) -> list[str]:
    converted = np.array([convert(value) for value in values], object)
    spread: list[str] = converted[index].tolist()
    return spread


def _categories(records: Records, column: int) -> list[str]:
    return _spread(*records.distinct(column), lambda value: value.decode("utf-8", "replace").strip())


def _numbers(values: list[bytes]) -> FloatArray:
    return np.fromiter(map(number, values), np.float64, len(values))
