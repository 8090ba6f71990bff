"""Reads the numbers and lengths of style sheets, with calc(), min(), max() and clamp()."""

from __future__ import annotations

import re

Length = tuple[float, str]  # a number and its unit

_NUMBER = r"(?:[0-9]{1,9}(?:\.[0-9]{0,9})?[0-9]*|\.[0-9]{1,9}[0-9]*)(?:e[+-]?[0-9]{1,2})?"
_LENGTH = re.compile(rf"([+-]?{_NUMBER})([a-z]{{1,5}}|%)?")
_TOKEN = re.compile(rf"\s*(?:({_NUMBER})([a-z]{{1,5}}|%)?|(calc|min|max|clamp)?(\()|([-+*/,)]))\s*")
_CALC = re.compile(r"calc\(([^()]{1,64})\)")
_LONGEST = 100  # characters of an expression
_EM, _WHOLE = 16.0, 1000.0  # of which sums of different units are taken
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
    "lh": 20.0,
    **dict.fromkeys(("vw", "svw", "lvw", "dvw", "vi", "cqw", "cqi", "vmax", "cqmax"), 12.0),
    **dict.fromkeys(("vh", "svh", "lvh", "dvh", "vb", "cqh", "cqb", "vmin", "cqmin"), 8.0),
}
_EMS = {"em": 1.0, "ex": 0.5, "ch": 0.5}


def to_pixels(length: Length, em: float, whole: float) -> float | None:
    """Converts a length to pixels; a percentage is one of `whole`."""
    number, unit = length
    if unit == "%":
        return number / 100 * whole
    factor = _EMS[unit] * em if unit in _EMS else _PIXELS.get(unit)
    return None if factor is None else number * factor


def parse_length(value: str) -> Length | None:
    """Reads a length.

    >>> parse_length("-9999px"), parse_length(".5em"), parse_length("calc(1px - 3px)"), parse_length("auto")
    ((-9999.0, 'px'), (0.5, 'em'), (-2.0, 'px'), None)
    """
    match = _LENGTH.fullmatch(value)
    if match:
        return float(match[1]), match[2] or ""
    return _Expression(value).length() if "(" in value and len(value) <= _LONGEST else None


def replace_calc(value: str) -> str:
    """Replaces the sums in a value, as in `inset(calc(50% + 50%))`."""
    return _CALC.sub(_computed, value) if "calc(" in value else value


def _computed(match: re.Match[str]) -> str:
    length = parse_length(match[0])
    return match[0] if length is None else f"{length[0]:.6f}{length[1]}"


class _Expression:
    """Computes an expression by recursive descent; what is not understood gives None."""

    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, ...]] = []
        at = 0
        while at < len(text) and (match := _TOKEN.match(text, at)):
            self._tokens.append(match.groups(""))
            at = match.end()
        self._is_read = at == len(text)
        self._at = 0

    def length(self) -> Length | None:
        if not self._is_read:
            return None
        try:
            value = self._sum()
        except (IndexError, ValueError, ZeroDivisionError, OverflowError):
            return None
        return value if self._at == len(self._tokens) else None

    def _sign(self) -> str:
        return self._tokens[self._at][4] if self._at < len(self._tokens) else ""

    def _sum(self) -> Length:
        left = self._product()
        while (sign := self._sign()) in ("+", "-") and sign:
            self._at += 1
            left, right = _same_unit(left, self._product())
            left = left[0] + (right[0] if sign == "+" else -right[0]), left[1]
        return left

    def _product(self) -> Length:
        left = self._value()
        while (sign := self._sign()) in ("*", "/") and sign:
            self._at += 1
            right = self._value()
            number = left[0] * right[0] if sign == "*" else left[0] / right[0]
            left = number, left[1] or right[1]
        return left

    def _value(self) -> Length:
        number, unit, function, opened, sign = self._tokens[self._at]
        self._at += 1
        if number:
            return float(number), unit
        if sign in ("+", "-") and sign:
            inner = self._value()
            return (-inner[0] if sign == "-" else inner[0]), inner[1]
        if not opened:
            raise ValueError(sign)
        values = [self._sum()]
        while self._sign() == ",":
            self._at += 1
            values.append(self._sum())
        if self._sign() != ")":
            raise ValueError("no end")
        self._at += 1
        return _apply(function, values)


def _apply(function: str, values: list[Length]) -> Length:
    first = values[0]
    for i, value in enumerate(values):
        first, values[i] = _same_unit(first, value)
    numbers = [_same_unit(value, first)[0] for value in values]
    if function == "clamp":
        low, middle, high = numbers
        return max(low, min(middle, high))
    return max(numbers) if function == "max" else min(numbers)


def _same_unit(one: Length, other: Length) -> tuple[Length, Length]:
    """Converts two lengths to pixels unless they have the same unit."""
    if one[1] == other[1]:
        return one, other
    pixels = [to_pixels(length, _EM, _WHOLE) for length in (one, other)]
    if None in pixels:
        raise ValueError("unit")
    return (pixels[0] or 0.0, "px"), (pixels[1] or 0.0, "px")
