"""Removes the text of an HTML page that is invisible: hidden, tiny, or in the colour of the background.

Every pattern begins with a word that is searched for first: a single pattern of alternatives without a
literal start takes ten times as long to find nothing.
"""

from __future__ import annotations

import re

from spamnb.core import BoundedCache
from spamnb.mail.entities import decode_entities

# Quoted text after = belongs to the tag, with any > in it; a quote that is not closed before the next tag is
# an ordinary character. Possessive: nothing is read twice.
INSIDE_TAG = rb"""[^>=]*+(?:=(?:\s*+(?:"[^"<]*+"|'[^'<]*+'))?+[^>=]*+)*+"""
_TAG = re.compile(rb"<([a-zA-Z/!?][^\s>]*)(" + INSIDE_TAG + rb")>?")
_VOID = frozenset(b"area base br col embed frame hr img input link meta param wbr".split())
_ATTRIBUTE_BYTES = 1000  # that are read of one tag
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
    """Returns the colour after the word "color" in one spelling; "" if there is none.

    >>> _colour(b"=white>x"), _colour(b': #FfF"'.lower()), _colour(b"ful")
    (b'ffffff', b'ffffff', b'')
    """
    match = _COLOUR.match(value)
    return _NAMES.get(match[1], match[1]) if match else b""


_colours = BoundedCache(_colour)


def _is_disguised(style: bytes) -> bool:
    """Returns whether a style has comments or entities, which browsers resolve."""
    return style.find(b"/*") >= 0 or style.find(b"&#") >= 0


def _resolve(style: bytes) -> bytes:
    """Removes comments from a style and decodes its entities, as browsers do."""
    style = decode_entities(style) if style.find(b"&#") >= 0 else style
    if style.find(b"/*") < 0:
        return style
    first, *others = style.split(b"/*")
    return first + b"".join(piece.partition(b"*/")[2] for piece in others)


def hides(style: bytes) -> bool:
    """Returns whether a style in lower case hides text, as written or as browsers resolve it."""
    return _hides(style) or (_is_disguised(style) and _hides(_resolve(style)))


def _hides(style: bytes) -> bool:
    return any(style.find(word) >= 0 and pattern.search(style) for word, pattern in _STYLES)


def hidden_names(sheet: bytes) -> frozenset[bytes]:
    """Returns the classes and ids of elements that a style sheet in lower case hides.

    Only the last part of a selector names the element itself, and it counts only if it is a single name.

    >>> sorted(hidden_names(b"p { color: red } .a, #x p#b, .c.d, #e:hover { display: none }"))
    [b'#b', b'.a']
    """
    if not hides(sheet):
        return frozenset()
    rules = [rule.partition(b"{") for text in {sheet, _resolve(sheet)} for rule in text.split(b"}")]
    lasts = (
        part.split()[-1]
        for selectors, _, style in rules
        if hides(style)
        for part in selectors.split(b",")
        if part.strip() and 58 not in part
    )
    return frozenset(names[0] for last in lasts if len(names := _SELECTED.findall(last)) == 1)


def remove_hidden(source: bytes, lower: bytes, sheets: bytes) -> tuple[bytes, bool]:
    """Returns an HTML source without its invisible text, and whether it hides anything.

    `lower` is the source in lower case. Both are without the style sheets, which are in `sheets`.
    """
    names = hidden_names(sheets) if sheets else frozenset()
    pieces = [piece[:_STYLE_BYTES] for piece in lower.split(b"style")[1:]]
    styled = bool(pieces) and (_hides(b";".join(pieces)) or any(map(hides, filter(_is_disguised, pieces))))
    flagged = lower.find(b" hidden") >= 0 and (lower.find(b" hidden>") >= 0 or _ATTRIBUTE.search(lower))
    white = lower.find(b"fff") >= 0 or lower.find(b"white") >= 0
    white = white and sheets.find(b"background") < 0 and _has_text_in(_WHITE, lower)
    if not (styled or flagged or names or white):
        return source, False
    visible = without_hidden(source, names, _WHITE if white else b"")
    return visible, styled or visible != source  # an unclosed element stays, and is still evidence


def _has_text_in(background: bytes, lower: bytes) -> bool:
    """Returns whether there is text in the colour of the background, and no background of another colour.

    With several backgrounds only a layout of the page would show which one is behind which text.
    """
    pieces = lower.split(b"color")
    colours = [*map(_colours.__getitem__, [piece[:_COLOUR_BYTES] for piece in pieces[1:]])]
    if background not in colours:
        return False
    has_text = False
    for before, colour in zip(pieces, colours, strict=False):
        if before.endswith((b"bg", b"background-")):
            if colour != background:
                return False
        elif colour == background and not (before[-1:].isalnum() or before.endswith(b"-")):
            has_text = True
    return has_text and all(_is_colour(background, piece) for piece in lower.split(b"background")[1:])


def _is_colour(background: bytes, piece: bytes) -> bool:
    """Returns whether this colour, and no picture or anything else, follows the word "background"."""
    return piece.startswith(b"-color") or (
        piece.startswith(b":") and _colours[piece[:_COLOUR_BYTES]] == background
    )


def without_hidden(source: bytes, names: frozenset[bytes] = frozenset(), background: bytes = b"") -> bytes:
    """Removes the elements that are hidden, or in the colour of the background, from an HTML source.

    An element that is never closed stays: a filter should rather read too much.

    >>> without_hidden(b'a<p style="display:none">b</p>c<p style="display:none">d')
    b'a c<p style="display:none">d'
    >>> without_hidden(b"a<font color=#FFF>b</font>c", background=b"ffffff")
    b'a c'
    """
    visible: list[bytes] = []
    done, start, depth, inside = 0, 0, 0, b""
    hidden = BoundedCache(lambda tag: _is_hidden(tag.lower(), names, background), longest=_ATTRIBUTE_BYTES)
    for tag in _TAG.finditer(source):
        name = tag[1].lower()
        if not inside:
            has_content = tag[2] and name[:1].isalpha() and name not in _VOID
            if has_content and hidden[tag[2][:_ATTRIBUTE_BYTES]]:
                inside, start, depth = name, tag.start(), 1
        elif name == inside:
            depth += 1
        elif name == b"/" + inside:
            depth -= 1
            if not depth:
                visible += (source[done:start], b" ")
                done, inside = tag.end(), b""
    return b"".join((*visible, source[done:]))


def _is_hidden(attributes: bytes, names: frozenset[bytes], background: bytes) -> bool:
    resolved = _resolve(attributes)
    return (
        (background != b"" and resolved.find(b"color") >= 0 and _has_text_in(background, resolved))
        or (attributes.find(b"style") >= 0 and hides(attributes))
        or (resolved.find(b"hidden") >= 0 and _ATTRIBUTE.search(_QUOTED.sub(b"", resolved)) is not None)
        or (bool(names) and not names.isdisjoint(_selectors(resolved)))
    )


def _selectors(attributes: bytes) -> list[bytes]:
    """Returns the selectors by class and id of an element with these attributes."""
    classes, identifier = _CLASS.search(attributes), _ID.search(attributes)
    selectors = [b"." + name for name in classes[1].split()] if classes else []
    return [*selectors, b"#" + identifier[1]] if identifier else selectors
