"""Which format an input has: as stated, by its suffix, or by its first line."""

from __future__ import annotations

import os

from spamnb.readers.inputs import Input
from spamnb.readers.names import LABEL_NAMES, TEXT_NAMES, normal
from spamnb.readers.options import ReadOptions

SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}
_PACKED = (".gz", ".bz2", ".xz")
_LONGEST_NAME = 30


def find_format(given: Input, options: ReadOptions, *, labelled: bool) -> str:
    """The name of the format of a decoded input that was not stated."""
    found = by_suffix(given.name) or by_first_line(given.head.partition(b"\n")[0], options)
    if found:
        return found
    default = "lines" if options.default_format == "auto" else options.default_format
    needs_columns = labelled or options.text_column or options.columns
    return "csv" if needs_columns and default in ("lines", "null") else default


def by_suffix(path: str) -> str:
    """The format that a file name tells, or "".

    >>> by_suffix("sms.CSV.gz"), by_suffix("inbox.txt")
    ('csv', '')
    """
    stem, suffix = os.path.splitext(path.lower())
    if suffix in _PACKED:
        suffix = os.path.splitext(stem)[1]
    return SUFFIXES.get(suffix, "")


def by_first_line(line: bytes, options: ReadOptions) -> str:
    r"""The format that a first line leaves no doubt of, or "": it could also be the first of many messages.

    Only one line is looked at, so that the answer does not depend on how much of a pipe has arrived.

    >>> lines = (b"label,text", b"ham\tok", b'{"text": "ok"}', b"Hi, text me")
    >>> [by_first_line(line, ReadOptions()) for line in lines]
    ['csv', 'tsv', 'jsonl', '']
    """
    text = line.decode("utf-8", "replace").strip()
    if text.startswith("{") and _has_text(text, options):
        return "jsonl"
    first, _, rest = text.partition("\t")
    if first.lower() in ("ham", "spam") and rest:
        return "tsv"
    return "csv" if any(_is_header(text.split(delimiter)) for delimiter in "\t,;|") else ""


def _has_text(line: str, options: ReadOptions) -> bool:
    import json

    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return False
    named = {options.text_column, options.label_column, *options.columns, *TEXT_NAMES}
    return isinstance(record, dict) and any(name in named or normal(name) in named for name in record)


def _is_header(fields: list[str]) -> bool:
    names = [normal(field.strip('"')) for field in fields]
    bare = all(field == field.strip() and len(field) <= _LONGEST_NAME for field in fields)
    return bare and any(n in TEXT_NAMES for n in names) and any(n in LABEL_NAMES for n in names)
