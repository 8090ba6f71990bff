"""Converts the values of Parquet columns to texts and to JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from spamnb.errors import DataError
from spamnb.messages import Texts


def column_values(batch: Any, name: str, source: str) -> list[Any]:
    """Returns the values of a column as Python's; times that Python cannot hold exactly as text."""
    import pyarrow

    names = batch.schema.names
    column = batch.column(len(names) - 1 - names[::-1].index(name))  # of two with a name the last one
    try:
        return list(column.to_pylist())
    except (ValueError, pyarrow.ArrowException):
        pass
    try:
        return list(column.cast(pyarrow.string()).to_pylist())
    except (ValueError, pyarrow.ArrowException) as error:
        raise DataError(f"{source}: its Parquet data is damaged", hint="get the file again") from error


def parquet_bytes(value: object) -> bytes:
    """Converts a value to text; null and NaN become nothing."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, bytes):
        return value
    return b"" if value is None or value != value else str(value).encode()


@dataclass(frozen=True)
class ParquetColumns:
    """The columns of a batch of rows of a file `source`; `batch` has them with their types."""

    names: Sequence[str]
    batch: Any
    source: str
    text: int | None

    def texts(self, column: int) -> Texts:
        return Texts.of([_as_text(value) for value in self._columns[column]])

    def record(self, row: int) -> Mapping[str, Any]:
        return {name: _as_json(column[row]) for name, column in zip(self.names, self._columns, strict=True)}

    def fault(self, row: int) -> str:  # noqa: ARG002
        return ""  # a file is read as a whole or not at all

    @cached_property
    def _columns(self) -> list[list[Any]]:
        return [column_values(self.batch, name, self.source) for name in self.names]


def _as_text(value: object) -> bytes:
    nested = isinstance(value, (list, dict))
    return json.dumps(_as_json(value), ensure_ascii=False).encode() if nested else parquet_bytes(value)


def _as_json(value: Any) -> Any:
    """Converts a value to one that JSON has; anything else, such as a date, to text."""
    if isinstance(value, list):
        return [_as_json(item) for item in value]
    if isinstance(value, dict):
        return {str(name): _as_json(item) for name, item in value.items()}
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else None  # NaN and infinities
    return str(value)
