"""Computes the style of an element from that of its parent, and whether its text can be seen."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import cast

from spamnb.mail.css_color_functions import Color
from spamnb.mail.css_colors import BLACK, LINK, WHITE, blend, is_invisible
from spamnb.mail.css_declarations import Values, colors_in
from spamnb.mail.css_numbers import Length, parse_length, to_pixels
from spamnb.mail.hidden_boxes import BOXES, cuts_off, functions_of, has_box, is_gone, pixels_of

_SMALLEST_FONT = 4.0  # pixels: letters of fewer cannot be read; mail is written in 8 and more
_FAR_INDENT = -500.0  # pixels
_CUT_INDENT = 900.0  # pixels, of a line that is cut off: 100% is 1000
_FAINT = 0.05  # opacity
_BLURRED = 5.0  # pixels
_LETTERS = frozenset(("font-size", "line-height", "zoom"))
_COLORS = frozenset(("color", "fill", "link"))
_BACKGROUNDS = frozenset(("background-color", "background-image"))
_STYLE_BYTES, _TREE_BYTES = 1 << 10, 1 << 21  # of a style, and of all that are kept in a tree


class Style:
    """The values of an element that its content inherits, and `hides`: its own text cannot be seen.

    A colour is None if it is not known, as that of a picture. `gone`: nothing in the element can be seen.
    """

    __slots__ = ("__dict__", "inside")
    gone: bool
    visible: bool
    font_size: float
    color: Color | None
    fill: Color | None  # replaces the colour
    background: Color | None
    link: Color
    opacity: float
    indent: float
    spacing: float
    line_height: float
    cuts_off: bool
    hides: bool

    def __init__(self, values: Mapping[str, object]) -> None:
        self.__dict__.update(values)
        self.inside: dict[object, Style] = {}  # styles that were computed from this one


_UNSTYLED = {
    "gone": False,
    "visible": True,
    "font_size": 16.0,
    "color": BLACK,
    "fill": None,
    "background": WHITE,
    "link": LINK,
    "opacity": 1.0,
    "indent": 0.0,
    "spacing": 0.0,
    "line_height": 20.0,
    "cuts_off": False,
    "hides": False,
}


class StyleTree:
    """Styles computed from that of a page without any tags; beyond a limit all are dropped."""

    def __init__(self) -> None:
        self.root = Style(_UNSTYLED)
        self._size = 0

    def keep(self, style: Style, parent: Style, key: object, size: int) -> None:
        """Keeps a style for elements of this key inside of `parent`; `size`: bytes of the key."""
        self._size += _STYLE_BYTES + size
        if self._size > _TREE_BYTES:
            self.root.inside.clear()
            self._size = 0
        parent.inside[key] = style


_is_invisible = lru_cache(1 << 10)(is_invisible)


def compute(parent: Style, values: Values, *, tag: str, inline: bool) -> Style:
    """Computes a style; `inline`: the tag begins no block of its own."""
    if not values:
        return parent
    style = Style(parent.__dict__)
    if not _LETTERS.isdisjoint(values):
        style.font_size = _font_size(parent.font_size, values)
        style.line_height = _line_height(parent, values, style.font_size)
    for name in _COLORS.intersection(values):
        if not isinstance(values[name], str):
            setattr(style, name, values[name])
    if not _BACKGROUNDS.isdisjoint(values):
        style.background = _background(parent, values)
    if not BOXES.isdisjoint(values):
        _add_box(style, values, has_box(values, tag, inline))
    style.hides = _hides(style)
    return style if style.__dict__ != parent.__dict__ else parent


def _add_box(style: Style, values: Values, boxed: bool) -> None:
    """Changes a style by the values that have an effect on more than the letters."""
    size = style.font_size
    style.gone = style.gone or is_gone(values, size, boxed)
    style.visible = _is_visible(style.visible, values)
    style.opacity *= _opacity(values)
    if "text-indent" in values:
        style.indent = _inherited(style.indent, values, "text-indent", size)
    if "letter-spacing" in values:
        style.spacing = _inherited(style.spacing, values, "letter-spacing", size)
    style.cuts_off = style.cuts_off or (boxed and cuts_off(values))
    if values.get("background-clip") == "text":
        style.color = style.fill = None  # letters that are cut out of their background
    shadow = values.get("text-shadow", "none")
    if isinstance(shadow, str) and shadow != "none":
        _add_shadow(style, shadow)


def _add_shadow(style: Style, shadow: str) -> None:
    """Lets letters be seen by their shadow or outline, if that can be seen."""
    own, colors = style.fill or style.color, colors_in(shadow)
    if own is not None and is_invisible(own, style.background):
        visible = [color for color in colors if not is_invisible(color, style.background)]
        if visible:
            style.color, style.fill = visible[0], None


def _hides(style: Style) -> bool:
    color = style.fill or style.color
    return (
        style.gone
        or not style.visible
        or style.font_size < _SMALLEST_FONT
        or style.opacity < _FAINT
        or style.indent <= _FAR_INDENT
        or (style.cuts_off and style.indent >= _CUT_INDENT)
        or style.spacing < -0.5 * style.font_size
        or (style.cuts_off and style.line_height < _SMALLEST_FONT)
        or (color is not None and _is_invisible(color, style.background))
    )


def _inherited(before: float, values: Values, name: str, em: float) -> float:
    pixels = pixels_of(values, name, em)
    return before if pixels is None else pixels


def _font_size(before: float, values: Values) -> float:
    pixels = pixels_of(values, "font-size", before, before)
    zoom = values.get("zoom")
    size = before if pixels is None else pixels
    return size * zoom if isinstance(zoom, float) and zoom > 0 else size


def _line_height(parent: Style, values: Values, size: float) -> float:
    length = values.get("line-height")
    if not isinstance(length, tuple):
        return parent.line_height if "line-height" not in values else 1.2 * size
    number, unit = cast(Length, length)
    pixels = number * size if not unit else to_pixels((number, unit), size, size)
    return parent.line_height if pixels is None else pixels


def _is_visible(before: bool, values: Values) -> bool:
    visibility = values.get("visibility", "inherit")
    return before if visibility in ("inherit", "unset") else visibility not in ("hidden", "collapse")


def _background(parent: Style, values: Values) -> Color | None:
    if values.get("background-image"):
        return None
    color = values.get("background-color", "inherit")
    if isinstance(color, str):
        own_color = values.get("color", parent.color)
        if color == "currentcolor":
            return parent.color if isinstance(own_color, str) else cast("Color | None", own_color)
        return parent.background
    if color is None:
        return None
    own = cast(Color, color)
    if own[3] == 0:
        return parent.background
    return own if own[3] == 1 else parent.background and blend(own, parent.background)


def _opacity(values: Values) -> float:
    if "opacity" not in values and "filter" not in values:
        return 1.0
    opacity = values.get("opacity", 1.0)
    least = opacity if isinstance(opacity, float) else 1.0
    for name, given in functions_of(values, "filter"):
        amount = parse_length(given.removeprefix("opacity=").strip())  # as in alpha(opacity=0)
        if name == "opacity" and amount:
            least = min(least, amount[0] / (100 if amount[1] == "%" else 1))
        elif name in ("alpha", "progid:dximagetransform.microsoft.alpha") and amount:
            least = min(least, amount[0] / 100)
        elif name == "blur" and amount and (to_pixels(amount, 16.0, 0.0) or 0.0) >= _BLURRED:
            least = 0.0
    return max(least, 0.0)
