"""Converts HTML to its visible text, in linear time."""

from __future__ import annotations

from itertools import compress, count
from operator import not_
from typing import NamedTuple

from spamnb.core import BoundedCache
from spamnb.mail.entities import decode_entities
from spamnb.mail.hidden_links import hidden_links
from spamnb.mail.hidden_text import hidden_texts
from spamnb.mail.html_facts import BLOCKS, facts_of
from spamnb.mail.html_tokens import COMMENT, Markup, split_markup
from spamnb.mail.links import misleads

_SCRIPTS = (b"script", b"style")


class HtmlPage(NamedTuple):
    """The visible text of an HTML source, facts about its markup, and two about its links."""

    text: bytes
    facts: list[bytes]
    misleads: bool  # whether a link names another host than its own
    hidden_links: frozenset[bytes]


def parse_html(source: bytes) -> HtmlPage:
    """Reads an HTML source.

    >>> page = parse_html(b"<p>Vi<!-- x -->ag<b>ra</b> &pound;5<br>now</p>")
    >>> page.text.decode(), page.facts
    (' Viagra £5 now ', [b'comments', b'tags_8', b'images_0'])
    """
    lower = source.lower()
    markup = split_markup(source, lower)
    names = markup.names
    hidden, hides = hidden_texts(markup, lower)
    facts = [b"comments"] if lower.find(b"<!--") >= 0 else []  # also those around a style sheet
    facts += [name for name in _SCRIPTS if name in names]
    if facts:
        source, names = _without_scripts(markup)
        lower = source.lower()
    facts += facts_of(lower, names)
    if hides:
        facts.append(b"hidden")
    pieces = [b""] * (2 * len(markup.names) + 1)
    pieces[::2] = markup.texts
    pieces[1::2] = map(_gaps.__getitem__, markup.names)
    for at in hidden:
        pieces[2 * at] = b""
    unseen = hidden_links(markup, hidden) if hides else frozenset()
    return HtmlPage(decode_entities(b"".join(pieces)), facts, misleads(lower), unseen)


def _without_scripts(markup: Markup) -> tuple[bytes, list[bytes]]:
    """Returns the source and its tags without comments and scripts: facts are about the rest."""
    texts, names, attributes = markup
    left_out = [*map(_is_left_out.__getitem__, names)]
    pieces = [b">"] * (5 * len(names) + 1)
    pieces[::5], pieces[1::5], pieces[2::5], pieces[3::5] = texts, [b"<"] * len(names), names, attributes
    for at in compress(count(), left_out):
        pieces[5 * at + 1 : 5 * at + 5] = (b"", b"", b"", b"")
        if names[at] in _SCRIPTS:
            pieces[5 * at + 1 : 5 * at + 6 : 4] = (b" ", b"")  # and without the text after the tag
    return b"".join(pieces), [*compress(names, map(not_, left_out))]


_is_left_out = BoundedCache(lambda name: name == COMMENT or name.strip(b"/") in _SCRIPTS)


def _gap(name: bytes) -> bytes:
    """Returns what replaces a tag: words continue across <b> or an invented tag, but end at <td>."""
    return b" " if name.strip(b"/") in BLOCKS else b""


_gaps = BoundedCache(_gap)
