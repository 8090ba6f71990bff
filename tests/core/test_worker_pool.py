"""Work in several processes: order, look-ahead, errors."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from spamnb.core.worker_pool import ordered_map
from spamnb.errors import SpamnbError


def slow_first(number: int) -> int:
    time.sleep(0.2 if number == 0 else 0)
    return number * number


def fail_at_three(number: int) -> int:
    if number == 3:
        raise ValueError(f"no {number}")
    return number


def die(number: int) -> int:
    os._exit(1 + number)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("count", [0, 1, 2, 20])
def test_results_come_in_order(jobs: int, count: int) -> None:
    assert list(ordered_map(slow_first, range(count), jobs)) == [n * n for n in range(count)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_items_are_taken_a_few_steps_ahead(jobs: int) -> None:
    taken = []

    def items() -> Iterator[int]:
        for number in range(50):
            taken.append(number)
            yield number

    for done, _ in enumerate(ordered_map(slow_first, items(), jobs)):
        assert len(taken) <= done + (1 if jobs == 1 else 2 * jobs)
    assert len(taken) == 50


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_comes_where_its_result_would(jobs: int) -> None:
    results = ordered_map(fail_at_three, range(8), jobs)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match=r"^no 3$"):
        next(results)


def test_a_process_that_dies_is_reported() -> None:
    with pytest.raises(SpamnbError) as caught:
        list(ordered_map(die, range(4), 2))
    assert caught.value.message == (
        "a worker process ended before its work was done, perhaps for lack of memory"
    )
    assert caught.value.hint == "use fewer processes: --jobs 1"
    assert list(ordered_map(slow_first, range(4), 2)) == [0, 1, 4, 9]
