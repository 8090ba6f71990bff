"""Parses a raw mail into its body and its tagged words, by steps on bytes that each take linear time.

Half of the mails of the SpamAssassin corpus take up to 75 us, which the standard library's compat32 parser takes
for splitting and decoding alone. One with HTML takes about a millisecond, most of it for styles that hide text.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE

from spamnb.mail.charset import decode_words, to_utf8
from spamnb.mail.content_type import content_types
from spamnb.mail.envelope import (
    header_words,
    list_words,
    mailer_words,
    received_words,
    recipient_words,
    sender_words,
)
from spamnb.mail.headers import Headers, split_head
from spamnb.mail.large_mail import without_attachments
from spamnb.mail.mime import MailParts, read_parts
from spamnb.mail.parsed_mail import DEFAULT, TAGS, Limits, Mail
from spamnb.mail.tagged_words import first_words, words

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF16 = (BOM_UTF16_LE, BOM_UTF16_BE)
# Written before the subject by SpamAssassin, Exchange and others: ***** SPAM *****, [SPAM], {Spam?}.
_MARK = re.compile(
    rb"(?i)\s*(?:[\[{*]{1,8}\s?(?:(?:possible|probable|suspected) )?spam\b(?!-)[^\]}*]{0,16}[\]}*]{1,8}\s*)+"
)


def parse_mail(raw: bytes, limits: Limits = DEFAULT) -> Mail:
    r"""Parses a mail; any bytes are a mail, if need be one without headers.

    >>> mail = parse_mail(b"From: Ann <ann@example.com>\nSubject: Lunch?\n\nAt one.")
    >>> mail.body, mail.tags["subject"].split(), mail.tags["from"].split()[:2]
    (b'At one.', [b'Lunch'], [b'Ann', b'ann_example_com'])
    """
    notes: list[str] = []
    if not raw or raw.isspace():
        return Mail(b"", dict.fromkeys(TAGS, b""), ())  # no headers are missing: nothing is known of it
    if len(raw) > limits.message:
        raw, cut = without_attachments(raw, limits.message)
        if cut:
            notes.append(f"only the first {limits.message} bytes were read")
    headers, content = split_head(_skip_to_headers(raw), limits, notes)
    parts = read_parts(headers, content, limits, notes)
    body = parts.texts[0] if len(parts.texts) == 1 else b"\n".join(parts.texts)
    tags = _tags(headers, parts)
    for tag, text in tags.items():
        if len(text) >= limits.tag_words and text.count(b" ") >= limits.tag_words:
            tags[tag] = _cut(text, limits.tag_words, f"the tag {tag}", notes)
    return Mail(_cut(body, limits.words, "the body", notes), tags, tuple(dict.fromkeys(notes)))


def _skip_to_headers(raw: bytes) -> bytes:
    """Returns a mail from its first header on, with newlines as its only line ends."""
    if 13 in raw:
        raw = raw.replace(b"\r\n", b"\n")
        raw = _without_carriage_returns(raw)
    if raw[:1].isspace() or raw.startswith(_BYTE_ORDER_MARK):
        raw = raw.removeprefix(_BYTE_ORDER_MARK).lstrip()
    start = 0
    while raw.startswith((b"From ", b">From "), start):  # the line before each mail in an mbox
        start = raw.find(b"\n", start) + 1 or len(raw)
    return raw[start:]


def _without_carriage_returns(raw: bytes) -> bytes:
    """Replaces them by newlines, but in UTF-16 only in the header: there a letter may have such a byte."""
    if not any(mark in raw for mark in _UTF16):
        return raw.replace(b"\r", b"\n")
    head, blank, body = raw.partition(b"\n\n")
    return head.replace(b"\r", b"\n") + blank + body


def _tags(headers: Headers, parts: MailParts) -> dict[str, bytes]:
    return {
        "subject": words(_subject(headers)),
        "from": b" ".join(sender_words(headers)),
        "to": b" ".join(recipient_words(headers)),
        "received": b" ".join(received_words(headers.get(b"received", b""))),
        "list": list_words(headers),
        "mailer": mailer_words(headers),
        "header": b" ".join(header_words(headers, parts.mime[0])),
        "url": b" ".join(parts.url_words()),
        "mime": b" ".join(parts.mime_words()),
        "file": b" ".join(parts.files),
        "html": b" ".join(parts.html),
    }


def _subject(headers: Headers) -> bytes:
    """Returns the subject without the mark that another filter put before it."""
    value = headers.get(b"subject", b"")
    if value.isascii() or value.find(b"=?") >= 0:
        subject = decode_words(value)
    else:
        kind = content_types[headers[b"content_type"]] if b"content_type" in headers else None
        subject = to_utf8(value, kind.charset if kind else b"")
    mark = _MARK.match(subject) if subject[:60].lower().find(b"spam") >= 0 else None
    return subject[mark.end() :] if mark else subject


def _cut(text: bytes, most: int, what: str, notes: list[str]) -> bytes:
    cut = first_words(text, most)
    if len(cut) < len(text):
        notes.append(f"{what} was cut at {most} words")
    return cut
