"""Finds the links of an HTML page that its reader cannot see.

A sender chooses hidden links as freely as hidden text: links to well-known sites are no evidence for ham.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from spamnb.mail.html_tokens import Markup
from spamnb.mail.links import find_links, masked_links

_NO_TEXT = frozenset((b"script", b"style", b"title"))  # no page shows it: it hides nothing
_ANCHORS = frozenset((b"a", b"/a"))


def hidden_links(markup: Markup, hidden: Sequence[int]) -> frozenset[bytes]:
    """Returns links that are in hidden texts, or whose whole text is hidden, and nowhere else on the page.

    >>> from spamnb.mail.html_tokens import split_markup
    >>> source = b'<p hidden><a href="http://a.example">a</a></p><a href="http://b.example">b</a>'
    >>> hidden_links(split_markup(source, source), [2])
    frozenset({b'a.example'})
    """
    texts, _, attributes = Markup([*markup.texts], markup.names, [*markup.attributes])
    out_of_sight: list[bytes] = []
    for at in _hidden_anchors(markup, frozenset(hidden)):
        out_of_sight.append(attributes[at])
        attributes[at] = b""
    for at in hidden:
        if at and markup.names[at - 1] in _NO_TEXT:
            continue
        out_of_sight.append(texts[at])
        texts[at] = b""
    links = _links(out_of_sight)
    return frozenset(links).difference(_links((*texts, *attributes)), (b"",)) if links else frozenset()


def _hidden_anchors(markup: Markup, hidden: frozenset[int]) -> list[int]:
    """Returns the tags <a> after which, up to the end of the link, all text is hidden and nothing else is."""
    anchors = [at for at, name in enumerate(markup.names) if name in _ANCHORS]
    return [
        start
        for start, end in pairwise((*anchors, len(markup.names)))
        if markup.names[start] == b"a"
        and b"img" not in markup.names[start:end]
        and not hidden.isdisjoint(range(start + 1, end + 1))
        and not any(markup.texts[at].strip() for at in range(start + 1, end + 1) if at not in hidden)
    ]


def _links(pieces: Sequence[bytes]) -> list[bytes]:
    source = b" ".join(pieces)
    return find_links(source) + masked_links(source)
