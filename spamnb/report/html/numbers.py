"""Numbers as people read them."""

from __future__ import annotations

import math

DASH = "–"


def share(part: float, whole: float) -> str:
    """A percentage that says 100 or 0 only where it is exactly so; the script of the page does the same.

    >>> share(1, 3), share(99_999, 100_000), share(1, 100_000), share(0, 0)
    ('33.33%', '>99.99%', '<0.01%', '–')
    """
    return percent(part / whole) if whole else DASH


def percent(value: float) -> str:
    """The same for a ratio."""
    if math.isnan(value):
        return DASH
    if 0.99995 <= value < 1:
        return ">99.99%"
    return "<0.01%" if 0 < value < 0.00005 else f"{100 * value:.2f}%"


def number(value: float) -> str:
    return DASH if math.isnan(value) else f"{value:.4f}"


def count(value: int) -> str:
    return f"{value:,}"


def messages(value: int) -> str:
    """`1 message`, `2 messages`."""
    return f"{value:,} message" + ("" if value == 1 else "s")


def probability(p: float) -> str:
    """With as many digits as its distance from 0 or 1 needs.

    >>> probability(0.5), probability(0.9), probability(0.99953), probability(1.0)
    ('50.0%', '90.0%', '99.953%', '100%')
    """
    rest = min(p, 1 - p)
    if rest <= 0:
        return f"{100 * p:.0f}%"
    digits = min(max(1, 1 + math.ceil(-math.log10(100 * rest))), 8)
    return f"{100 * p:.{digits}f}%"


def odds(part: int, whole: int) -> str:
    """`1 in 21`, where that says more than a percentage.

    >>> odds(31, 640), odds(0, 640), odds(300, 640)
    ('1 in 21', '', '')
    """
    return f"1 in {round(whole / part):,}" if part and whole / part >= 4 else ""


def log_odds(value: float) -> str:
    """With its sign.

    >>> log_odds(0.934), log_odds(float("-inf"))
    ('+0.93', '−∞')
    """
    if math.isinf(value):
        return "+∞" if value > 0 else "−∞"
    return f"{value:+.2f}".replace("-", "−")
