"""Which format an input has: as stated, by its suffix, or by its first lines."""

from __future__ import annotations

import os
import re
from dataclasses import replace

from spamnb.readers.decoded_input import DecodedInput
from spamnb.readers.formats import FORMATS, format_by_suffix
from spamnb.readers.read_options import ReadOptions
from spamnb.readers.tables.csv_dialect import sep_line
from spamnb.readers.tables.label_words import LABEL_NAMES, TEXT_NAMES, normal

_LONGEST_NAME = 30
_LONGEST_HEADER = 1 << 16  # characters of the line that names the columns
_HEADER = re.compile(rb"([!-9;-~]+)[ \t]*:")
# Headers that mails begin with, besides X-...: a message such as "Note: call me" is none.
_FIRST_HEADERS = {b"return-path", b"received", b"delivered-to", b"envelope-to", b"delivery-date", b"from"}
_FIRST_HEADERS |= {b"to", b"cc", b"subject", b"date", b"message-id", b"mime-version", b"reply-to", b"sender"}
_FIRST_HEADERS |= {b"content-type", b"dkim-signature", b"arc-seal", b"authentication-results", b"list-id"}


def text_format(given: DecodedInput, options: ReadOptions, *, labelled: bool) -> str:
    """The name of the format of a decoded input that was not stated."""
    found = format_by_suffix(given.name) or by_first_line(given.head.partition(b"\n")[0], options)
    if found:
        return found
    if labelled and options.label is not None:  # where the label need not be in it, it may be bare messages
        options, labelled = replace(options, default_format="lines"), False
    default = "lines" if options.default_format == "auto" else options.default_format
    needs_columns = labelled or options.text_column or options.columns
    return "csv" if needs_columns and default in ("lines", "null") else default


def mail_format(given: DecodedInput) -> str:
    """`eml`, `mbox` or `index` for an input, not yet decoded, that is mail; else ""."""
    if format := format_by_suffix(given.name):
        return format if FORMATS[format].is_mail else ""
    if not (given.raw_head.startswith(b"From ") or _begins_mail(given.raw_head)):
        return "index" if _is_index(given) else ""
    given.need_lines(2)
    return by_first_lines(given.raw_head)


def by_first_lines(head: bytes) -> str:
    r"""`eml` or `mbox` for two lines that begin a mail, else "".

    >>> [by_first_lines(head) for head in (b"From a\nTo: b\n", b"To: a\nDate: b\n", b"To: all\nHi\n")]
    ['mbox', 'eml', '']
    """
    first, _, rest = head.partition(b"\n")
    if first.startswith(b"From "):
        return "mbox" if _HEADER.match(rest) else ""
    goes_on = rest.startswith((b" ", b"\t")) or _HEADER.match(rest)
    return "eml" if _begins_mail(first) and goes_on else ""


def _begins_mail(line: bytes) -> bool:
    found = _HEADER.match(line)
    name = found[1].lower() if found else b""
    return name in _FIRST_HEADERS or name.startswith(b"x-")


def _is_index(given: DecodedInput) -> bool:
    if os.path.basename(given.name) != "index":
        return False
    from spamnb.readers.mailboxes.mail_index import is_index

    return is_index(given.name, given.raw_head.partition(b"\n")[0])


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
    text = text[:_LONGEST_HEADER]
    first, _, rest = text.partition("\t")
    if first.lower() in ("ham", "spam") and rest:
        return "tsv"
    if sep_line(line)[0]:
        return "csv"
    return "csv" if any(_is_header(text.split(delimiter)) for delimiter in "\t,;|") else ""


def looks_like(first: bytes, second: bytes) -> str:
    r"""`csv`, `tsv` or `jsonl` for two lines of which that is likely, else ""; good for a note only.

    >>> [looks_like(*lines) for lines in ((b"id,text", b"1,ok"), (b"id,text", b"ok"), (b'{"id": 1}', b""))]
    ['csv', '', 'jsonl']
    """
    first = first[:_LONGEST_HEADER]
    text = first.decode("utf-8", "replace").strip()
    if text.startswith("{"):
        return "jsonl" if _record(text) is not None else ""
    found = by_first_line(first, ReadOptions())
    for delimiter in "\t,;|":
        fields = text.split(delimiter)
        table = found == "csv" or delimiter.encode() in second
        if len(fields) > 1 and table and _is_header(fields, labelled=found == "csv"):
            return "tsv" if delimiter == "\t" else "csv"
    return found


def _has_text(line: str, options: ReadOptions) -> bool:
    named = {options.text_column, options.label_column, *options.columns, *TEXT_NAMES}
    return any(name in named or normal(name) in named for name in _record(line) or ())


def _record(line: str) -> dict[str, object] | None:
    import json

    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _is_header(fields: list[str], labelled: bool = True) -> bool:
    names = [normal(field.strip('"')) for field in fields]
    bare = all(field == field.strip() and len(field) <= _LONGEST_NAME for field in fields)
    told = bare and any(n in TEXT_NAMES for n in names)
    return told and (not labelled or any(n in LABEL_NAMES for n in names))
