"""Finds elements of which nothing can be seen: without a box, cut off, off the page or transformed."""

from __future__ import annotations

import math
import re

from spamnb.mail.css_numbers import parse_length, to_pixels
from spamnb.mail.css_values import Values, colors_in
from spamnb.mail.html_tokens import name_set

# Limits in pixels.
_SMALLEST_BOX = 5.0  # of which text beyond the edge is cut off
_OFF_PAGE = -500.0  # left or above; layouts move boxes by less
_FAR_RIGHT = 2000.0
_FAR_SIDE = 1200.0  # from the right or the bottom
_SCREEN = 800.0  # height, beyond which a fixed box cannot be reached by scrolling
_WHOLE = 1000.0  # of which an offset in percent is taken
_OWN_SIZE = 400.0  # of which a translation in percent is taken: half of it centres a box
_TINY_SCALE = 0.1  # a factor
_OVERFLOWS, _CLIPS = name_set("overflow overflow-x overflow-y"), name_set("clip clip-path")
_MOVES, _TRANSFORMS = (
    name_set("position margin-left margin-top padding-left"),
    name_set("transform translate scale rotate"),
)
_NO_BOX = ("none", "table-column", "table-column-group")
_CUT_OFF = ("hidden", "clip", "auto", "scroll")
_MOVED = ("absolute", "fixed", "relative")
_PAINTED_INSIDE = name_set("paint content strict")  # values of `contain` that cut off
_SIZED_ALONE = name_set("size strict")  # and those by which an element does not grow with its content
_ANGLE = re.compile(r"([+-]?[0-9.]{1,12})(deg|turn|rad|grad)")
_DEGREES = {"deg": 1.0, "turn": 360.0, "rad": 180 / math.pi, "grad": 0.9}
_FAINT = 0.1  # alpha
_NO_SIZE = re.compile(r"/\s*0(?![.\d])|\A0(?![.\d])")
_OWN_BLOCK = ("absolute", "fixed")
_POSITIONED = ("absolute", "fixed", "relative", "sticky")
_HOLDS_ALL = name_set("transform translate scale rotate filter contain")
_BY_STATIC, _BY_POSITIONED, _BY_ANY = 1, 2, 3  # kinds of boxes without room
# Values that can hide something by themselves; those of a size or an edge need one of these.
BOXES = (
    name_set("display visibility content-visibility opacity filter text-indent letter-spacing text-shadow")
    | name_set("background-clip contain mask drawn")
    | _OVERFLOWS
    | _CLIPS
    | _MOVES
    | _TRANSFORMS
)
_WHOLE_PAGE = ("html", "body")
_TABLE_PARTS = name_set("table tbody thead tfoot tr td th")  # they grow with their content

_FUNCTION = re.compile(r"([a-z0-9-]{1,20})\(([^()]{0,200})\)")
_SEPARATOR = re.compile(r"[\s,]+")


def pixels_of(values: Values, name: str, em: float, whole: float = _WHOLE) -> float | None:
    length = values.get(name)
    return to_pixels(length, em, whole) if isinstance(length, tuple) and len(length) == 2 else None


def functions_of(values: Values, name: str) -> list[tuple[str, str]]:
    """Returns the functions of a value such as `scale(0) translate(1px)`, with their arguments."""
    text = values.get(name)
    return _FUNCTION.findall(text) if isinstance(text, str) else []


def is_gone(values: Values, em: float, boxed: bool) -> bool:
    """Returns whether nothing of an element can be seen; `boxed`: its size has an effect."""
    return (
        values.get("display") in _NO_BOX
        or (boxed and values.get("content-visibility") == "hidden")
        or (not _MOVES.isdisjoint(values) and _is_off_page(values, em))
        or (not _CLIPS.isdisjoint(values) and _is_clipped(values, em))
        or ("mask" in values and _is_masked(values))
        or (boxed and not _TRANSFORMS.isdisjoint(values) and _is_transformed_away(values, em))
    )


