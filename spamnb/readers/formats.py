"""Lists every input format once: its name, its suffixes and first bytes, and the module that reads it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from spamnb.core import Record

_COMPRESSED = (".gz", ".bz2", ".xz")


class Format(Record):
    """One input format; `module`, below `spamnb.readers`, has its function `open_input`.

    `labelled` is false for a format that cannot hold labels. A format with magic bytes is read as it is
    stored, and so is mail; every other one is decoded to UTF-8 first.
    """

    name: str
    module: str
    help: str
    suffixes: tuple[str, ...] = ()
    magic: bytes = b""
    labelled: bool = True
    is_mail: bool = False

    @property
    def as_stored(self) -> bool:
        return self.is_mail or bool(self.magic)


_ALL = (
    Format("csv", "tables.delimited", "fields separated by comma, semicolon, tab or pipe", (".csv",)),
    Format("tsv", "tables.delimited", "fields separated by tabs", (".tsv", ".tab")),
    Format("jsonl", "tables.jsonl", "one JSON object per line", (".jsonl", ".ndjson")),
    Format("json", "tables.json_array", "an array of JSON objects", (".json",)),
    Format("parquet", "tables.parquet", "Apache Parquet", (".parquet", ".pq"), magic=b"PAR1"),
    Format(
        "xlsx", "tables.workbook", "the first sheet of an Excel workbook", (".xlsx",), magic=b"PK\x03\x04"
    ),
    Format("lines", "tables.plain_lines", "one message per line", labelled=False),
    Format("null", "tables.plain_lines", "messages that end with a NUL byte", labelled=False),
    Format("eml", "mailboxes.mail_source", "one email", (".eml",), is_mail=True),
    Format("mbox", "mailboxes.mail_source", "many emails in one file", (".mbox", ".mbx"), is_mail=True),
    Format("maildir", "mailboxes.mail_folders", "a Maildir folder", is_mail=True),
    Format("folder", "mailboxes.mail_folders", "a folder with one email per file", is_mail=True),
    Format("index", "mailboxes.mail_index", "lines with a label and the path of an email", is_mail=True),
)
FORMATS = {format.name: format for format in _ALL}


def labelled_formats() -> list[str]:
    """Names the formats that can hold labels."""
    return [format.name for format in FORMATS.values() if format.labelled]


def table_formats() -> list[str]:
    """Names the formats with columns and labels."""
    return [format.name for format in FORMATS.values() if format.labelled and not format.is_mail]


def mail_formats() -> list[str]:
    """Names the formats of mail."""
    return [format.name for format in FORMATS.values() if format.is_mail]


def any_of(names: Sequence[str]) -> str:
    """Writes names as a choice.

    >>> any_of(["csv", "tsv", "jsonl"])
    'csv, tsv or jsonl'
    """
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def format_by_suffix(path: str) -> str:
    """Returns the format that a file name ends with, or "".

    >>> format_by_suffix("sms.CSV.gz"), format_by_suffix("inbox.txt")
    ('csv', '')
    """
    stem, suffix = os.path.splitext(path.lower())
    if suffix in _COMPRESSED:
        suffix = os.path.splitext(stem)[1]
    return next((format.name for format in FORMATS.values() if suffix in format.suffixes), "")


def format_by_magic(head: bytes) -> str:
    """Returns the format whose magic bytes an input begins with, or ""."""
    return next((f.name for f in FORMATS.values() if f.magic and head.startswith(f.magic)), "")
