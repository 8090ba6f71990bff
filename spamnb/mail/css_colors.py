"""Reads the colours of style sheets and attributes, and compares a text's colour with its background."""

from __future__ import annotations

import re
from colorsys import hls_to_rgb

from spamnb.mail.css_color_functions import NAMES, Color, read_function
from spamnb.mail.css_numbers import replace_calc

WHITE: Color = (255.0, 255.0, 255.0, 1.0)
BLACK: Color = (0.0, 0.0, 0.0, 1.0)
LINK: Color = (0.0, 0.0, 238.0, 1.0)
TRANSPARENT: Color = (0.0, 0.0, 0.0, 0.0)
# Measured on text of 16 px: below either one, letters cannot be distinguished from the background.
_CLOSE = 24.0  # of 255, in each of red, green and blue
_CONTRAST, _PALE = 1.06, 225.0  # ratio of two luminances if both have much green: pale yellow on white
_FAINT = 0.1  # alpha

_TABLE = """
aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4
black 000000 blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887
cadetblue 5f9ea0 chartreuse 7fff00 chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc
crimson dc143c cyan 00ffff darkblue 00008b darkcyan 008b8b darkgoldenrod b8860b darkgray a9a9a9
darkgreen 006400 darkgrey a9a9a9 darkkhaki bdb76b darkmagenta 8b008b darkolivegreen 556b2f
darkorange ff8c00 darkorchid 9932cc darkred 8b0000 darksalmon e9967a darkseagreen 8fbc8f
darkslateblue 483d8b darkslategray 2f4f4f darkslategrey 2f4f4f darkturquoise 00ced1 darkviolet 9400d3
deeppink ff1493 deepskyblue 00bfff dimgray 696969 dimgrey 696969 dodgerblue 1e90ff firebrick b22222
floralwhite fffaf0 forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc ghostwhite f8f8ff gold ffd700
goldenrod daa520 gray 808080 grey 808080 green 008000 greenyellow adff2f honeydew f0fff0 hotpink ff69b4
indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa lavenderblush fff0f5
lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080 lightcyan e0ffff
lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1
lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899 lightslategrey 778899
lightsteelblue b0c4de lightyellow ffffe0 lime 00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff
maroon 800000 mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db
mediumseagreen 3cb371 mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc
mediumvioletred c71585 midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5
navajowhite ffdead navy 000080 oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500 orangered ff4500
orchid da70d6 palegoldenrod eee8aa palegreen 98fb98 paleturquoise afeeee palevioletred db7093
papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd powderblue b0e0e6 purple 800080
rebeccapurple 663399 red ff0000 rosybrown bc8f8f royalblue 4169e1 saddlebrown 8b4513 salmon fa8072
sandybrown f4a460 seagreen 2e8b57 seashell fff5ee sienna a0522d silver c0c0c0 skyblue 87ceeb
slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa springgreen 00ff7f steelblue 4682b4
tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 turquoise 40e0d0 violet ee82ee wheat f5deb3
white ffffff whitesmoke f5f5f5 yellow ffff00 yellowgreen 9acd32 canvas ffffff canvastext 000000
window ffffff windowtext 000000 field ffffff fieldtext 000000 buttonface efefef buttontext 000000
threedface f0f0f0 menu ffffff infobackground ffffff background ffffff captiontext 000000 linktext 0000ee
-webkit-link 0000ee graytext 808080 highlight 0078d7 highlighttext ffffff mark ffff00 marktext 000000
"""
_NAMES = dict(zip(_TABLE.split()[::2], _TABLE.split()[1::2], strict=True))
_HEX = re.compile(r"#?([0-9a-f]{3}|[0-9a-f]{6})|#([0-9a-f]{4}|[0-9a-f]{8})")
_FUNCTION = re.compile(r"([a-z-]{3,10})\(((?:[^()]++|\((?:[^()]++|\([^()]*+\))*+\)){1,40})\)")
_NUMBER = re.compile(r"([+-]?[0-9]*\.?[0-9]+(?:e[+-]?[0-9]{1,2})?)(%|deg)?")
_SRGB = ("rgb", "rgba", "hsl", "hsla")
_SAME = re.compile(r"from\s+(\S+|\S+\([^()]*\))\s+(?:r g b|h s l|l a b|l c h|h w b)\s*")
_LONGEST = 200  # characters of a function
_LEGACY_LENGTH = 128


