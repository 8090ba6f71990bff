"""How much of a mail is read: what lies beyond a limit is left out and noted, never refused."""

from __future__ import annotations

from spamnb.core import Record


class Limits(Record):
    """Bytes, unless another unit is named; with the defaults a mail gives about 10,000 tokens at most.

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


DEFAULT = Limits()
