"""Splits an HTML source into tags and texts, tag after tag, without a pattern for the whole."""

from __future__ import annotations

import re

RAW_TEXT = frozenset(b"script style title textarea xmp iframe noembed noframes".split())
_BLANKS = b" \t\n\r\f\v"


def split_markup(source: bytes) -> tuple[list[bytes], list[bytes], list[bytes]]:
    """Returns the texts, and the names and attributes of the tags between them."""
    texts, names, attributes = [b""], list[bytes](), list[bytes]()

    def add(name: bytes, raw: bytes = b"") -> None:
        names.append(name)
        attributes.append(raw)
        texts.append(b"")

    at = 0
    while at < len(source):
        if source.startswith(b"<!--", at):
            add(b"!--")
            at = _after_comment(source, at + 4)
        elif re.match(rb"</?[a-zA-Z]", source[at : at + 3]):
            start = at + 1
            end = _end_of_word(source, start + 1, _BLANKS + b"/>")
            close = _end_of_tag(source, end)
            name = source[start:end].lower()
            add(name, source[end:close])
            at = close + 1
            if name == b"plaintext":
                texts[-1] = source[at:]
                return texts, names, attributes
            if name in RAW_TEXT:
                end = _end_of_raw_text(source, at, name)
                texts[-1] = source[at:end]
                add(b"/" + name)
                at = _find(source, b">", end) + 1
        elif source[at : at + 1] == b"<" and source[at + 1 : at + 2] in (b"!", b"?", b"/"):
            add(source[at + 1 : _end_of_word(source, at + 2, _BLANKS + b">")].lower())
            at = _find(source, b">", at) + 1
        else:
            texts[-1] += source[at : at + 1]
            at += 1
    return texts, names, attributes


def _find(source: bytes, what: bytes, start: int) -> int:
    at = source.find(what, start)
    return at if at >= 0 else len(source)


def _end_of_word(source: bytes, at: int, ends: bytes) -> int:
    while at < len(source) and source[at] not in ends:
        at += 1
    return at


def _after_comment(source: bytes, start: int) -> int:
    for empty in (b">", b"->"):
        if source.startswith(empty, start):
            return start + len(empty)
    ends = [at + len(end) for end in (b"-->", b"--!>") if (at := source.find(end, start)) >= 0]
    return min(ends, default=len(source))


def _end_of_tag(source: bytes, at: int) -> int:
    """Returns where the > of a tag is; one in quotes after = does not count."""
    while at < len(source) and source[at : at + 1] != b">":
        if source[at : at + 1] == b"=":
            value = at + 1
            while value < len(source) and source[value] in _BLANKS:
                value += 1
            if source[value : value + 1] in (b'"', b"'"):
                at = _find(source, source[value : value + 1], value + 1)
        at += 1
    return min(at, len(source))


def _end_of_raw_text(source: bytes, at: int, name: bytes) -> int:
    while at < len(source):
        after = at + 2 + len(name)
        if source[at:after].lower() == b"</" + name and source[after : after + 1] in b" \t\n\f\r/>":
            return at
        at += 1
    return at
