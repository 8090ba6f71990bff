"""Formats numbers for the page; the template uses these functions as filters."""

from __future__ import annotations

import math

from spamnb.metrics import wilson_interval

DASH = "–"


def share(part: float, whole: float) -> str:
    """Formats a ratio as a percentage; report.js does the same.

    >>> share(1, 3), share(99_999, 100_000), share(1, 100_000), share(0, 0)
    ('33.33%', '>99.99%', '<0.01%', '–')
    """
    return percent(part / whole) if whole else DASH


def percent(value: float) -> str:
    """Formats a percentage; 100.00% and 0.00% are exact."""
    if math.isnan(value):
        return DASH
    if 0.99995 <= value < 1:
        return ">99.99%"
    return "<0.01%" if 0 < value < 0.00005 else f"{100 * value:.2f}%"


def interval(part: int, whole: int) -> str:
    """Formats the 95% confidence interval of a ratio (Wilson); empty where it is undefined.

    >>> interval(144, 148), interval(0, 0)
    ('93.3–98.9%', '')
    """
    low, high = wilson_interval(part, whole)
    return "" if math.isnan(low) else f"{100 * low:.1f}–{100 * high:.1f}%"


def decimal(value: float) -> str:
    """Formats a metric with four decimals."""
    return DASH if math.isnan(value) else f"{value:.4f}"


def thousands(value: int) -> str:
    """Formats a count with commas."""
    return f"{value:,}"


def messages(value: int) -> str:
    """Formats a number of messages: `1 message`, `2 messages`."""
    return f"{value:,} message" + ("" if value == 1 else "s")


def format_probability(p: float) -> str:
    """Formats a probability with as many digits as its distance from 0 or 1 needs.

    >>> format_probability(0.5), format_probability(0.9), format_probability(0.99953), format_probability(1.0)
    ('50.0%', '90.0%', '99.953%', '100%')
    """
    rest = min(p, 1 - p)
    if rest <= 0:
        return f"{100 * p:.0f}%"
    digits = min(max(1, 1 + math.ceil(-math.log10(100 * rest))), 8)
    return f"{100 * p:.{digits}f}%"


def one_in(part: int, whole: int) -> str:
    """Formats a small ratio as `1 in 21`; empty where a percentage is easier to read.

    >>> one_in(31, 640), one_in(0, 640), one_in(300, 640)
    ('1 in 21', '', '')
    """
    return f"1 in {round(whole / part):,}" if part and whole / part >= 4 else ""


def log_odds(value: float) -> str:
    """Formats log-odds with their sign; the sum of +∞ and −∞ is undefined.

    >>> log_odds(0.934), log_odds(float("-inf")), log_odds(float("nan"))
    ('+0.93', '−∞', '–')
    """
    if math.isnan(value):
        return DASH
    if math.isinf(value):
        return "+∞" if value > 0 else "−∞"
    return f"{value:+.2f}".replace("-", "−")


FILTERS = {f.__name__: f for f in (share, percent, decimal, thousands, format_probability, log_odds)}
