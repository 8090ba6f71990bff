"""Logistic regression with L2 penalty on sparse rows, in the span of the rows.

    minimise over v, v_0:   C sum_j log(1 + exp(-t_j z_j)) + (|v|^2 + v_0^2) / 2
    z_j = o_j + x_j . v + v_0              t_j is -1 or 1, o_j is given: what is known of message j before

The solution is v = X' a with one number a_j for each row. So L-BFGS runs on vectors with a number for each
message, not for each token, and products of long vectors become products with K = X X' + 1. Columns with a
single entry only add to the diagonal of K. As z is linear in the step, the line search
is exact and reads no data. 3,600 messages with 51,000 tokens take 0.02 s.
"""

from __future__ import annotations

import numpy as np

from spamnb.message import FloatArray, IntArray
from spamnb.record import Record
from spamnb.sparse import changes

MEMORY = 8  # pairs that L-BFGS remembers
STEPS = 40
TOLERANCE = 1e-2  # of the first gradient's norm; 1e-3 took half as long again for the same figures on folds


class SparseRows(Record):
    """n rows: row `rows[e]` has the value row_scale * times[e] * scale in column `ids[e]`; `rows` ascend."""

    size: int
    rows: IntArray
    ids: IntArray
    times: FloatArray | None  # None: every value is 1 before scaling
    row_scale: FloatArray  # (n,)
    scale: FloatArray  # (columns,)
    diagonal: FloatArray | float = 0.0  # of X X', from columns that were taken out

    def transposed(self, a: FloatArray) -> FloatArray:
        """X' a: a sum over rows for each column."""
        values = (a * self.row_scale).take(self.rows)
        if self.times is not None:
            values *= self.times
        return np.bincount(self.ids, values, len(self.scale)) * self.scale

    def times_vector(self, v: FloatArray) -> FloatArray:
        """X v: a sum over columns for each row."""
        values = (v * self.scale).take(self.ids)
        if self.times is not None:
            values *= self.times
        out = np.zeros(self.size)
        if len(self.rows):
            begin = changes(self.rows)
            out[self.rows[begin]] = np.add.reduceat(values, begin)
        return out * self.row_scale

    def gram(self, a: FloatArray) -> FloatArray:
        """K a = X X' a + 1 1' a."""
        return self.times_vector(self.transposed(a)) + self.diagonal * a + float(a.sum())

    def without_single(self) -> SparseRows:
        """The same K from the columns of two entries or more, renumbered."""
        count = np.bincount(self.ids, minlength=len(self.scale))
        alone, shared = np.flatnonzero(count[self.ids] == 1), np.flatnonzero(count[self.ids] > 1)
        kept = np.flatnonzero(count > 1)
        place = np.zeros(len(count), np.int64)
        place[kept] = np.arange(len(kept))
        values = (self.scale[self.ids] * (1.0 if self.times is None else self.times))[alone]
        diagonal = np.bincount(self.rows[alone], values**2, self.size) * self.row_scale**2
        times = None if self.times is None else self.times[shared]
        rows, ids = self.rows[shared], place[self.ids[shared]]
        return SparseRows(self.size, rows, ids, times, self.row_scale, self.scale[kept], diagonal)


class Dual(Record):
    """A vector X' a of column space by its a, together with K a."""

    a: FloatArray
    k: FloatArray

    def plus(self, other: Dual, factor: float) -> Dual:
        return Dual(self.a + factor * other.a, self.k + factor * other.k)

    def dot(self, other: Dual) -> float:
        """(X' a).(X' b) = a.(K b); summed without `@`, as BLAS takes longer to wake its threads."""
        return float(np.sum(self.a * other.k))


def fit(
    rows: SparseRows,
    target: FloatArray,
    offset: FloatArray,
    c: float,
    tolerance: float = TOLERANCE,
    steps: int = STEPS,
) -> tuple[FloatArray, float]:
    """(v, v_0) of least loss; `target` is -1 or 1 for each row."""
    at, shared = Dual(np.zeros(rows.size), np.zeros(rows.size)), rows.without_single()
    gradient = _gradient(shared, at, target, offset, c)
    small, seen = tolerance**2 * gradient.dot(gradient), list[tuple[Dual, Dual, float]]()
    for _ in range(steps):
        if gradient.dot(gradient) <= small:
            break
        direction = _direction(gradient, seen)
        length = _line_search(at, direction, target, offset, c, 1.0 if seen else 0.0)
        at, before = at.plus(direction, length), gradient
        gradient = _gradient(shared, at, target, offset, c)
        step, change = Dual(length * direction.a, length * direction.k), gradient.plus(before, -1.0)
        if (curvature := step.dot(change)) > 0:
            seen = [*seen[1 - MEMORY :], (step, change, curvature)]
    return rows.transposed(at.a), float(at.a.sum())


def _wrong(z: FloatArray, target: FloatArray) -> FloatArray:
    """1 - P(truth) = 1 / (1 + exp(t z))."""
    return np.asarray(1.0 / (1.0 + np.exp(np.clip(target * z, -500, 500))))


def _gradient(rows: SparseRows, at: Dual, target: FloatArray, offset: FloatArray, c: float) -> Dual:
    """v - C sum_j t_j (1 - P_j) x_j = X' (a - C t (1 - P))."""
    a = at.a - c * target * _wrong(at.k + offset, target)
    return Dual(a, rows.gram(a))


def _direction(gradient: Dual, seen: list[tuple[Dual, Dual, float]]) -> Dual:
    """L-BFGS in two loops (Nocedal and Wright, algorithm 7.4), downhill."""
    found, shares = gradient, []
    for step, change, curvature in reversed(seen):
        share = step.dot(found) / curvature
        shares.append(share)
        found = found.plus(change, -share)
    if seen:
        _, change, curvature = seen[-1]
        factor = curvature / change.dot(change)
        found = Dual(factor * found.a, factor * found.k)
    for (step, change, curvature), share in zip(seen, reversed(shares), strict=True):
        found = found.plus(step, share - change.dot(found) / curvature)
    return Dual(-found.a, -found.k)


def _line_search(
    at: Dual, way: Dual, target: FloatArray, offset: FloatArray, c: float, length: float
) -> float:
    """The step of least loss by Newton's method, kept between steps known to be too short and too long."""
    begin, slope, bend = at.k + offset, at.dot(way), way.dot(way)
    low, high = 0.0, np.inf
    for _ in range(30):
        wrong = _wrong(begin + length * way.k, target)
        first = slope + length * bend - c * float(np.sum(target * wrong * way.k))
        second = bend + c * float(np.sum(wrong * (1.0 - wrong) * way.k**2))
        low, high = (low, length) if first > 0 else (length, high)
        better = length - first / second if second > 0 else length
        if not low <= better <= high:
            better = (low + high) / 2 if high < np.inf else 2.0 * length + 1.0
        if abs(better - length) <= 1e-4 * abs(better):
            return better
        length = better
    return length
