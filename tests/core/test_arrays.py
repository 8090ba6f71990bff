"""Checks sums of rows and groups of values against plain numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.strategies import DrawFn

from spamnb.core.arrays import IntArray, group_values, row_sums


@st.composite
def valued_rows(draw: DrawFn) -> tuple[list[int], list[float]]:
    rows = sorted(draw(st.lists(st.integers(0, 6), max_size=60)))
    finite = st.floats(-1e6, 1e6)
    return rows, draw(st.lists(finite, min_size=len(rows), max_size=len(rows)))


@given(valued_rows())
def test_row_sums_are_the_same_bits_alone_and_in_a_crowd(drawn: tuple[list[int], list[float]]) -> None:
    rows: IntArray = np.array(drawn[0], np.int64)
    values = np.array(drawn[1], np.float64)
    sums = row_sums(rows, values, 8)
    for row in range(8):
        mine = values[rows == row]
        alone = row_sums(np.zeros(len(mine), np.int64), mine, 1)[0]
        assert sums[row].tobytes() == alone.tobytes()
        assert sums[row] == pytest.approx(sum(mine.tolist()), rel=1e-9, abs=1e-6)


def test_row_sums_of_long_rows_are_the_same_bits() -> None:
    rng = np.random.default_rng(3)
    sizes = [1000, 1, 7, 8, 9, 127, 128, 129, 5000]
    rows, values = np.repeat(np.arange(len(sizes)), sizes), rng.normal(size=sum(sizes))
    sums = row_sums(rows, values, len(sizes))
    for row in range(len(sizes)):
        mine = values[rows == row].copy()
        assert sums[row] == row_sums(np.zeros(len(mine), np.int64), mine, 1)[0]


def test_row_sums_of_nothing() -> None:
    assert row_sums(np.zeros(0, np.int64), np.zeros(0), 3).tolist() == [0.0, 0.0, 0.0]


@given(st.lists(st.integers(0, 9)))
def test_values_are_grouped_as_numpy_does_it(values: list[int]) -> None:
    array = np.array(values, np.int64)
    expected = np.unique(array, return_inverse=True)
    assert [group.tolist() for group in group_values(array)] == [wanted.tolist() for wanted in expected]
