"""Reads the colour functions of CSS Color 4 and 5: hwb, lab, lch, oklab, oklch, color, color-mix, light-dark.

The conversions are those of the standard (https://www.w3.org/TR/css-color-4/#color-conversion-code). Two are
simpler: the wide spaces of color() are read as sRGB, and color-mix() mixes in sRGB, whatever space it names.
Both are exact for white, black and grey, which hide text on most pages. A function that is not understood is
a colour that is not known: text in it is read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

Color = tuple[float, float, float, float]  # red, green, blue from 0 to 255, and alpha from 0 to 1
Parse = Callable[[str], Color | None]

NAMES = frozenset(("hwb", "lab", "lch", "oklab", "oklch", "color", "color-mix", "light-dark"))
_NUMBER = re.compile(r"([+-]?[0-9]*\.?[0-9]+(?:e[+-]?[0-9]{1,2})?)(%|deg|turn|rad|grad)?(?![\w-])")
_ARGUMENT = re.compile(r"(?:[^,()]++|\((?:[^()]++|\([^()]*+\))*+\))++")
_SHARE = re.compile(r"\s([0-9.]{1,8})%\s*\Z|\A\s*([0-9.]{1,8})%\s")
_TURNS = {"": 1 / 360, "%": 1 / 360, "deg": 1 / 360, "turn": 1.0, "rad": 0.5 / math.pi, "grad": 1 / 400}
Numbers = list[tuple[str, str]]


def read_function(name: str, arguments: str, parse: Parse) -> Color | None:
    """Returns the colour of a function with its arguments; `parse` reads colours among them.

    >>> read_function("oklab", "1 0 0", lambda text: None)
    (255.0, 255.0, 255.0, 1.0)
    """
    if name == "light-dark":  # mail is shown in light colours unless its reader asks for others
        return parse(_ARGUMENT.findall(arguments + " ")[0].strip())
    if name == "color-mix":
        return _mix(_ARGUMENT.findall(arguments)[1:], parse)
    space = arguments.split(maxsplit=1)[0] if name == "color" and arguments.split() else ""
    numbers = _NUMBER.findall(arguments.removeprefix(space).replace("none", "0"))
    if len(numbers) not in (3, 4):
        return None
    alpha = min(max(_scaled(numbers[3], 1.0), 0.0), 1.0) if len(numbers) == 4 else 1.0
    red, green, blue = _linear_or_encoded(name, space, numbers)
    return _byte(red), _byte(green), _byte(blue), alpha


def _mix(arguments: list[str], parse: Parse) -> Color | None:
    """Mixes two colours by their shares."""
    if len(arguments) != 2:
        return None
    shares = [_SHARE.search(f" {argument.strip()} ".rstrip()) for argument in arguments]
    colors = [parse(_SHARE.sub(" ", f" {argument.strip()} ".rstrip()).strip()) for argument in arguments]
    first, second = colors
    if first is None or second is None:
        return None
    stated = [float(share[1] or share[2]) / 100 if share else None for share in shares]
    one, other = stated
    part = one if one is not None else 1 - other if other is not None else 0.5
    part = min(max(part, 0.0), 1.0)
    alpha = part * first[3] + (1 - part) * second[3]
    if not alpha:
        return 0.0, 0.0, 0.0, 0.0
    weights = part * first[3] / alpha, (1 - part) * second[3] / alpha
    red, green, blue = (weights[0] * first[i] + weights[1] * second[i] for i in range(3))
    return red, green, blue, alpha


def _linear_or_encoded(name: str, space: str, numbers: Numbers) -> tuple[float, float, float]:
    """Returns red, green and blue of sRGB from 0 to 1."""
    if name == "hwb":
        return _from_hwb(*numbers[:3])
    if name == "color":
        a, b, c = (_scaled(number, 1.0) for number in numbers[:3])
        if space.startswith("xyz"):
            return _encode(*_from_xyz(a, b, c))
        return _encode(a, b, c) if space.endswith("linear") else (a, b, c)
    is_ok = name.startswith("ok")
    light = _scaled(numbers[0], 1.0 if is_ok else 100.0)
    reach = 0.4 if is_ok else 125.0 if name.endswith("lab") else 150.0
    a, b = (_scaled(number, reach) for number in numbers[1:3])
    if name.endswith("lch"):
        angle = 2 * math.pi * float(numbers[2][0]) * _TURNS[numbers[2][1]]
        a, b = a * math.cos(angle), a * math.sin(angle)
    return _encode(*(_from_oklab(light, a, b) if is_ok else _from_lab(light, a, b)))


def _scaled(number: tuple[str, str], whole: float) -> float:
    """Returns a number, or a percentage of `whole`."""
    value = float(number[0])
    return value / 100 * whole if number[1] == "%" else value


def _from_hwb(
    hue: tuple[str, str], white: tuple[str, str], black: tuple[str, str]
) -> tuple[float, float, float]:
    from colorsys import hls_to_rgb

    w, b = (min(max(float(number) / 100, 0.0), 1.0) for number, _ in (white, black))
    if w + b >= 1:
        return (w / (w + b),) * 3
    red, green, blue = (
        part * (1 - w - b) + w for part in hls_to_rgb(float(hue[0]) * _TURNS[hue[1]] % 1, 0.5, 1)
    )
    return red, green, blue


def _from_oklab(light: float, a: float, b: float) -> tuple[float, float, float]:
    x = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3
    y = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3
    z = (light - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * x - 3.3077115913 * y + 0.2309699292 * z,
        -1.2684380046 * x + 2.6097574011 * y - 0.3413193965 * z,
        -0.0041960863 * x - 0.7034186147 * y + 1.7076147010 * z,
    )


def _from_lab(light: float, a: float, b: float) -> tuple[float, float, float]:
    """Converts by way of XYZ; the white point D50 becomes that of sRGB by its ratio alone."""
    y = (light + 16) / 116
    x, y, z = (_unfold(value) for value in (y + a / 500, y, y - b / 200))
    return _from_xyz(0.95047 * x, y, 1.08883 * z)


def _unfold(value: float) -> float:
    return value**3 if value > 6 / 29 else 3 * (6 / 29) ** 2 * (value - 4 / 29)


def _from_xyz(x: float, y: float, z: float) -> tuple[float, float, float]:
    return (
        3.2409699419 * x - 1.5373831776 * y - 0.4986107603 * z,
        -0.9692436363 * x + 1.8759675015 * y + 0.0415550574 * z,
        0.0556300797 * x - 0.2039769589 * y + 1.0569715142 * z,
    )


def _encode(*linear: float) -> tuple[float, float, float]:
    red, green, blue = (
        12.92 * part if part <= 0.0031308 else 1.055 * min(part, 1.0) ** (1 / 2.4) - 0.055 for part in linear
    )
    return red, green, blue


def _byte(part: float) -> float:
    return round(255 * min(max(part, 0.0), 1.0), 3)
