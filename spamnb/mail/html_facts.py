"""Counts facts about HTML markup: tags, images, colours and sizes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from spamnb.core import BoundedCache
from spamnb.mail.tagged_words import bucket

# Tags at which one word ends and another begins.
BLOCKS = frozenset(
    b"!doctype address article aside blockquote body br button caption center dd dir div dl dt"
    b" fieldset figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe img"
    b" input legend li link main menu meta nav noframes object ol optgroup option p pre script section"
    b" select style table tbody td textarea tfoot th thead title tr ul".split()
)
_INLINE = frozenset(
    b"a abbr acronym applet area b base basefont bdo bgsound big blink cite code col colgroup del dfn em"
    b" embed font i ins kbd label layer map marquee nobr noscript param q s samp small span strike strong sub"
    b" sup tt u var video wbr".split()
)
_KNOWN = BLOCKS | _INLINE
_REPORTED = frozenset(b"applet bgsound embed form frame iframe input marquee object textarea".split())
_STYLED_BYTES = 6 * 1024  # of a page that are searched for colours and sizes
_VALUE_BYTES = 16  # after the name of an attribute

_COLOUR = re.compile(rb"\s*[=:]\s*[\"']?#?([a-z0-9]{1,12})")
_SIZE = re.compile(rb"\s*[=:]\s*[\"']?([+-]?)([0-9]{1,3})")


def _name(tag: bytes) -> bytes:
    """Returns the name of a tag that is evidence, "odd_tag" for an unknown one, "" for others."""
    name = tag.lower().strip(b"/")
    if name in _KNOWN or 58 in name or tag.startswith((b"!", b"?")):
        return name if name in _REPORTED else b""
    return b"odd_tag"


def _colour(value: bytes) -> bytes:
    match = _COLOUR.match(value)
    return b"color_" + match[1] if match else b""


def _size(value: bytes) -> bytes:
    match = _SIZE.match(value)
    return b"size_" + match[1].replace(b"+", b"plus_").replace(b"-", b"minus_") + match[2] if match else b""


_names = BoundedCache(_name)
_colours = BoundedCache(_colour)
_sizes = BoundedCache(_size)


def facts_of(source: bytes, names: Sequence[bytes]) -> list[bytes]:
    """Returns facts about an HTML source in lower case with these tags.

    >>> facts_of(b'<font color="#ff0000" size=7>hi</font>', [b"font", b"/font"])
    [b'tags_2', b'images_0', b'color_ff0000', b'size_7']
    """
    out = [b"tags_" + bucket(len(names)), b"images_" + bucket(source.count(b"<img"))]
    start = source[:_STYLED_BYTES]
    out += [_names[name] for name in dict.fromkeys(names)]
    out += [_colours[piece[:_VALUE_BYTES]] for piece in start.split(b"color")[1:]]
    out += [_sizes[piece[:_VALUE_BYTES]] for piece in start.split(b"size")[1:]]
    return [fact for fact in dict.fromkeys(out) if fact]
