"""Writes a verdict into the header of a mail: replaces old verdicts and keeps every other byte."""

from __future__ import annotations

import re

# A sender could forge these fields, and a later filter must see only our verdict. So all of X-Spam-* goes, as
# SpamAssassin does it, not only the four fields that are written here. Possessive, because 10 MB of folded
# lines would otherwise need 400 MB for backtracking.
_OURS = re.compile(rb"(?im)^x-spam(?:nb|-[!-9;-~]*)?[ \t]*:[^\n]*+(?:\n[ \t][^\n]*+)*+(?:\n|\Z)")
_NAME = re.compile(rb"[!-9;-~]+[ \t]*:")
_ENVELOPE = re.compile(rb"(?:>?From [^\n]*(?:\n|\Z))*")  # written first by mbox files and delivery agents
_BLANK = re.compile(rb"(?m)^(?:\r?\n|\r\Z)")  # also if a mail was cut in the middle of its blank line
_UNPRINTABLE = re.compile(r"[^!-~]")
_WIDTH = 76
_LONGEST_WORD = 60  # fits after the longest name


def split_header(raw: bytes) -> tuple[bytes, bytes]:
    r"""Splits a mail at the blank line after its header; a text without a header is all body.

    >>> split_header(b"A: 1\nB: 2\n\nbody\n"), split_header(b"no header\n")
    ((b'A: 1\nB: 2\n', b'\nbody\n'), (b'', b'no header\n'))
    """
    envelope = _ENVELOPE.match(raw)
    start = envelope.end() if envelope else 0
    blank = _BLANK.search(raw, start)
    end = blank.start() if blank else len(raw)
    others = _OURS.sub(b"", raw[start:end])
    end = end if not others or _NAME.match(others) else start
    return raw[:end], raw[end:]


def annotate(raw: bytes, fields: list[tuple[str, str]]) -> bytes:
    r"""Adds fields at the end of a mail's header, and removes verdicts that it came with.

    >>> annotate(b"X-Spam-Flag: NO\nSubject: hi\n\nbody\n", [("X-Spam-Flag", "YES")])
    b'Subject: hi\nX-Spam-Flag: YES\n\nbody\n'
    """
    header, body = split_header(raw)
    header = _OURS.sub(b"", header)
    end = b"\r\n" if (header or body).partition(b"\n")[0].endswith(b"\r") else b"\n"
    if header and not header.endswith(b"\n"):
        header += b"\n" if header.endswith(b"\r") else end
    lines = [line for name, value in fields for line in fold(name, value).encode().split(b"\n")]
    between = end if body and not _BLANK.match(body) else b""
    return b"".join([header, *(line + end for line in lines), between, body])


def fold(name: str, value: str) -> str:
    r"""Folds a header field into lines of at most 76 printable ASCII characters, at blanks.

    >>> fold("X-Spamnb", "spam, " + "word " * 20).count("\n")
    1
    """
    lines, line = [], f"{name}:"
    for word in map(_printable, value.split()):
        if len(line) + 1 + len(word) > _WIDTH:
            lines.append(line)
            line = ""
        line += f" {word}"
    return "\n".join([*lines, line])


def _printable(word: str) -> str:
    r"""Escapes a word for a header, and cuts a very long one, which has no blank to fold at.

    >>> _printable("caf\xe9\x07"), len(_printable("a" * 1000))
    ('caf\\xe9?', 60)
    """
    escaped = _UNPRINTABLE.sub("?", word.encode("ascii", "backslashreplace").decode())
    return escaped if len(escaped) <= _LONGEST_WORD else escaped[: _LONGEST_WORD - 3] + "..."
