r"""Escapes messages in TSV files that `predict` writes, and takes the escapes away when such a file is read.

A tab, a line end and every character that could steer a terminal is escaped; a backslash only where what
follows it would make it an escape. In a table a quote that begins a field is escaped too: a field that begins
with one was quoted by another program, such as a spreadsheet.
"""

from __future__ import annotations

import re

from spamnb.core import UNSAFE, visible
from spamnb.messages.texts import Texts

_UNSAFE = "\t" + UNSAFE  # bytes that are not UTF-8 are lone surrogates, which are unsafe
_ESCAPED = re.compile(rf"\\(?=[\\tnrxuU{_UNSAFE}])|[{_UNSAFE}]")
_BACKSLASH = re.compile(rb"\\[\\tnrxuU]")  # in a text without unsafe characters
_ESCAPE = re.compile(rb"\\(?:[\\tnr]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")
_SHORT = {rb"\\": b"\\", rb"\t": b"\t", rb"\n": b"\n", rb"\r": b"\r"}


def escape_field(message: bytes) -> bytes:
    r"""Returns a message as one field of a line.

    >>> print(escape_field(b"a\tb").decode(), escape_field(rb"a\tb").decode(), escape_field(rb"\o/").decode())
    a\tb a\\tb \o/
    """
    return _ESCAPED.sub(_escape, message.decode("utf-8", "surrogateescape")).encode()


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    if "\udc80" <= char <= "\udcff":  # a byte that is not UTF-8
        return f"\\x{ord(char) - 0xDC00:02x}"
    return r"\\" if char == "\\" else visible(char, tsv=True)


def backslash_positions(data: bytes) -> list[int]:
    r"""Returns where a backslash must be escaped in texts without unsafe characters.

    >>> backslash_positions(rb"\o/ C:\temp")
    [6]
    """
    return [match.start() for match in _BACKSLASH.finditer(data)] if b"\\" in data else []


def unescape_fields(texts: Texts) -> Texts:
    r"""Takes the escapes away from texts that have them.

    >>> unescape_fields(Texts.of([rb"a\tb", rb"a\\tb", rb"\o/"])).tolist() == [b"a\tb", rb"a\tb", rb"\o/"]
    True
    """
    if b"\\" not in texts.data:
        return texts
    return Texts.of([_ESCAPE.sub(_unescape, text) if b"\\" in text else text for text in texts.tolist()])


def _unescape(match: re.Match[bytes]) -> bytes:
    escape = match.group()
    code = 0 if escape in _SHORT else int(escape[2:], 16)
    is_character = code < 0xD800 or 0xDFFF < code < 0x110000  # others were not written by `escape_field`
    return _SHORT.get(escape) or (chr(code).encode() if is_character else escape)
