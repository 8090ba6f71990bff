"""Decodes HTML entities such as `&pound;` and `&#163;`."""

from __future__ import annotations

import re

from spamnb.core import BoundedCache

_ENTITY = re.compile(rb"&(#?[A-Za-z0-9]{1,24});?")
_COMMON = {b"nbsp": b" ", b"amp": b"&", b"lt": b"<", b"gt": b">", b"quot": b'"'}


def decode_entities(text: bytes) -> bytes:
    """Replaces the entities of a text by their characters, in UTF-8.

    >>> decode_entities(b"http&#58;//example.com/?a&amp;b")
    b'http://example.com/?a&b'
    """
    if 38 not in text:  # &
        return text
    return _ENTITY.sub(lambda entity: _entities[entity[1]], text.replace(b"&nbsp;", b" "))


def _entity(name: bytes) -> bytes:
    if name in _COMMON:
        return _COMMON[name]
    from html import unescape  # its table of 2,231 names takes a millisecond to import

    return unescape(f"&{name.decode()};").encode("utf-8", "replace")


_entities = BoundedCache(_entity)
