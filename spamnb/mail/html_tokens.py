"""Splits an HTML source into tags and the texts between them, as browsers do, in linear time."""

from __future__ import annotations

import re

# Quoted text after = belongs to the tag, with any > in it; a quote that is never closed runs to the end.
# Possessive: nothing is read twice.
_QUOTED = rb"""(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))"""
_INSIDE_TAG = rb"[^>=]*+(?:=(?:\s*+" + _QUOTED + rb")?+[^>=]*+)*+"
_TAG = re.compile(rb"<(?:(!--)|(/?[a-zA-Z][^\s/>]*)(" + _INSIDE_TAG + rb")>?|([!?/][^\s>]*)[^>]*>?)")
_END_OF_COMMENT = re.compile(rb"--!?>")
_END_OF_NAME = b" \t\n\f\r/>"
# Elements whose content is text up to their end tag, whatever is in it.
RAW_TEXT = frozenset(b"script style title textarea xmp iframe noembed noframes".split())
COMMENT = b"!--"


# A text and the tag after it: its name (b, /b or !doctype, "" after the last text) and its attributes. A
# plain tuple: a named one takes as long to make as the search for the tag.
Token = tuple[bytes, bytes, bytes]


def name_set(names: str) -> frozenset[str]:
    """Returns the names in a text, which has blanks between them."""
    return frozenset(names.split())


def tokenize(source: bytes, lower: bytes) -> list[Token]:
    """Splits an HTML source into tokens; `lower` is the source in lower case.

    >>> source = b'a<b title="x>y">c</b><!-- d --><style>p {}</style>'
    >>> [name for _, name, _ in tokenize(source, source)]
    [b'b', b'/b', b'!--', b'style', b'/style', b'']
    """
    tokens: list[Token] = []
    start = 0
    while match := _TAG.search(source, start):
        text, name = source[start : match.start()], match[2]
        if name is not None:
            name = name.lower()
            tokens.append((text, name, match[3]))
            start = match.end()
            if name in RAW_TEXT:
                start = _add_raw_text(source, lower, start, name, tokens)
            elif name == b"plaintext":
                break
        elif match[1]:
            tokens.append((text, COMMENT, b""))
            start = _end_of_comment(source, match.end())
        else:
            tokens.append((text, match[4].lower(), b""))
            start = match.end()
    tokens.append((source[start:], b"", b""))
    return tokens


def _end_of_comment(source: bytes, start: int) -> int:
    for empty in (b">", b"->"):  # <!--> is a comment too
        if source.startswith(empty, start):
            return start + len(empty)
    end = _END_OF_COMMENT.search(source, start)
    return end.end() if end else len(source)


def _add_raw_text(source: bytes, lower: bytes, start: int, name: bytes, tokens: list[Token]) -> int:
    """Adds the content of an element that has no tags in it, and its end tag; returns where this ends."""
    end_tag = b"</" + name
    at = lower.find(end_tag, start)
    while at >= 0 and lower[at + len(end_tag) : at + len(end_tag) + 1] not in _END_OF_NAME:
        at = lower.find(end_tag, at + 1)
    if at < 0:
        tokens.append((source[start:], b"/" + name, b""))
        return len(source)
    tokens.append((source[start:at], b"/" + name, b""))
    return source.find(b">", at) + 1 or len(source)
