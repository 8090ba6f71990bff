"""Text of an HTML page that nobody sees: elements that are not shown, tiny, or of the paper's colour.

Every pattern begins with a word that is searched for first: one pattern of alternatives without a literal
start takes ten times as long to find nothing.
"""

from __future__ import annotations

import re

from spamnb.core import BoundedCache
from spamnb.mail.entities import decoded

# What stands within quotes after = belongs to the tag, a > too; a quote that is not closed before the next
# tag is just a character. Possessive: nothing is read twice.
INSIDE_TAG = rb"""[^>=]*+(?:=(?:\s*+(?:"[^"<]*+"|'[^'<]*+'))?+[^>=]*+)*+"""
_TAG = re.compile(rb"<([a-zA-Z/!?][^\s>]*)(" + INSIDE_TAG + rb")>?")
_VOID = frozenset(b"area base br col embed frame hr img input link meta param wbr".split())
_ATTRIBUTE_BYTES = 1000  # that are looked at in one tag
_ZERO = rb"\s*:\s*0(?![0-9]|\.[0-9]*[1-9])"
_STYLES = (
    (b"display", re.compile(rb"display\s*:\s*none")),
    (b"visibility", re.compile(rb"visibility\s*:\s*hidden")),
    (
        b"font-size",
        re.compile(rb"font-size\s*:\s*(?:(?:0|1px|1pt|1%)(?![0-9]|\.[0-9]*[1-9])|0?\.[0-9]+p[tx])"),
    ),
    (b"font:", re.compile(rb"font:\s*0(?:px|pt)?(?![0-9.])")),
    (b"opacity", re.compile(rb"opacity" + _ZERO)),
    (b"max-height", re.compile(rb"max-height" + _ZERO)),
    (b"indent:-", re.compile(rb"indent:-[0-9]{3}")),
    (b"left:-", re.compile(rb"(?<![a-z-])left:-[0-9]{3}")),
)
_STYLE_BYTES = 400  # after the word "style"
_ATTRIBUTE = re.compile(rb"\shidden(?=[\s=/]|\Z)")
_QUOTED = re.compile(rb"\"[^\"]*+\"|'[^']*+'")
_CLASS = re.compile(rb"class\s*=\s*[\"']?([\w\s-]+)")
_ID = re.compile(rb"\sid\s*=\s*[\"']?([\w-]+)")
_SELECTED = re.compile(rb"[.#][\w-]+")
_COLOUR = re.compile(rb"\s*[=:]\s*[\"']?\s*#?([a-z0-9]{3,12})")
_COLOUR_BYTES = 20  # after the word "color"
_WHITE = b"ffffff"
_NAMES = {b"white": _WHITE, b"fff": _WHITE}


def _colour(value: bytes) -> bytes:
    """What follows the word "color" in one spelling; "" if that is no colour.

    >>> _colour(b"=white>x"), _colour(b': #FfF"'.lower()), _colour(b"ful")
    (b'ffffff', b'ffffff', b'')
    """
    found = _COLOUR.match(value)
    return _NAMES.get(found[1], found[1]) if found else b""


_colours = BoundedCache(_colour)


def _is_masked(style: bytes) -> bool:
    return style.find(b"/*") >= 0 or style.find(b"&#") >= 0


def _plain(style: bytes) -> bytes:
    """A style without comments and with its entities as characters, which browsers read so too."""
    style = decoded(style) if style.find(b"&#") >= 0 else style
    if style.find(b"/*") < 0:
        return style
    first, *rest = style.split(b"/*")
    return first + b"".join(piece.partition(b"*/")[2] for piece in rest)


def hides(style: bytes) -> bool:
    """Does a style in lower case keep text from being seen, as it stands or as browsers read it?"""
    return _hides(style) or (_is_masked(style) and _hides(_plain(style)))


def _hides(style: bytes) -> bool:
    return any(style.find(word) >= 0 and pattern.search(style) for word, pattern in _STYLES)


def hidden_names(sheet: bytes) -> frozenset[bytes]:
    """The classes and ids of elements that a style sheet in lower case does not show.

    Only the last part of a selector is about the element itself, and only if it has a single name.

    >>> sorted(hidden_names(b"p { color: red } .a, #x p#b, .c.d, #e:hover { display: none }"))
    [b'#b', b'.a']
    """
    if not hides(sheet):
        return frozenset()
    rules = [rule.partition(b"{") for text in {sheet, _plain(sheet)} for rule in text.split(b"}")]
    lasts = (
        part.split()[-1]
        for selectors, _, told in rules
        if hides(told)
        for part in selectors.split(b",")
        if part.strip() and 58 not in part
    )
    return frozenset(names[0] for last in lasts if len(names := _SELECTED.findall(last)) == 1)


