"""Reads the attributes of a start tag, and what they say about the element's style."""

from __future__ import annotations

import re
from collections.abc import Mapping

from spamnb.mail.css_colors import BLACK, WHITE, parse_legacy_color
from spamnb.mail.css_declarations import parse_declarations
from spamnb.mail.css_escapes import as_name, clean
from spamnb.mail.css_selectors import AttributeStyles, Element
from spamnb.mail.css_values import Values
from spamnb.mail.html_tokens import name_set

_ATTRIBUTE = re.compile(
    r"""([^ \t\n\f\r/>][^ \t\n\f\r=/>]*+)"""
    r"""(?:[ \t\n\f\r]*+=[ \t\n\f\r]*+(?:"([^"]*+)"?|'([^']*+)'?|([^ \t\n\f\r>]*+)))?+""",
    re.DOTALL,
)
_ASCII_BLANKS = str.maketrans("\t\n\f\r", "    ")  # others, as no-break spaces, belong to a class
_FONT_SIZES = (10.0, 10.0, 13.0, 16.0, 18.0, 24.0, 32.0, 48.0)
# Elements that browsers do not show, or show only if they do not know them. ORDINARY ones are no evidence.
ORDINARY = name_set(
    "script style title noscript iframe noframes noembed audio video canvas meter progress rp"
)
NOT_SHOWN = ORDINARY | name_set(
    "template datalist desc metadata defs annotation annotation-xml symbol clippath mask pattern mphantom"
    " frameset"
)
# Only letters in these elements of a drawing or formula are drawn.
LETTERS_DRAWN = {
    **dict.fromkeys(("svg", "math"), False),
    **dict.fromkeys(("text", "foreignobject", "mi", "mn", "mo", "ms", "mtext"), True),
}
_OWN_BACKGROUNDS = {
    "mark": (255.0, 255.0, 0.0, 1.0),
    "button": (239.0, 239.0, 239.0, 1.0),
    "textarea": WHITE,
    "select": WHITE,
}


def parse_attributes(raw: str) -> dict[str, str]:
    """Reads attributes; the first of a repeated one counts.

    >>> parse_attributes('class="a b"hidden/ style=display&#58;none')
    {'class': 'a b', 'hidden': '', 'style': 'display:none'}
    """
    attributes: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(raw):
        value = double or single or bare
        attributes.setdefault(name.lower(), _unescape(value) if "&" in value else value)
    return attributes


def _unescape(value: str) -> str:
    from html import unescape  # its table of 2,231 names takes a millisecond to import

    return unescape(value)


def read_element(source: bytes) -> Element:
    """Reads a start tag, given as its name, a blank and its attributes."""
    tag, _, raw = source.decode("utf-8", "replace").partition(" ")
    attributes = parse_attributes(raw) if raw.strip(" /\n\t") else {}
    words = attributes.get("class", "").translate(_ASCII_BLANKS).split(" ")
    classes = frozenset(map(as_name, filter(None, words)))
    style = attributes.get("style")
    normal, important = parse_declarations(clean(style).lower()) if style else ({}, {})
    styles = AttributeStyles(_hints(tag, attributes), normal, important)
    identifier = as_name(attributes.get("id", ""))
    keys = (tag, *["." + name for name in classes], *(["#" + identifier] if identifier else ()))
    is_styled = any(styles) or (tag == "a" and "href" in attributes)
    return Element(tag, identifier, classes, attributes, styles, source, is_styled, keys)


def _hints(tag: str, attributes: Mapping[str, str]) -> Values:
    """Returns the values that the tag and its attributes set, which any style replaces."""
    hints: Values = {}
    if tag in _OWN_BACKGROUNDS:
        hints |= {"color": BLACK, "background-color": _OWN_BACKGROUNDS[tag]}
    if tag in LETTERS_DRAWN:
        hints["drawn"] = LETTERS_DRAWN[tag]
    if (
        tag in NOT_SHOWN
        or "hidden" in attributes
        or "popover" in attributes
        or (tag == "dialog" and "open" not in attributes)
    ):
        hints["display"] = "none"
    if "bgcolor" in attributes and (background := parse_legacy_color(attributes["bgcolor"])):
        hints["background-color"] = background
    if attributes.get("background"):
        hints["background-image"] = True
    if tag in ("html", "body") and (link := parse_legacy_color(attributes.get("link", ""))):
        hints["link"] = link
    text = attributes.get("text" if tag == "body" else "color" if tag == "font" else "", "")
    if text and (color := parse_legacy_color(text)):
        hints["color"] = color
    if tag == "font" and (size := attributes.get("size", "").strip()):
        hints["font-size"] = (_legacy_size(size), "px")
    return hints


def _legacy_size(size: str) -> float:
    """Returns the pixels of a font's size from 1 to 7; one with a sign is relative to 3."""
    digits = size.lstrip("+-")[:2]
    number = int(digits) if digits.isascii() and digits.isdigit() else 3
    if size[0] in "+-":
        number = 3 + number if size[0] == "+" else 3 - number
    return _FONT_SIZES[min(max(number, 1), 7)]
