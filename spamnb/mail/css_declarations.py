"""Reads the declarations of a style that decide whether text can be seen; all others are left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial

from spamnb.mail.css_colors import TRANSPARENT, Color, parse_color
from spamnb.mail.html_tokens import name_set

Length = tuple[float, str]  # a number and its unit
Value = str | float | bool | Length | Color | None  # None: a value that is not understood
Values = dict[str, Value]

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|(.))", re.IGNORECASE | re.DOTALL)
_DECLARATION = re.compile(r"""(?:[^;"'(]++|"[^"]*+"?|'[^']*+'?|\([^)]*+\)?)++""")
_IMPORTANT = re.compile(r"\s*!\s*important\s*\Z")
_LENGTH = re.compile(r"([+-]?(?:[0-9]{1,9}(?:\.[0-9]{0,9})?[0-9]*|\.[0-9]{1,9}[0-9]*))([a-z]{1,4}|%)?")
_WORD = re.compile(r"[a-z-]++\([^()]*+\)?|[^\s,/()]++")
_VARIABLE = re.compile(r"(--[\w-]{1,64})\s*:\s*([^;{}\"'<>]{1,64})")
_USE = re.compile(r"var\(\s*(--[\w-]{1,64})\s*(?:,([^()]{0,64}))?\)")
_CACHED = 64  # characters of a declaration that is kept: mails repeat them
_SIZES = {
    "xx-small": 9.0,
    "x-small": 10.0,
    "small": 13.0,
    "medium": 16.0,
    "large": 18.0,
    "x-large": 24.0,
    "xx-large": 32.0,
}
_PIXELS = {
    "": 1.0,
    "px": 1.0,
    "pt": 4 / 3,
    "pc": 16.0,
    "in": 96.0,
    "cm": 37.8,
    "mm": 3.78,
    "q": 0.945,
    "rem": 16.0,
    "vw": 12.0,
    "vh": 8.0,
    "vmin": 8.0,
    "vmax": 12.0,
}
_EMS = {"em": 1.0, "ex": 0.5, "ch": 0.5}
_SIDES = ("top", "right", "bottom", "left")


def to_pixels(length: Length, em: float, whole: float) -> float | None:
    """Converts a length to pixels; a percentage is one of `whole`."""
    number, unit = length
    if unit == "%":
        return number / 100 * whole
    factor = _EMS[unit] * em if unit in _EMS else _PIXELS.get(unit)
    return None if factor is None else number * factor


def parse_length(value: str) -> Length | None:
    """Reads a length.

    >>> parse_length("-9999px"), parse_length(".5em"), parse_length("calc(0px)"), parse_length("auto")
    ((-9999.0, 'px'), (0.5, 'em'), (0.0, 'px'), None)
    """
    match = _LENGTH.fullmatch(value.removeprefix("calc(").removesuffix(")").strip())
    return (float(match[1]), match[2] or "") if match else None


def variables(source: str) -> dict[str, str]:
    """Returns the custom properties of a page in lower case, wherever they are set."""
    return dict(_VARIABLE.findall(source)) if source.find("var(") >= 0 else {}


def clean(style: str, custom: Mapping[str, str]) -> str:
    """Removes comments, decodes escapes and inserts custom properties, in a style in lower case."""
    if style.find("/*") >= 0:
        style = _COMMENT.sub(" ", style)
    if style.find("\\") >= 0:
        style = _ESCAPE.sub(_character, style).lower()
    return _USE.sub(lambda use: custom.get(use[1], use[2] or ""), style) if custom else style


def _character(escape: re.Match[str]) -> str:
    if not escape[1]:
        return escape[2]
    code = int(escape[1], 16)
    return chr(code) if 0 < code < 0x110000 else "\ufffd"


def parse_declarations(style: str) -> tuple[Values, Values]:
    """Returns the values that a clean style sets, and those that are !important.

    >>> parse_declarations("display: none !important; color: #fff; display: block; border: 0")
    ({'color': (255.0, 255.0, 255.0, 1.0), 'display': 'block'}, {'display': 'none'})
    """
    normal: Values = {}
    important: Values = {}
    for declaration in _DECLARATION.findall(style):
        values, is_important = (_cached if len(declaration) <= _CACHED else _parse_declaration)(declaration)
        if values:
            (important if is_important else normal).update(values)
    return normal, important


def _parse_declaration(declaration: str) -> tuple[Values, bool]:
    """Returns the values that a declaration sets, and whether it is !important."""
    name, colon, value = declaration.partition(":")
    read = _PROPERTIES.get(name.strip()) if colon else None
    if read is None:
        return {}, False
    value = value.strip()
    plain = _IMPORTANT.sub("", value) if value.endswith("important") else value
    return read(plain), plain != value


_cached = lru_cache(1 << 11)(_parse_declaration)


def _keyword(name: str, allowed: frozenset[str], value: str) -> Values:
    return {name: value} if value in allowed else {}


def _length(name: str, value: str) -> Values:
    length = parse_length(value)
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
    return {"font-size": length} if length and length[0] >= 0 else {}


def _font(value: str) -> Values:
    """Reads the size and the line height of a `font`, before the names of typefaces."""
    for word in value.split():
        size, _, line = word.partition("/")
        font_size = _font_size(size)
        if font_size:
            return {**font_size, "line-height": parse_length(line)}
    return {}


def _color(name: str, value: str) -> Values:
    return {name: value if value in ("inherit", "currentcolor") else parse_color(value)}


def _background(value: str) -> Values:
    """Reads a `background`: its colour, and whether there is a picture."""
    colors = [color for word in _WORD.findall(value) if (color := parse_color(word)) is not None]
    return {"background-color": colors[-1] if colors else TRANSPARENT, **_picture(value)}


def _picture(value: str) -> Values:
    return {"background-image": value.find("url(") >= 0 or value.find("gradient(") >= 0}


def _number(name: str, value: str) -> Values:
    length = parse_length(value)
    return {name: length[0] / (100 if length[1] == "%" else 1)} if length else {}


def _text(name: str, value: str) -> Values:
    return {name: value}


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
    "overflow overflow-x overflow-y position float clip clip-path transform translate scale filter"
    " text-shadow background-clip content-visibility"
)
_PROPERTIES: dict[str, Callable[[str], Values]] = {
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
    "-webkit-transform": partial(_text, "transform"),
    "-webkit-clip-path": partial(_text, "clip-path"),
    "opacity": partial(_number, "opacity"),
    "zoom": partial(_number, "zoom"),
    "margin": partial(_four, "margin-"),
    "padding": partial(_four, "padding-"),
    "inset": partial(_four, ""),
    **{name: partial(_length, name) for name in _LENGTHS.split()},
    **{name: partial(_text, name) for name in _TEXTS.split()},
}
