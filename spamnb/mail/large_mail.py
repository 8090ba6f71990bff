"""Reads a mail beyond the limit on its size: leaves out the bodies of attachments, as the mail comes in.

So text behind a large attachment is found, and memory stays within the limit. Of each part within another
at most half of the room that is left is kept, so a long text cannot push the page behind it out. Time is
linear in the size.
"""

from __future__ import annotations

import re

from spamnb.mail.content_type import content_types
from spamnb.mail.headers import split_head
from spamnb.mail.parsed_mail import DEFAULT
from spamnb.mail.uuencode import FIRST_LINES, is_text_name

_END_OF_HEAD = re.compile(rb"\n\r?\n")
_MARK = re.compile(rb"\n(?:--|begin [0-7]{3,4} )")
_END_OF_FILE = re.compile(rb"\n(?:--|end[ \t\r]*(?=\n))")
_BLANK_LINES = re.compile(rb"\A\n(?:[ \t\r]*+\n)*+")
_FROM_LINES = re.compile(rb"(?:>?From [^\n]*\n)*")
_LONGEST = 400  # bytes of a boundary, or of the first two lines of an uuencoded file
_TEXT, _PREAMBLE, _ATTACHMENT, _ENCODED_FILE = range(4)


class LargeMail:
    r"""Takes a mail in blocks and keeps at most `limit` bytes of it, without the bodies of attachments.

    >>> mail = LargeMail(200)
    >>> mail.feed(b"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: image/png\n\n")
    >>> mail.feed(b"x" * 1000 + b"\n--b\n\nhello\n--b--\n")
    >>> mail.finish()[0].partition(b"image/png")[2]
    b'\n\n--b\n\nhello\n--b--'
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept = bytearray()
        self._cut = False
        self._tail = b"\n"  # every line, the first one too, comes after the end of another
        self._boundaries: list[bytes] = []
        self._started = False  # has a line that is not blank come?
        self._in_head = True
        self._state = _TEXT
        self._preamble = 0  # where it begins in what is kept
        self._most = limit + 2  # bytes that are kept in all before this part ends

    def feed(self, block: bytes) -> None:
        """Takes the next bytes of the mail."""
        data = self._tail + block
        if not self._started:
            data = _BLANK_LINES.sub(b"\n", data, count=1)
            self._started = not data.isspace() or len(data) > self._limit
            if not self._started:
                self._tail = data
                return
        self._read(data, final=False)

    def finish(self) -> tuple[bytes, bool]:
        """Returns what was kept, and whether anything but attachments is missing."""
        self._read(self._tail, final=True)
        return bytes(self._kept[1 : self._limit + 1]), self._cut or len(self._kept) > self._limit + 1

    def _read(self, data: bytes, *, final: bool) -> None:
        at = 0
        while (
            after := self._read_head(data, at, final) if self._in_head else self._read_body(data, at, final)
        ) >= 0:
            at = after
        self._tail = data[~after:]

    def _read_head(self, data: bytes, at: int, final: bool) -> int:
        """Reads headers; returns where the body begins, or ~n if more is needed from n on."""
        end = _END_OF_HEAD.search(data, at)
        mark = data.find(b"\n--", at, end.start() if end else len(data))
        if mark > at and self._is_boundary(data[mark + 3 : mark + 3 + _LONGEST].partition(b"\n")[0]):
            self._keep(data[at:mark])
            self._in_head, self._state = False, _ATTACHMENT
            return mark
        if end is None and not final and len(data) - at <= DEFAULT.headers:
            return ~at
        self._in_head, self._state = False, _TEXT
        if end is None or end.start() - at > DEFAULT.headers:
            return at
        self._keep(data[at : end.end() - 1])
        self._open_part(data[at + 1 : end.start() + 1])
        return end.end() - 1

    def _open_part(self, head: bytes) -> None:
        """Decides by the headers of a part what becomes of its body."""
        lines = head[_FROM_LINES.match(head).end() :].replace(b"\r\n", b"\n")  # type: ignore[union-attr]
        headers = split_head(lines + b"\n", DEFAULT, [])[0]
        kind = content_types[headers.get(b"content_type", b"text/plain")]
        encoded = b"base64" in headers.get(b"content_transfer_encoding", b"").lower()
        if kind.kind == b"multipart" and kind.boundary and len(self._boundaries) < DEFAULT.depth:
            self._boundaries.append(kind.boundary)
            self._state, self._preamble = _PREAMBLE, len(self._kept)
        elif kind.type == b"message_rfc822" and not encoded:
            self._in_head = True
        elif kind.kind not in (b"text", b"multipart") and kind.type != b"message_rfc822":
            self._state = _ATTACHMENT
        elif self._boundaries:
            self._most = len(self._kept) + (self._limit + 2 - len(self._kept)) // 2

    def _read_body(self, data: bytes, at: int, final: bool) -> int:
        """Reads a body up to the next mark; returns where to go on, or ~n if more is needed from n on."""
        mark = self._next_mark(data, at)
        if mark < 0:
            end = len(data) if final else max(at, len(data) - 12)
            self._keep(data[at:end])
            return ~end
        if len(data) < mark + _LONGEST and not final:
            self._keep(data[at:mark])
            return ~mark
        line = data[mark + 1 : mark + _LONGEST].partition(b"\n")[0]
        end = mark + 1 + len(line)
        if line.startswith(b"--") and self._is_boundary(line[2:]):
            self._keep(data[at:mark])
            self._enter(line, data[mark:end])
            return end
        begin = FIRST_LINES.match(data, mark + 1) if self._state == _TEXT else None
        if begin and not is_text_name(begin[1]):
            self._keep(data[at : begin.end()])
            self._state = _ENCODED_FILE
            return begin.end()
        if self._state == _ENCODED_FILE and line.startswith(b"end"):
            self._state, at = _TEXT, mark
        self._keep(data[at:end])
        return end

    def _next_mark(self, data: bytes, at: int) -> int:
        if self._state == _ATTACHMENT:
            return data.find(b"\n--", at)
        match = (_END_OF_FILE if self._state == _ENCODED_FILE else _MARK).search(data, at)
        return match.start() if match else -1

    def _is_boundary(self, line: bytes) -> bool:
        line = line.rstrip()
        return line in self._boundaries or line.removesuffix(b"--") in self._boundaries

    def _enter(self, line: bytes, written: bytes) -> None:
        """Goes on after a boundary: with the headers of a part, or with what no part contains."""
        name = line[2:].rstrip()
        if self._state == _PREAMBLE:
            del self._kept[self._preamble :]
            self._cut = False
        self._state, self._most = _TEXT, self._limit + 2
        self._keep(written)
        if name in self._boundaries:
            del self._boundaries[self._boundaries.index(name) + 1 :]
            self._in_head = True
        else:
            del self._boundaries[self._boundaries.index(name.removesuffix(b"--")) :]
            self._state = _ATTACHMENT

    def _keep(self, data: bytes) -> None:
        if self._state in (_TEXT, _PREAMBLE) and data:
            room = self._most - len(self._kept)
            self._kept += data[: max(room, 0)]
            self._cut |= len(data) > room


def without_attachments(raw: bytes, limit: int) -> tuple[bytes, bool]:
    """Returns at most `limit` bytes of a mail without its attachments, and whether there is more text."""
    mail = LargeMail(limit)
    mail.feed(raw)
    return mail.finish()
