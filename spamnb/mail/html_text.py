"""Converts HTML to its visible text, in linear time.

The tag pattern always matches once it has begun, so nothing is read twice: an unclosed tag runs to the end.
"""

from __future__ import annotations

import re

from spamnb.core import BoundedCache
from spamnb.mail.entities import decode_entities
from spamnb.mail.hidden_text import INSIDE_TAG, remove_hidden
from spamnb.mail.html_facts import BLOCKS, facts_of
from spamnb.mail.links import misleads

_TAG = re.compile(rb"<([a-zA-Z/!?][^\s>]*)[^>]*>?")
_QUOTED_TAG = re.compile(rb"<([a-zA-Z/!?][^\s>]*)" + INSIDE_TAG + rb">?")
_SCRIPT = re.compile(rb"<(script|style)\b", re.IGNORECASE)
_END_OF_SCRIPT = re.compile(rb"</(?:script|style)[^>]*>?", re.IGNORECASE)


def parse_html(source: bytes) -> tuple[bytes, list[bytes], bool]:
    """Returns the text of an HTML source, facts about its markup, and whether a link misleads about its host.

    >>> text, facts, _ = parse_html(b"<p>Vi<!-- x -->ag<b>ra</b> &pound;5<br>now</p>")
    >>> text.decode(), facts
    (' Viagra £5 now ', [b'comments', b'tags_8', b'images_0'])
    """
    facts: list[bytes] = []
    if source.find(b"<!--") >= 0:
        source = _without_comments(source)
        facts.append(b"comments")
    source, sheets = _without_scripts(source, facts)
    pieces = _split(source)
    lower = source.lower()
    facts += facts_of(lower, pieces[1::2])
    visible, hides = remove_hidden(source, lower, sheets)
    if hides:
        facts.append(b"hidden")
        pieces = _split(visible)
    pieces[1::2] = map(_gaps.__getitem__, pieces[1::2])
    return decode_entities(b"".join(pieces)), facts, misleads(lower)


def _split(source: bytes) -> list[bytes]:
    """Splits a source into text, name of a tag, text, name, text ...

    The pattern that knows quotes takes three times as long: it is used only if there are more > than tags.
    """
    pieces = _TAG.split(source)
    return pieces if source.count(b">") <= len(pieces) // 2 else _QUOTED_TAG.split(source)


def _without_comments(source: bytes) -> bytes:
    first, *others = source.split(b"<!--")
    texts = [first]
    for piece in others:
        empty = piece.startswith((b">", b"->"))  # <!--> is a comment too
        texts.append(piece.partition(b">" if empty else b"-->")[2])
    return b"".join(texts)


def _without_scripts(source: bytes, facts: list[bytes]) -> tuple[bytes, bytes]:
    """Returns the source without script and style elements, and the style sheets in lower case.

    An element that is not closed runs to the end.
    """
    pieces = _SCRIPT.split(source)
    if len(pieces) == 1:
        return source, b""
    names = [name.lower() for name in pieces[1::2]]
    facts += dict.fromkeys(names)
    texts, styles = pieces[:1], []
    for name, piece in zip(names, pieces[2::2], strict=True):
        end = _END_OF_SCRIPT.search(piece)
        texts.append(piece[end.end() :] if end else b"")
        if name == b"style":
            styles.append(piece[: end.start()] if end else piece)
    return b" ".join(texts), b"}".join(styles).lower()


def _gap(name: bytes) -> bytes:
    """Returns what replaces a tag: words continue across <b> or an invented tag, but end at <td>."""
    return b" " if name.lower().strip(b"/") in BLOCKS else b""


_gaps = BoundedCache(_gap)
