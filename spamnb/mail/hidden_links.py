"""Finds the links of an HTML page that its reader cannot see.

A sender chooses hidden links as freely as hidden text: links to well-known sites are no evidence for ham.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
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
    unseen = {at for at in hidden if not at or markup.names[at - 1] not in _NO_TEXT}
    anchors = _hidden_anchors(markup, unseen)
    links = _links([markup.texts[at] for at in unseen] + [markup.attributes[at] for at in anchors])
    if not any(links):
        return frozenset()
    shown = [text for at, text in enumerate(markup.texts) if at not in unseen]
    shown += [attributes for at, attributes in enumerate(markup.attributes) if at not in anchors]
    return frozenset(links).difference(_links(shown), (b"",))


def _hidden_anchors(markup: Markup, hidden: Set[int]) -> set[int]:
    """Returns the tags <a> after which, up to the end of the link, all text is hidden and nothing else is."""
    anchors = [at for at, name in enumerate(markup.names) if name in _ANCHORS]
    return {
        start
        for start, end in pairwise((*anchors, len(markup.names)))
        if markup.names[start] == b"a"
        and b"img" not in markup.names[start:end]
        and not hidden.isdisjoint(range(start + 1, end + 1))
        and not any(markup.texts[at].strip() for at in range(start + 1, end + 1) if at not in hidden)
    }


def _links(pieces: Sequence[bytes]) -> list[bytes]:
    source = b" ".join(pieces)
    return find_links(source) + masked_links(source)
