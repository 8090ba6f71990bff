"""Caches the results of pure functions of short byte strings that occur again and again, such as hosts."""

from __future__ import annotations

from collections.abc import Callable, Sized
from typing import Generic, TypeVar

V = TypeVar("V")

_ENTRY = 200  # bytes of an entry beside its letters: its place in the dict and the heads of two objects


class BoundedCache(dict[bytes, V], Generic[V]):
    """Key -> `compute(key)`, computed on first use; `limit` and `longest` are in bytes.

    Long keys are not kept. An entry beyond the limit empties the cache: a limit on the number of entries
    would let long keys take hundreds of megabytes.

    Where many keys are looked up, `map(cache.__getitem__, keys)` takes about half the time of `cache[key]`.

    >>> sizes = BoundedCache(len)
    >>> sizes[b"abc"], dict(sizes)
    (3, {b'abc': 3})
    """

    def __init__(self, compute: Callable[[bytes], V], limit: int = 1 << 22, longest: int = 64) -> None:
        super().__init__()
        self._compute = compute
        self.limit = limit
        self._longest = longest
        self._used = 0

    def __missing__(self, key: bytes) -> V:
        value = self._compute(key)
        if len(key) <= self._longest:
            self._keep(key, value)
        return value

    def _keep(self, key: bytes, value: V) -> None:
        size = _ENTRY + len(key) + (len(value) if isinstance(value, Sized) else 0)
        if self._used + size > self.limit:
            self.clear()
            self._used = 0
        if size <= self.limit:
            self[key] = value
            self._used += size
