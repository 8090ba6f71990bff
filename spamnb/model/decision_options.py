"""Reads and checks the options of a decision: thresholds, the unsure band, costs."""

from __future__ import annotations

import math

from spamnb.errors import ConfigError
from spamnb.settings import is_stated


def check_probability(option: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise ConfigError(
            f"{option} must lie between 0 and 1, got {value:g}",
            hint="0.5 calls spam what is more likely spam than not, 0.9 what is spam in 9 cases of 10",
        )


def check_band(low: float, high: float) -> None:
    check_probability("--unsure", low)
    check_probability("--unsure", high)
    if low >= high:
        raise ConfigError(
            f"--unsure needs its lower end below its upper end, got {low:g} {high:g}",
            hint="--unsure 0.2 0.9 leaves what lies between 0.2 and 0.9 undecided",
        )


def check_cost(value: float) -> None:
    if not 0 < value < math.inf:
        raise ConfigError(
            f"--cost must be a positive number, got {value:g}",
            hint="for example --cost ham:spam=9: flagging ham as spam is 9 times as bad as missing spam",
        )


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
