"""Parses delimited rows with the csv module: irregular blocks, and the reference for `delimited_fast`.

A quote that opens a field and is never closed would swallow all rows after it. It is taken for a letter:
its line is a row, and the next line is read as usual.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

_LONGEST = (1 << 31) - 1  # of a field, in place of the csv module's 128 KiB; the most that every system takes
_AFTER = "x\n"  # fed after the last line: a record that swallows it has an open quote


@dataclass(frozen=True)
class ParsedRows:
    """Rows of a block with their 0-based lines; `used` bytes with `newlines` line ends were read.

    In the rows with the indices `open_quotes` a quote opens that is never closed.
    """

    rows: list[list[str]]
    lines: list[int]
    used: int
    newlines: int
    open_quotes: tuple[int, ...] = ()
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
    rows: list[list[str]] = []
    starts: list[int] = []
    open_quotes: list[int] = []
    done = first = 0
    for row, start, end, is_open in _read_rows(lines, delimiter, quoting, final):
        if is_open:
            open_quotes.append(len(rows))
        if row:
            rows.append(row)
            starts.append(start)
            first = first or end
        done = end
    first = first or done
    used, first_bytes = _size(lines[:done]), _size(lines[:first])
    return ParsedRows(rows, starts, used, done, tuple(open_quotes), first_bytes, first)


def _read_rows(
    lines: list[str], delimiter: str, quoting: int, final: bool
) -> Iterator[tuple[list[str], int, int, bool]]:
    """Yields each row, its first line, the line after it, and whether a quote in it is never closed."""
    import csv

    start, count = 0, len(lines)
    closing = _closing_quote(delimiter)
    while start < count:
        first, end = start, count + 1
        rest = chain(map(lines.__getitem__, range(first, count)), [_AFTER])
        reader = csv.reader(rest, delimiter=delimiter, quoting=quoting)  # type: ignore[arg-type]
        for row in reader:
            end = first + reader.line_num
            if end > count or (end - start > 1 and not closing.match(lines[end - 1])):
                break
            yield row, start, end, False
            start = end
        if start < count and (final or end <= count):
            line = csv.reader([lines[start]], delimiter=delimiter, quoting=csv.QUOTE_NONE)
            yield next(line), start, start + 1, True
            start += 1
        elif end > count:
            return


def _closing_quote(delimiter: str) -> re.Pattern[str]:
    r"""Returns a pattern for the last line of a quoted field: its quote stands before a delimiter or the end.

    Any other quote opens a later field, and that of this field is never closed.

    >>> [bool(_closing_quote(",").match(line)) for line in ('the ""end"",\n",7', '8,"a, b"')]
    [True, False]
    """
    return re.compile(rf'[^"]*(?:""[^"]*)*"[ \t]*(?:[{re.escape(delimiter)}\r\n]|$)')


def _size(lines: list[str]) -> int:
    return len("".join(lines).encode("utf-8", "surrogateescape"))
