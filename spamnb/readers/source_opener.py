"""Opens an input as chunks of messages: detects the format and imports its reader."""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Sequence
from importlib import import_module

from spamnb.errors import DataError
from spamnb.readers.byte_stream import check_path, open_bytes
from spamnb.readers.decoded_input import DecodedInput, refuse_binary
from spamnb.readers.read_options import MAIL_FORMATS, ReadOptions
from spamnb.readers.source import Source
from spamnb.readers.tables.csv_dialect import sep_line

# format -> module with `open_input(given, options, *, format, labelled) -> Source`
READERS = {
    "csv": "spamnb.readers.tables.delimited",
    "tsv": "spamnb.readers.tables.delimited",
    "jsonl": "spamnb.readers.tables.jsonl",
    "parquet": "spamnb.readers.tables.parquet",
    "lines": "spamnb.readers.tables.plain_lines",
    "null": "spamnb.readers.tables.plain_lines",
    "eml": "spamnb.readers.mailboxes.mail_source",
    "mbox": "spamnb.readers.mailboxes.mail_source",
    "maildir": "spamnb.readers.mailboxes.mail_folders",
    "folder": "spamnb.readers.mailboxes.mail_folders",
    "index": "spamnb.readers.mailboxes.mail_index",
}


def open_source(path: str | Sequence[str], options: ReadOptions, *, labelled: bool) -> Source:
    """Open a path (`-` is standard input) and settle how to read it; several paths are mails, one a file.

    `labelled` asks for labels and leaves out records that cannot be used; without it every record comes out
    as one message, in order, and a pipe is read as it arrives.
    """
    if not isinstance(path, str):
        from spamnb.readers.mailboxes.mail_folders import open_files

        return open_files(path, options, labelled=labelled)
    if path != "-" and os.path.isdir(path):
        from spamnb.readers.mailboxes.mail_folders import open_folder

        return open_folder(path, options, labelled=labelled)
    stream = open_bytes(path, live=not labelled)
    try:
        return _open_stream(DecodedInput(stream), options, labelled)
    except BaseException:
        stream.close()
        raise


def _open_stream(given: DecodedInput, options: ReadOptions, labelled: bool) -> Source:
    format = _raw_format(given, options)
    if not given.raw_head and (labelled or format != "eml"):  # nothing at all is still a mail, an empty one
        return _empty(given, labelled and not options.may_be_empty)
    format = format or _text_format(given, options, labelled=labelled)
    source: Source = import_module(READERS[format]).open_input(
        given, options, format=format, labelled=labelled
    )
    return source


def _raw_format(given: DecodedInput, options: ReadOptions) -> str:
    """The format of what is read as it is stored; "" for text, which is decoded first."""
    if options.format in ("parquet", *MAIL_FORMATS):
        return options.format
    if options.format != "auto":
        return ""
    if given.raw_head.startswith(b"PAR1"):  # whatever its name
        return "parquet"
    from spamnb.readers.format_detection import mail_format

    return mail_format(given)


def _text_format(given: DecodedInput, options: ReadOptions, *, labelled: bool) -> str:
    nuls, bare = options.format == "null", options.format in ("lines", "null")
    if not bare:  # stated lines may hold any bytes
        refuse_binary(given, options.encoding, nuls=nuls)
        if sep_line(given.raw_head.removeprefix(BOM_UTF8))[0]:
            given.need_lines(2)  # the columns are named in the second one
    given.decode(options.encoding, nuls=nuls, lenient=bare and given.stream.live)
    if options.format != "auto":
        return options.format
    from spamnb.readers.format_detection import find_format

    return find_format(given, options, labelled=labelled)


def expand(paths: Sequence[str]) -> list[str]:
    """The inputs that some arguments stand for; refuses what cannot be read before anything is read."""
    for path in paths:
        if path != "-":
            check_path(path)
    return list(paths)


def _empty(given: DecodedInput, labelled: bool) -> Source:
    if labelled:
        raise DataError(f"{given.name} is empty", hint="give a file with labelled messages")
    return Source(given.name, f"{given.name}: empty", given.stream.size, iter(()), given.stream.close)
