"""Takes uuencoded files out of a text, as old mail programs attach them."""

from __future__ import annotations

import re
from binascii import Error, a2b_uu
from typing import NamedTuple

# The line with a file's name, and the first one of its content.
FIRST_LINES = re.compile(rb"^begin [0-7]{3,4} (\S[^\n]{0,250})\n[!-`][ -`]{1,100}\r?$", re.MULTILINE)
_END = re.compile(rb"^end[ \t]*$", re.MULTILINE)
_TEXTS = (b".txt", b".text", b".htm", b".html", b".csv", b".log", b".md", b".asc")


class EncodedFile(NamedTuple):
    """The name of an uuencoded file, and its content if it is text."""

    name: bytes
    content: bytes


def is_text_name(name: bytes) -> bool:
    return name.strip().lower().endswith(_TEXTS)


def take_files(text: bytes) -> tuple[bytes, list[EncodedFile]]:
    r"""Returns a text without its uuencoded files, and these.

    >>> take_files(b"see\nbegin 644 a.txt\n%:&5L;&\\\n`\nend\nbye")
    (b'see\n\nbye', [EncodedFile(name=b'a.txt', content=b'hello')])
    """
    files: list[EncodedFile] = []
    pieces: list[bytes] = []
    start = 0
    while begin := FIRST_LINES.search(text, start):
        end = _END.search(text, begin.end())
        pieces.append(text[start : begin.start()])
        start = end.end() if end else len(text)
        name = begin[1].strip()
        lines = text[begin.end(1) + 1 : end.start() if end else start]
        content = _decode(lines) if is_text_name(name) else b""
        files.append(EncodedFile(name, content))
    return (b"".join([*pieces, text[start:]]) if files else text), files


def _decode(lines: bytes) -> bytes:
    decoded = []
    for line in lines.split(b"\n"):
        size = (line[0] - 32) & 63 if line else 0
        letters = 1 - (-size // 3) * 4
        try:  # some programs leave out blanks at the end of a line, others add some
            decoded.append(a2b_uu(line[:letters].ljust(letters)) if size else b"")
        except Error:
            continue
    return b"".join(decoded)
