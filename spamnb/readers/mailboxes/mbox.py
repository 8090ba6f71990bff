"""Splits an mbox into mails at its `From ` lines; the file is only read, never locked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spamnb.mail import LargeMail

_FROM = b"\nFrom "
_LONGEST_MARK = len(b"\n\r\nFrom ")
_LONGEST_LINE = 1000  # bytes of a `From ` line that are read; RFC 5322 allows a line 998
_TIME = re.compile(rb"From [^\n]+?[ \t][0-9]{1,2}:[0-9]{2}")
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)
_NEXT_MAIL = re.compile(rb"\n\r?\n(From )[^\n]*\n[!-9;-~]+[ \t]*:")


class MailBuffer:
    r"""Collects one mail: all bytes of a small one, and of a larger one `max_size` besides its attachments.

    >>> mail = MailBuffer(9)
    >>> mail.add(b"A: b\n\nhello")
    >>> mail.take(), mail.take()
    ((b'A: b\n\nhel', True), (b'', False))
    """

    def __init__(self, max_size: int) -> None:
        self._max_size = max_size
        self._data = bytearray()
        self._large: LargeMail | None = None

    def add(self, data: bytes) -> None:
        if self._large is None:
            self._data += data
            if len(self._data) <= self._max_size:
                return
            from spamnb.mail import LargeMail

            self._large, data = LargeMail(self._max_size), bytes(self._data)
            self._data.clear()
        self._large.feed(data)

    def take(self) -> tuple[bytes, bool]:
        """Returns the mail, and whether it was cut short; then the next one may come."""
        mail = (bytes(self._data), False) if self._large is None else self._large.finish()
        self._data.clear()
        self._large = None
        return mail


class Splitter:
    r"""Splits blocks, wherever they end, into mails of at most `max_size` bytes, and marks those cut short.

    A mail begins at a line with `From `, at the start or after a blank line. That line and the blank line
    are no part of it, and `>From ` becomes `From ` again. Of a larger mail the attachments are left out.
    If the first such line has a time, as mail programs write it, one without a time is text.

    >>> Splitter(100).feed(b"From a\nSubject: 1\n\nhi\n\nFrom b\nSubject: 2\n", final=True)
    [(b'Subject: 1\n\nhi\n', False), (b'Subject: 2\n', False)]
    """

    def __init__(self, max_size: int) -> None:
        self._mail = MailBuffer(max_size)
        self._tail = b"\n\n"  # as if a blank line came before the first one
        self._timed: bool | None = None  # whether marks have a time; None before the first mark

    def feed(self, block: bytes, *, final: bool = False) -> list[tuple[bytes, bool]]:
        """Returns the mails that end in this block, each with whether it was cut short."""
        data, start, mails = self._tail + block, 0, []
        end = len(data) if final else len(data) - _LONGEST_MARK + 1
        at = data.find(_FROM)
        while at >= 0:
            if data[at - 1 : at] == b"\n" or data[at - 2 : at] == b"\n\r":
                if not final and not _line_complete(data, at + 1):
                    end = at - 2
                    break
                if self._is_mark(data, at + 1):
                    self._keep(data, start, at - (data[at - 1 : at] == b"\r"))
                    mails += self._finish()
                    start = at + 1
            at = data.find(_FROM, at + 1)
        end = max(start, end)
        self._keep(data, start, end)
        self._tail = data[end:]
        return mails + self._finish(last=True) if final else mails

    def _is_mark(self, data: bytes, at: int) -> bool:
        """Returns whether the `From ` line there begins a mail; the first one decides what they look like."""
        timed = has_time(data, at)
        if self._timed is None:
            self._timed = timed
        return timed or not self._timed

    def _keep(self, data: bytes, start: int, end: int) -> None:
        self._mail.add(data[start:end])

    def _finish(self, *, last: bool = False) -> list[tuple[bytes, bool]]:
        raw, cut = self._mail.take()
        if last and not cut and raw.endswith((b"\n\n", b"\n\r\n")):
            raw = raw[:-1].removesuffix(b"\r")
        if not raw.startswith(b"From "):  # what comes before the first mark, mostly nothing
            raw = raw.lstrip(b"\r\n")
            return [(unescape(raw), cut)] if raw else []
        return [(unescape(without_mark(raw)), cut)]


def _line_complete(data: bytes, at: int) -> bool:
    """Returns whether the line there ends in the data, or has as many bytes as are read."""
    return len(data) >= at + _LONGEST_LINE or data.find(b"\n", at) >= 0


def has_time(data: bytes, at: int = 0) -> bool:
    r"""Returns whether a line that begins with `From ` has a time after its first word.

    >>> has_time(b"From a@b Mon Jan  1 00:00:00 2024\n"), has_time(b"From 10:30 on we meet\nat 10:30\n")
    (True, False)
    """
    return _TIME.match(data, at, at + _LONGEST_LINE) is not None


def without_mark(raw: bytes) -> bytes:
    r"""Removes the `From ` line that mail programs put before a mail.

    >>> without_mark(b"From a@b Mon Jan  1\nSubject: hi\n")
    b'Subject: hi\n'
    """
    return raw.partition(b"\n")[2] if raw.startswith(b"From ") else raw


def unescape(raw: bytes) -> bytes:
    r"""Removes one `>` from lines that begin with `>From `.

    >>> unescape(b"\n>From me\n>>From you\n> From\n")
    b'\nFrom me\n>From you\n> From\n'
    """
    return _ESCAPED.sub(rb"\1", raw) if b">From " in raw else raw


def holds_many(raw: bytes) -> bool:
    """Returns whether a file in a folder of mails is an mbox.

    A `From ` line at the start is no evidence: of the 16,047 mails of two public corpora 15,454 have one.
    None of them has a second one after a blank line with a header below it.
    """
    if not raw.startswith(b"From ") or raw.find(_FROM) < 0:
        return False
    timed = has_time(raw)
    return any(not timed or has_time(raw, mark.start(1)) for mark in _NEXT_MAIL.finditer(raw))
