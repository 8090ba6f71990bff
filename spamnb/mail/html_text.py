"""Converts HTML to its visible text, in linear time."""

from __future__ import annotations

from spamnb.core import BoundedCache
from spamnb.mail.entities import decode_entities
from spamnb.mail.hidden_text import hidden_texts
from spamnb.mail.html_facts import BLOCKS, facts_of
from spamnb.mail.html_tokens import COMMENT, Token, tokenize
from spamnb.mail.links import misleads

_SCRIPTS = (b"script", b"style")


def parse_html(source: bytes) -> tuple[bytes, list[bytes], bool]:
    """Returns the text of an HTML source, facts about its markup, and whether a link misleads about its host.

    >>> text, facts, _ = parse_html(b"<p>Vi<!-- x -->ag<b>ra</b> &pound;5<br>now</p>")
    >>> text.decode(), facts
    (' Viagra £5 now ', [b'comments', b'tags_8', b'images_0'])
    """
    lower = source.lower()
    tokens = tokenize(source, lower)
    hidden, hides = hidden_texts(tokens, lower)
    names = [name for _, name, _ in tokens[:-1] if name != COMMENT]
    facts = [b"comments"] if lower.find(b"<!--") >= 0 else []  # also those around a style sheet
    facts += [name for name in _SCRIPTS if name in names]
    if facts:
        lower = _without_scripts(tokens).lower()
        names = [name for name in names if name.strip(b"/") not in _SCRIPTS]
    facts += facts_of(lower, names)
    if hides:
        facts.append(b"hidden")
    pieces: list[bytes] = []
    for (text, name, _), is_hidden in zip(tokens, hidden, strict=True):
        if not is_hidden:
            pieces.append(text)
        pieces.append(_gaps[name])
    return decode_entities(b"".join(pieces)), facts, misleads(lower)


def _without_scripts(tokens: list[Token]) -> bytes:
    """Returns the source without comments, scripts and style sheets: facts are about the rest."""
    pieces: list[bytes] = []
    for before, (text, name, attributes) in zip(
        [b"", *(name for _, name, _ in tokens)], tokens, strict=False
    ):
        if before not in _SCRIPTS:
            pieces.append(text)
        if name in _SCRIPTS:
            pieces.append(b" ")
        elif name and name != COMMENT and name.strip(b"/") not in _SCRIPTS:
            pieces += (b"<", name, attributes, b">")
    return b"".join(pieces)


def _gap(name: bytes) -> bytes:
    """Returns what replaces a tag: words continue across <b> or an invented tag, but end at <td>."""
    return b" " if name.strip(b"/") in BLOCKS else b""


_gaps = BoundedCache(_gap)
