"""Logistic regression on sparse rows: its gradient, its minimum, and scikit-learn's answer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from spamnb.core.arrays import FloatArray
from spamnb.training.logistic_regression import Pattern, SparseRows, fit


def problem(
    seed: int, n: int = 60, columns: int = 25, counted: bool = False
) -> tuple[SparseRows, FloatArray]:
    """Random rows; the last columns have a single entry each."""
    rng = np.random.default_rng(seed)
    filled = rng.random((n, columns)) < 0.3
    filled[:, columns - 5 :] = False
    filled[rng.integers(0, n, 5), np.arange(columns - 5, columns)] = True
    rows, ids = np.nonzero(filled)
    times = rng.integers(1, 4, len(rows)).astype(np.float64) if counted else None
    pattern = Pattern.of(n, columns, rows, ids, times)
    sparse = SparseRows.of(pattern, rng.uniform(0.2, 1.0, n), rng.uniform(0.1, 2.0, columns))
    return sparse, np.where(rng.random(n) < 0.4, 1.0, -1.0)


def dense(rows: SparseRows) -> FloatArray:
    """The matrix itself."""
    pattern, out = rows.pattern, np.zeros((len(rows.row_scale), len(rows.scale)))
    shared, single = pattern.shared, pattern.single
    out[shared.rows, shared.columns[shared.ids]] = shared.times
    out[single.rows, single.columns] = single.times
    return np.asarray(out * rows.row_scale[:, None] * rows.scale)


def loss(v: FloatArray, x: FloatArray, target: FloatArray, offset: FloatArray, c: float) -> float:
    """The formula at the top of the module, v_0 last."""
    z = offset + x @ v[:-1] + v[-1]
    return float(c * np.sum(np.logaddexp(0.0, -target * z)) + 0.5 * np.sum(v**2))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_products_are_those_of_the_matrix(seed: int, counted: bool) -> None:
    rows, _ = problem(seed, counted=counted)
    x, a = dense(rows), np.random.default_rng(seed).normal(size=len(rows.row_scale))
    assert len(rows.pattern.single.columns) >= 5
    assert rows.transposed(a) == pytest.approx(x.T @ a, abs=1e-12)
    assert rows.gram(a) == pytest.approx(x @ x.T @ a + a.sum(), abs=1e-10)
    lengths = rows.pattern.lengths(rows.scale) * rows.row_scale**2
    assert lengths == pytest.approx((x**2).sum(axis=1), abs=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_rows_without_scale_and_c_are_left_out(seed: int) -> None:
    """A fit that leaves out rows is the fit to the other rows alone."""
    rows, target = problem(seed, counted=seed % 2 == 1)
    n, offset = len(target), np.random.default_rng(seed).normal(size=len(target))
    there = (np.arange(n) % 4 != 1).astype(np.float64)
    some = SparseRows.of(rows.pattern, rows.row_scale * there, rows.scale)
    v, bias = fit(some, target, offset, 5.0 * there, tolerance=1e-10, steps=2000)
    used = np.flatnonzero(there)
    at, ids = np.nonzero(dense(rows)[used])
    alone = SparseRows.of(
        Pattern.of(len(used), len(rows.scale), at, ids, dense(rows)[used][at, ids]),
        np.ones(len(used)),
        np.ones(len(rows.scale)),
    )
    w, other = fit(alone, target[used], offset[used], 5.0, tolerance=1e-10, steps=2000)
    assert v == pytest.approx(w, abs=1e-6)
    assert bias == pytest.approx(other, abs=1e-6)


@pytest.mark.parametrize("c", [0.1, 10.0, 1000.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_numerical_gradient_vanishes_at_the_minimum(seed: int, c: float) -> None:
    rows, target = problem(seed, counted=seed % 2 == 1)
    offset = np.random.default_rng(seed + 9).normal(size=len(target)) * 2
    v, bias = fit(rows, target, offset, c, tolerance=1e-10, steps=2000)
    at, x = np.append(v, bias), dense(rows)

    def slope(i: int) -> float:
        step = np.zeros(len(at))
        step[i] = 1e-5
        return (loss(at + step, x, target, offset, c) - loss(at - step, x, target, offset, c)) / 2e-5

    assert [slope(i) for i in range(len(at))] == pytest.approx(np.zeros(len(at)), abs=2e-4 * max(c, 1.0))


def test_it_is_the_solution_of_scikit_learn() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    rows, target = problem(3)
    x = np.column_stack((dense(rows), np.ones(len(target))))  # the intercept is penalised like the rest
    peer = linear.LogisticRegression(C=5.0, fit_intercept=False, tol=1e-10, max_iter=10_000).fit(x, target)
    v, bias = fit(rows, target, np.zeros(len(target)), 5.0, tolerance=1e-10, steps=2000)
    assert np.append(v, bias) == pytest.approx(peer.coef_[0], abs=1e-4)


def test_separable_rows_and_huge_offsets_stay_finite() -> None:
    rows, _ = problem(5)
    target = np.sign(dense(rows) @ np.linspace(-1, 1, len(rows.scale)) + 1e-9)
    for offset in (np.zeros(len(target)), 1e6 * target, -1e4 * target):
        v, bias = fit(rows, target, offset, 1e4)
        assert np.isfinite(v).all()
        assert np.isfinite(bias)


def test_no_entries_at_all() -> None:
    none = np.zeros(0, np.int64)
    rows = SparseRows.of(Pattern.of(3, 0, none, none, None), np.ones(3), np.ones(0))
    v, bias = fit(rows, np.array([1.0, 1.0, -1.0]), np.zeros(3), 1.0, tolerance=1e-9)
    assert len(v) == 0
    assert bias == pytest.approx(2 / (1 + np.exp(bias)) - 1 / (1 + np.exp(-bias)), abs=1e-6)
