"""Computes the style of an element from that of its parent, and whether its text can be seen."""

from __future__ import annotations

import math
import re
from typing import NamedTuple, cast

from spamnb.mail.css_colors import BLACK, WHITE, Color, blend, is_invisible
from spamnb.mail.css_declarations import Length, Values, parse_length, to_pixels

# All limits are pixels, but for the last three.
_SMALLEST_FONT = 4.0  # letters of fewer pixels cannot be read; mail is written in 8 and more
_SMALLEST_BOX = 5.0  # of which text beyond the edge is cut off
_OFF_PAGE = -500.0  # left or above; boxes of that width and more are moved a little by layouts
_FAR_RIGHT = 2000.0
_WHOLE = 1000.0  # of which an offset in percent is taken
_OWN_SIZE = 400.0  # of which a translation in percent is taken: half of it centres a box
_FAINT, _TINY_SCALE, _BLURRED = 0.05, 0.1, 5.0
_NO_BOX = ("none", "table-column", "table-column-group")
_CUT_OFF = ("hidden", "clip", "auto", "scroll")
_MOVED = ("absolute", "fixed", "relative", "sticky")
_OWN_BLOCK = ("absolute", "fixed")
_IN_LINE = frozenset("color fill font-size line-height background-color background-image".split())
_TABLE_PARTS = frozenset("table tbody thead tfoot tr td th".split())  # they grow with their content

_FUNCTION = re.compile(r"([a-z0-9-]{1,20})\(([^()]{0,200})\)")
_SEPARATOR = re.compile(r"[\s,]+")


class Style(NamedTuple):
    """The values of an element that its content inherits, and `hides`: its own text cannot be seen.

    A colour is None if it is not known, as that of a picture. `gone`: nothing in the element can be seen.
    """

    gone: bool = False
    visible: bool = True
    font_size: float = 16.0
    color: Color | None = BLACK
    fill: Color | None = None  # replaces the colour
    background: Color | None = WHITE
    opacity: float = 1.0
    indent: float = 0.0
    spacing: float = 0.0
    line_height: float = 20.0
    cuts_off: bool = False
    hides: bool = False


ROOT = Style()


def compute(parent: Style, values: Values, *, tag: str, inline: bool) -> Style:
    """Computes a style; `inline`: the tag begins no block of its own."""
    if not values:
        return parent
    size = _font_size(parent.font_size, values)
    boxed = _has_box(values, tag, inline)
    style = Style(
        gone=parent.gone or _is_gone(values, size, boxed),
        visible=_is_visible(parent.visible, values),
        font_size=size,
        color=_color(parent.color, values, "color"),
        fill=_color(parent.fill, values, "fill"),
        background=_background(parent, values),
        opacity=parent.opacity * _opacity(values),
        indent=_inherited(parent.indent, values, "text-indent", size),
        spacing=_inherited(parent.spacing, values, "letter-spacing", size),
        line_height=_line_height(parent, values, size),
        cuts_off=parent.cuts_off or (boxed and _cuts_off(values)),
    )
    readable = values.get("text-shadow", "none") != "none" or values.get("background-clip") == "text"
    if readable:  # letters that are drawn by their shadow or cut out of their background
        style = style._replace(color=None, fill=None)
    return style._replace(hides=_hides(style))


def _hides(style: Style) -> bool:
    color = style.fill or style.color
    return (
        style.gone
        or not style.visible
        or style.font_size < _SMALLEST_FONT
        or style.opacity < _FAINT
        or style.indent <= _OFF_PAGE
        or style.spacing < -0.5 * style.font_size
        or (style.cuts_off and style.line_height < _SMALLEST_FONT)
        or (color is not None and is_invisible(color, style.background))
    )


def _pixels(values: Values, name: str, em: float, whole: float = _WHOLE) -> float | None:
    length = values.get(name)
    return to_pixels(length, em, whole) if isinstance(length, tuple) and len(length) == 2 else None


def _inherited(before: float, values: Values, name: str, em: float) -> float:
    pixels = _pixels(values, name, em)
    return before if pixels is None else pixels


def _font_size(before: float, values: Values) -> float:
    pixels = _pixels(values, "font-size", before, before)
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


def _color(before: Color | None, values: Values, name: str) -> Color | None:
    if name not in values:
        return before
    color = values[name]
    return before if isinstance(color, str) else cast("Color | None", color)


def _background(parent: Style, values: Values) -> Color | None:
    if values.get("background-image"):
        return None
    color = values.get("background-color", "inherit")
    if isinstance(color, str):
        return parent.color if color == "currentcolor" else parent.background
    if color is None:
        return None
    own = cast(Color, color)
    if own[3] == 0:
        return parent.background
    return own if own[3] == 1 else parent.background and blend(own, parent.background)


def _opacity(values: Values) -> float:
    opacity = values.get("opacity", 1.0)
    least = opacity if isinstance(opacity, float) else 1.0
    for name, given in _functions(values, "filter"):
        amount = parse_length(given.removeprefix("opacity=").strip())  # as in alpha(opacity=0)
        if name == "opacity" and amount:
            least = min(least, amount[0] / (100 if amount[1] == "%" else 1))
        elif name in ("alpha", "progid:dximagetransform.microsoft.alpha") and amount:
            least = min(least, amount[0] / 100)
        elif name == "blur" and amount and (to_pixels(amount, 16.0, 0.0) or 0.0) >= _BLURRED:
            least = 0.0
    return max(least, 0.0)


