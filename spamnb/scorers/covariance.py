"""Scores numeric columns together: Gaussian discriminant analysis with a full or a shared covariance.

    log Normal(x; mu_c, S_c)         A_c = sum over messages of class c of (x - mu_c)(x - mu_c)'
    full      S_c = A_c / (n_c - ddof)
    shared    S = sum_c w_c A_c / sum_c w_c (n_c - ddof)         w_c weighs a class, by default 1

With S = L L' and y = L^-1 (x - mu) the density is a product of the columns, in alphabetical order, each given
the ones before it:

    log Normal(x; mu, S) = sum_j [ -y_j^2 / 2 - log L_jj - log(2 pi) / 2 ]

The means and covariances are of messages that have every number. A message without some of them is scored by
the rest, whose density has the rows and columns of S that are left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from spamnb.core import FloatArray
from spamnb.counts import CountStore, Moments, co_scatter, pair_name
from spamnb.scorers.column_models import NARROWEST

_FARTHEST = 1e150  # standard deviations, of which the square is no infinity


class Gaussian:
    """The joint density of numeric columns: (K, d) means and scales, and (K, d, d) correlations.

    `narrowest` (d,) is the least standard deviation of a column, whatever the other columns are: without it a
    column that follows from others would have a density of infinity.
    """

    def __init__(self, columns: Sequence[str], mean: FloatArray, covariance: FloatArray) -> None:
        self.columns, self.mean = list(columns), mean
        largest = np.finfo(np.float64).max
        covariance = np.clip(np.nan_to_num(covariance, nan=0.0), -largest, largest)
        variance = np.einsum("kii->ki", covariance)
        widest = variance.max(axis=0)
        self.narrowest = NARROWEST * np.sqrt(np.where(widest > 0, widest, 1.0))
        self.scale = np.maximum(np.sqrt(variance), self.narrowest)
        self.correlation = covariance / self.scale[:, :, None] / self.scale[:, None, :]

    def log_p(self, numbers: Mapping[str, FloatArray], size: int) -> dict[str, FloatArray]:
        """Returns (size, K) for each column: log p(x | the columns before it, c); 0 where x is missing."""
        missing = np.full(size, np.nan)
        x = np.array([np.asarray(numbers.get(name, missing), np.float64) for name in self.columns])
        terms = np.zeros((len(self.columns), size, len(self.mean)))
        present = np.isfinite(x)
        for pattern in {tuple(column) for column in present.T.tolist()}:
            rows = np.flatnonzero((present == np.array(pattern)[:, None]).all(axis=0))
            columns = np.flatnonzero(pattern)
            for c in range(len(self.mean)):
                terms[columns[:, None], rows, c] = self._chain(x[np.ix_(columns, rows)], c, columns)
        return dict(zip(self.columns, terms, strict=True))

    def draw(self, c: int, random: np.random.Generator) -> dict[str, float]:
        """Draws the numbers of a message of class c: mu + L y, with y of the standard normal distribution."""
        factor = _cholesky(self.correlation[c], self.narrowest / self.scale[c])
        away = (factor * random.standard_normal(len(factor))).sum(axis=1)
        return dict(zip(self.columns, (self.mean[c] + self.scale[c] * away).tolist(), strict=True))

    def _chain(self, x: FloatArray, c: int, columns: NDArray[np.intp]) -> FloatArray:
        """Returns (columns, rows): one term after the other, by the same arithmetic for one row and many."""
        scale = self.scale[c, columns]
        factor = _cholesky(self.correlation[c][np.ix_(columns, columns)], self.narrowest[columns] / scale)
        with np.errstate(over="ignore"):
            z = np.clip((x - self.mean[c, columns, None]) / scale[:, None], -_FARTHEST, _FARTHEST)
        y: FloatArray = np.zeros_like(z)
        terms: FloatArray = np.zeros_like(z)
        for j in range(len(columns)):
            rest = z[j]
            for i in range(j):
                rest = rest - factor[j, i] * y[i]
            y[j] = np.clip(rest / factor[j, j], -_FARTHEST, _FARTHEST)
            terms[j] = -0.5 * y[j] * y[j] - np.log(factor[j, j] * scale[j]) - 0.5 * np.log(2 * np.pi)
        return terms


def _cholesky(matrix: FloatArray, least: FloatArray) -> FloatArray:
    """Computes L with L L' = matrix, each L_jj being at least `least[j]`.

    >>> _cholesky(np.array([[4.0, 2.0], [2.0, 5.0]]), np.zeros(2)).tolist()
    [[2.0, 0.0], [1.0, 2.0]]
    """
    factor = np.zeros_like(matrix)
    for j in range(len(matrix)):
        left = matrix[j, j] - (factor[j, :j] ** 2).sum()
        factor[j, j] = max(np.sqrt(max(left, 0.0)), least[j])
        for i in range(j + 1, len(matrix)):
            factor[i, j] = (matrix[i, j] - (factor[i, :j] * factor[j, :j]).sum()) / factor[j, j]
    return factor


def joint_gaussian(
    store: CountStore, columns: Sequence[str], shared: bool, ddof: int, weights: FloatArray
) -> Gaussian | None:
    """Returns the density of these columns; None if a class has no message with every number."""
    names, classes = sorted(columns), range(len(store.labels))
    none = (Moments(),) * len(classes)
    pairs = {(a, b): store.numbers.get(pair_name(a, b), none) for a in names for b in names}
    count = np.array([m.count for m in pairs[names[0], names[0]]], np.float64)
    if not count.all():
        return None
    mean = np.array([[pairs[a, a][c].mean for a in names] for c in classes])
    scatter = np.array([[[_scatter(pairs, a, b, c) for b in names] for a in names] for c in classes])
    free = (count - ddof)[:, None, None]
    with np.errstate(over="ignore", invalid="ignore"):  # of numbers without measure
        if shared:
            w = weights[:, None, None]
            scatter, free = (w * scatter).sum(axis=0, keepdims=True), (w * free).sum(axis=0, keepdims=True)
        covariance = scatter / np.where(free > 0, free, np.nan)
    return Gaussian(names, mean, np.broadcast_to(covariance, (len(classes), len(names), len(names))))


def _scatter(pairs: Mapping[tuple[str, str], Sequence[Moments]], a: str, b: str, c: int) -> float:
    if a == b:
        return pairs[a, a][c].variance() * pairs[a, a][c].count
    return co_scatter(pairs[a, a][c], pairs[b, b][c], pairs[a, b][c])
