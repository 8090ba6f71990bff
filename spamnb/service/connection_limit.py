"""Bounds how many clients are connected: if there are too many, the one that waits longest has to go."""

from __future__ import annotations

from collections.abc import Callable, Hashable

MOST_CONNECTIONS = 400  # that wait; each takes a file handle, of which a process usually has 1,024
REQUEST_TIME = 30.0  # seconds in which a client has to send a request


class ConnectionLimit:
    """Lists connections whose request is not complete yet, the oldest first.

    Only these are closed, never one whose answer is on its way. So clients that connect and send nothing, or
    one byte a second, cannot keep others out.

    >>> closed = []
    >>> limit = ConnectionLimit(2)
    >>> for name in "abc":
    ...     limit.wait(name, lambda name=name: closed.append(name))
    >>> closed
    ['a']
    """

    def __init__(self, most: int = MOST_CONNECTIONS) -> None:
        self._most = most
        self._waiting: dict[Hashable, Callable[[], None]] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def wait(self, connection: Hashable, close: Callable[[], None]) -> None:
        """Adds a connection that waits for a request, and closes the oldest one beyond the limit."""
        self._waiting.pop(connection, None)
        self._waiting[connection] = close
        if len(self._waiting) > self._most:
            oldest = next(iter(self._waiting))
            self._waiting.pop(oldest)()

    def leave(self, connection: Hashable) -> None:
        """Removes a connection whose request is complete, or that is closed."""
        self._waiting.pop(connection, None)
