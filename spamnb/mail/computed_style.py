"""Computes the style of an element from that of its parent, and whether its text can be seen."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple, cast

from spamnb.mail.css_color_functions import Color
from spamnb.mail.css_colors import BLACK, LINK, WHITE, blend, is_invisible
from spamnb.mail.css_declarations import HAS_CUSTOM, resolve
from spamnb.mail.css_numbers import Length, parse_length, to_pixels
from spamnb.mail.css_values import Values, colors_in
from spamnb.mail.hidden_boxes import BOXES, clip_of, cuts_off, functions_of, has_box, is_gone, pixels_of

_SMALLEST_FONT = 4.0  # pixels: letters of fewer cannot be read; mail is written in 8 and more
_FAR_INDENT = -500.0  # pixels
_CUT_INDENT = 900.0  # pixels, of a line that is cut off: 100% is 1000
_FAR_SHADOW = 100.0  # pixels, beyond which a shadow is not at its letters
_IN_LINE = ("inline", "contents")  # values of `display`
_FAINT = 0.05  # opacity
_BLURRED = 5.0  # pixels
_LETTERS = frozenset(("font-size", "line-height", "zoom"))
_COLORS = frozenset(("color", "fill", "link"))
_BACKGROUNDS = frozenset(("background-color", "background-image", "inset-shadow"))
_RECOLORS = frozenset(("brightness", "contrast", "grayscale", "hue-rotate", "sepia", "url"))
_INVERTED = 0.9  # of 1
_STYLE_BYTES, _TREE_BYTES = 1 << 10, 1 << 21  # of a style, and of all that are kept in a tree


class Colors(NamedTuple):
    """The colours of an element; None is one that is not known, as that of a picture."""

    color: Color | None = BLACK
    fill: Color | None = None  # replaces the colour
    background: Color | None = WHITE
    link: Color = LINK
    inverted: bool = False  # by a filter; the background is the one that is seen
    filtered: bool = False  # otherwise: the colour that is seen is not known


class Letters(NamedTuple):
    """The size and the place of letters, in pixels."""

    size: float = 16.0
    line_height: float = 20.0
    indent: float = 0.0
    spacing: float = 0.0


class Visibility(NamedTuple):
    """How an element shows its content; `gone`: nothing in it can be seen."""

    gone: bool = False
    visible: bool = True
    opacity: float = 1.0
    cuts_off: bool = False
    clip: int = 0  # boxes without room around it, see `clip_of`
    drawn: bool = True  # letters; in drawings and formulas only those of some elements


class Style:
    """The values of an element that its content inherits, and `hides`: its own text cannot be seen."""

    __slots__ = ("colors", "custom", "hides", "inside", "letters", "visibility")

    def __init__(
        self, colors: Colors, letters: Letters, visibility: Visibility, custom: Mapping[str, str]
    ) -> None:
        self.colors, self.letters, self.visibility = colors, letters, visibility
        self.custom = custom  # properties
        self.hides = _hides(colors, letters, visibility)
        self.inside: dict[object, Style] = {}  # styles that were computed from this one


class StyleTree:
    """Styles computed from that of a page without any tags; beyond a limit all are dropped."""

    def __init__(self) -> None:
        self.root = Style(Colors(), Letters(), Visibility(), {})
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
    custom = parent.custom
    if HAS_CUSTOM in values:
        values, custom = resolve(values, custom)
    colors, letters, visibility = parent.colors, parent.letters, parent.visibility
    if not _LETTERS.isdisjoint(values):
        letters = _letters(letters, values)
    if not _COLORS.isdisjoint(values):
        colors = _colors(colors, values)
    if "filter" in values:
        colors = _filtered(colors, values)
    if not _BACKGROUNDS.isdisjoint(values):
        colors = colors._replace(background=_background(parent.colors, values, colors.inverted))
    if not BOXES.isdisjoint(values):
        boxed = has_box(values, tag, inline)
        begins_line = boxed or (not inline and values.get("display") not in _IN_LINE)
        letters = _moved(letters, values, begins_line)
        visibility = _visibility(visibility, values, letters.size, boxed)
        if tag == "template":  # no style shows it
            visibility = visibility._replace(gone=True)
        if values.get("background-clip") == "text":
            colors = _cut_out(colors, parent.colors)
        if "text-shadow" in values:
            colors = _with_shadow(colors, str(values["text-shadow"]))
    if custom is parent.custom and (colors, letters, visibility) == (
        parent.colors,
        parent.letters,
        parent.visibility,
    ):
        return parent
    return Style(colors, letters, visibility, custom)


def _cut_out(colors: Colors, around: Colors) -> Colors:
    """Returns the colours of letters that are cut out of their background."""
    own = colors.fill or colors.color
    if own is None or not _is_invisible(own, around.background):
        return colors._replace(background=around.background)
    return colors._replace(color=colors.background, fill=None, background=around.background)


def _with_shadow(colors: Colors, shadow: str) -> Colors:
    """Returns the colours of letters that can be seen by their shadow or outline alone."""
    own = colors.fill or colors.color
    if own is None or not _is_invisible(own, colors.background):
        return colors
    lengths = filter(None, map(parse_length, shadow.replace(",", " ").split()))
    if any(abs(to_pixels(length, 16.0, 0.0) or 0.0) > _FAR_SHADOW for length in lengths):
        return colors
    visible = [color for color in colors_in(shadow) if not _is_invisible(color, colors.background)]
    return colors._replace(color=visible[0], fill=None) if visible else colors


def _colors(before: Colors, values: Values) -> Colors:
    own: dict[str, Any] = {name: values[name] for name in _COLORS.intersection(values)}
    return before._replace(**{name: color for name, color in own.items() if not isinstance(color, str)})


def _filtered(colors: Colors, values: Values) -> Colors:
    """Returns colours as a filter shows them; it is applied to the background too, if that is set inside."""
    names = functions_of(values, "filter")
    inversions = [parse_length(argument) or (1.0, "") for name, argument in names if name == "invert"]
    amounts = [number / (100 if unit == "%" else 1) for number, unit in inversions]
    known = all(amount >= _INVERTED for amount in amounts) and _RECOLORS.isdisjoint(name for name, _ in names)
    return colors._replace(
        inverted=colors.inverted != bool(len(amounts) % 2), filtered=colors.filtered or not known
    )


def _inverted(color: Color) -> Color:
    return 255 - color[0], 255 - color[1], 255 - color[2], color[3]


def _letters(before: Letters, values: Values) -> Letters:
    size = _font_size(before.size, values)
    return before._replace(size=size, line_height=_line_height(before.line_height, values, size))


def _moved(letters: Letters, values: Values, begins_line: bool) -> Letters:
    """Returns letters with the indent and the spacing that the values set."""
    if "text-indent" in values and begins_line:
        letters = letters._replace(indent=_inherited(letters.indent, values, "text-indent", letters.size))
    if "letter-spacing" in values:
        letters = letters._replace(
            spacing=_inherited(letters.spacing, values, "letter-spacing", letters.size)
        )
    return letters


def _visibility(before: Visibility, values: Values, size: float, boxed: bool) -> Visibility:
    """Returns the visibility that values set; `size` is that of letters, `boxed`: width and height count."""
    return Visibility(
        gone=before.gone or is_gone(values, size, boxed),
        visible=_is_visible(before.visible, values),
        opacity=before.opacity * _opacity(values),
        clip=clip_of(before.clip, values, size, boxed),
        cuts_off=before.cuts_off or (boxed and cuts_off(values)),
        drawn=bool(values.get("drawn", before.drawn)),
    )


def _hides(colors: Colors, letters: Letters, visibility: Visibility) -> bool:
    color = colors.fill or colors.color
    if color is not None and colors.inverted:
        color = _inverted(color)
    return (
        visibility.gone
        or bool(visibility.clip)
        or not visibility.visible
        or not visibility.drawn
        or letters.size < _SMALLEST_FONT
        or visibility.opacity < _FAINT
        or letters.indent <= _FAR_INDENT
        or (visibility.cuts_off and letters.indent >= _CUT_INDENT)
        or letters.spacing < -0.5 * letters.size
        or (visibility.cuts_off and letters.line_height < _SMALLEST_FONT)
        or (color is not None and not colors.filtered and _is_invisible(color, colors.background))
    )


def _inherited(before: float, values: Values, name: str, em: float) -> float:
    pixels = pixels_of(values, name, em)
    return before if pixels is None else pixels


def _font_size(before: float, values: Values) -> float:
    pixels = pixels_of(values, "font-size", before, before)
    zoom = values.get("zoom")
    size = before if pixels is None else pixels
    return size * zoom if isinstance(zoom, float) and zoom > 0 else size


def _line_height(before: float, values: Values, size: float) -> float:
    length = values.get("line-height")
    if not isinstance(length, tuple):
        return before if "line-height" not in values else 1.2 * size
    number, unit = cast(Length, length)
    pixels = number * size if not unit else to_pixels((number, unit), size, size)
    return before if pixels is None else pixels


def _is_visible(before: bool, values: Values) -> bool:
    visibility = values.get("visibility", "inherit")
    return before if visibility in ("inherit", "unset") else visibility not in ("hidden", "collapse")


def _background(parent: Colors, values: Values, inverted: bool) -> Color | None:
    shadow = values.get("inset-shadow")  # lies on the rest
    if shadow is not None:
        seen = cast(Color, shadow)
        return _inverted(seen) if inverted else seen
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
    own = _inverted(own) if inverted else own
    return own if own[3] == 1 else parent.background and blend(own, parent.background)


def _opacity(values: Values) -> float:
    if "opacity" not in values and "filter" not in values:
        return 1.0
    opacity = values.get("opacity", 1.0)
    least = opacity if isinstance(opacity, float) else 1.0
    for name, argument in functions_of(values, "filter"):
        amount = parse_length(argument.removeprefix("opacity=").strip())  # as in alpha(opacity=0)
        if name == "opacity" and amount:
            least = min(least, amount[0] / (100 if amount[1] == "%" else 1))
        elif name in ("alpha", "progid:dximagetransform.microsoft.alpha") and amount:
            least = min(least, amount[0] / 100)
        elif name == "blur" and amount and (to_pixels(amount, 16.0, 0.0) or 0.0) >= _BLURRED:
            least = 0.0
    return max(least, 0.0)
