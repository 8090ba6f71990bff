"""Writes a verdict at the top of a mail's header: removes other verdicts and keeps every other byte."""

from __future__ import annotations

import re

from spamnb.mail.header_block import begins_header, split_block, split_envelope, whole_fields

# A sender could forge these fields, and a later program must see only our verdict. So all of X-Spam-* goes,
# as SpamAssassin does it, not only the fields that are written here.
_AFTER_NEWLINE, _AFTER_RETURN = whole_fields(b"x-spam", b"x-spamnb")
NO_VERDICT = [("X-Spamnb", "no verdict")]  # of a mail that could not be classified
_OWN_VERDICT = re.compile(rb"(?im)^x-spamnb:[ \t]*(\w{1,20})")
_LINE_ENDS = (b"\n", b"\r\n")  # those that every program reads as one line end
_UNPRINTABLE = re.compile(r"[^!-~]")
_WIDTH = 76
_LONGEST_WORD = 60  # fits after the longest name


def annotate(raw: bytes, fields: list[tuple[str, str]]) -> bytes:
    r"""Writes fields before all others of a mail, and removes verdicts that it came with.

    At the top, because some programs stop to read at the first line that is no field. A text without a header
    gets one.

    >>> annotate(b"Subject: hi\nX-Spam-Flag: NO\n\nbody\n", [("X-Spam-Flag", "YES")])
    b'X-Spam-Flag: YES\nSubject: hi\n\nbody\n'
    """
    envelope, mail = split_envelope(raw)
    end = b"\r\n" if (mail or envelope).partition(b"\n")[0].endswith(b"\r") else b"\n"
    if envelope and (not envelope.endswith(b"\n") or envelope.endswith(b"\r\r\n")):
        envelope = envelope.rstrip(b"\r\n") + end
    if begins_header(mail):
        mail = _remove_verdicts(mail)
    elif mail and not mail.startswith(_LINE_ENDS):
        mail = end + mail
    lines = [line for name, value in fields for line in fold(name, value).encode().split(b"\n")]
    return b"".join([envelope, *(line + end for line in lines), mail])


def own_verdict(mail: bytes) -> str:
    r"""Returns the verdict that `spamnb filter` wrote into a mail, "" if there is none.

    >>> own_verdict(b"X-Spamnb: spam, p=0.99\nSubject: hi\n\nbody"), own_verdict(b"To: a\n\nX-Spamnb: spam")
    ('spam', '')
    """
    match = _OWN_VERDICT.search(split_block(split_envelope(mail)[1])[0])
    return match[1].decode().lower() if match else ""


def _remove_verdicts(mail: bytes) -> bytes:
    r"""Removes all verdicts that a program could find in the header of a mail.

    >>> _remove_verdicts(b"X-Spam-Flag\0: NO\nTo: a\rX-Spam-Level: *\n\nX-Spam-Flag: in the body\n")
    b'To: a\n\nX-Spam-Flag: in the body\n'
    """
    first, second, body = split_block(mail)
    last = first[-1:]
    first = _AFTER_RETURN.sub(b"", _AFTER_NEWLINE.sub(b"", b"\n" + first)[1:])
    second = _AFTER_NEWLINE.sub(b"", last + second)[1:]
    return first + second + body


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
