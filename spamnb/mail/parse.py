"""Mail -> body and tagged words, on bytes: one mail of 5 KB takes about ... microseconds."""

from __future__ import annotations

from spamnb.mail import Mail
from spamnb.mail.charset import decode_words
from spamnb.mail.envelope import (
    from_words,
    header_words,
    list_words,
    mailer_words,
    received_words,
    to_words,
)
from spamnb.mail.headers import Headers, split_head
from spamnb.mail.limits import DEFAULT, Limits
from spamnb.mail.links import link_words
from spamnb.mail.mime import Parts
from spamnb.mail.words import first_words, words


def parse(raw: bytes, limits: Limits = DEFAULT) -> Mail:
    """A mail's body and tags; any bytes are a mail, if need be one without headers.

    >>> mail = parse(b"From: Ann <ann@example.com>\\nSubject: Lunch?\\n\\nAt one.")
    >>> mail.body, mail.tags["subject"].split(), mail.tags["from"].split()[:2]
    (b'At one.', [b'Lunch'], [b'Ann', b'ann_example_com'])
    """
    notes: list[str] = []
    if len(raw) > limits.message:
        notes.append(f"only the first {limits.message} bytes were read")
        raw = raw[: limits.message]
    headers, content = split_head(_start(raw), limits, notes)
    parts = Parts(limits, notes)
    parts.add(headers, content)
    body = parts.texts[0] if len(parts.texts) == 1 else b"\n".join(parts.texts)
    found = _tags(headers, parts)
    tags = {tag: b" ".join(listed) for tag, listed in found if listed}
    for tag, text in tags.items():
        if len(text) >= 2 * limits.tag_words:
            tags[tag] = _cut(text, limits.tag_words, f"the tag {tag}", notes)
    return Mail(_cut(body, limits.words, "the body", notes), tags, tuple(notes))


def _start(raw: bytes) -> bytes:
    """A mail with newlines alone as line ends, from its first header on."""
    if 13 in raw:
        raw = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if raw[:1].isspace():
        raw = raw.lstrip()
    if raw.startswith((b"From ", b">From ")):  # the line that an mbox file sets before each mail
        raw = raw.partition(b"\n")[2]
    return raw


def _tags(headers: Headers, parts: Parts) -> tuple[tuple[str, list[bytes]], ...]:
    return (
        ("subject", [words(decode_words(headers[b"subject"]))] if b"subject" in headers else []),
        ("from", from_words(headers)),
        ("to", to_words(headers)),
        ("received", received_words(headers.get(b"received", b""))),
        ("list", list_words(headers)),
        ("mailer", mailer_words(headers)),
        ("header", header_words(headers)),
        ("url", link_words(parts.links)),
        ("mime", parts.mime_words()),
        ("file", parts.files),
        ("html", parts.html),
    )


def _cut(text: bytes, most: int, what: str, notes: list[str]) -> bytes:
    kept = first_words(text, most)
    if len(kept) < len(text):
        notes.append(f"{what} was cut at {most} words")
    return kept
