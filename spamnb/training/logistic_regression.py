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

from spamnb.core import FloatArray, IntArray, Record, run_starts

MEMORY = 8  # pairs that L-BFGS remembers
STEPS = 40
TOLERANCE = 1e-2  # of the first gradient's norm; 1e-3 took half as long again for the same figures on folds


class Pattern(Record):
    """Which entries n rows have, before any scaling; columns with a single entry are apart."""

    size: int
    columns: int
    rows: IntArray  # ascending
    ids: IntArray  # places in `shared`
    times: FloatArray | float
    begin: IntArray  # where in `rows` each row begins that has entries
    filled: IntArray  # which rows those are
    shared: IntArray  # the columns of two entries or more
    alone_rows: IntArray
    alone: IntArray  # the columns of one entry
    alone_times: FloatArray | float

    @classmethod
    def of(cls, size: int, columns: int, rows: IntArray, ids: IntArray, times: FloatArray | None) -> Pattern:
        """Row `rows[e]`, which ascend, has `times[e]` (None: 1) in column `ids[e]`."""
        count = np.bincount(ids, minlength=columns)
        shared, several = np.flatnonzero(count > 1), count[ids] > 1
        place = np.zeros(columns, np.int64)
        place[shared] = np.arange(len(shared))
        many, one = np.flatnonzero(several), np.flatnonzero(~several)
        begin = run_starts(kept := rows[many])
        every, alone = (1.0, 1.0) if times is None else (times[many], times[one])
        found = kept, place[ids[many]], every, begin, kept[begin], shared, rows[one], ids[one], alone
        return cls(size, columns, *found)

    def lengths(self, scale: FloatArray) -> FloatArray:
        """The squared length of each row whose columns are scaled."""
        squares = self._summed(((scale[self.shared] ** 2).take(self.ids)) * np.square(self.times))
        return squares + self.diagonal(scale)

    def diagonal(self, scale: FloatArray) -> FloatArray:
        """What columns with a single entry add to X X', before rows are scaled."""
        squares = np.square(scale[self.alone] * self.alone_times)
        return np.bincount(self.alone_rows, squares, self.size).astype(np.float64, copy=False)

    def _summed(self, values: FloatArray) -> FloatArray:
        out = np.zeros(self.size)
        if len(self.begin):
            out[self.filled] = np.add.reduceat(values, self.begin)
        return out

    def across(self, v: FloatArray) -> FloatArray:
        """A sum over the shared columns for each row."""
        values = v.take(self.ids)
        if not isinstance(self.times, float):
            values *= self.times
        return self._summed(values)

    def down(self, a: FloatArray) -> FloatArray:
        """A sum over the rows for each shared column."""
        values = a.take(self.rows)
        if not isinstance(self.times, float):
            values *= self.times
        return np.bincount(self.ids, values, len(self.shared)).astype(np.float64, copy=False)


class SparseRows(Record):
    """n rows: the value of an entry is row_scale * times * scale."""

    pattern: Pattern
    row_scale: FloatArray  # (n,); 0 leaves a row out
    scale: FloatArray  # (columns,)
    squares: FloatArray  # of the scales of shared columns
    diagonal: FloatArray  # of X X', from columns with a single entry

    @classmethod
    def of(cls, pattern: Pattern, row_scale: FloatArray, scale: FloatArray) -> SparseRows:
        diagonal = pattern.diagonal(scale) * row_scale**2
        return cls(pattern, row_scale, scale, scale[pattern.shared] ** 2, diagonal)

    def transposed(self, a: FloatArray) -> FloatArray:
        """X' a: a sum over rows for each column."""
        pattern, scaled = self.pattern, a * self.row_scale
        out = np.zeros(pattern.columns)
        out[pattern.shared] = pattern.down(scaled)
        out[pattern.alone] = scaled[pattern.alone_rows] * pattern.alone_times
        return out * self.scale

    def gram(self, a: FloatArray) -> FloatArray:
        """K a = X X' a + 1 1' a."""
        found = self.pattern.across(self.pattern.down(a * self.row_scale) * self.squares)
        return found * self.row_scale + self.diagonal * a + float(a.sum())


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
    c: FloatArray | float,
    tolerance: float = TOLERANCE,
    steps: int = STEPS,
) -> tuple[FloatArray, float]:
    """(v, v_0) of least loss; `target` is -1 or 1 for each row, `c` may be 0 for rows that are left out."""
    at = Dual(np.zeros(len(target)), np.zeros(len(target)))
    gradient = _gradient(rows, at, target, offset, c)
    small, seen = tolerance**2 * gradient.dot(gradient), list[tuple[Dual, Dual, float]]()
    for _ in range(steps):
        if gradient.dot(gradient) <= small:
            break
        direction = _direction(gradient, seen)
        length = _line_search(at, direction, target, offset, c, 1.0 if seen else 0.0)
        at, before = at.plus(direction, length), gradient
        gradient = _gradient(rows, at, target, offset, c)
        step, change = Dual(length * direction.a, length * direction.k), gradient.plus(before, -1.0)
        if (curvature := step.dot(change)) > 0:
            seen = [*seen[1 - MEMORY :], (step, change, curvature)]
    return rows.transposed(at.a), float(at.a.sum())


def _wrong(z: FloatArray, target: FloatArray) -> FloatArray:
    """1 - P(truth) = 1 / (1 + exp(t z))."""
    return np.asarray(1.0 / (1.0 + np.exp(np.clip(target * z, -500, 500))))


def _gradient(
    rows: SparseRows, at: Dual, target: FloatArray, offset: FloatArray, c: FloatArray | float
) -> Dual:
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
    at: Dual, way: Dual, target: FloatArray, offset: FloatArray, c: FloatArray | float, length: float
) -> float:
    """The step of least loss by Newton's method, kept between steps known to be too short and too long."""
    begin, slope, bend = at.k + offset, at.dot(way), way.dot(way)
    low, high = 0.0, np.inf
    for _ in range(30):
        wrong = _wrong(begin + length * way.k, target)
        first = slope + length * bend - float(np.sum(c * target * wrong * way.k))
        second = bend + float(np.sum(c * wrong * (1.0 - wrong) * way.k**2))
        low, high = (low, length) if first > 0 else (length, high)
        better = length - first / second if second > 0 else length
        if not low <= better <= high:
            better = (low + high) / 2 if high < np.inf else 2.0 * length + 1.0
        if abs(better - length) <= 1e-4 * abs(better):
            return better
        length = better
    return length