def _functions(values: Values, name: str) -> list[tuple[str, str]]:
    """Returns the functions of a value such as `scale(0) translate(1px)`, with their arguments."""
    text = values.get(name)
    return _FUNCTION.findall(text) if isinstance(text, str) else []


def _is_gone(values: Values, em: float, boxed: bool) -> bool:
    if values.keys() <= _IN_LINE:
        return False
    return (
        values.get("display") in _NO_BOX
        or values.get("content-visibility") == "hidden"
        or (boxed and _cuts_off(values) and _has_no_room(values, em))
        or _is_off_page(values, em)
        or _is_clipped(values, em)
        or (boxed and _is_transformed_away(values, em))
    )


def _has_box(values: Values, tag: str, inline: bool) -> bool:
    """Returns whether height, width and transformations have an effect: not inside of a line of text."""
    display = values.get("display")
    if display is None and (values.get("position") in _OWN_BLOCK or values.get("float") in ("left", "right")):
        return True
    if display is None:
        return not inline and tag not in _TABLE_PARTS
    return display not in ("inline", "contents") and not str(display).startswith("table")


def _cuts_off(values: Values) -> bool:
    names = ("overflow", "overflow-x", "overflow-y")
    return any(word in _CUT_OFF for name in names for word in str(values.get(name, "")).split())


def _has_no_room(values: Values, em: float) -> bool:
    for side, start, end in (("height", "top", "bottom"), ("width", "left", "right")):
        sizes = [_pixels(values, name, em) for name in (side, f"max-{side}")]
        known = [size for size in sizes if size is not None]
        padding = sum(_pixels(values, f"padding-{edge}", em) or 0.0 for edge in (start, end))
        least = _pixels(values, f"min-{side}", em) or 0.0
        if known and max(min(known), least) + padding < _SMALLEST_BOX:
            return True
    return False


def _is_off_page(values: Values, em: float) -> bool:
    starts = [_pixels(values, "margin-left", em), _pixels(values, "margin-top", em)]
    ends: list[float | None] = [_pixels(values, "margin-left", em)]
    if values.get("position") in _MOVED:
        starts += [_pixels(values, "left", em), _pixels(values, "top", em)]
        ends += [_pixels(values, name, em) for name in ("left", "right", "bottom")]
    return any(x is not None and x <= _OFF_PAGE for x in starts) or any(
        x is not None and x >= _FAR_RIGHT for x in ends
    )


def _is_clipped(values: Values, em: float) -> bool:
    if values.get("position") in _OWN_BLOCK:
        for name, given in _functions(values, "clip"):
            edges = _lengths(given, em)
            if name == "rect" and len(edges) == 4 and min(edges[2] - edges[0], edges[1] - edges[3]) < 5:
                return True
    return any(_leaves_nothing(name, given, em) for name, given in _functions(values, "clip-path"))


def _leaves_nothing(name: str, given: str, em: float) -> bool:
    """Returns whether a clip-path leaves nothing of an element."""
    if name == "inset":
        edges = [parse_length(word) or (0.0, "") for word in given.split(" round ")[0].split()[:4]]
        edges = (edges * 4)[:4] if len(edges) in (1, 2, 4) else [*edges, (0.0, ""), (0.0, "")][:4]
        shares = [number if unit == "%" else number / 4 for number, unit in edges]
        return shares[0] + shares[2] >= 95 or shares[1] + shares[3] >= 95
    if name in ("circle", "ellipse"):
        radii = _lengths(given.split("at")[0], em)
        return bool(radii) and min(radii) < 2
    return name == "polygon" and len({point.strip() for point in given.split(",")}) == 1


def _lengths(given: str, em: float) -> list[float]:
    """Returns the lengths of a function's arguments in pixels; those that are none are left out."""
    lengths = (parse_length(word) for word in _SEPARATOR.split(given.strip()))
    pixels = [to_pixels(length, em, _OWN_SIZE) for length in lengths if length]
    return [number for number in pixels if number is not None]


def _is_transformed_away(values: Values, em: float) -> bool:
    functions = _functions(values, "transform")
    functions += [(name, str(values[name])) for name in ("translate", "scale") if name in values]
    return any(_moves_away(name, given, em) for name, given in functions)


def _moves_away(name: str, given: str, em: float) -> bool:
    if name in ("rotatex", "rotatey"):
        degrees = given.strip().removesuffix("deg")
        turn = parse_length(degrees)
        return turn is not None and abs(math.cos(math.radians(turn[0]))) < 0.05
    numbers = _lengths(given, em)
    if not numbers:
        return False
    if name.startswith("translate"):
        numbers = numbers[: 1 if name in ("translatex", "translatey") else 2]
        return min(numbers) <= _OFF_PAGE or max(numbers) >= _FAR_RIGHT
    if name.startswith("scale"):
        return min(abs(number) for number in numbers[:2]) < _TINY_SCALE
    if name == "matrix" and len(numbers) == 6:
        area = abs(numbers[0] * numbers[3] - numbers[1] * numbers[2])
        return area < _TINY_SCALE**2 or min(numbers[4:]) <= _OFF_PAGE
    return False
