"""Scores categorical columns (003 case 1, 004) and numeric ones by a Gaussian (003 case 3, 004).

    categorical   log P(value|c) = log[ (n_value,c + l) / (n_c + l K) ]       K values in the column
    the m-estimate (n + m p) / (n_c + m) with p = 1/K is the same with l = m / K
    Gaussian      log Normal(x; mu_c, sigma_c)

n_c counts the messages of class c that have a value. A missing or unknown value is no evidence.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spamnb.core import FloatArray
from spamnb.counts import CountStore, Moments
from spamnb.scorers.base import log_ratio

# A column that never varies in a class would have a density of infinity: its standard deviation is taken as
# at least this share of the largest one of the column (or of 1).
NARROWEST = 1e-6


def m_estimate(n_value: float, n: float, m: float, p: float) -> float:
    """Returns (n_value + m p) / (n + m), document 004.

    >>> m_estimate(0, 5, 1, 1 / 3) == 1 / 18
    True
    """
    return (n_value + m * p) / (n + m)


def category_log_p(
    store: CountStore, column: str, alpha: float, weights: FloatArray | float = 1.0
) -> dict[str, FloatArray]:
    """Returns log P(value | c) of every value of a column, (K,) each; weights are those of the classes."""
    values = store.categories.get(column, {})
    table = weights * np.array(list(values.values()), np.float64).reshape(len(values), len(store.labels))
    log_p = log_ratio(table + alpha, table.sum(axis=0) + alpha * len(values))
    return dict(zip(values, log_p, strict=True))


def gaussian_parameters(moments: Sequence[Moments], ddof: int) -> tuple[FloatArray, FloatArray]:
    """Returns mean and standard deviation of each class."""
    mean = np.array([m.mean for m in moments])
    variance = np.minimum([m.variance(ddof) for m in moments], np.finfo(np.float64).max)
    widest = np.nanmax(variance, initial=0.0)
    floor = NARROWEST**2 * (widest if widest > 0 else 1.0)
    return mean, np.sqrt(np.maximum(np.nan_to_num(variance, nan=0.0), floor))


def gaussian_log_p(x: FloatArray, mean: FloatArray, sd: FloatArray) -> FloatArray:
    """Returns (n, K): log of the normal density; 0 where x is missing or a class has no number at all."""
    with np.errstate(over="ignore"):
        z = np.clip((np.where(np.isfinite(x), x, 0.0)[:, None] - mean) / sd, -1e150, 1e150)
    log_p = -0.5 * z * z - np.log(sd) - 0.5 * np.log(2 * np.pi)
    unknown = ~np.isfinite(x) | np.isnan(mean).any()
    return np.where(unknown[:, None], 0.0, log_p)
