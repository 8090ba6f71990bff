"""Splits an HTML source into tags and the texts between them, by one pattern in linear time."""

from __future__ import annotations

import re
from typing import NamedTuple

# Elements whose content is text up to their end tag, whatever is in it.
_RAW_TEXT = rb"script|style|title|textarea|xmp|iframe|noembed|noframes"
COMMENT = b"!--"
# Quoted text after = belongs to the tag, with any > in it; a quote that is never closed runs to the end.
# All patterns are possessive and match wherever they begin: nothing is read twice.
_QUOTED = rb"""(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))"""
_INSIDE_TAG = rb"[^>=]*+(?:=(?:\s*+" + _QUOTED + rb")?+[^>=]*+)*+"
_REST_OF_COMMENT = rb"(?:-?>|[^-]*+(?:-(?!-!?>)[^-]*+)*+(?:--!?>)?+)"  # <!--> is a comment too
_CONTENT = rb"[^<]*+(?:<(?!/(?i:\3)(?:[ \t\n\f\r/>]|\Z))[^<]*+)*+"
# Groups: 1 the name of any tag, 2 that of a comment, 3 of an element with raw text, 4 of <!doctype> and the
# like; 5 the attributes, 6 the raw text.
_TAG = re.compile(
    rb"<((!--)|((?i:" + _RAW_TEXT + rb"))(?=[ \t\n\f\r/>]|\Z)|/?[a-zA-Z][^ \t\n\f\r/>]*+|([!?/][^\s>]*+))"
    rb"(?(2)" + _REST_OF_COMMENT + rb"|(?(4)[^>]*+>?|(" + _INSIDE_TAG + rb")>?"
    rb"(?(3)(" + _CONTENT + rb")(?:</[^>]*+>?)?+)))"
)
_STEP = _TAG.groups + 1


class Markup(NamedTuple):
    """The tags of an HTML source, each as a name (b, /b or !doctype) and attributes, and the texts between.

    The text before a tag has the same place as the tag; one more text comes after the last tag.
    """

    texts: list[bytes]
    names: list[bytes]
    attributes: list[bytes]


def name_set(names: str) -> frozenset[str]:
    """Returns the names in a text, which has blanks between them."""
    return frozenset(names.split())


def split_markup(source: bytes, lower: bytes) -> Markup:
    """Splits an HTML source into tags and texts; `lower` is the source in lower case.

    >>> source = b'a<b title="x>y">c</b><!-- d --><style>p {}</style>'
    >>> split_markup(source, source).names
    [b'b', b'/b', b'!--', b'style', b'/style']
    """
    end = _end_of_markup(source) if lower.find(b"<plaintext") >= 0 else len(source)
    pieces = _TAG.split(source[:end])
    raw_texts = pieces[6::_STEP]
    attributes = [raw or b"" for raw in pieces[5::_STEP]]
    markup = Markup(pieces[::_STEP], [*map(bytes.lower, pieces[1::_STEP])], attributes)
    if raw_texts.count(None) < len(raw_texts):
        markup = _with_raw_texts(markup, raw_texts)
    if end < len(source):
        markup.texts[-1] = source[end:]
    return markup


def _end_of_markup(source: bytes) -> int:
    """Returns where everything is text: after <plaintext>."""
    for tag in _TAG.finditer(source):
        if tag[1].lower() == b"plaintext":
            return tag.end()
    return len(source)


def _with_raw_texts(markup: Markup, raw_texts: list[bytes | None]) -> Markup:
    """Inserts raw texts and the end tags after them."""
    texts, names, attributes = Markup([], [], [])
    done = 0
    for at, raw_text in enumerate(raw_texts, 1):
        if raw_text is not None:
            texts += (*markup.texts[done:at], raw_text)
            names += (*markup.names[done:at], b"/" + markup.names[at - 1])
            attributes += (*markup.attributes[done:at], b"")
            done = at
    return Markup(
        texts + markup.texts[done:], names + markup.names[done:], attributes + markup.attributes[done:]
    )
