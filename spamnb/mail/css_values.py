"""Reads the values of CSS properties that decide whether text can be seen."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from spamnb.core import Record
from spamnb.mail.css_color_functions import Color
from spamnb.mail.css_colors import TRANSPARENT, is_color_function, parse_color
from spamnb.mail.css_numbers import Length, parse_length, replace_calc
from spamnb.mail.html_tokens import name_set


class Pending(Record):
    """A declaration with var() in it, which is read when the custom properties of an element are known."""

    name: str
    text: str


Value = str | float | bool | Length | Color | Pending | None  # None: a value that is not understood
Values = dict[str, Value]

_WORD = re.compile(r"[a-z-]++\([^()]*+\)?|[^\s,/()]++")
_SIZES = {
    "xx-small": 9.0,
    "x-small": 10.0,
    "small": 13.0,
    "medium": 16.0,
    "large": 18.0,
    "x-large": 24.0,
    "xx-large": 32.0,
}
_FAR_WORDS, _WIDE_SHADOW = -500.0, 100.0  # pixels
_SIDES = ("top", "right", "bottom", "left")


def _keyword(name: str, allowed: frozenset[str], value: str) -> Values:
    return {name: value} if value in allowed else {}


def _length(name: str, value: str) -> Values:
    length = parse_length(value)
    if length and length[0] and not length[1] and name != "line-height":
        return {}  # only pages without a document type take it for pixels
    return {name: length} if length or value in ("auto", "none", "normal", "inherit", "initial") else {}


def _four(name: str, value: str) -> Values:
    """Reads margin, padding or inset: one value to four, clockwise from the top."""
    lengths = [parse_length(word) for word in value.split()[:4]] or [None]
    lengths = (lengths * 4)[:4] if len(lengths) in (1, 2, 4) else [*lengths, lengths[1]]
    return {f"{name}{side}": length for side, length in zip(_SIDES, lengths, strict=True)}


def _font_size(value: str) -> Values:
    if value in _SIZES:
        return {"font-size": (_SIZES[value], "px")}
    length = {"smaller": (0.83, "em"), "larger": (1.2, "em")}.get(value) or parse_length(value)
    return {"font-size": length} if length and length[0] >= 0 and (length[1] or not length[0]) else {}


def _font(value: str) -> Values:
    """Reads the size and the line height of a `font`, before the names of typefaces."""
    for word in value.split():
        size, _, line = word.partition("/")
        font_size = _font_size(size)
        if font_size:
            return {**font_size, "line-height": parse_length(line)}
    return {}


def _color(name: str, value: str) -> Values:
    """Reads a colour; a value that is none at all is ignored."""
    if value in ("inherit", "currentcolor"):
        return {name: value}
    color = parse_color(value)
    return {name: color} if color is not None or is_color_function(value) else {}


def _background(value: str) -> Values:
    """Reads a `background`: its colour, and whether there is a picture."""
    words = _WORD.findall(value)
    if "currentcolor" in words:
        return {"background-color": "currentcolor", **_picture(value)}
    colors = [color for word in words if (color := parse_color(word)) is not None]
    unknown = not colors and any(map(is_color_function, words))
    return {"background-color": colors[-1] if colors else None if unknown else TRANSPARENT, **_picture(value)}


def _picture(value: str) -> Values:
    """Reads a picture; a gradient of one colour is none."""
    if value.find("gradient(") >= 0 and value.find("url(") < 0:
        colors = colors_in(value)
        if colors and len({*colors}) == 1 and colors[0][3] == 1:
            return {"background-image": False, "background-color": colors[0]}
        return {"background-image": True}
    return {"background-image": value.find("url(") >= 0}


def colors_in(value: str) -> list[Color]:
    """Returns the colours among the words of a value, also inside of a gradient."""
    words = _WORD.findall(value.partition("gradient(")[2] if "gradient(" in value else value)
    return [color for word in words if (color := parse_color(word)) is not None]


def _number(name: str, value: str) -> Values:
    length = parse_length(value)
    return {name: length[0] / (100 if length[1] == "%" else 1)} if length else {}


def _text(name: str, value: str) -> Values:
    return {name: replace_calc(value)}


def _first_length(name: str, value: str) -> Values:
    """Reads the first of one or two lengths, as in `inset-inline: -9999px 0`."""
    return _length(name, value.partition(" ")[0]) if "(" not in value else _length(name, value)


def _word_spacing(value: str) -> Values:
    """Reads `word-spacing`: far below zero it moves words off the page, as an indent does."""
    length = parse_length(value)
    return {"text-indent": length} if length and length[0] <= _FAR_WORDS else {}


def _security(value: str) -> Values:
    """Reads `-webkit-text-security`: dots stand for letters."""
    return {"visibility": "hidden"} if value in ("disc", "circle", "square") else {}


def _box_shadow(value: str) -> Values:
    """Reads a shadow inside of a box; one as wide as the box is a background over the background."""
    lengths = [length for word in value.split() if (length := parse_length(word))]
    colors = colors_in(value)
    if "inset" not in value or "," in value.partition("(")[0] or len(colors) != 1 or len(lengths) < 4:
        return {}
    return {"inset-shadow": colors[0]} if lengths[3][0] >= _WIDE_SHADOW and colors[0][3] == 1 else {}


def _size_adjust(value: str) -> Values:
    """Reads `font-size-adjust`: with 0 all letters have the size 0."""
    length = parse_length(value)
    return {"font-size": (0.0, "px")} if length and length[0] < 0.05 else {}


def _reset(value: str) -> Values:  # noqa: ARG001
    """Reads `all`: every property has its first value again."""
    return dict(_INITIAL)


_DISPLAYS = name_set(
    "none block inline inline-block flex inline-flex grid inline-grid table inline-table table-cell table-row"
    " table-row-group table-header-group table-footer-group table-column table-column-group table-caption"
    " list-item contents flow-root run-in inherit initial unset revert -webkit-box -webkit-inline-box"
)
_VISIBILITIES = name_set("visible hidden collapse inherit initial unset revert")
_LENGTHS = (
    "height max-height min-height width max-width min-width left right top bottom margin-left margin-top"
    " padding-left padding-right padding-top padding-bottom text-indent letter-spacing line-height"
)
_TEXTS = (
    "overflow overflow-x overflow-y position float clip clip-path transform translate scale rotate filter"
    " text-shadow background-clip content-visibility contain mask mask-size backface-visibility"
)
# The direction of text is that of most mail: from left to right, from top to bottom.
_LOGICAL = {
    "block-size": "height",
    "inline-size": "width",
    "inset-inline": "left",
    "inset-inline-start": "left",
    "inset-inline-end": "right",
    "inset-block": "top",
    "inset-block-start": "top",
    "inset-block-end": "bottom",
    "margin-inline-start": "margin-left",
    "margin-inline": "margin-left",
    "margin-block-start": "margin-top",
    "margin-block": "margin-top",
    "max-block-size": "max-height",
    "max-inline-size": "max-width",
    "min-block-size": "min-height",
    "min-inline-size": "min-width",
}
# Properties that conditions of @supports in mail ask for, beside those that are read.
SUPPORTED = name_set(
    "-webkit-appearance appearance gap grid-area grid-gap grid-template-areas grid-template-columns flex"
    " flex-wrap object-fit aspect-ratio backdrop-filter -webkit-backdrop-filter hyphens box-shadow"
    " border-radius text-decoration-color mix-blend-mode user-select -webkit-overflow-scrolling"
    " -webkit-line-clamp accent-color writing-mode animation transition"
)
_INITIAL: Values = {
    "display": "inline",
    "visibility": "inherit",
    "opacity": 1.0,
    **dict.fromkeys(
        name_set("height max-height width max-width left right top bottom margin-left margin-top")
    ),
    **dict.fromkeys(name_set("clip-path transform translate scale rotate filter mask contain"), "none"),
    **dict.fromkeys(name_set("overflow overflow-x overflow-y content-visibility"), "visible"),
    "position": "static",
}
PROPERTIES: dict[str, Callable[[str], Values]] = {
    "display": partial(_keyword, "display", _DISPLAYS),
    "visibility": partial(_keyword, "visibility", _VISIBILITIES),
    "font-size": _font_size,
    "font": _font,
    "color": partial(_color, "color"),
    "-webkit-text-fill-color": partial(_color, "fill"),
    "background-color": partial(_color, "background-color"),
    "background": _background,
    "background-image": _picture,
    "-webkit-background-clip": partial(_text, "background-clip"),
    "-webkit-backface-visibility": partial(_text, "backface-visibility"),
    "-webkit-transform": partial(_text, "transform"),
    "-webkit-clip-path": partial(_text, "clip-path"),
    "-webkit-filter": partial(_text, "filter"),
    "-webkit-mask": partial(_text, "mask"),
    "-webkit-mask-image": partial(_text, "mask"),
    "mask-image": partial(_text, "mask"),
    "-webkit-mask-size": partial(_text, "mask-size"),
    "-webkit-text-stroke": partial(_text, "text-shadow"),
    "-webkit-text-stroke-color": partial(_text, "text-shadow"),
    "-webkit-opacity": partial(_number, "opacity"),
    "overflow-block": partial(_text, "overflow-y"),
    "overflow-inline": partial(_text, "overflow-x"),
    "font-size-adjust": _size_adjust,
    "word-spacing": _word_spacing,
    "-webkit-text-security": _security,
    "box-shadow": _box_shadow,
    "all": _reset,
    "opacity": partial(_number, "opacity"),
    "zoom": partial(_number, "zoom"),
    "margin": partial(_four, "margin-"),
    "padding": partial(_four, "padding-"),
    "inset": partial(_four, ""),
    **{name: partial(_length, name) for name in _LENGTHS.split()},
    **{name: partial(_text, name) for name in _TEXTS.split()},
    **{name: partial(_first_length, physical) for name, physical in _LOGICAL.items()},
}
# Declarations that set several values, or one of another name.
SEVERAL = {
    "background": ("background-color", "background-image"),
    "font": ("font-size", "line-height"),
    **{name: tuple(f"{name}-{side}" for side in _SIDES) for name in ("margin", "padding")},
    "inset": _SIDES,
    "background-image": ("background-image", "background-color"),
    "all": tuple(_INITIAL),
}
KEY = {
    **_LOGICAL,
    **{name: name.removeprefix("-webkit-") for name in PROPERTIES if name.startswith("-webkit-")},
    "-webkit-text-fill-color": "fill",
    "-webkit-text-security": "visibility",
    **dict.fromkeys(("-webkit-text-stroke", "-webkit-text-stroke-color"), "text-shadow"),
    **dict.fromkeys(("-webkit-mask-image", "mask-image"), "mask"),
    "overflow-block": "overflow-y",
    "overflow-inline": "overflow-x",
    "font-size-adjust": "font-size",
    "word-spacing": "text-indent",
    "box-shadow": "inset-shadow",
}