def parse_color(value: str) -> Color | None:
    """Returns the colour that a value in lower case names, None if it is no colour that is known here.

    >>> parse_color("#fff"), parse_color("rgba(0, 0, 0, .5)"), parse_color("hsl(120 100% 50%)")
    ((255.0, 255.0, 255.0, 1.0), (0.0, 0.0, 0.0, 0.5), (0.0, 255.0, 0.0, 1.0))
    """
    if value == "transparent":
        return TRANSPARENT
    match = _HEX.fullmatch(_NAMES.get(value, value))
    if match:
        return _from_hex(match[1] or match[2])
    function = _FUNCTION.fullmatch(value) if value.endswith(")") and len(value) <= _LONGEST else None
    if function is None:
        return None
    name, arguments = function[1], replace_calc(function[2])
    if same := _SAME.fullmatch(arguments):  # a colour made from another one without a change
        return parse_color(same[1])
    if name in _SRGB:
        return _from_function(name[:3], _NUMBER.findall(arguments.replace("none", "0")))
    return read_function(name, arguments, parse_color) if name in NAMES else None


def is_color_function(value: str) -> bool:
    """Returns whether a value is a colour function, understood or not.

    >>> is_color_function("oklch(from red l c h)"), is_color_function("nonsense(1)")
    (True, False)
    """
    name = value.partition("(")[0]
    return value.endswith(")") and (name in NAMES or name in _SRGB)


def _from_hex(digits: str) -> Color:
    if len(digits) < 6:
        digits = "".join(digit + digit for digit in digits)
    red, green, blue, alpha = bytes.fromhex(digits.ljust(8, "f"))
    return float(red), float(green), float(blue), alpha / 255


def _from_function(name: str, numbers: list[tuple[str, str]]) -> Color | None:
    if len(numbers) not in (3, 4):
        return None
    alpha = _fraction(numbers[3], 1.0) if len(numbers) == 4 else 1.0
    if name == "rgb":
        red, green, blue = (255 * _fraction(number, 255.0) for number in numbers[:3])
    else:
        hue, saturation, light = (float(number) for number, _ in numbers[:3])
        rgb = hls_to_rgb(hue / 360 % 1, min(light / 100, 1.0), min(saturation / 100, 1.0))
        red, green, blue = (255 * part for part in rgb)
    return red, green, blue, alpha


def _fraction(number: tuple[str, str], whole: float) -> float:
    part = float(number[0]) / (100.0 if number[1] == "%" else whole)
    return min(max(part, 0.0), 1.0)


def parse_legacy_color(value: str) -> Color | None:
    """Returns the colour of an attribute such as `bgcolor`, in which browsers accept any letters as digits.

    >>> parse_legacy_color("FFFFFF"), parse_legacy_color("chucknorris")
    ((255.0, 255.0, 255.0, 1.0), (192.0, 0.0, 0.0, 1.0))
    """
    value = value.strip().lower()[:_LEGACY_LENGTH]
    if not value or value == "transparent":
        return None
    if value in _NAMES or (len(value) == 4 and _HEX.fullmatch(value)):
        return parse_color(value)
    digits = "".join(digit if digit in "0123456789abcdef" else "0" for digit in value.removeprefix("#"))
    size = max(-(-len(digits) // 3), 1)
    digits = digits.ljust(3 * size, "0")
    parts = [digits[i * size : (i + 1) * size][-8:] for i in range(3)]
    while size > 2 and all(part.startswith("0") and len(part) > 2 for part in parts):
        parts = [part[1:] for part in parts]
    red, green, blue = (float(int(part[:2], 16)) for part in parts)
    return red, green, blue, 1.0


def blend(color: Color, background: Color) -> Color:
    """Returns the colour that a reader sees where a colour lies on a background."""
    alpha = color[3]
    red, green, blue = (alpha * color[i] + (1 - alpha) * background[i] for i in range(3))
    return red, green, blue, 1.0


def is_invisible(color: Color, background: Color | None) -> bool:
    """Returns whether text of a colour cannot be seen on a background; None is one that is not known.

    >>> is_invisible((250.0, 250.0, 250.0, 1.0), WHITE), is_invisible(BLACK, WHITE), is_invisible(WHITE, None)
    (True, False, False)
    """
    if color[3] < _FAINT:
        return True
    if background is None:
        return False
    seen = blend(color, background)
    if max(abs(seen[i] - background[i]) for i in range(3)) <= _CLOSE:
        return True
    if min(seen[1], background[1]) < _PALE:
        return False
    light, dark = sorted((_luminance(seen), _luminance(background)), reverse=True)
    return (light + 0.05) / (dark + 0.05) < _CONTRAST


def _luminance(color: Color) -> float:
    """Returns the relative luminance as WCAG 2 defines it: a weighted sum of linear red, green and blue."""
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (x / 255 for x in color[:3])
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