def shown(source: bytes, lower: bytes, sheets: bytes) -> tuple[bytes, bool]:
    """An HTML source without what is not seen, and whether it hides anything.

    `lower` is the same in lower case, without the style sheets, which are in `sheets`.
    """
    names = hidden_names(sheets) if sheets else frozenset()
    pieces = [piece[:_STYLE_BYTES] for piece in lower.split(b"style")[1:]]
    styled = bool(pieces) and (_hides(b";".join(pieces)) or any(map(hides, filter(_is_masked, pieces))))
    flagged = lower.find(b" hidden") >= 0 and (lower.find(b" hidden>") >= 0 or _ATTRIBUTE.search(lower))
    white = lower.find(b"fff") >= 0 or lower.find(b"white") >= 0
    white = white and sheets.find(b"background") < 0 and _has_ink_of(_WHITE, lower)
    if not (styled or flagged or names or white):
        return source, False
    seen = without_hidden(source, names, _WHITE if white else b"")
    return seen, styled or seen != source  # an element that is never closed is shown, and still a sign


def _has_ink_of(paper: bytes, lower: bytes) -> bool:
    """Is there text of this colour, and no other background than this or none?

    With others nobody can tell what is behind which text without laying the page out.
    """
    pieces = lower.split(b"color")
    found = [*map(_colours.__getitem__, [piece[:_COLOUR_BYTES] for piece in pieces[1:]])]
    if paper not in found:
        return False
    ink = False
    for before, colour in zip(pieces, found, strict=False):
        if before.endswith((b"bg", b"background-")):
            if colour != paper:
                return False
        elif colour == paper and not (before[-1:].isalnum() or before.endswith(b"-")):
            ink = True
    return ink and all(_is_of(paper, piece) for piece in lower.split(b"background")[1:])


def _is_of(paper: bytes, piece: bytes) -> bool:
    """Is what follows the word "background" that colour, and no picture or anything else?"""
    return piece.startswith(b"-color") or (
        piece.startswith(b":") and _colours[piece[:_COLOUR_BYTES]] == paper
    )


def without_hidden(source: bytes, names: frozenset[bytes] = frozenset(), paper: bytes = b"") -> bytes:
    """An HTML source without the elements that are not shown, or in the colour of the paper.

    One that is never closed stays: a filter should rather read too much.

    >>> without_hidden(b'a<p style="display:none">b</p>c<p style="display:none">d')
    b'a c<p style="display:none">d'
    >>> without_hidden(b"a<font color=#FFF>b</font>c", paper=b"ffffff")
    b'a c'
    """
    kept: list[bytes] = []
    done, start, depth, inside = 0, 0, 0, b""
    hidden = BoundedCache(lambda found: _is_hidden(found.lower(), names, paper), longest=_ATTRIBUTE_BYTES)
    for tag in _TAG.finditer(source):
        name = tag[1].lower()
        if not inside:
            looked_at = tag[2] and name[:1].isalpha() and name not in _VOID
            if looked_at and hidden[tag[2][:_ATTRIBUTE_BYTES]]:
                inside, start, depth = name, tag.start(), 1
        elif name == inside:
            depth += 1
        elif name == b"/" + inside:
            depth -= 1
            if not depth:
                kept += (source[done:start], b" ")
                done, inside = tag.end(), b""
    return b"".join((*kept, source[done:]))


def _is_hidden(attributes: bytes, names: frozenset[bytes], paper: bytes) -> bool:
    plain = _plain(attributes)
    return (
        (paper != b"" and plain.find(b"color") >= 0 and _has_ink_of(paper, plain))
        or (attributes.find(b"style") >= 0 and hides(attributes))
        or (plain.find(b"hidden") >= 0 and _ATTRIBUTE.search(_QUOTED.sub(b"", plain)) is not None)
        or (bool(names) and not names.isdisjoint(_named(plain)))
    )


def _named(attributes: bytes) -> list[bytes]:
    """What selectors call an element with these attributes."""
    classes, own = _CLASS.search(attributes), _ID.search(attributes)
    found = [b"." + name for name in classes[1].split()] if classes else []
    return [*found, b"#" + own[1]] if own else found
