"""Prepares messages for a list of recent ones: a readable text, and a digest that near-duplicates share."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import NamedTuple

from spamnb.mail import DEFAULT, parse_mail, sender_and_subject
from spamnb.service.message_scoring import Message

MOST_TEXT = 4000  # characters of a text that are kept and shown
_DIGITS, _SPACE = re.compile(r"\d+"), re.compile(r"\W+")


class Preview(NamedTuple):
    """The beginning of a message as text, and the digest of its words, in which all numbers are alike."""

    text: str
    digest: str


def preview_of(message: Message) -> Preview:
    r"""Returns the preview of a message; that of a mail begins with its sender and subject.

    >>> preview_of(Message(b"Pay 12.50 now")).digest == preview_of(Message(b"pay 9.99  NOW!")).digest
    True
    >>> preview_of(Message(b"From: a@example.com\nSubject: Lunch\n\nAt one.", True)).text
    'From: a@example.com\nSubject: Lunch\n\nAt one.'
    """
    if not message.is_mail:
        text = message.raw.decode("utf-8", "replace")
        return Preview(text[:MOST_TEXT], _digest(text))
    sender, subject = sender_and_subject(message.raw)
    body = parse_mail(message.raw, DEFAULT).body.decode("utf-8", "replace").strip()
    fields = [f"From: {sender}"] * bool(sender) + [f"Subject: {subject}"] * bool(subject)
    return Preview("\n".join([*fields, "", body])[:MOST_TEXT].lstrip("\n"), _digest(f"{subject}\n{body}"))


def _digest(text: str) -> str:
    words = _SPACE.sub(" ", _DIGITS.sub("0", text.casefold())).strip()
    same_numbers = re.sub(r"0(?: 0)+", "0", words)
    return blake2b((same_numbers or text).encode("utf-8", "replace"), digest_size=12).hexdigest()
