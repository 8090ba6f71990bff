"""Defines a parsed mail and the batch of texts that several mails make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spamnb.core import Record
from spamnb.messages import Texts

# What a mail says besides its body. The text of a tag is words of letters, digits and underscores with
# spaces between them; each becomes a token `tag:word`.
TAGS = ("subject", "from", "to", "received", "list", "mailer", "header", "url", "mime", "file", "html")


class Mail(Record):
    """One parsed mail: its body as UTF-8 text, the words of each tag, and which limits it ran into."""

    body: bytes
    tags: Mapping[str, bytes]
    notes: tuple[str, ...] = ()


def as_texts(mails: Sequence[Mail]) -> Texts:
    """Mails as a batch: their bodies, and beside them the texts of every tag.

    >>> texts = as_texts([Mail(b"hello", {"subject": b"hi there"})])
    >>> texts[0], texts.tags["subject"][0]
    (b'hello', b'hi there')
    """
    bodies = Texts.of([mail.body for mail in mails])
    tags = {tag: Texts.of([mail.tags.get(tag, b"") for mail in mails]) for tag in TAGS}
    return Texts(bodies.data, bodies.starts, bodies.ends, tags)
