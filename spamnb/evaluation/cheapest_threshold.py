"""Finds the threshold at which mistakes cost least, among all that separate scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spamnb.metrics import Floats


def cheapest_threshold(
    values: Floats, truth: NDArray[np.bool_], costs: tuple[float, float], ends: tuple[float, float]
) -> float | None:
    """Returns a round number between two distinct values, or between one and the `ends` of the scale.

        cost(t) = cost_fp #{negatives > t} + cost_fn #{positives <= t}       the lowest t of the least cost

    None if no number lies between any two of them.

    >>> cheapest_threshold(np.array([0.2, 0.31, 0.34]), np.array([False, False, True]), (1, 1), (0, 1))
    0.33
    """
    distinct, index = np.unique(values, return_inverse=True)
    positives, negatives = (np.bincount(index[truth == t], minlength=len(distinct)) for t in (True, False))
    missed = np.append(0, np.cumsum(positives))
    flagged = negatives.sum() - np.append(0, np.cumsum(negatives))
    edges = np.concatenate(([ends[0]], distinct, [ends[1]]))
    cost = np.where(edges[:-1] < edges[1:], costs[0] * flagged + costs[1] * missed, np.inf)
    best = int(np.argmin(cost))
    return round_between(float(edges[best]), float(edges[best + 1])) if np.isfinite(cost[best]) else None


def round_between(low: float, high: float) -> float:
    """Returns a number strictly between two others, as near to their middle as its few digits allow.

    >>> round_between(0.3174, 0.3195), round_between(0.99999, 1.0), round_between(-3.0, 8.0)
    (0.318, 0.999995, 2.0)
    """
    middle = low / 2 + high / 2
    rounded = (float(f"{middle:.{digits}g}") for digits in range(1, 17))
    return next((number for number in rounded if low < number < high), middle)
