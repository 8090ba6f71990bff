"""Parses a raw mail into its body and its tagged words, by steps on bytes that each take linear time.

Half of the mails of the SpamAssassin corpus take at most 75 us; the standard library's compat32 parser took
119 for splitting and decoding alone. One with HTML takes 0.7 ms on average, half of it to evaluate styles.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from spamnb.errors import InputError
from spamnb.mail.authentication import authentication_words
from spamnb.mail.charset import decode_words, to_utf8
from spamnb.mail.content_type import content_types
from spamnb.mail.envelope import (
    header_words,
    list_words,
    mailer_words,
    received_words,
    recipient_words,
    sender_domain,
    sender_words,
)
from spamnb.mail.header_block import skip_to_header, unify_line_ends
from spamnb.mail.headers import Headers, split_head
from spamnb.mail.large_mail import without_attachments
from spamnb.mail.listed_sender import listed_entry
from spamnb.mail.mime import MailParts, read_parts
from spamnb.mail.parsed_mail import DEFAULT, TAGS, Limits, Mail, mail_texts
from spamnb.mail.tagged_words import first_words, words
from spamnb.messages import Texts

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
    listed = listed_entry(raw, limits)
    if len(raw) > limits.message:
        raw, cut = without_attachments(raw, limits.message)
        if cut:
            notes.append(f"only the first {limits.message:,} bytes were read")
    headers, content = split_head(skip_to_header(unify_line_ends(raw)), limits, notes)
    parts = read_parts(headers, content, limits, notes)
    body = parts.texts[0] if len(parts.texts) == 1 else b"\n".join(parts.texts)
    subject = _subject(headers)
    tags = _tags(headers, parts, limits.authserv_ids, subject)
    for tag, text in tags.items():
        if len(text) >= limits.tag_words and text.count(b" ") >= limits.tag_words:
            tags[tag] = _cut(text, limits.tag_words, f"the tag {tag}", notes)
    body = _cut(body, limits.words, "the body", notes)
    return Mail(body, tags, tuple(dict.fromkeys(notes)), listed, subject)


def parse_mails(mails: Any) -> Texts:
    r"""Parses one raw mail, or several, into messages for a model: `model.predict(parse_mail(raw))`.

    A mail is bytes, a file that is open for reading bytes, or a message of Python's package `email`.

    >>> from spamnb import parse_mail
    >>> texts = parse_mail(b"From: Ann <ann@example.com>\nSubject: Lunch?\n\nAt one.")
    >>> len(texts), texts[0], texts.tags["subject"][0].split()
    (1, b'At one.', [b'Lunch'])
    """
    one = (
        isinstance(mails, (bytes, bytearray, memoryview, str))
        or hasattr(mails, "read")
        or hasattr(mails, "as_bytes")
    )
    if one or not isinstance(mails, Iterable):
        return mail_texts([parse_mail(_raw(mails))])
    return mail_texts([parse_mail(_raw(mail, f"mails[{i}] is no mail: ")) for i, mail in enumerate(mails)])


def _raw(mail: Any, place: str = "") -> bytes:
    """Returns the bytes of a mail; refuses text, whose bytes are not known any more."""
    if hasattr(mail, "as_bytes"):
        return bytes(mail.as_bytes())
    raw = mail.read() if hasattr(mail, "read") else mail
    if isinstance(raw, (bytes, bytearray, memoryview)):
        return bytes(raw)
    what = "None" if raw is None else type(raw).__name__
    raise InputError(
        f"{place}expected a raw email as bytes, got {what}",
        hint="read it as bytes: parse_mail(open(path, 'rb')), or encode it: parse_mail(text.encode())",
    )


def _tags(
    headers: Headers, parts: MailParts, authserv_ids: tuple[bytes, ...], subject: bytes
) -> dict[str, bytes]:
    facts = header_words(headers, parts.mime[0]) + authentication_words(headers, authserv_ids)
    return {
        "subject": words(_without_mark(subject)),
        "from": b" ".join(sender_words(headers)),
        "to": b" ".join(recipient_words(headers)),
        "received": b" ".join(received_words(headers.get(b"received", b""))),
        "list": list_words(headers),
        "mailer": mailer_words(headers),
        "header": b" ".join(facts),
        "url": b" ".join(parts.url_words(sender_domain(headers))),
        "mime": b" ".join(parts.mime_words()),
        "file": b" ".join(parts.files),
        "html": b" ".join(parts.html),
    }


def _subject(headers: Headers) -> bytes:
    """Returns the subject in UTF-8."""
    value = headers.get(b"subject", b"")
    if value.isascii() or value.find(b"=?") >= 0:
        return decode_words(value)
    kind = content_types[headers[b"content_type"]] if b"content_type" in headers else None
    return to_utf8(value, kind.charset if kind else b"")


def _without_mark(subject: bytes) -> bytes:
    """Returns a subject without the mark that another filter put before it."""
    mark = _MARK.match(subject) if subject[:60].lower().find(b"spam") >= 0 else None
    return subject[mark.end() :] if mark else subject


def _cut(text: bytes, most: int, what: str, notes: list[str]) -> bytes:
    cut = first_words(text, most)
    if len(cut) < len(text):
        notes.append(f"{what} was cut at {most:,} words")
    return cut
