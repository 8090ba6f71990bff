"""Computes means and ratios of repeated measurements with 95% intervals, and counts wins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

LEVEL = 0.95
SHARED = 3 / 7  # test to training size of the splits


class Interval(NamedTuple):
    """An estimate and where the truth lies with 95% confidence; NaN where one value says nothing of that."""

    value: float
    low: float
    high: float


def mean_interval(values: Sequence[float], shared: float = 0.0) -> Interval:
    """Student's interval of a mean.

    Splits of one corpus share messages, so their results are not independent: with `shared`, test to
    training size, the variance of the mean is (1/n + shared) of the variance (Nadeau and Bengio 2003).
    """
    from scipy.stats import t

    mean, n = float(np.mean(values)), len(values)
    if n < 2:
        return Interval(mean, math.nan, math.nan)
    reach = float(t.ppf((1 + LEVEL) / 2, n - 1)) * _error(values, shared)
    return Interval(mean, mean - reach, mean + reach)


def ratio_interval(above: Sequence[float], below: Sequence[float]) -> Interval:
    """The typical ratio of values that were measured in pairs: Student's interval of its logarithm."""
    logs = [math.log(a / b) for a, b in zip(above, below, strict=True)]
    return Interval(*map(math.exp, mean_interval(logs)))


def paired_p(gaps: Sequence[float], shared: float = SHARED) -> float:
    """Two-sided p of no difference: the corrected resampled t-test."""
    from scipy.stats import t

    error = _error(gaps, shared) if len(gaps) > 1 else 0.0
    if not error:
        return 1.0 if not np.mean(gaps) or len(gaps) < 2 else 0.0
    return float(2 * t.sf(abs(float(np.mean(gaps)) / error), len(gaps) - 1))


def tally(gaps: Sequence[float]) -> tuple[int, int, int]:
    """How many are won, tied and lost.

    >>> tally([0.5, 0.0, -0.1, 2.0])
    (2, 1, 1)
    """
    won, lost = sum(gap > 1e-9 for gap in gaps), sum(gap < -1e-9 for gap in gaps)
    return won, len(gaps) - won - lost, lost


def _error(values: Sequence[float], shared: float) -> float:
    return float(np.std(values, ddof=1)) * math.sqrt(1 / len(values) + shared)
