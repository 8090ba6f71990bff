"""Work in several processes, with the results in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any, TypeVar

from spamnb.errors import SpamnbError

T = TypeVar("T")
R = TypeVar("R")
_AHEAD = 2  # items for each process that are under way or done and not yet asked for


def ordered_map(function: Callable[[T], R], items: Iterable[T], jobs: int) -> Iterator[R]:
    """The result for each item, in order; items are taken only some steps ahead of the results.

    Function, items and results must be able to travel to another process; for one job or one item nothing
    travels.

    >>> list(ordered_map(len, ["a", "bcd"], 1))
    [1, 3]
    """
    rest = iter(items)
    if jobs == 1:
        return map(function, rest)
    first = list(islice(rest, 2))
    if len(first) < 2:
        return map(function, first)
    return _in_processes(function, chain(first, rest), jobs)


def _in_processes(function: Callable[[T], R], items: Iterable[T], jobs: int) -> Iterator[R]:
    from joblib.externals.loky import get_reusable_executor

    executor = get_reusable_executor(max_workers=jobs)
    waiting: deque[Any] = deque()
    try:
        for item in items:
            waiting.append(executor.submit(function, item))
            if len(waiting) >= _AHEAD * jobs:
                yield _result(waiting.popleft())
        while waiting:
            yield _result(waiting.popleft())
    finally:
        for future in waiting:
            future.cancel()


def _result(future: Any) -> Any:
    from joblib.externals.loky import BrokenProcessPool

    try:
        return future.result()
    except BrokenProcessPool as error:
        raise SpamnbError(
            "a worker process ended before its work was done, perhaps for lack of memory",
            hint="use fewer processes: --jobs 1",
        ) from error
