"""Reads the sender and the subject of a mail as a person writes them, for lists of mails."""

from __future__ import annotations

from spamnb.mail.charset import decode_words
from spamnb.mail.header_block import skip_to_header, unify_line_ends
from spamnb.mail.headers import split_head
from spamnb.mail.parsed_mail import DEFAULT


def sender_and_subject(raw: bytes) -> tuple[str, str]:
    r"""Returns the decoded fields From and Subject of a mail, empty where there is none.

    >>> sender_and_subject(b"From: Ann <ann@example.com>\nSubject: =?utf-8?q?caf=C3=A9?=\n\nAt one.")
    ('Ann <ann@example.com>', 'café')
    """
    head = unify_line_ends(raw[: DEFAULT.headers])
    headers, _ = split_head(skip_to_header(head), DEFAULT, [])
    sender, subject = (
        decode_words(headers.get(name, b"")).decode("utf-8", "replace") for name in (b"from", b"subject")
    )
    return " ".join(sender.split()), " ".join(subject.split())
