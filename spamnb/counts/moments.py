"""Sums numbers and their squares exactly, as integers, so that merging and forgetting lose no bit."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

# Every finite double is a whole multiple of 2**-1074, and its square of 2**-2148.
_UNIT = 1 << 1074


@dataclass(frozen=True, slots=True)
class Moments:
    """The number of values, their sum in units of 2**-1074 and the sum of their squares in 2**-2148.

    >>> seen = Moments.of([0.1, 0.2, 0.3])
    >>> seen.plus(Moments.of([0.1]).times(-1)) == Moments.of([0.2, 0.3])
    True
    """

    count: int = 0
    total: int = 0
    squares: int = 0

    @classmethod
    def of(cls, values: Iterable[float]) -> Moments:
        count = total = squares = 0
        for value in values:
            if math.isfinite(value):
                above, below = value.as_integer_ratio()
                units = above * (_UNIT // below)
                count, total, squares = count + 1, total + units, squares + units * units
        return cls(count, total, squares)

    def plus(self, other: Moments) -> Moments:
        return Moments(self.count + other.count, self.total + other.total, self.squares + other.squares)

    def times(self, weight: int) -> Moments:
        """Returns the sums of the same numbers, each counted `weight` times."""
        return Moments(self.count * weight, self.total * weight, self.squares * weight)

    @property
    def is_possible(self) -> bool:
        """Could numbers have these sums? Not with a negative variance."""
        return self.count * self.squares >= self.total**2 and (self.count > 0 or not self.squares)

    @property
    def mean(self) -> float:
        return _ratio(self.total, self.count * _UNIT) if self.count else math.nan

    def variance(self, ddof: int = 0) -> float:
        """sum (x - mean)^2 / (n - ddof), computed exactly and rounded once."""
        if self.count <= ddof:
            return math.nan
        spread = self.squares * self.count - self.total * self.total
        return _ratio(spread, self.count * (self.count - ddof) * _UNIT * _UNIT)


def _ratio(above: int, below: int) -> float:
    """Divides two integers and rounds once; Python does this exactly for any length."""
    try:
        return above / below
    except OverflowError:
        return math.inf if above > 0 else -math.inf
