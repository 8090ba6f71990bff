"""Work in several processes: order, look-ahead, errors."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from spamnb.core import worker_pool
from spamnb.core.worker_pool import WorkerPool, ordered_map
from spamnb.errors import ConfigError, MissingExtraError, SpamnbError


@pytest.fixture(params=[True, False], ids=["forked", "spawned"])
def start(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers by both ways to start a process."""
    monkeypatch.setattr(worker_pool, "can_fork", lambda: request.param)


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
    with pytest.raises(ValueError, match=r"(?m)^no 3$"):
        next(results)


def test_a_process_that_dies_is_reported() -> None:
    with pytest.raises(SpamnbError) as caught:
        list(ordered_map(die, range(4), 2))
    assert caught.value.message == (
        "a worker process ended before its work was done, perhaps for lack of memory"
    )
    assert caught.value.hint == "use fewer processes: --jobs 1"
    assert list(ordered_map(slow_first, range(4), 2)) == [0, 1, 4, 9]


def arrays(size: int) -> tuple[int, list[np.ndarray]]:
    return size, [np.arange(size), np.zeros(0), np.full((2, size), 0.5)]


@pytest.mark.usefixtures("start")
def test_large_items_and_results_travel_whole() -> None:
    sizes = [0, 1, 100_000, 7, 1_000_000, 3]
    for (size, array_item), expected in zip(ordered_map(arrays, sizes, 2), sizes, strict=True):
        assert size == expected
        for array, whole in zip(array_item, arrays(expected)[1], strict=True):
            np.testing.assert_array_equal(array, whole)
            array[...] = 1  # it is the receiver's own
    blocks = [bytes([i]) * 2_000_000 for i in range(8)]
    assert list(ordered_map(len, blocks, 2)) == [2_000_000] * 8


class OddError(Exception):
    """Cannot be pickled."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.cause = lambda: None


ERRORS = [
    ConfigError("wrong", hint="do it right"),
    MissingExtraError("a thing", "parquet"),
    OddError("a and b"),
]


def fail(number: int) -> None:
    raise ERRORS[number]


def unpicklable(number: int) -> object:
    return lambda: number


@pytest.mark.usefixtures("start")
@pytest.mark.parametrize("number", [0, 1])
def test_errors_of_every_class_travel(number: int) -> None:
    with pytest.raises(type(ERRORS[number])) as caught:
        list(ordered_map(fail, [number] * 2, 2))
    assert isinstance(caught.value, SpamnbError)
    assert (caught.value.message, caught.value.hint) == (str(ERRORS[number]), vars(ERRORS[number])["hint"])


@pytest.mark.usefixtures("start")
def test_what_cannot_travel_is_named() -> None:
    with pytest.raises(SpamnbError, match=r"(?m)^a worker process failed: OddError: a and b$"):
        list(ordered_map(fail, [2, 2], 2))
    with pytest.raises(Exception, match="pickle"):
        list(ordered_map(unpicklable, [1, 2], 2))


def test_results_of_one_feed_come_with_the_next() -> None:
    with WorkerPool(fail_at_three, 2) as pool:
        assert list(pool.feed([0, 1])) == []
        results = [*pool.feed([2]), *pool.feed([4, 5, 6, 7, 8])]
        assert len(results) >= 5  # at most two items for each worker are under way
        assert [*results, *pool.finish()] == [0, 1, 2, 4, 5, 6, 7, 8]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


SLOW = """
import sys, time
from spamnb.core import WorkerPool
def work(number):
    time.sleep(0.01)
    return number
with WorkerPool(work, 3) as pool:
    pool.start()
    print(*(worker.process.pid for worker in pool.workers), flush=True)
    for _ in pool.feed(range(10**6)):
        pass
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_their_process(how: signal.Signals) -> None:
    """Ctrl-C reaches all of them; other signals only the first process."""
    run = subprocess.Popen(
        [sys.executable, "-c", SLOW],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert run.stdout is not None
    workers = [int(pid) for pid in run.stdout.readline().split()]
    assert len(workers) == 3
    assert all(map(alive, workers))
    if how == signal.SIGINT:
        os.killpg(run.pid, how)
    else:
        run.send_signal(how)
    assert run.wait(30) != 0
    run.stdout.close()
    until = time.monotonic() + 30
    while any(map(alive, workers)) and time.monotonic() < until:
        time.sleep(0.02)
    left = [pid for pid in workers if alive(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left
