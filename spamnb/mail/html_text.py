"""Converts HTML to its visible text, in linear time."""

from __future__ import annotations

from spamnb.core import BoundedCache
from spamnb.mail.entities import decode_entities
from spamnb.mail.hidden_text import hidden_texts
from spamnb.mail.html_facts import BLOCKS, facts_of
from spamnb.mail.html_tokens import COMMENT, Markup, split_markup
from spamnb.mail.links import misleads

_SCRIPTS = (b"script", b"style")


def parse_html(source: bytes) -> tuple[bytes, list[bytes], bool]:
    """Returns the text of an HTML source, facts about its markup, and whether a link misleads about its host.

    >>> text, facts, _ = parse_html(b"<p>Vi<!-- x -->ag<b>ra</b> &pound;5<br>now</p>")
    >>> text.decode(), facts
    (' Viagra £5 now ', [b'comments', b'tags_8', b'images_0'])
    """
    lower = source.lower()
    markup = split_markup(source, lower)
    texts, names, _ = markup
    hidden, hides = hidden_texts(markup, lower)
    facts = [b"comments"] if lower.find(b"<!--") >= 0 else []  # also those around a style sheet
    facts += [name for name in _SCRIPTS if name in names]
    if facts:
        lower = _without_scripts(markup).lower()
        facts += facts_of(lower, [name for name in names if name != COMMENT and not _is_script(name)])
    else:
        facts += facts_of(lower, names)
    if hides:
        facts.append(b"hidden")
    pieces = [b""] * (2 * len(names) + 1)
    pieces[::2] = texts
    pieces[1::2] = map(_gaps.__getitem__, names)
    for at in hidden:
        pieces[2 * at] = b""
    return decode_entities(b"".join(pieces)), facts, misleads(lower)


def _without_scripts(markup: Markup) -> bytes:
    """Returns the source without comments, scripts and style sheets: facts are about the rest."""
    pieces: list[bytes] = []
    before = b""
    for text, name, attributes in zip(*markup, strict=False):
        if before not in _SCRIPTS:
            pieces.append(text)
        if name in _SCRIPTS:
            pieces.append(b" ")
        elif name != COMMENT and not _is_script(name):
            pieces += (b"<", name, attributes, b">")
        before = name
    return b"".join((*pieces, markup.texts[-1]))


def _is_script(name: bytes) -> bool:
    return name.strip(b"/") in _SCRIPTS


def _gap(name: bytes) -> bytes:
    """Returns what replaces a tag: words continue across <b> or an invented tag, but end at <td>."""
    return b" " if name.strip(b"/") in BLOCKS else b""


_gaps = BoundedCache(_gap)
