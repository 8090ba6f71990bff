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
        return cls.of_units(in_units(value) for value in values if math.isfinite(value))

    @classmethod
    def of_units(cls, values: Iterable[int]) -> Moments:
        """Sums numbers that are given in units of 2**-1074."""
        count = total = squares = 0
        for units in values:
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
        """Computes sum (x - mean)^2 / (n - ddof) exactly, and rounds once."""
        if self.count <= ddof:
            return math.nan
        return _ratio(self.spread, self.count * (self.count - ddof) * _UNIT * _UNIT)

    @property
    def spread(self) -> int:
        """n sum (x - mean)^2 = n sum x^2 - (sum x)^2, in units of 2**-2148."""
        return self.squares * self.count - self.total * self.total


def in_units(value: float) -> int:
    """Returns a finite number in units of 2**-1074."""
    above, below = value.as_integer_ratio()
    return above * (_UNIT // below)


def co_scatter(x: Moments, y: Moments, both: Moments) -> float:
    """Computes sum (x - mean x)(y - mean y), from the moments of x, y and x + y; exact, rounded once.

    2 cov(x, y) = var(x + y) - var(x) - var(y): the moments of sums are all that products need.

    >>> co_scatter(Moments.of([1.0, 2.0]), Moments.of([5.0, 9.0]), Moments.of([6.0, 11.0]))
    2.0
    """
    if not both.count:
        return math.nan
    return _ratio(both.spread - x.spread - y.spread, 2 * both.count * _UNIT * _UNIT)


def _ratio(above: int, below: int) -> float:
    """Divides two integers and rounds once; Python does this exactly for any length."""
    try:
        return above / below
    except OverflowError:
        return math.inf if above > 0 else -math.inf
