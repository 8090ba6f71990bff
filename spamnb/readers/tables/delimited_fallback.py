"""Parses delimited rows with the csv module: irregular blocks, and the reference for `delimited_fast`."""

from __future__ import annotations

import io
from dataclasses import dataclass
from itertools import chain

_LONGEST = (1 << 31) - 1  # of a field, in place of the csv module's 128 KiB; the most that every system takes
_AFTER = "x\n"  # fed after the last line: a record that swallows it has an open quote


@dataclass(frozen=True)
class ParsedRows:
    """Rows of a block with their 0-based lines; `used` bytes with `newlines` line ends were read."""

    rows: list[list[str]]
    lines: list[int]
    used: int
    newlines: int
    open_quote: bool = False  # the input ends inside the last row
    first_bytes: int = 0
    first_lines: int = 0


def parse_rows(data: bytes, delimiter: str, *, quoting: bool, final: bool) -> ParsedRows:
    r"""Parses the complete rows at the beginning of `data` (all of it if `final`); skips blank lines.

    >>> parsed = parse_rows(b'ham,"two\nlines"\nspam,wi', ",", quoting=True, final=False)
    >>> parsed.rows, parsed.used
    ([['ham', 'two\nlines']], 16)
    """
    import csv  # late: plain lines do not need it

    end = len(data) if final else max(data.rfind(b"\n"), data.rfind(b"\r", 0, len(data) - 1)) + 1
    text = data[:end].decode("utf-8", "surrogateescape")
    lines = list(io.StringIO(text, newline=""))
    limit = csv.field_size_limit(_LONGEST)
    try:
        return _parse(lines, delimiter, csv.QUOTE_MINIMAL if quoting else csv.QUOTE_NONE, final)
    finally:
        csv.field_size_limit(limit)


def _parse(lines: list[str], delimiter: str, quoting: int, final: bool) -> ParsedRows:
    import csv

    reader = csv.reader(chain(lines, [_AFTER]), delimiter=delimiter, quoting=quoting)  # type: ignore[arg-type]
    rows: list[list[str]] = []
    starts: list[int] = []
    start = first = 0
    for row in reader:
        if reader.line_num > len(lines):
            break
        if row:
            rows.append(row)
            starts.append(start)
            first = first or reader.line_num
        start = reader.line_num
    cut_off = final and start < len(lines)
    if cut_off:
        rows += csv.reader(lines[start:], delimiter=delimiter, quoting=quoting)  # type: ignore[arg-type]
        starts.append(start)
        start = len(lines)
    return ParsedRows(
        rows, starts, _size(lines[:start]), start, cut_off, _size(lines[: first or start]), first or start
    )


def _size(lines: list[str]) -> int:
    return len("".join(lines).encode("utf-8", "surrogateescape"))
