"""Defines a parsed mail, the limits of parsing, and how mails become a batch of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spamnb.core import Record
from spamnb.mail.sender_lists import SenderLists
from spamnb.messages import Texts

# The evidence of a mail besides its body. The text of a tag is words of letters, digits and underscores,
# separated by spaces; each becomes a token `tag:word`.
TAGS = ("subject", "from", "to", "received", "list", "mailer", "header", "url", "mime", "file", "html")


class Limits(Record):
    """How a mail is read: what is beyond a limit is left out and noted, never refused.

    The unit is bytes, unless another one is named. By default a mail gives at most about 10,000 tokens.

    >>> DEFAULT.message, Limits(parts=3).parts
    (524288, 3)
    """

    message: int = 512 * 1024
    header_line: int = 8 * 1024
    headers: int = 64 * 1024
    parts: int = 1000  # parts
    depth: int = 32  # parts within parts
    text: int = 256 * 1024  # of all text parts together, after base64 and quoted-printable
    words: int = 8000  # words of the body
    tag_words: int = 200  # words of each tag
    authserv_ids: tuple[bytes, ...] = ()  # whose Authentication-Results count, in lower case; () detects it
    lists: SenderLists = SenderLists()  # of senders that are allowed or blocked


DEFAULT = Limits()


class Mail(Record):
    """One parsed mail: its body as UTF-8 text, the words of each tag, and the limits at which it was cut."""

    body: bytes
    tags: Mapping[str, bytes]
    notes: tuple[str, ...] = ()
    listed: str = ""  # the entry of a list that decides about it, such as `allow example.org`
    subject: bytes = b""  # as a reader sees it, in UTF-8


def mail_texts(mails: Sequence[Mail]) -> Texts:
    """Turns mails into a batch: their bodies, and beside them the texts of every tag.

    >>> texts = mail_texts([Mail(b"hello", {"subject": b"hi there"})])
    >>> texts[0], texts.tags["subject"][0]
    (b'hello', b'hi there')
    """
    bodies = Texts.of([mail.body for mail in mails])
    tags = {tag: Texts.of([mail.tags.get(tag, b"") for mail in mails]) for tag in TAGS}
    listed = tuple(mail.listed for mail in mails)
    subjects = tuple(mail.subject for mail in mails)
    return Texts(bodies.data, bodies.starts, bodies.ends, tags, listed if any(listed) else (), subjects)
