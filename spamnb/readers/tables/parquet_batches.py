"""Reads the rows of a Parquet file in batches whose unpacked size is bounded.

Parquet can store a long value once and refer to it from every row. A batch of rows has a copy of it for each
row: 1 kB of a file became 2.5 GB. So the longest value that rows share decides how many are read at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from spamnb.errors import DataError
from spamnb.readers.decoded_input import LONGEST_RECORD

_LARGE = 1 << 26  # bytes of a column of a row group, which is unpacked page by page
_MOST_TIMES = 100  # how many times its packed size a large column may have; text has 3 to 20 times
_NESTED_ROWS = 16  # read at once where a value is a list of values: these are not looked at beforehand


def read_batches(
    file: Any, path: str, name: str, rows: int, groups: Sequence[int], columns: Sequence[str]
) -> Iterator[Any]:
    """Yields batches of at most `rows` rows of these row groups; damage is detected only when it is read."""
    import pyarrow

    try:
        for some in _joined(file, groups, rows):
            size = min(rows, *(_most_rows(file, path, name, group, columns) for group in some))
            yield from file.iter_batches(size, row_groups=some, columns=list(columns))
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise DataError(f"{name}: its Parquet data is damaged", hint="get the file again") from error


def _joined(file: Any, groups: Sequence[int], rows: int) -> Iterator[list[int]]:
    """Yields small row groups together, until they have so many rows."""
    some: list[int] = []
    group_rows = 0
    for group in groups:
        some.append(group)
        group_rows += file.metadata.row_group(group).num_rows
        if group_rows >= rows:
            yield some
            some, group_rows = [], 0
    if some:
        yield some


def _most_rows(file: Any, path: str, name: str, group: int, columns: Sequence[str]) -> int:
    """Returns how many rows of a row group unpack to about LONGEST_RECORD bytes at most, at least 1."""
    about, schema = file.metadata.row_group(group), file.schema_arrow
    _check_metadata(file, group, columns)
    longest, shared = 1, []
    for at in range(about.num_columns):
        column = about.column(at)
        root = column.path_in_schema.partition(".")[0]
        if root not in columns and column.path_in_schema not in columns:
            continue
        _check_size(column, name)
        longest = max(longest, column.total_uncompressed_size // max(1, about.num_rows))
        if column.path_in_schema not in columns:
            longest = max(longest, LONGEST_RECORD // _NESTED_ROWS)
        elif column.physical_type == "FIXED_LEN_BYTE_ARRAY":
            longest = max(longest, schema.field(column.path_in_schema).type.bit_width // 8)
        elif column.physical_type == "BYTE_ARRAY" and column.has_dictionary_page:
            shared.append(column.path_in_schema)
    return max(1, LONGEST_RECORD // max(longest, _longest_shared(file, path, group, shared)))


def _check_metadata(file: Any, group: int, columns: Sequence[str]) -> None:
    """Raises an error if the columns of a row group do not fit the schema.

    pyarrow 26 aborts the process where such a column is looked up, and raises an error where it is read. A
    large row group is not read here: nothing is known of its columns yet.
    """
    if file.metadata.row_group(group).total_byte_size <= _LARGE:
        next(file.iter_batches(1, row_groups=[group], columns=list(columns)), None)


def _check_size(column: Any, name: str) -> None:
    """Refuses a column that unpacks to very much more than it is: one page of it may be all of that."""
    size = column.total_uncompressed_size
    if size > _LARGE and size > _MOST_TIMES * column.total_compressed_size:
        raise DataError(
            f"{name}: its column {column.path_in_schema} unpacks to {size >> 20:,} MiB, more than "
            f"{_MOST_TIMES} times its size in the file",
            hint="if this is a table of messages, save it as CSV",
        )


def _longest_shared(file: Any, path: str, group: int, columns: list[str]) -> int:
    """Returns the length of the longest value that is stored once for all rows of a row group.

    Read as a dictionary, the first row comes with all of them.
    """
    if not columns:
        return 0
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(path, metadata=file.metadata, read_dictionary=columns) as again:
        batch = next(again.iter_batches(1, row_groups=[group], columns=columns), None)
        return max(map(_longest, batch.columns), default=0) if batch is not None else 0


def _longest(column: Any) -> int:
    import pyarrow

    values = column.dictionary if isinstance(column.type, pyarrow.DictionaryType) else column
    kind = "<i8" if values.type in (pyarrow.large_string(), pyarrow.large_binary()) else "<i4"
    ends = values.buffers()[1]
    if ends is None or not len(values):
        return 0
    bounds = np.frombuffer(ends, kind)[values.offset : values.offset + len(values) + 1]
    return int(np.diff(bounds).max())
