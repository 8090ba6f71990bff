"""Recognises mails by their first lines."""

from __future__ import annotations

import re

_HEADER = re.compile(rb"([!-9;-~]+)[ \t]*:")
# Headers that mails begin with, besides X-...: a message such as "Note: call me" is none.
_FIRST_HEADERS = {
    *(b"return-path", b"received", b"delivered-to", b"envelope-to", b"delivery-date", b"from"),
    *(b"to", b"cc", b"subject", b"date", b"message-id", b"mime-version", b"reply-to", b"sender"),
    *(b"content-type", b"dkim-signature", b"arc-seal", b"authentication-results", b"list-id"),
}


def by_first_lines(head: bytes) -> str:
    r"""Returns `eml` or `mbox` if the first two lines begin a mail, else "".

    >>> [by_first_lines(head) for head in (b"From a\nTo: b\n", b"To: a\nDate: b\n", b"To: all\nHi\n")]
    ['mbox', 'eml', '']
    """
    first, _, second = head.partition(b"\n")
    if first.startswith(b"From "):
        return "mbox" if _HEADER.match(second) else ""
    continues = second.startswith((b" ", b"\t")) or _HEADER.match(second)
    return "eml" if begins_header(first) and continues else ""


def begins_header(line: bytes) -> bool:
    """Tells whether a line is a header that mails begin with."""
    header = _HEADER.match(line)
    name = header[1].lower() if header else b""
    return name in _FIRST_HEADERS or name.startswith(b"x-")


def is_raw_mail(message: bytes) -> bool:
    """Tells whether a message begins as a mail; the first test spares most messages the search for lines."""
    return bool(_HEADER.match(message) or message.startswith(b"From ")) and bool(by_first_lines(message))
