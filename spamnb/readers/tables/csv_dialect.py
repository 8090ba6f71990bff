"""The shape of a delimited file, from its first bytes: delimiter, quoting, header, columns."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from spamnb.errors import DataError
from spamnb.readers.read_options import ReadOptions
from spamnb.readers.tables.column_choice import by_column, find_column, number
from spamnb.readers.tables.delimited_fallback import parse_rows
from spamnb.readers.tables.label_words import LABEL_NAMES, TEXT_NAMES, is_flag, is_word, known_label, normal

DELIMITERS = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "pipe"}
_NONE = "\x1f"  # stands for no delimiter at all: occurs in no text
MOST_COLUMNS = 10_000
_WIDEST = 1 << 17  # bytes that are looked at for them
_SAMPLE = 1 << 14  # bytes that settle the delimiter
_NAMES = {*TEXT_NAMES, *LABEL_NAMES}


@dataclass(frozen=True)
class Shape:
    """How a delimited file is written; `skip` bytes with `skip_lines` lines come before its first record."""

    delimiter: str
    quoting: bool
    header: bool
    names: list[str]
    rows: list[list[str]]
    skip: int = 0
    skip_lines: int = 0

    def describe(self) -> list[str]:
        """`comma, header`."""
        parts = [DELIMITERS.get(self.delimiter, "one column"), "header" if self.header else "no header"]
        return parts if self.quoting else [*parts, "quotes are ordinary characters"]


def detect_shape(
    head: bytes, options: ReadOptions, *, tabs: bool, final: bool, name: str = "the input"
) -> Shape:
    """Look at the complete rows of the first bytes."""
    delimiter, skip = sep_line(head)
    head = head[skip:]
    delimiter = delimiter or ("\t" if tabs else find_delimiter(head, options, final=final))
    _check_width(head[:_WIDEST], delimiter, name)
    quoting = delimiter != "\t" or quotes_matter(head)
    parsed = parse_rows(head, delimiter, quoting=quoting, final=final)
    rows = parsed.rows
    if not rows and not final:  # a first record longer than the head
        rows = parse_rows(head, delimiter, quoting=quoting, final=True).rows
    if not has_header(rows, options):
        widths = Counter(map(len, rows)).most_common(1)
        names = [str(i + 1) for i in range(widths[0][0] if widths else 1)]
        return Shape(delimiter, quoting, False, names, rows, skip, int(skip > 0))
    names = [name.strip() for name in rows[0]]
    skipped = skip + parsed.first_bytes, (skip > 0) + parsed.first_lines
    return Shape(delimiter, quoting, True, names, rows[1:], *skipped)


def _check_width(head: bytes, delimiter: str, name: str) -> None:
    """A table of messages has few columns; millions of them would take minutes and gigabytes to name."""
    first = head.partition(b"\n")[0]
    if first.count(delimiter.encode()) < MOST_COLUMNS:
        return
    rows = parse_rows(first, delimiter, quoting=True, final=True).rows  # they may stand within quotes
    if any(len(row) > MOST_COLUMNS for row in rows):
        raise DataError(
            f"the first line of {name} has more than {MOST_COLUMNS:,} columns, expected a table of messages",
            hint="give another file, or state its --format",
        )


def find_delimiter(head: bytes, options: ReadOptions, *, final: bool) -> str:
    r"""The delimiter that cuts most rows like the first one; known column names in the first row decide.

    >>> find_delimiter(b"ham;Hi, you\nspam;Win, now, here\n", ReadOptions(), final=True)
    ';'
    """
    sample, best, best_score = head[:_SAMPLE], _NONE, 0.5
    for delimiter in DELIMITERS:
        if delimiter.encode() not in sample:
            continue
        whole = final and len(sample) == len(head)
        rows = parse_rows(sample, delimiter, quoting=True, final=whole).rows
        rows = rows or parse_rows(sample, delimiter, quoting=True, final=True).rows
        if not rows or len(rows[0]) < 2:
            continue
        score = sum(len(row) == len(rows[0]) for row in rows) / len(rows)
        score += _named(rows[0], options)
        if score > best_score:
            best, best_score = delimiter, score
    return best


def quotes_matter(head: bytes) -> bool:
    r"""Whether quotes wrap fields of a tab separated file, or are ordinary characters of its texts.

    They are ordinary if some field has quotes that no writer of quoted fields would leave so, and all lines
    have the same number of tabs (quoted tabs and newlines would break that).

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
    return all(_wrapped(field) for field in fields)


