"""Detects how a delimited file is written: delimiter, quoting, header and columns."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from spamnb.errors import DataError
from spamnb.messages import is_predicted
from spamnb.readers.format_detection import sep_line
from spamnb.readers.read_options import ColumnOptions
from spamnb.readers.tables.column_choice import by_column, find_column, number
from spamnb.readers.tables.delimited_fallback import parse_rows
from spamnb.readers.tables.label_words import (
    TEXT_NAMES,
    is_certain_word,
    is_chat_word,
    is_class_word,
    is_flag,
    is_label_name,
    known_label,
    normalize_name,
)

DELIMITERS = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "pipe"}
MOST_COLUMNS = 10_000
_NO_DELIMITER = "\x1f"  # occurs in no text
_WIDEST = 1 << 17  # bytes that are searched for too many columns
_SAMPLE = 1 << 14  # bytes that decide the delimiter


@dataclass(frozen=True)
class CsvDialect:
    """How a delimited file is written, and a sample of its rows.

    `skip` bytes with `skip_lines` lines come before the first record. `stray_returns` are those that stand
    before a delimiter: a column was added to lines that end with a carriage return.
    """

    delimiter: str
    quoting: bool
    header: bool
    names: list[str]
    sample: list[list[str]]
    skip: int = 0
    skip_lines: int = 0
    stray_returns: bool = False

    def describe(self) -> list[str]:
        """Lists `comma, header`."""
        facts = [DELIMITERS.get(self.delimiter, "one column"), "header" if self.header else "no header"]
        return facts if self.quoting else [*facts, "quotes are ordinary characters"]


def detect_dialect(
    head: bytes, stated: ColumnOptions, *, tabs: bool, final: bool, name: str = "the input"
) -> CsvDialect:
    """Detects the dialect from the complete rows of the first bytes."""
    delimiter, skip = sep_line(head)
    head = head[skip:]
    delimiter = delimiter or ("\t" if tabs else find_delimiter(head, stated, final=final))
    _check_width(head[:_WIDEST], delimiter, name)
    stray = _has_stray_return(head, delimiter)
    head = without_stray_returns(head, delimiter) if stray else head
    quoting = delimiter != "\t" or (_is_predicted(head) or quotes_matter(head))
    parsed = parse_rows(head, delimiter, quoting=quoting, final=final)
    if not parsed.rows and not final:  # a first record longer than the head
        whole = parse_rows(head, delimiter, quoting=quoting, final=True)
        parsed = replace(whole, first_bytes=0, first_lines=0)
    rows = [row for i, row in enumerate(parsed.rows) if not i or i not in parsed.open_quotes]
    if not has_header(rows, stated):
        widths = Counter(map(len, rows)).most_common(1)
        names = [str(i + 1) for i in range(widths[0][0] if widths else 1)]
        return CsvDialect(delimiter, quoting, False, names, rows, skip, int(skip > 0), stray)
    names = [name.strip() for name in rows[0]]
    skipped = skip + parsed.first_bytes, (skip > 0) + parsed.first_lines
    return CsvDialect(delimiter, quoting, True, names, rows[1:], *skipped, stray)


def _has_stray_return(head: bytes, delimiter: str) -> bool:
    r"""Returns whether the first line has carriage returns only before delimiters, and ends with `\n`."""
    first, newline, _ = head.partition(b"\n")
    stray = b"\r" + delimiter.encode()
    return bool(newline) and stray in first and b"\r" not in first.rstrip(b"\r").replace(stray, b"")


def without_stray_returns(data: bytes, delimiter: str) -> bytes:
    r"""Replaces each carriage return before a delimiter by a blank: all else stays where it is.

    >>> without_stray_returns(b"id,text\r,label\r\n", ",")
    b'id,text ,label\r\n'
    """
    return data.replace(b"\r" + delimiter.encode(), b" " + delimiter.encode())


def _is_predicted(head: bytes) -> bool:
    """Returns whether `predict` wrote a TSV: a field in it begins with a quote only if it is quoted."""
    first = head.partition(b"\n")[0].decode("utf-8", "replace")
    return is_predicted([name.strip() for name in first.split("\t")], tsv=True)


def _check_width(head: bytes, delimiter: str, name: str) -> None:
    """Refuses a table with very many columns: millions of them would take minutes and gigabytes to name."""
    first = head.partition(b"\n")[0]
    if first.count(delimiter.encode()) < MOST_COLUMNS:
        return
    rows = parse_rows(first, delimiter, quoting=True, final=True).rows  # delimiters may be quoted
    if any(len(row) > MOST_COLUMNS for row in rows):
        raise too_many_columns(f"the first line of {name}")


def too_many_columns(name: str) -> DataError:
    return DataError(
        f"{name} has more than {MOST_COLUMNS:,} columns, expected a table of messages",
        hint="give another file, or state its --input-format",
    )


def find_delimiter(head: bytes, stated: ColumnOptions, *, final: bool) -> str:
    r"""Returns the delimiter that cuts most rows like the first one; known names in the first row decide.

    >>> find_delimiter(b"ham;Hi, you\nspam;Win, now, here\n", ColumnOptions(), final=True)
    ';'
    """
    sample, best, best_score = head[:_SAMPLE], _NO_DELIMITER, 0.5
    for delimiter in DELIMITERS:
        if delimiter.encode() not in sample:
            continue
        complete = final and len(sample) == len(head)
        rows = parse_rows(sample, delimiter, quoting=True, final=complete).rows
        rows = rows or parse_rows(sample, delimiter, quoting=True, final=True).rows
        if not rows or len(rows[0]) < 2:
            continue
        score = sum(len(row) == len(rows[0]) for row in rows) / len(rows)
        score += _has_known_name(rows[0], stated)
        if score > best_score:
            best, best_score = delimiter, score
    return best


def quotes_matter(head: bytes) -> bool:
    r"""Returns whether quotes wrap the fields of a tab separated file; else they belong to its texts.

    They belong to the texts if some field has quotes that no writer of quoted fields would leave so, and all
    lines have the same number of tabs (quoted tabs and newlines would break that).

    >>> [quotes_matter(head) for head in (b'ham\t"Hi" he said\n', b'ham\t"Hi"\n', b'ham\t"two\nlines"\n')]
    [False, True, True]
    """
    if b'"' not in head:
        return True
    lines = [
        line.rstrip(b"\r") for line in head[: head.rfind(b"\n") + 1 or None].split(b"\n") if line.strip()
    ]
    if len({line.count(b"\t") for line in lines}) > 1:
        return True
    fields = (field for line in lines if b'"' in line for field in line.split(b"\t") if b'"' in field)
    return all(_is_wrapped(field) for field in fields)


def _is_wrapped(field: bytes) -> bool:
    """Returns whether quotes are around a field and all quotes inside are doubled."""
    around = len(field) > 1 and field.startswith(b'"') and field.endswith(b'"')
    return around and b'"' not in field[1:-1].replace(b'""', b"")


def has_header(rows: Sequence[Sequence[str]], stated: ColumnOptions) -> bool:
    """Returns whether the first row names the columns; the first rule that applies decides.

    1. Yes, if it has a stated name, a usual name for texts, or a word for spam or ham above 1, 0, yes or no.
    2. No, if it has a label above nothing but labels.
    3. Yes, if one of its fields is any known column name.
    4. No, if it has a label.
    5. Yes, if it differs from its columns in kind (see `_differs_in_kind`).

    Except for a stated name, a name must not occur again in its column.
    """
    if not rows:
        return False
    first, others = rows[0], rows[1:]
    columns = list(zip(first, by_column(others, len(first)), strict=True))
    if _has_stated_name(first, stated) or any(_is_certain_name(name, values) for name, values in columns):
        return True
    if others and any(known_label(name) and all(map(known_label, values)) for name, values in columns):
        return False
    if any(_is_known_name(name, values, stated) for name, values in columns):
        return True
    if any(is_certain_word(name) or (is_flag(name) and known_label(name)) for name in first):
        return False
    return any(_differs_in_kind(name, values) for name, values in columns)


def _has_stated_name(row: Sequence[str], stated: ColumnOptions) -> bool:
    names = [name for name in (stated.text, stated.label) if name and not name.isdecimal()]
    return any(find_column(name, row) is not None for name in names)


def _is_certain_name(name: str, values: Sequence[str]) -> bool:
    """Returns whether it is a usual name of a text column, or a word such as spam above 1 and 0."""
    values = [value for value in values if value.strip()]
    if normalize_name(name) in TEXT_NAMES:
        return name not in values
    # A message may be "ok" above one that is "no".
    return is_class_word(name) and not is_chat_word(name) and bool(values) and all(map(is_flag, values))


def _is_known_name(name: str, values: Sequence[str], stated: ColumnOptions) -> bool:
    """Returns whether it is a known column name; a word such as spam is one only above other words."""
    if name in values or not _has_known_name([name], stated):
        return False
    return not known_label(name) or (bool(values) and not any(map(is_class_word, values)))


def _has_known_name(row: Sequence[str], stated: ColumnOptions) -> bool:
    names = [name for name in stated.stated if not name.isdecimal()]
    return any(normalize_name(field) in TEXT_NAMES or is_label_name(field) for field in row) or any(
        find_column(name, row) is not None for name in names
    )


def _differs_in_kind(name: str, values: Sequence[str]) -> bool:
    """Returns whether it is a word above numbers or labels, or above few values that are often repeated."""
    values = [value.strip() for value in values if value.strip()]
    if not values or not name.strip() or name.strip() in values:
        return False
    if not any(math.isnan(number(value)) for value in values):
        return math.isnan(number(name))
    if all(map(known_label, values)):
        return True
    return len(set(values)) <= min(len(values) // 3, 20)