def clip_of(before: int, values: Values, em: float, boxed: bool) -> int:
    """Returns which boxes without room cut an element off: those that only ordinary content cannot leave,
    those that only a fixed box leaves, or those that nothing leaves; 0 for none.
    """
    position = values.get("position")
    if position in _POSITIONED and before < _BY_ANY:
        escapes = position == "fixed" or (position == "absolute" and before == _BY_STATIC)
        before = 0 if escapes else before and _BY_POSITIONED
    if boxed and cuts_off(values) and _has_no_room(values, em):
        holds_all = not _HOLDS_ALL.isdisjoint(values)
        own = _BY_ANY if holds_all else _BY_POSITIONED if position in _POSITIONED else _BY_STATIC
        return max(before, own)
    return before


def has_box(values: Values, tag: str, inline: bool) -> bool:
    """Returns whether height, width and transformations have an effect: not inside of a line of text."""
    if tag in _WHOLE_PAGE:  # what goes beyond its edges is cut off by the window
        return False
    display = values.get("display")
    if display is None and (values.get("position") in _OWN_BLOCK or values.get("float") in ("left", "right")):
        return True
    if display is None:
        return not inline and tag not in _TABLE_PARTS
    return display not in ("inline", "contents") and "table" not in str(display)


def cuts_off(values: Values) -> bool:
    """Returns whether what goes beyond the edges of an element is cut off."""
    if "contain" in values and not _PAINTED_INSIDE.isdisjoint(str(values["contain"]).split()):
        return True
    if _OVERFLOWS.isdisjoint(values):
        return False
    return any(word in _CUT_OFF for name in _OVERFLOWS for word in str(values.get(name, "")).split())


def _is_masked(values: Values) -> bool:
    """Returns whether a mask leaves nothing: one without a visible colour, of no size, or not loaded."""
    mask = str(values["mask"])
    if mask in ("none", "initial", "unset", "inherit"):
        return False
    if _NO_SIZE.search(mask) or _NO_SIZE.search(str(values.get("mask-size", ""))):
        return True
    if mask.find("gradient(") < 0:
        return mask.find("url(") >= 0  # mail programs do not load it
    colors = colors_in(mask)
    return bool(colors) and all(color[3] < _FAINT for color in colors)


def _is_share(values: Values, name: str) -> bool:
    length = values.get(name)
    return isinstance(length, tuple) and length[-1] == "%"


def _has_no_room(values: Values, em: float) -> bool:
    if not _SIZED_ALONE.isdisjoint(str(values.get("contain", "")).split()) and "height" not in values:
        return True
    for side, end in (("height", "bottom"), ("width", "right")):
        # A share of a height hides nothing: mostly the height that it is a share of is that of the content.
        names = [name for name in (side, f"max-{side}") if side == "width" or not _is_share(values, name)]
        sizes = [pixels_of(values, name, em) for name in names]
        known = [size for size in sizes if size is not None]
        padding = pixels_of(values, f"padding-{end}", em) or 0.0  # text begins behind the other one
        least = pixels_of(values, f"min-{side}", em) or 0.0
        if known and max(min(known), least) + padding < _SMALLEST_BOX:
            return True
    return False


def _is_off_page(values: Values, em: float) -> bool:
    starts = [pixels_of(values, "margin-left", em), pixels_of(values, "margin-top", em)]
    ends: list[float | None] = [pixels_of(values, name, em) for name in ("margin-left", "padding-left")]
    if values.get("position") in _MOVED:
        starts += [pixels_of(values, "left", em), pixels_of(values, "top", em)]
        ends.append(pixels_of(values, "left", em))
        far = [pixels_of(values, name, em) for name in ("right", "bottom")]
        if any(x is not None and x >= _FAR_SIDE for x in far) or (far[0] or 0.0) <= -_FAR_RIGHT:
            return True
        if values["position"] == "fixed" and _is_beyond_screen(values, em):
            return True
    return any(x is not None and x <= _OFF_PAGE for x in starts) or any(
        x is not None and x >= _FAR_RIGHT for x in ends
    )


def _is_beyond_screen(values: Values, em: float) -> bool:
    """Returns whether a fixed box, which does not scroll, is below the screen or right of it."""
    left, top = pixels_of(values, "left", em, _FAR_SIDE), pixels_of(values, "top", em, _SCREEN)
    return (left is not None and left >= _FAR_SIDE) or (top is not None and top >= _SCREEN)


