"""Recognises mails by their first lines."""

from __future__ import annotations

import re

_HEADER = re.compile(rb"([!-9;-~]+)[ \t]*:")
_FOLD = re.compile(rb"\r?\n[ \t]+")
_MAIL_HEAD = 4096  # characters of a text that are looked at for headers
# Headers that mails begin with, besides X-...: a message such as "Note: call me" is none.
_FIRST_HEADERS = {
    *(b"return-path", b"received", b"delivered-to", b"envelope-to", b"delivery-date", b"from"),
    *(b"to", b"cc", b"subject", b"date", b"message-id", b"mime-version", b"reply-to", b"sender"),
    *(b"content-type", b"dkim-signature", b"arc-seal", b"authentication-results", b"list-id"),
    b"received-spf",
}
_MOST_LINES = 30  # of a header that are looked at for a value that only mail has
_HEADER_LINES = re.compile(rb"(?:(?:[!-9;-~]++[ \t]*+:|[ \t]++[^ \t\r\n])[^\n]*+\n){0,%d}" % _MOST_LINES)
# No value has these forms where a person writes `Date: Friday` and `From: Anna` in two messages.
_ONLY_IN_MAIL = re.compile(
    rb"""(?ix) (?:^|\n) (?:
    (?:from|to|cc|sender|reply-to|delivered-to|envelope-to|x-[\w-]+-to): [^\n]* [^\s<]@\w
    | return-path: [ ]* <  |  message-id: [ ]* <\S+@
    | received: [ ]* (?:from|by|\() [ ]*  |  received-spf: [ ]* \w+ [ ] \(  |  mime-version: [ ]* 1\.0
    | date: [ ]* (?:[a-z]{3}, [ ]*)? \d{1,2} [ ] [a-z]{3} [ ] \d{2}
    | (?:dkim-signature|arc-seal|authentication-results): [^\n]* [=;]
    | content-type: [ ]* [a-z]+/[a-z] )"""
)


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


def certain_mail(head: bytes, *, ended: bool = False) -> str:
    r"""Returns `eml` or `mbox` if these lines can only begin a mail, and are not messages, one a line.

    A line without an end counts only if all has `ended`.

    >>> [certain_mail(b"Date: %b\nPlace: Joe\n" % date) for date in (b"Friday", b"Fri, 2 Jan 2026 09:00")]
    ['', 'eml']
    """
    format = by_first_lines(head)
    if format != "eml":
        return format
    head += b"\n" * (ended and not head.endswith(b"\n"))
    header = _FOLD.sub(b" ", _header(head))
    return "eml" if _ONLY_IN_MAIL.search(header) or _is_whole(header, head) else ""


def _is_whole(header: bytes, head: bytes) -> bool:
    """Tells whether a header has only fields that mails begin with, and ends with an empty line."""
    after = head[len(_header(head)) :]
    return after.startswith((b"\n", b"\r\n")) and all(map(begins_header, header.splitlines()))


def may_be_mail(head: bytes) -> bool:
    r"""Tells whether more lines may turn these, which all belong to a header, into a certain mail.

    >>> [may_be_mail(b"Subject: x\nTo: " + lines) for lines in (b"Ann\n", b"Ann\nhi\n", b"a@b.example\n")]
    [True, False, False]
    """
    lines = _header(head).count(b"\n")
    return lines == head.count(b"\n") < _MOST_LINES and by_first_lines(head) == "eml" != certain_mail(head)


def _header(head: bytes) -> bytes:
    """Returns the whole lines at the beginning that are fields or continue one."""
    lines = _HEADER_LINES.match(head)
    return lines[0] if lines else b""


def begins_header(line: bytes) -> bool:
    """Tells whether a line is a header that mails begin with."""
    header = _HEADER.match(line)
    name = header[1].lower() if header else b""
    return name in _FIRST_HEADERS or name.startswith(b"x-")


def is_raw_mail(message: bytes) -> bool:
    """Tells whether a message begins as a mail; the first test spares most messages the search for lines."""
    return bool(_HEADER.match(message) or message.startswith(b"From ")) and bool(by_first_lines(message))


def begins_as_mail(text: str) -> bool:
    r"""Tells whether a text begins with two header fields.

    >>> begins_as_mail("Subject: Hi\n there\nTo: b"), begins_as_mail("Subject: Hi\n there")
    (True, False)
    """
    return bool(by_first_lines(_FOLD.sub(b" ", text[:_MAIL_HEAD].encode("utf-8", "surrogatepass"))))
