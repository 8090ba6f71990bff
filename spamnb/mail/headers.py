"""Splits the header block of a mail or part into names and values, and ignores misleading headers."""

from __future__ import annotations

import re
from itertools import islice

from spamnb.core import BoundedCache
from spamnb.mail.header_block import LINE, is_mailbox_line, plain_name
from spamnb.mail.parsed_mail import Limits
from spamnb.mail.tagged_words import as_word

# Maps a name as a word, such as x_priority, to its first value; names in _REPEATED to all, joined by HOP.
Headers = dict[bytes, bytes]
_REPEATED = (b"authentication_results", b"received")
HOP = b"\r"  # occurs in no value: line ends are newlines alone

# Verdicts of other filters, the mailbox of a mail and headers of its delivery are ignored: from them a filter
# would learn how a corpus was collected, not what spam is.
_IGNORED = re.compile(
    rb"""(?:x-)?(?:.*spam.*|.*junk.*|.*bogosity.*|rspamd.*|crm114.*|.*virus.*|.*scanner.*
    |(?:ms-exchange|microsoft-antispam|forefront|ironport|barracuda|proofpoint|pmx|miltered|uuid).*
    |(?:amavis|assp|clx-|cloudmark|cmae-|dcc|mailcleaner|pyzor|razor|rbl|scanned|sonicwall|tm-as-|yahoofilter).*
    |status|uidl?|keywords|mozilla.*|evolution.*|kmail.*|gnus.*|gmail.*|gm-.*|imap.*|(?:.*-)?folder|label|account-key
    |lines|content-length|xref|replied|forwarded|from-line|delivery-date|delivery-agent|delivered
    |(?:apparently|delivered|original|originally|envelope|rcpt|mdrcpt|mdaemon-deliver)-to
    |envelope-info|original-recipient)""",
    re.VERBOSE,
)


def _word(name: bytes) -> bytes:
    """Returns a header's name as a word, "" if it is ignored."""
    lower = plain_name(name)[:64]
    return b"" if _IGNORED.fullmatch(lower) else as_word(lower)


_words = BoundedCache(_word)


def split_head(raw: bytes, limits: Limits, notes: list[str]) -> tuple[Headers, bytes]:
    r"""Returns the headers and the body of a mail with `\n` line ends.

    >>> from spamnb.mail.parsed_mail import DEFAULT
    >>> split_head(b"Subject: free entry\nX-Spam-Flag: YES\n\nCall now", DEFAULT, [])
    ({b'subject': b' free entry'}, b'Call now')
    """
    names, values, body = read_fields(raw, limits, notes)
    return first_values(names, values), body


def read_fields(raw: bytes, limits: Limits, notes: list[str]) -> tuple[list[bytes], list[bytes], bytes]:
    """Returns the names and values of all fields of a mail with `\\n` line ends, and its body."""
    if raw.startswith(b"\n"):
        return [], [], raw[1:]
    head, blank, body = raw.partition(b"\n\n")
    lines = LINE.split(b"\n" + head[: limits.headers])
    if lines[0] or lines[1] is None:  # a blank, or no field
        return [], [], raw
    names, values = lines[1::2], lines[2::2]
    if len(head) > limits.header_line:
        _shorten(head, names, values, limits, notes)
    if None in names:
        end = _first_body_line(names, values)
        if end < len(names):
            start = next(islice(LINE.finditer(b"\n" + head), end, None)).start()
            names, body = names[:end], head[start:] + blank + body
    return names, values[: len(names)], body


def _first_body_line(names: list[bytes], values: list[bytes]) -> int:
    """Returns the number of the first line that is no header: the body begins there, without a blank line."""
    for number, name in enumerate(names):
        if name is None:
            if not is_mailbox_line(values[number]):
                return number
            names[number] = b"x-from-line"  # left by a mailbox, and ignored
    return len(names)


def first_values(names: list[bytes], values: list[bytes]) -> Headers:
    """Returns the first value of each name, in the order of the names; repeated ones come last."""
    words = [*map(_words.__getitem__, names)]
    headers: Headers = dict.fromkeys(words, b"")
    words.reverse()
    values.reverse()
    headers.update(zip(words, values, strict=True))
    headers.pop(b"", None)
    for name in _REPEATED:
        if headers.pop(name, None) is not None:
            several = [value for word, value in zip(words, values, strict=True) if word == name]
            headers[name] = HOP.join(reversed(several))
    return headers


def _shorten(head: bytes, names: list[bytes], values: list[bytes], limits: Limits, notes: list[str]) -> None:
    if len(head) > limits.headers:
        notes.append(f"headers beyond {limits.headers:,} bytes were left out")
        if len(names) > 1:
            names.pop()  # the last one is not complete
    if any(len(value) > limits.header_line for value in values):
        notes.append(f"header lines were cut at {limits.header_line:,} bytes")
        values[:] = [value[: limits.header_line] for value in values]
