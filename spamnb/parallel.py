"""Work in several processes, with the results in order."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any, TypeVar

from spamnb.gathering import Gathering, lost

T = TypeVar("T")
R = TypeVar("R")
_AHEAD = 2  # items for each process that are under way or done and not yet asked for


def can_fork() -> bool:
    """Can a process be copied as it is, within milliseconds and with all it has loaded?

    macOS has the call, but its own libraries do not survive it.
    """
    return sys.platform.startswith("linux")


def ordered_map(
    function: Callable[[T], R], items: Iterable[T], jobs: int, gathering: Gathering | None = None
) -> Iterator[R]:
    """The result for each item, in order; items are taken only some steps ahead of the results.

    Items and results must be able to travel to another process, and where processes cannot be forked the
    function too; for one job or one item nothing travels. `gathering` needs processes that can be forked.

    >>> list(ordered_map(len, ["a", "bcd"], 1))
    [1, 3]
    """
    rest = iter(items)
    if jobs == 1:
        return map(function, rest)
    first = list(islice(rest, 2))
    if len(first) < 2:
        return map(function, first)
    if can_fork():
        from spamnb.forked import forked_map

        return forked_map(function, chain(first, rest), jobs, gathering, _AHEAD)
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
        raise lost() from error
