"""Reads and checks the options of a decision: thresholds, the unsure band, costs."""

from __future__ import annotations

import math
from numbers import Real

from spamnb.errors import ConfigError
from spamnb.settings import is_stated


def check_probability(name: str, value: float) -> None:
    if not isinstance(value, Real) or not 0 <= value <= 1:
        raise ConfigError(
            f"{name} must lie between 0 and 1, got {_shown(value)}",
            hint="0.5 calls spam what is more likely spam than not, 0.9 what is spam in 9 cases of 10",
        )


def check_unsure(low: float, high: float) -> None:
    """Refuses two ends of --unsure that are no band of probabilities."""
    check_probability("--unsure", low)
    check_probability("--unsure", high)
    if low >= high:
        raise ConfigError(
            f"--unsure needs its lower end below its upper end, got {low:g} {high:g}",
            hint="--unsure 0.2 0.9 leaves what lies between 0.2 and 0.9 undecided",
        )


def check_cost(name: str, value: float, hint: str = "") -> None:
    if not isinstance(value, Real) or not 0 < value < math.inf:
        raise ConfigError(f"{name} must be a positive number, got {_shown(value)}", hint)


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else repr(value)


def parse_cost(text: str) -> tuple[str, str, float]:
    """Reads TRUTH:VERDICT=COST.

    >>> parse_cost("ham:spam=100")
    ('ham', 'spam', 100.0)
    """
    pair, equals, cost = text.rpartition("=")
    truth, colon, verdict = pair.partition(":")
    try:
        if equals and colon and truth and verdict and truth != verdict:
            return truth, verdict, float(cost)
    except ValueError:
        pass
    raise ConfigError(
        f"--cost must be TRUTH:VERDICT=NUMBER with two classes, got {text!r}",
        hint="for example --cost ham:spam=100",
    )


def check_alone(options: dict[str, object]) -> None:
    """Refuses two ways of setting the threshold."""
    used = [name for name, value in options.items() if is_stated(value)]
    if len(used) > 1:
        raise ConfigError(
            f"{used[0]} and {used[1]} cannot be combined: each of them sets the threshold",
            hint=f"leave out {used[0]} or {used[1]}",
        )
