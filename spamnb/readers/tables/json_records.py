"""Turns JSON objects into the rows of a table, for JSON lines and JSON arrays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spamnb.readers.tables.column_choice import Rows
from spamnb.readers.tables.label_words import TEXT_NAMES, is_label_name, normalize_name

Record = dict[str, Any]
_MOST_NAMES = 200


def begins_array(head: bytes) -> bool:
    """Returns whether a JSON text begins an array."""
    return head.lstrip().startswith(b"[")


def sample_rows(records: list[Record], stated: Iterable[str]) -> tuple[list[str], Rows]:
    """Returns the names of the values in the first records, and those records as rows.

    A row has a field for each name. So of very many names only the first are returned, and those that are
    stated or usual: where every record has names of its own, the rows would grow without limit.
    """
    names = list(dict.fromkeys(name for record in records for name in record))
    wanted = {normalize_name(name) for name in stated} | {*TEXT_NAMES}
    more = (name for name in names[_MOST_NAMES:] if normalize_name(name) in wanted or is_label_name(name))
    names = [*names[:_MOST_NAMES], *more]
    rows = [[as_bytes(record.get(name)).decode("utf-8", "replace") for name in names] for record in records]
    return names, rows


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