def has_header(rows: Sequence[Sequence[str]], options: ReadOptions) -> bool:
    """Whether the first row names the columns.

    It does if it has a stated name, a usual name for texts, or a word for spam or ham above 1 and 0 or yes
    and no. It does not if it has a label above nothing but labels. It does if one of its fields is any known
    column name. All these must not come again in their column, but for what is stated. It does not if it
    holds a label; else it does if it differs from its columns in kind (see `_unlike`).
    """
    if not rows:
        return False
    first, rest = rows[0], rows[1:]
    below = by_column(rest, len(first))
    columns = list(zip(first, below, strict=True))
    if _stated(first, options) or any(_says_header(name, values) for name, values in columns):
        return True
    if rest and any(known_label(name) and all(map(known_label, values)) for name, values in columns):
        return False
    if any(_is_name(name, values, options) for name, values in columns):
        return True
    if any(map(known_label, first)):
        return False
    return any(_unlike(name, values) for name, values in columns)


def _stated(row: Sequence[str], options: ReadOptions) -> bool:
    stated = [s for s in (options.text_column, options.label_column) if s and not s.isdecimal()]
    return any(find_column(name, row) is not None for name in stated)


def _says_header(name: str, values: Sequence[str]) -> bool:
    """The usual name of a text column, or a word such as spam above 1 and 0."""
    values = [value for value in values if value.strip()]
    if normal(name) in TEXT_NAMES:
        return name not in values
    named = normal(name) in LABEL_NAMES and is_word(name)  # a message may be "ok" above one that is "no"
    return named and bool(values) and all(map(is_flag, values))


def _is_name(name: str, values: Sequence[str], options: ReadOptions) -> bool:
    """A known column name; a word such as spam is one only above what are no such words."""
    if name in values or not _named([name], options):
        return False
    return not known_label(name) or (bool(values) and not any(map(is_word, values)))


def _named(row: Sequence[str], options: ReadOptions) -> bool:
    stated = [s for s in (options.text_column, options.label_column, *options.columns) if s]
    names = [name for name in stated if not name.isdecimal()]
    return any(normal(field) in _NAMES for field in row) or any(
        find_column(name, row) is not None for name in names
    )


def _unlike(name: str, values: Sequence[str]) -> bool:
    """A word above numbers or labels, or above few values that come again and again."""
    values = [value.strip() for value in values if value.strip()]
    if not values or not name.strip() or name.strip() in values:
        return False
    if not any(math.isnan(number(value)) for value in values):
        return math.isnan(number(name))
    if all(map(known_label, values)):
        return True
    return len(set(values)) <= min(len(values) // 3, 20)


def _wrapped(field: bytes) -> bool:
    inner = field[1:-1]
    whole = len(field) > 1 and field.startswith(b'"') and field.endswith(b'"')
    return whole and b'"' not in inner.replace(b'""', b"")


_LINE = re.compile(rb'"?sep=([,;|\t]|\\t)[,;|\t "]*(?:\r\n|\r|\n|\Z)', re.IGNORECASE)


def sep_line(head: bytes) -> tuple[str, int]:
    r"""The delimiter that the first line names, and the bytes of that line; nothing and 0 for any other line.

    >>> sep_line(b"sep=;\r\nlabel;text\r\n"), sep_line(b"sep=\t\n"), sep_line(b"label;text\n")
    ((';', 7), ('\t', 6), ('', 0))
    """
    found = _LINE.match(head)
    if not found:
        return "", 0
    return found[1].replace(rb"\t", b"\t").decode(), found.end()
