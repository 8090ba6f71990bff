"""Fits a logistic regression with L2 penalty to sparse rows, in the span of the rows.

    minimise over v, v_0:   C sum_j log(1 + exp(-t_j z_j)) + (|v|^2 + v_0^2) / 2
    z_j = o_j + x_j . v + v_0              t_j is -1 or 1, o_j is the offset of message j

The solution is v = X' a with one number a_j for each row. So L-BFGS runs on vectors with a number for each
message, not for each token, and products of long vectors become products with K = X X' + 1. Columns with a
single entry only add to the diagonal of K. As z is linear in the step, the line search is exact and reads no
data. 3,600 messages with 51,000 tokens take 0.02 s.
"""

from __future__ import annotations

import numpy as np

from spamnb.core import FloatArray, IntArray, Record, run_starts

MEMORY = 8  # pairs that L-BFGS remembers
STEPS = 40
TOLERANCE = 1e-2  # of the first gradient's norm; 1e-3 took half as long again for the same metrics on folds


class SharedEntries(Record):
    """The entries in columns of several: row `rows[e]` has `times[e]` in column `columns[ids[e]]`."""

    columns: IntArray
    rows: IntArray  # ascending
    ids: IntArray
    times: FloatArray | float
    begin: IntArray  # where in `rows` each row begins that has entries
    filled: IntArray  # the rows that have entries


class SingleEntries(Record):
    """The entries that are alone in their columns: row `rows[e]` has `times[e]` in column `columns[e]`."""

    columns: IntArray
    rows: IntArray
    times: FloatArray | float


class Pattern(Record):
    """The entries of `size` rows before any scaling."""

    size: int
    columns: int
    shared: SharedEntries
    single: SingleEntries

    @classmethod
    def of(cls, size: int, columns: int, rows: IntArray, ids: IntArray, times: FloatArray | None) -> Pattern:
        """Makes the pattern where row `rows[e]` (ascending) has `times[e]` (None: 1) in column `ids[e]`."""
        count = np.bincount(ids, minlength=columns)
        used = np.flatnonzero(count > 1)
        place = np.zeros(columns, np.int64)
        place[used] = np.arange(len(used))
        several = count[ids] > 1
        many, one = np.flatnonzero(several), np.flatnonzero(~several)
        shared_times, single_times = (1.0, 1.0) if times is None else (times[many], times[one])
        begin = run_starts(kept := rows[many])
        shared = SharedEntries(used, kept, place[ids[many]], shared_times, begin, kept[begin])
        return cls(size, columns, shared, SingleEntries(ids[one], rows[one], single_times))

    def lengths(self, scale: FloatArray) -> FloatArray:
        """Computes the squared length of each row with scaled columns."""
        shared = self.shared
        squares = self._row_sums((scale[shared.columns] ** 2).take(shared.ids) * np.square(shared.times))
        return squares + self.diagonal(scale)

    def diagonal(self, scale: FloatArray) -> FloatArray:
        """Computes what columns with a single entry add to X X', before rows are scaled."""
        squares = np.square(scale[self.single.columns] * self.single.times)
        return np.bincount(self.single.rows, squares, self.size).astype(np.float64, copy=False)

    def across(self, v: FloatArray) -> FloatArray:
        """Sums over the shared columns for each row."""
        return self._row_sums(self._times(v.take(self.shared.ids)))

    def down(self, a: FloatArray) -> FloatArray:
        """Sums over the rows for each shared column."""
        shared, values = self.shared, self._times(a.take(self.shared.rows))
        return np.bincount(shared.ids, values, len(shared.columns)).astype(np.float64, copy=False)

    def _times(self, values: FloatArray) -> FloatArray:
        """Multiplies the values of shared entries, in place, by how often they occur."""
        if not isinstance(self.shared.times, float):
            values *= self.shared.times
        return values

    def _row_sums(self, values: FloatArray) -> FloatArray:
        out = np.zeros(self.size)
        if len(self.shared.begin):
            out[self.shared.filled] = np.add.reduceat(values, self.shared.begin)
        return out


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
        return cls(pattern, row_scale, scale, scale[pattern.shared.columns] ** 2, diagonal)

    def transposed(self, a: FloatArray) -> FloatArray:
        """Computes X' a: a sum over rows for each column."""
        pattern, scaled = self.pattern, a * self.row_scale
        out = np.zeros(pattern.columns)
        out[pattern.shared.columns] = pattern.down(scaled)
        out[pattern.single.columns] = scaled[pattern.single.rows] * pattern.single.times
        return out * self.scale

    def gram(self, a: FloatArray) -> FloatArray:
        """Computes K a = X X' a + 1 1' a."""
        shared = self.pattern.across(self.pattern.down(a * self.row_scale) * self.squares)
        return shared * self.row_scale + self.diagonal * a + float(a.sum())


class Dual(Record):
    """A vector X' a of the column space, stored as a and K a."""

    a: FloatArray
    k: FloatArray

    def plus(self, other: Dual, factor: float) -> Dual:
        return Dual(self.a + factor * other.a, self.k + factor * other.k)

    def dot(self, other: Dual) -> float:
        """Computes (X' a).(X' b) = a.(K b); summed without `@`, as BLAS takes longer to wake its threads."""
        return float(np.sum(self.a * other.k))


def fit(
    rows: SparseRows,
    target: FloatArray,
    offset: FloatArray,
    c: FloatArray | float,
    tolerance: float = TOLERANCE,
    steps: int = STEPS,
) -> tuple[FloatArray, float]:
    """Returns (v, v_0) of least loss; `target` is -1 or 1 for each row, `c` is 0 for rows to leave out."""
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
    """Computes 1 - P(truth) = 1 / (1 + exp(t z))."""
    return np.asarray(1.0 / (1.0 + np.exp(np.clip(target * z, -500, 500))))


def _gradient(
    rows: SparseRows, at: Dual, target: FloatArray, offset: FloatArray, c: FloatArray | float
) -> Dual:
    """Computes v - C sum_j t_j (1 - P_j) x_j = X' (a - C t (1 - P))."""
    a = at.a - c * target * _wrong(at.k + offset, target)
    return Dual(a, rows.gram(a))


def _direction(gradient: Dual, seen: list[tuple[Dual, Dual, float]]) -> Dual:
    """Computes the L-BFGS direction downhill (Nocedal and Wright, algorithm 7.4)."""
    direction, shares = gradient, []
    for step, change, curvature in reversed(seen):
        share = step.dot(direction) / curvature
        shares.append(share)
        direction = direction.plus(change, -share)
    if seen:
        _, change, curvature = seen[-1]
        factor = curvature / change.dot(change)
        direction = Dual(factor * direction.a, factor * direction.k)
    for (step, change, curvature), share in zip(seen, reversed(shares), strict=True):
        direction = direction.plus(step, share - change.dot(direction) / curvature)
    return Dual(-direction.a, -direction.k)


def _line_search(
    at: Dual, way: Dual, target: FloatArray, offset: FloatArray, c: FloatArray | float, length: float
) -> float:
    """Finds the step of least loss by Newton's method, between steps known to be too short and too long."""
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
