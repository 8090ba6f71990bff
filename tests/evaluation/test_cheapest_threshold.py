"""The threshold of the lowest cost, where scores leave no or hardly any room for one."""

from __future__ import annotations

import numpy as np

from spamnb.evaluation.cheapest_threshold import cheapest_threshold, round_between

BOTH = np.array([False, True])


def test_it_lies_outside_of_all_scores_where_one_kind_of_mistake_is_dear() -> None:
    values = np.array([0.6, 0.4])
    assert cheapest_threshold(values, BOTH, (1, 9), (0, 1)) == 0.2
    assert cheapest_threshold(values, BOTH, (9, 1), (0, 1)) == 0.8


def test_equal_scores_cannot_be_told_apart() -> None:
    assert cheapest_threshold(np.array([1.0, 0.0]), BOTH, (1, 1), (0, 1)) == 0.5
    assert cheapest_threshold(np.array([1.0]), np.array([False]), (1, 1), (1, 1)) is None


def test_neighbours_have_nothing_between_them() -> None:
    low = 0.1
    high = float(np.nextafter(low, 1))
    assert low <= round_between(low, high) <= high
