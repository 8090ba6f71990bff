"""Detects the format of an input by its suffix or its first lines."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from dataclasses import replace

from spamnb.core import excerpt
from spamnb.errors import DataError
from spamnb.messages import (
    begins_header,
    by_first_lines as by_first_lines,
    certain_mail as certain_mail,
    may_be_mail,
)
from spamnb.readers.decoded_input import DecodedInput
from spamnb.readers.formats import FORMATS, format_by_suffix
from spamnb.readers.read_options import ReadOptions
from spamnb.readers.tables.label_words import TEXT_NAMES, is_label_name, normalize_name

_JSON = ("json", "jsonl")
_ARRAY = re.compile(rb'\s*\[\s*\{\s*"')  # [{"text": ..., which no message begins with
_ARRAY_BEGINS = (b"[", b"[{")  # first lines of an array that is written on many lines
_LONGEST_NAME = 30
_LONGEST_LABEL = 64  # bytes of a line of an index before its path
_SEP_LINE = re.compile(rb'"?sep=([,;|\t]|\\t)[,;|\t "]*(?:\r\n|\r|\n|\Z)', re.IGNORECASE)
_LONGEST_HEADER = 1 << 16  # characters of the line that names the columns


def text_format(decoded: DecodedInput, options: ReadOptions, *, labelled: bool) -> str:
    """Detects the format of a decoded input."""
    first_line = decoded.head.partition(b"\n")[0]
    format = format_by_suffix(decoded.name) or by_first_line(first_line)
    if format in _JSON:  # a file .json holds either
        return "json" if begins_array(decoded.head) else "jsonl"
    unended = first_line.strip() in _ARRAY_BEGINS
    if not format and _ARRAY.match(decoded.head if unended or not decoded.stream.live else first_line):
        return "json"
    if format:
        return format
    if labelled and options.label is not None:  # one label for all messages: they may be plain lines
        options, labelled = replace(options, default_format="lines"), False
    default = "lines" if options.default_format == "auto" else options.default_format
    needs_columns = labelled or options.columns.text or options.columns.beside_text
    return "csv" if needs_columns and not FORMATS[default].labelled else default


def mail_format(decoded: DecodedInput) -> str:
    """Detects `eml`, `mbox` or `index` in an input that is not yet decoded; returns "" if it is no mail."""
    format = format_by_suffix(decoded.name)
    if format and FORMATS[format].is_mail:
        return format
    if format or not (decoded.raw_head.startswith(b"From ") or begins_header(decoded.raw_head)):
        return "index" if _is_index(decoded) else ""
    decoded.need_lines(2)
    while not decoded.stream.ended and may_be_mail(decoded.raw_head):
        lines = decoded.raw_head.count(b"\n")
        decoded.need_lines(lines + 1)
        if decoded.raw_head.count(b"\n") == lines:  # a line longer than what is looked at
            break
    return certain_mail(decoded.raw_head, ended=decoded.stream.ended)


def begins_array(head: bytes) -> bool:
    """Returns whether a JSON text begins an array."""
    return head.lstrip().startswith(b"[")


def _is_index(decoded: DecodedInput) -> bool:
    stream = decoded.stream
    if stream.path == "-" or b" " not in decoded.raw_head[:_LONGEST_LABEL].replace(b"\t", b" "):
        return False
    from spamnb.readers.mailboxes.mail_index import is_index

    return is_index(stream.path, decoded.raw_head if stream.ended else decoded.raw_head[:_LONGEST_HEADER])


def lines_to_detect(head: bytes) -> int:
    r"""Returns the number of lines that detection needs; more than one only where the first asks for it.

    >>> [lines_to_detect(head) for head in (b"sep=;\n", b"[\n", b"id,text\n", b"see you\n")]
    [2, 3, 2, 1]
    """
    line = head.removeprefix(BOM_UTF8).partition(b"\n")[0]
    if line.strip() in _ARRAY_BEGINS:
        return 3
    unclear = _names_columns(line) and not by_first_line(line)
    return 2 if sep_line(line)[0] or unclear else 1


def refuse_unclear_lines(decoded: DecodedInput) -> None:
    """Refuses lines that may be messages or a table with a usual name for texts: `id,text` above `1,ok`."""
    first, _, rest = decoded.raw_head.removeprefix(BOM_UTF8).partition(b"\n")
    if by_first_line(first) or not _names_columns(first):
        return
    if table := looks_like(first, rest.partition(b"\n")[0]):
        raise DataError(
            f"{decoded.name} may be {table.upper()} or one message per line: "
            f'it begins with "{excerpt(first.decode("utf-8", "replace").strip())}"',
            hint=f"--input-format {table} reads columns, --input-format lines classifies each line",
        )


def _names_columns(line: bytes) -> bool:
    """Returns whether a line may name columns, a text among them."""
    text = line[:_LONGEST_HEADER].decode("utf-8", "replace").strip()
    return any(d in text and _is_header(text.split(d), labelled=False) for d in "\t,;|")


def names_one_column(line: bytes) -> bool:
    """Returns whether a line is a usual name of a column of texts; it may be a message too.

    >>> names_one_column(b"Message"), names_one_column(b"message me")
    (True, False)
    """
    return _is_header([line[:_LONGEST_HEADER].decode("utf-8", "replace").strip()], labelled=False)


def by_first_line(line: bytes) -> str:
    r"""Returns the format of a first line that cannot be a message; else "".

    Only one line is looked at, so that the answer does not depend on how much of a pipe has arrived.

    >>> [by_first_line(line) for line in (b"label,text", b"ham\tok", b'{"text": "ok"}', b"Hi, text me")]
    ['csv', 'tsv', 'jsonl', '']
    """
    text = line.decode("utf-8", "replace").strip()
    if text.startswith("{") and _record(text):
        return "jsonl"
    text = text[:_LONGEST_HEADER]
    first, _, second = text.partition("\t")
    if first.lower() in ("ham", "spam") and second:
        return "tsv"
    if sep_line(line)[0]:
        return "csv"
    return "csv" if any(_is_header(text.split(delimiter)) for delimiter in "\t,;|") else ""


def many_messages(data: bytes) -> str:
    r"""Describes data that holds more than one message; returns "" if it may be one.

    >>> many_messages(b'{"text": "hi"}\n'), many_messages(b"hi\nyou")
    ('a table', '')
    """
    from spamnb.readers.mailboxes.mbox import holds_many

    if by_first_line(data.partition(b"\n")[0]):
        return "a table"
    return "an mbox of several emails" if holds_many(data) else ""


def looks_like(first: bytes, second: bytes) -> str:
    r"""Returns the likely format of two lines: `csv`, `tsv`, `jsonl` or ""; good for a note only.

    >>> [looks_like(*lines) for lines in ((b"id,text", b"1,ok"), (b"id,text", b"ok"), (b'{"id": 1}', b""))]
    ['csv', '', 'jsonl']
    """
    first = first[:_LONGEST_HEADER]
    text = first.decode("utf-8", "replace").strip()
    if text.startswith("{"):
        return "jsonl" if _record(text) is not None else ""
    certain = by_first_line(first)
    for delimiter in "\t,;|":
        fields = text.split(delimiter)
        is_table = certain == "csv" or delimiter.encode() in second
        if len(fields) > 1 and is_table and _is_header(fields, labelled=certain == "csv"):
            return "tsv" if delimiter == "\t" else "csv"
    return certain


def _record(line: str) -> dict[str, object] | None:
    import json

    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _is_header(fields: list[str], labelled: bool = True) -> bool:
    """Returns whether fields are bare names, with one for texts and, if `labelled`, one for labels."""
    names = [normalize_name(field.strip('"')) for field in fields]
    bare = all(field == field.strip() and len(field) <= _LONGEST_NAME for field in fields)
    has_text = bare and any(name in TEXT_NAMES for name in names)
    return has_text and (not labelled or any(map(is_label_name, names)))


def sep_line(head: bytes) -> tuple[str, int]:
    r"""Returns the delimiter that a first line `sep=;` names, and the bytes of that line.

    Any other first line gives "" and 0.

    >>> sep_line(b"sep=;\r\nlabel;text\r\n"), sep_line(b"sep=\t\n"), sep_line(b"label;text\n")
    ((';', 7), ('\t', 6), ('', 0))
    """
    line = _SEP_LINE.match(head)
    if not line:
        return "", 0
    return line[1].replace(rb"\t", b"\t").decode(), line.end()
