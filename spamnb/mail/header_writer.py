"""A mail with its verdict in the header: old verdicts out, new ones in, every other byte as it was."""

from __future__ import annotations

import re

# What a sender could forge: a filter further down the line must see our verdict and no other. So all of
# X-Spam-* goes, as SpamAssassin does it, not only the four fields that are written here.
# Possessive, since 10 MB of folded lines would else leave 400 MB of places to go back to.
_OURS = re.compile(rb"(?im)^x-spam(?:nb|-[!-9;-~]*)?[ \t]*:[^\n]*+(?:\n[ \t][^\n]*+)*+(?:\n|\Z)")
_NAME = re.compile(rb"[!-9;-~]+[ \t]*:")
_ENVELOPE = re.compile(rb"(?:>?From [^\n]*(?:\n|\Z))*")  # what mbox files and delivery agents put first
_BLANK = re.compile(rb"(?m)^(?:\r?\n|\r\Z)")  # also where a mail was cut in the middle of its blank line
_UNPRINTABLE = re.compile(r"[^!-~]")
_WIDTH = 76
_LONGEST_WORD = 60  # fits behind the longest name


def split(raw: bytes) -> tuple[bytes, bytes]:
    r"""The header block, and the rest: from the blank line on, or all of a text without a header.

    >>> split(b"A: 1\nB: 2\n\nbody\n"), split(b"no header\n")
    ((b'A: 1\nB: 2\n', b'\nbody\n'), (b'', b'no header\n'))
    """
    envelope = _ENVELOPE.match(raw)
    start = envelope.end() if envelope else 0
    blank = _BLANK.search(raw, start)
    end = blank.start() if blank else len(raw)
    kept = _OURS.sub(b"", raw[start:end])
    end = end if not kept or _NAME.match(kept) else start
    return raw[:end], raw[end:]


def annotate(raw: bytes, fields: list[tuple[str, str]]) -> bytes:
    r"""The mail with these fields at the end of its header, in place of any it came with.

    >>> annotate(b"X-Spam-Flag: NO\nSubject: hi\n\nbody\n", [("X-Spam-Flag", "YES")])
    b'Subject: hi\nX-Spam-Flag: YES\n\nbody\n'
    """
    header, body = split(raw)
    header = _OURS.sub(b"", header)
    end = b"\r\n" if (header or body).partition(b"\n")[0].endswith(b"\r") else b"\n"
    if header and not header.endswith(b"\n"):
        header += b"\n" if header.endswith(b"\r") else end
    lines = [line for name, value in fields for line in fold(name, value).encode().split(b"\n")]
    between = end if body and not _BLANK.match(body) else b""
    return b"".join([header, *(line + end for line in lines), between, body])


def fold(name: str, value: str) -> str:
    r"""A header field in lines of at most 76 characters, broken at blanks; printable ASCII only.

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
    r"""A word as a header may hold it; a very long one, which has no blank to break at, is cut.

    >>> _printable("caf\xe9\x07"), len(_printable("a" * 1000))
    ('caf\\xe9?', 60)
    """
    plain = _UNPRINTABLE.sub("?", word.encode("ascii", "backslashreplace").decode())
    return plain if len(plain) <= _LONGEST_WORD else plain[: _LONGEST_WORD - 3] + "..."
