"""Chooses a class for each message: the one of least expected cost, or the likeliest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spamnb.core import FloatArray

_SAME = 1e-9  # the relative difference of two probabilities that are the same on paper


def expected_costs(p: float, cost_fp: float, cost_fn: float) -> tuple[float, float]:
    """Computes the expected costs of the verdicts spam and ham for a message that is spam with probability p.

    >>> expected_costs(0.6, cost_fp=100, cost_fn=10)
    (40.0, 6.0)
    """
    return (1 - p) * cost_fp, p * cost_fn


def least_cost(
    proba: ArrayLike, costs: ArrayLike, preference: Sequence[int] | None = None
) -> NDArray[np.int64]:
    """Finds the verdict of least expected cost per row of `proba` (n, K); `costs[truth, verdict]` is (K, K).

    >>> least_cost([[0.4, 0.6]], costs=[[0, 100], [10, 0]]).tolist()
    [0]
    """
    expected = np.einsum("nt,ta->na", np.asarray(proba, np.float64), np.asarray(costs, np.float64))
    return highest(-expected, preference)


def highest(values: FloatArray, preference: Sequence[int] | None = None) -> NDArray[np.int64]:
    """Finds the class with the highest value per row (n, K); among equal ones the first of `preference`.

    >>> highest(np.array([[0.4, 0.4, 0.2], [0.2, 0.2, 0.6]]), preference=[1, 0, 2]).tolist()
    [1, 2]
    """
    order = np.arange(values.shape[1]) if preference is None else np.asarray(preference)
    top = values.max(axis=1, keepdims=True)
    equal = values >= top - _SAME * np.abs(top)  # the same but for rounding
    return np.asarray(order[equal[:, order].argmax(axis=1)], np.int64)
