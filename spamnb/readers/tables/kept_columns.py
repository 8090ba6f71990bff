"""Keeps all columns of the records that were read, for an output that has them too."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from spamnb.messages import Texts
from spamnb.readers.tables.chunk_builder import Records

_UNNAMED = re.compile(r"|_\d+|Unnamed: \d+")


def unique_names(names: Sequence[str]) -> tuple[str, ...]:
    """Numbers names that occur again.

    >>> unique_names(["id", "text", "id", "id_2"])
    ('id', 'text', 'id_3', 'id_2')
    """
    unique, taken = list[str](), {*names}
    for name in names:
        new, number = name, 1
        while new in unique or (number > 1 and new in taken):
            number += 1
            new = f"{name}_{number}"
        unique.append(new)
    return tuple(unique)


def is_unnamed(name: str) -> bool:
    """Returns whether a column has no name, or one that `unique_names` or pandas gave it for want of one.

    >>> [is_unnamed(name) for name in ("", "_2", "Unnamed: 3", "v2")]
    [True, True, True, False]
    """
    return _UNNAMED.fullmatch(name) is not None


@dataclass(frozen=True)
class TableColumns:
    """The columns of delimited rows; every value is text."""

    names: Sequence[str]
    records: Records
    text: int | None

    def texts(self, column: int) -> Texts:
        return self.records.texts(column)

    def record(self, row: int) -> Mapping[str, Any]:
        return dict(zip(self.names, (column[row] for column in self._columns), strict=True))

    def fault(self, row: int) -> str:
        return self.records.faults.get(row, "")

    @cached_property
    def _columns(self) -> list[list[str]]:
        numbers = range(len(self.names))
        return [[value.decode("utf-8", "replace") for value in self.records.column(i)] for i in numbers]


@dataclass(frozen=True)
class JsonColumns:
    """The values of JSON objects; `names` are from the first ones, and later ones may have others."""

    names: Sequence[str]
    records: Sequence[Mapping[str, Any]]
    text: int | None
    faults: Mapping[int, str]

    def texts(self, column: int) -> Texts:
        name = self.names[column]
        return Texts.of([_json_text(record.get(name)) for record in self.records])

    def record(self, row: int) -> Mapping[str, Any]:
        return self.records[row]

    def fault(self, row: int) -> str:
        return self.faults.get(row, "")

    def values(self, column: int) -> list[Any]:
        """Returns the values of a column; None where a record has none."""
        return [record.get(self.names[column]) for record in self.records]

    def other_names(self) -> set[str]:
        """Returns the names of values that `names` lacks."""
        return {name for record in self.records for name in record}.difference(self.names)


def _json_text(value: object) -> bytes:
    """Converts a value to text: strings as they are, null to nothing, anything else to JSON."""
    if value is None:
        return b""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.encode("utf-8", "replace")
