"""HTML as the text that a reader sees; every step takes time in proportion to the length.

The tag pattern always matches once it has begun, so nothing is read twice: an unclosed tag runs to the end.
"""

from __future__ import annotations

import re

from spamnb.core import BoundedCache
from spamnb.mail.entities import decoded
from spamnb.mail.hidden_text import INSIDE_TAG, shown
from spamnb.mail.html_facts import BLOCKS, facts_of
from spamnb.mail.links import misleads

_TAG = re.compile(rb"<([a-zA-Z/!?][^\s>]*)[^>]*>?")
_WHOLE_TAG = re.compile(rb"<([a-zA-Z/!?][^\s>]*)" + INSIDE_TAG + rb">?")
_SCRIPT = re.compile(rb"<(script|style)\b", re.IGNORECASE)
_END_OF_SCRIPT = re.compile(rb"</(?:script|style)[^>]*>?", re.IGNORECASE)


def page(source: bytes) -> tuple[bytes, list[bytes], bool]:
    """The text of an HTML source, facts about its markup, and whether a link shows another host than its own.

    >>> text, facts, _ = page(b"<p>Vi<!-- x -->ag<b>ra</b> &pound;5<br>now</p>")
    >>> text.decode(), facts
    (' Viagra £5 now ', [b'comments', b'tags_8', b'images_0'])
    """
    facts: list[bytes] = []
    if source.find(b"<!--") >= 0:
        source = _without_comments(source)
        facts.append(b"comments")
    source, sheets = _without_scripts(source, facts)
    parts = _split(source)
    lower = source.lower()
    facts += facts_of(lower, parts[1::2])
    seen, hides = shown(source, lower, sheets)
    if hides:
        facts.append(b"hidden")
        parts = _split(seen)
    parts[1::2] = map(_gaps.__getitem__, parts[1::2])
    return decoded(b"".join(parts)), facts, misleads(lower)


def _split(source: bytes) -> list[bytes]:
    """Text, name of a tag, text, name, text ...

    The pattern that looks for quotes takes three times as long: it is used where there are more > than tags.
    """
    parts = _TAG.split(source)
    return parts if source.count(b">") <= len(parts) // 2 else _WHOLE_TAG.split(source)


def _without_comments(source: bytes) -> bytes:
    first, *rest = source.split(b"<!--")
    kept = [first]
    for piece in rest:
        whole = piece.startswith((b">", b"->"))  # <!--> is a comment too
        kept.append(piece.partition(b">" if whole else b"-->")[2])
    return b"".join(kept)


def _without_scripts(source: bytes, facts: list[bytes]) -> tuple[bytes, bytes]:
    """The source without script and style elements, and the style sheets in lower case.

    An element that is not closed runs to the end.
    """
    pieces = _SCRIPT.split(source)
    if len(pieces) == 1:
        return source, b""
    names = [name.lower() for name in pieces[1::2]]
    facts += dict.fromkeys(names)
    kept, styles = pieces[:1], []
    for name, piece in zip(names, pieces[2::2], strict=True):
        end = _END_OF_SCRIPT.search(piece)
        kept.append(piece[end.end() :] if end else b"")
        if name == b"style":
            styles.append(piece[: end.start()] if end else piece)
    return b" ".join(kept), b"}".join(styles).lower()


def _gap(name: bytes) -> bytes:
    """What takes a tag's place: words stay whole across <b> or an invented tag, but not across <td>."""
    return b" " if name.lower().strip(b"/") in BLOCKS else b""


_gaps = BoundedCache(_gap)