def _is_clipped(values: Values, em: float) -> bool:
    if values.get("position") in _OWN_BLOCK:
        for name, arguments in functions_of(values, "clip"):
            edges = _lengths(arguments, em)
            if name == "rect" and len(edges) == 4 and min(edges[2] - edges[0], edges[1] - edges[3]) < 5:
                return True
    return any(_leaves_nothing(name, arguments, em) for name, arguments in functions_of(values, "clip-path"))


def _leaves_nothing(name: str, arguments: str, em: float) -> bool:
    """Returns whether a clip-path leaves nothing of an element."""
    if name == "inset":
        edges = [parse_length(word) or (0.0, "") for word in arguments.split(" round ")[0].split()[:4]]
        edges = (edges * 4)[:4] if len(edges) in (1, 2, 4) else [*edges, (0.0, ""), (0.0, "")][:4]
        shares = [number if unit == "%" else number / 4 for number, unit in edges]
        return shares[0] + shares[2] >= 95 or shares[1] + shares[3] >= 95
    if name in ("circle", "ellipse"):
        radii = _lengths(arguments.split("at")[0], em)
        return bool(radii) and min(radii) < 2
    if name in ("rect", "xywh"):
        sides = _lengths(arguments.split(" round ")[0], em)
        if len(sides) != 4:
            return False
        across = (sides[2] - sides[0], sides[1] - sides[3]) if name == "rect" else (sides[2], sides[3])
        return min(across) < 2
    if name != "polygon":
        return False
    points = [
        _lengths(point, em) for point in arguments.split(",") if point.strip() not in ("evenodd", "nonzero")
    ]
    if not points or any(len(point) != 2 for point in points):
        return False
    return any(max(at) - min(at) < 2 for at in zip(*points, strict=True))


def _lengths(arguments: str, em: float) -> list[float]:
    """Returns the lengths of a function's arguments in pixels; those that are none are left out."""
    lengths = (parse_length(word) for word in _SEPARATOR.split(arguments.strip()))
    pixels = [to_pixels(length, em, _OWN_SIZE) for length in lengths if length]
    return [number for number in pixels if number is not None]


def _is_transformed_away(values: Values, em: float) -> bool:
    functions = functions_of(values, "transform")
    functions += [(name, str(values[name])) for name in ("translate", "scale", "rotate") if name in values]
    one_sided = values.get("backface-visibility") == "hidden"
    return _is_moved_away(functions, em) or any(
        _leaves_no_face(name, argument, em, one_sided) for name, argument in functions
    )


def _is_moved_away(functions: list[tuple[str, str]], em: float) -> bool:
    """Returns whether all translations together, to the side or down, end outside the page."""
    side = down = 0.0
    for name, arguments in functions:
        numbers = _lengths(arguments, em)[:2]
        if name == "translatey":
            down += sum(numbers[:1])
        elif name in ("translate", "translatex", "translate3d"):
            side += sum(numbers[:1])
            down += sum(numbers[1:])
    return min(side, down) <= _OFF_PAGE or max(side, down) >= _FAR_RIGHT


def _leaves_no_face(name: str, arguments: str, em: float, one_sided: bool) -> bool:
    """Returns whether an element is turned away, or scaled or moved by a matrix, until nothing shows."""
    if name in ("rotatex", "rotatey", "rotate"):
        angle = _ANGLE.search(arguments)
        if angle is None or (name == "rotate" and arguments.split()[0] not in ("x", "y")):
            return False
        front = math.cos(math.radians(float(angle[1]) * _DEGREES[angle[2]]))
        return (front if one_sided else abs(front)) < 0.05
    numbers = _lengths(arguments, em)
    if name == "rotate3d" and len(numbers) == 3 and not numbers[2]:
        return _leaves_no_face("rotatex", arguments, em, one_sided)
    if not numbers:
        return False
    if name == "matrix3d" and len(numbers) == 16:
        return abs(numbers[0] * numbers[5] - numbers[1] * numbers[4]) < _TINY_SCALE**2
    if name.startswith("scale"):
        return min(abs(number) for number in numbers[:2]) < _TINY_SCALE
    if name == "matrix" and len(numbers) == 6:
        area = abs(numbers[0] * numbers[3] - numbers[1] * numbers[2])
        return area < _TINY_SCALE**2 or min(numbers[4:]) <= _OFF_PAGE
    return False
