"""Moments are exact: fractions say the same, and what is taken away leaves no trace."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction

import pytest
from hypothesis import example, given, strategies as st

from spamnb.counts.moments import Moments

TINY, HUGE = 5e-324, 1e308
finite = st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=8)
anything = st.lists(st.floats(), max_size=8)
moderate = st.lists(st.floats(-1e150, 1e150), min_size=1, max_size=8)


def exact(values: list[float]) -> tuple[int, Fraction, Fraction]:
    fractions = [Fraction(v) for v in values]
    return len(values), sum(fractions, Fraction()), sum((f * f for f in fractions), Fraction())


@given(finite)
@example([TINY, -TINY, HUGE, 0.1, -0.0])
def test_sums_are_exact(values: list[float]) -> None:
    seen = Moments.of(values)
    unit = Fraction(1, 1 << 1074)
    assert (seen.count, seen.total * unit, seen.squares * unit * unit) == exact(values)


@given(anything, anything)
@example([TINY, HUGE], [HUGE, -HUGE, 1e-320])
def test_merge_and_forget(first: list[float], second: list[float]) -> None:
    a, b = Moments.of(first), Moments.of(second)
    assert a.plus(b) == b.plus(a) == Moments.of(second + first)
    assert a.plus(b).plus(b.times(-1)) == a
    assert a.plus(a.times(-1)) == Moments()
    assert a.times(3) == Moments.of(first * 3)


def test_what_is_not_finite_is_skipped() -> None:
    assert Moments.of([math.nan, 2.0, math.inf, -math.inf]) == Moments.of([2.0])
    assert Moments.of([math.nan]) == Moments.of([]) == Moments()


@given(moderate)
@example([TINY, TINY])
@example([1e16, 1e16 + 2, 1e16 + 4])
def test_mean_and_variance_are_rounded_once(values: list[float]) -> None:
    count, total, squares = exact(values)
    seen = Moments.of(values)
    assert seen.mean == float(total / count)
    assert seen.variance() == float(squares / count - (total / count) ** 2)
    if count > 1:
        assert seen.variance(1) == float((squares - total * total / count) / (count - 1))


def test_against_the_standard_library() -> None:
    values = [24.1, 22.3, 21.0, 19.8]
    assert Moments.of(values).mean == statistics.fmean(values)
    assert Moments.of(values).variance() == pytest.approx(statistics.pvariance(values), rel=1e-12)
    assert Moments.of(values).variance(1) == pytest.approx(statistics.variance(values), rel=1e-12)


def test_too_few_numbers_have_no_moments() -> None:
    assert math.isnan(Moments().mean)
    assert math.isnan(Moments().variance())
    assert math.isnan(Moments.of([3.0]).variance(1))
    assert Moments.of([3.0]).variance() == 0.0


def test_the_mean_of_the_largest_numbers() -> None:
    assert Moments.of([HUGE, HUGE]).mean == HUGE
    assert Moments.of([HUGE, HUGE]).variance() == 0.0


def test_a_variance_beyond_the_largest_float_is_infinite() -> None:
    assert Moments.of([HUGE, -HUGE]).variance() == math.inf
