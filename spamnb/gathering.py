"""What processes that work for this one have to say to it beside their results."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from spamnb.errors import SpamnbError


@runtime_checkable
class Gathering(Protocol):
    """What processes collect beside the result for each item, to be put together after the last one."""

    def start(self) -> None:
        """In each process, before its first item."""

    def finish(self) -> Any:
        """In each process, after its last item: what it has collected."""

    def gather(self, found: list[tuple[list[int], Any]]) -> None:
        """Here: what each process has collected, with the numbers of the items it was given."""


def lost() -> SpamnbError:
    """A process is gone, and its work with it."""
    return SpamnbError(
        "a worker process ended before its work was done, perhaps for lack of memory",
        hint="use fewer processes: --jobs 1",
    )
