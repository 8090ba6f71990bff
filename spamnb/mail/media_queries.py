"""Evaluates the conditions of style sheets: media queries for a desktop and a phone, and @supports.

Conditions have three values: True, False, and None for what is not known here. Rules apply only where their
condition is True, so an unknown feature hides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from spamnb.mail.css_declarations import is_known_declaration
from spamnb.mail.css_numbers import parse_length, to_pixels

DESKTOP, PHONE = 1280.0, 375.0  # pixels of width for which a page is laid out
_HEIGHTS = {DESKTOP: 800.0, PHONE: 667.0}
_PART = re.compile(r"\s*(\((?:[^()]++|\((?:[^()]++|\([^()]*+\))*+\))*+\)|[a-z-]+(?:\([^()]*+\))?)\s*")
_RANGE = re.compile(r"([<>]=?)")
_DEPTH = 4  # conditions within conditions
_NEVER_TYPES = frozenset(
    ["print", "speech", "tty", "tv", "projection", "handheld", "braille", "embossed", "aural"]
)
# What holds on every screen that shows mail in colour.
_ALWAYS = {
    ("color", ""),
    ("color-gamut", "srgb"),
    ("prefers-color-scheme", "light"),
    ("prefers-reduced-motion", "no-preference"),
    ("prefers-contrast", "no-preference"),
    ("forced-colors", "none"),
    ("update", "fast"),
    ("grid", "0"),
    ("monochrome", "0"),
    ("scripting", "none"),
    ("overflow-block", "scroll"),
}
_NEVER = {
    ("prefers-color-scheme", "dark"),
    ("prefers-reduced-motion", "reduce"),
    ("forced-colors", "active"),
    ("grid", ""),
    ("monochrome", ""),
    ("scripting", "enabled"),
}
_RATIOS = frozenset(("min-resolution", "-webkit-min-device-pixel-ratio", "min-color", "min-aspect-ratio"))
Test = Callable[[str], "bool | None"]


def matches_media(queries: Iterable[str], width: float) -> bool:
    """Returns whether a screen of a width fulfils media queries; what is not known is not fulfilled.

    >>> [matches_media(["only screen and (max-width: 480px)"], width) for width in (DESKTOP, PHONE)]
    [False, True]
    """
    return all(any(_matches_query(part.strip(), width) for part in query.split(",")) for query in queries)


def is_supported(condition: str) -> bool | None:
    """Returns whether browsers support what a condition of @supports names.

    >>> [is_supported(text) for text in ("(display:grid)", "not (display:nonsense)", "(x-y:z)", "(not (a))")]
    [True, True, None, None]
    """
    return _evaluate(condition, _supports, _DEPTH)


def _matches_query(query: str, width: float) -> bool:
    return _evaluate(query.removeprefix("only "), lambda text: _has_feature(text, width), _DEPTH) is True


def _evaluate(condition: str, test: Test, depth: int) -> bool | None:
    """Computes a condition of tests in parentheses with not, and, or; a media type is a test too."""
    parts = _PART.findall(condition)
    if not depth or _PART.sub("", condition).strip():
        return None
    result: bool | None = None
    negated, word = False, ""
    for part in parts:
        if part == "not":
            negated = True
        elif part in ("and", "or"):
            word = part
        else:
            value = _test(part, test, depth)
            result = value if not word else _combine(word, result, value)
    return _negate(result) if negated else result


def _test(part: str, test: Test, depth: int) -> bool | None:
    inner = part[1:-1].strip() if part.startswith("(") else part
    if part.startswith("(") and inner.startswith(("(", "not ", "not(")):
        return _evaluate(inner, test, depth - 1)
    return test(inner)


def _combine(word: str, one: bool | None, other: bool | None) -> bool | None:
    if word == "and":
        return False if False in (one, other) else None if None in (one, other) else True
    return True if True in (one, other) else None if None in (one, other) else False


def _negate(value: bool | None) -> bool | None:
    return None if value is None else not value


def _supports(text: str) -> bool | None:
    if text.startswith("selector("):
        return True
    name, colon, value = text.partition(":")
    return is_known_declaration(name.strip(), value.strip()) if colon else None


def _has_feature(text: str, width: float) -> bool | None:
    if text in ("all", "screen"):
        return True
    if text in _NEVER_TYPES:
        return False
    name, _, value = (piece.strip() for piece in text.partition(":"))
    if (name, value) in _ALWAYS or (name, value) in _NEVER:
        return (name, value) in _ALWAYS
    if not value and _RANGE.search(text):
        return _in_range(_RANGE.split(text), width)
    side = name.removeprefix("min-").removeprefix("max-").replace("device-", "")
    actual = {"width": width, "height": _HEIGHTS.get(width, 800.0)}.get(side)
    if actual is None:
        return _is_small(value) if name in _RATIOS else None
    length = parse_length(value)
    limit = to_pixels(length, 16.0, 0.0) if length else None
    if limit is None or side == name:
        return None
    return actual >= limit if name.startswith("min-") else actual <= limit


def _in_range(pieces: list[str], width: float) -> bool | None:
    """Evaluates `100px <= width < 500px`."""
    values: list[float | None] = []
    for piece in pieces[::2]:
        length = parse_length(piece.strip())
        size = {"width": width, "height": _HEIGHTS.get(width, 800.0)}.get(piece.strip())
        values.append(to_pixels(length, 16.0, 0.0) if length else size)
    known = [value for value in values if value is not None]
    if len(known) != len(values):
        return None
    pairs = zip(known, pieces[1::2], known[1:], strict=False)
    return all({"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[sign] for a, sign, b in pairs)


def _is_small(value: str) -> bool | None:
    """Returns whether a ratio or resolution is one that every screen has."""
    number, _, below = value.partition("/")
    length = parse_length(number.strip())
    if length is None:
        return None
    amount = length[0] / (96.0 if length[1] == "dpi" else 1.0)
    if below.strip().isdigit():
        amount /= max(int(below), 1)
    return True if amount <= (1.0 if not below else 0.4) else None
