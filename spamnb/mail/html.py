"""HTML as the text that a reader sees; every step takes time in proportion to the length.

The tag pattern always matches once it has begun, so nothing is read twice: an unclosed tag runs to the end.
"""

from __future__ import annotations

import re

from spamnb.mail.links import misleads
from spamnb.mail.markup import BLOCKS, facts_of, hidden_classes, without_hidden
from spamnb.mail.memo import Memo

_TAG = re.compile(rb"<([a-zA-Z/!?][^\s>]*)[^>]*>?")
_SCRIPT = re.compile(rb"<(script|style)\b", re.IGNORECASE)
_END_OF_SCRIPT = re.compile(rb"</(?:script|style)[^>]*>?", re.IGNORECASE)
_ENTITY = re.compile(rb"&(#?[A-Za-z0-9]{1,24});?")
_COMMON = {b"nbsp": b" ", b"amp": b"&", b"lt": b"<", b"gt": b">", b"quot": b'"'}


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
    source, classes = _without_scripts(source, facts)
    parts = _TAG.split(source)  # text, name, text, name, text ...
    lower = source.lower()
    facts += facts_of(lower, parts[1::2])
    if classes or b"hidden" in facts:
        shown = without_hidden(source, classes)
        facts += [b"hidden"] if shown != source and b"hidden" not in facts else []
        parts = _TAG.split(shown)
    parts[1::2] = map(_gaps.__getitem__, parts[1::2])
    return _decoded(b"".join(parts)), facts, misleads(lower)


def _without_comments(source: bytes) -> bytes:
    first, *rest = source.split(b"<!--")
    kept = [first]
    for piece in rest:
        whole = piece.startswith((b">", b"->"))  # <!--> is a comment too
        kept.append(piece.partition(b">" if whole else b"-->")[2])
    return b"".join(kept)


def _without_scripts(source: bytes, facts: list[bytes]) -> tuple[bytes, frozenset[bytes]]:
    """The source without script and style elements, and the classes that a style hides.

    An element that is not closed runs to the end.
    """
    pieces = _SCRIPT.split(source)
    if len(pieces) == 1:
        return source, frozenset()
    names = [name.lower() for name in pieces[1::2]]
    facts += dict.fromkeys(names)
    kept, styles = pieces[:1], []
    for name, piece in zip(names, pieces[2::2], strict=True):
        end = _END_OF_SCRIPT.search(piece)
        kept.append(piece[end.end() :] if end else b"")
        if name == b"style":
            styles.append(piece[: end.start()] if end else piece)
    return b" ".join(kept), hidden_classes(b"".join(styles).lower())


def _gap(name: bytes) -> bytes:
    """What takes a tag's place: words stay whole across <b> or an invented tag, but not across <td>."""
    return b" " if name.lower().strip(b"/") in BLOCKS else b""


_gaps = Memo(_gap)


def _decoded(text: bytes) -> bytes:
    if 38 not in text:  # &
        return text
    return _ENTITY.sub(lambda found: _entities[found[1]], text.replace(b"&nbsp;", b" "))


def _entity(name: bytes) -> bytes:
    if name in _COMMON:
        return _COMMON[name]
    from html import unescape  # its table of 2,231 names takes a millisecond to import

    return unescape(f"&{name.decode()};").encode("utf-8", "replace")


_entities = Memo(_entity)
