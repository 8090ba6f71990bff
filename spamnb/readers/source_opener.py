"""Opens an input as a source of messages: detects its format and imports the reader."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module

from spamnb.errors import DataError
from spamnb.readers.byte_stream import open_bytes
from spamnb.readers.decoded_input import DecodedInput, refuse_binary
from spamnb.readers.formats import FORMATS, format_by_magic, format_by_suffix
from spamnb.readers.read_options import ReadOptions
from spamnb.readers.source import Source

_ZIP = b"PK"


def open_source(path: str | Sequence[str], options: ReadOptions, *, labelled: bool) -> Source:
    """Opens a path (`-` is standard input), or several files of one mail each.

    With `labelled` the messages need labels, and unusable records are skipped. Without it every record comes
    out as one message, in order, and a pipe is read as it arrives.
    """
    if not isinstance(path, str):
        from spamnb.readers.mailboxes.mail_folders import open_files

        return open_files(path, options, labelled=labelled)
    if path != "-" and os.path.isdir(path):
        from spamnb.readers.mailboxes.mail_folders import open_folder

        return open_folder(path, options, labelled=labelled)
    stream = open_bytes(path, live=not labelled)
    try:
        decoded = _unpack(DecodedInput(stream), options)
        stream = decoded.stream
        return _open_input(decoded, options, labelled)
    except BaseException:
        stream.close()
        raise


def _unpack(decoded: DecodedInput, options: ReadOptions) -> DecodedInput:
    """Returns the data file in a ZIP archive; any other input, and a format that is one itself, as it is."""
    stated = options.format, format_by_suffix(decoded.name)
    is_format = any(FORMATS[name].magic.startswith(_ZIP) for name in stated if name in FORMATS)
    if is_format or not decoded.raw_head.startswith(_ZIP):
        return decoded
    from spamnb.readers.zip_archive import is_archive, open_archive

    return open_archive(decoded) if is_archive(decoded.raw_head) else decoded


def _open_input(decoded: DecodedInput, options: ReadOptions, labelled: bool) -> Source:
    format = _stored_format(decoded, options)
    if not decoded.raw_head and (labelled or format != "eml"):  # an empty mail is still a mail
        if labelled and not options.mail.may_be_empty:
            kind = "labelled messages" if options.label is None else "messages"
            raise DataError(f"{decoded.name} is empty", hint=f"give a file with {kind}")
        return Source(decoded.stream, f"{decoded.name}: empty", iter(()))
    format = format or _text_format(decoded, options, labelled=labelled)
    reader = import_module(f"spamnb.readers.{FORMATS[format].module}")
    source: Source = reader.open_input(decoded, options, format=format, labelled=labelled)
    source.format = format
    return source


def _stored_format(decoded: DecodedInput, options: ReadOptions) -> str:
    """Returns the format of an input that is read as stored; "" for text, which is decoded first."""
    if options.format != "auto":
        return options.format if FORMATS[options.format].as_stored else ""
    from spamnb.readers.format_detection import mail_format

    return format_by_magic(decoded.raw_head) or mail_format(decoded)


def _text_format(decoded: DecodedInput, options: ReadOptions, *, labelled: bool) -> str:
    """Decodes a text input and returns its format."""
    nuls, lines = options.format == "null", options.format in ("lines", "null")
    if not lines:  # stated lines may hold any bytes
        from spamnb.readers.format_detection import lines_to_detect, refuse_unclear_lines

        may_be_lines = not labelled and decoded.stream.path == "-" and options.says_nothing
        refuse_binary(decoded, "any" if may_be_lines else options.encoding, nuls=nuls)
        decoded.need_lines(lines_to_detect(decoded.raw_head))
        if may_be_lines:
            refuse_unclear_lines(decoded)
    decoded.decode(options.encoding, nuls=nuls)
    if options.format != "auto":
        return options.format
    from spamnb.readers.format_detection import text_format

    return text_format(decoded, options, labelled=labelled)
