r"""Defines a mail's header: line ends, fields, names, first line and last line. Nothing else defines them.

`headers` reads fields by these rules and `verdict_header` writes and removes them. Programs disagree about
broken headers, so spamnb reads what most of them read and removes what any of them could read:

- A line ends with `\n`, `\r\n`, `\r\r\n` (text that was converted twice) or a bare `\r`. Python's email ends
  a line at a bare `\r`, other programs do not.
- A name is printable ASCII. Other bytes in it, blanks before the colon and a fold before the colon do not
  count: Dovecot skips NUL, formail blanks.
- A line that begins with a blank continues the line before it.
- For spamnb, as for Python, the header ends at an empty line or at the first line that is no field. formail
  stops at fewer of these, Dovecot, maildrop and procmail only at an empty line that ends with `\n`.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE

_JUNK = rb"[^!-~\n\r]"  # blanks, control characters, bytes beyond ASCII
_JUNK_IN_NAME = rb"[^!-~\t\n\r ]"
# `http://example.com` is no field.
_FIELD = rb"(%b*+[!-9;-~][^\t\n\r :]*+)%b*+:(?!//)" % (_JUNK_IN_NAME, _JUNK)
_END = rb"(?:\r*+\n|\r)"
# Written before each mail by mailboxes and delivery programs; `>From ` is such a line in an older mail.
_MAILBOX_LINE = rb">?From [^\n\r]*+(?:%b|\Z)" % _END

LINE = re.compile(rb"\n(?:%b|(?![ \t]))" % _FIELD)  # splits lines with `\n`; no name: the line is no field
_CONVERTED_TWICE = re.compile(rb"(?<!\r)\r\r++\n")
_START = re.compile(rb"(?:\xef\xbb\xbf)?(?:[ \t]*+\n)*+(?:%b)*+" % _MAILBOX_LINE)
_BEGINS_HEADER = re.compile(rb"(?:%b)*+%b" % (_MAILBOX_LINE, _FIELD))
_ENVELOPE = re.compile(rb"From [^\n\r]*+(?:%b|\Z)" % _END)
_BLANK_LINE = re.compile(rb"\n\r*+\n")
_BLANK_BY_RETURN = re.compile(rb"(?:(?<!\r)\r|\n)\r(?!\r*+\n)")
_UTF16 = (BOM_UTF16_LE, BOM_UTF16_BE)
_UNPRINTABLE = bytes(byte for byte in range(256) if not 33 <= byte <= 126)


def unify_line_ends(raw: bytes) -> bytes:
    r"""Returns a mail with `\n` as its only line end.

    >>> unify_line_ends(b"A: 1\r\nB: 2\r\r\nC: 3\rD: 4\n\r\n")
    b'A: 1\nB: 2\nC: 3\nD: 4\n\n'
    """
    if 13 not in raw:
        return raw
    if raw.find(b"\r\r\n") >= 0:
        raw = _CONVERTED_TWICE.sub(b"\n", raw)
    return _without_carriage_returns(raw.replace(b"\r\n", b"\n"))


def _without_carriage_returns(raw: bytes) -> bytes:
    """Replaces them by newlines, but in UTF-16 only in the header: there a letter may have such a byte."""
    if not any(mark in raw for mark in _UTF16):
        return raw.replace(b"\r", b"\n")
    head, blank, body = raw.partition(b"\n\n")
    return head.replace(b"\r", b"\n") + blank + body


def skip_to_header(text: bytes) -> bytes:
    r"""Returns a mail with `\n` line ends from its first field on, without blank lines and `From ` lines.

    >>> skip_to_header(b"\n\nFrom ann Mon Jan  1\nSubject: hi\n")
    b'Subject: hi\n'
    """
    start = _START.match(text)
    return text[start.end() :] if start and start.end() else text


def is_mailbox_line(line: bytes) -> bool:
    return line.startswith((b"From ", b">From "))


def begins_header(mail: bytes) -> bool:
    r"""Returns whether a mail begins with a field; else all of it is body.

    >>> begins_header(b"Subject\t: hi\n"), begins_header(b"Hello\n"), begins_header(b" Subject: hi\n")
    (True, False, False)
    """
    return _BEGINS_HEADER.match(mail) is not None


def plain_name(name: bytes) -> bytes:
    r"""Returns the name of a field in lower case, without what does not count.

    >>> plain_name(b"X-Spam\0-Flag\xa0")
    b'x-spam-flag'
    """
    return name.lower() if name.isalnum() else name.translate(None, _UNPRINTABLE).lower()


def split_envelope(raw: bytes) -> tuple[bytes, bytes]:
    r"""Splits a mail after the `From ` line that it begins with; that line is no field.

    >>> split_envelope(b"From ann Mon Jan  1\nSubject: hi\n")
    (b'From ann Mon Jan  1\n', b'Subject: hi\n')
    """
    envelope = _ENVELOPE.match(raw)
    return (envelope[0], raw[envelope.end() :]) if envelope else (b"", raw)


def split_block(mail: bytes) -> tuple[bytes, bytes, bytes]:
    r"""Splits a mail that begins with a field where programs stop to read fields: the first, then the last.

    In the first piece a bare `\r` ends a line for some programs, in the second one for none.

    >>> split_block(b"A: 1\r\nno field\r\nB: 2\r\n\r\nbody")
    (b'A: 1\r\nno field\r\nB: 2\r\n', b'', b'\r\nbody')
    >>> split_block(b"A: 1\r\rbody or not?\nB: 2\n\nbody")
    (b'A: 1\r', b'\rbody or not?\nB: 2\n', b'\nbody')
    """
    blank = _BLANK_LINE.search(mail)
    last = blank.start() + 1 if blank else len(mail)
    returns = _BLANK_BY_RETURN.search(mail, 0, last)
    first = returns.start() + 1 if returns else last
    return mail[:first], mail[first:last], mail[last:]


def whole_fields(*names: bytes) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    r"""Compiles patterns of whole fields after `\n` and after a bare `\r`, which is part of the match.

    They match every form that some program could take for a name, or for a name and a suffix after `-`.
    Without what matches, the lines around it are still apart.

    >>> after_newline, after_return = whole_fields(b"x-a")
    >>> after_newline.sub(b"", b"\nx-a\0 : 1\n 2\nX-A-b: 3\nX-Abc: 4\n")
    b'\nX-Abc: 4\n'
    >>> after_return.sub(b"", b"B: 1\rX-A: 2\nC: 3\n")
    b'B: 1\nC: 3\n'
    """
    skipped = rb"(?:%b|%b(?=[ \t]))" % (_JUNK, _END)  # also where the name is folded
    spelled = b"|".join(b"".join(b"%c%b*+" % (byte, skipped) for byte in name) for name in names)
    suffix = rb"(?:-(?:[!-9;-~]|%b)*+)?" % skipped
    value = rb"[^\n\r]*+(?:%b[ \t][^\n\r]*+)*+" % _END
    field = rb"%b*+(?:%b)%b:%b" % (_JUNK_IN_NAME, spelled, suffix, value)
    after_newline = rb"(?i)(?<=\n)(?:%b(?:%b|\Z))++" % (field, _END)
    return re.compile(after_newline), re.compile(rb"(?i)\r%b(?=[\n\r]|\Z)" % field)
