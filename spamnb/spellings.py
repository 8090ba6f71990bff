"""How the tokens of a model are written: all spellings in one byte array, so that loading costs nothing."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from spamnb.message import IntArray
from spamnb.record import Record

Bytes = NDArray[np.uint8]


class Spellings(Record):
    """Spelling i is `blob[ends[i - 1]:ends[i]]`.

    >>> Spellings.of([b"free", b"ok"]).take(np.array([1, 0])).tolist()
    ['ok', 'free']
    """

    blob: Bytes
    ends: IntArray

    @classmethod
    def of(cls, parts: Iterable[bytes]) -> Spellings:
        listed = list(parts)
        sizes = np.fromiter((len(p) for p in listed), np.int64, len(listed))
        return cls(np.frombuffer(b"".join(listed), np.uint8), np.cumsum(sizes))

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, index: int) -> str:
        start = int(self.ends[index - 1]) if index else 0
        return self.blob[start : int(self.ends[index])].tobytes().decode("utf-8", "replace")

    def tolist(self) -> list[str]:
        return [self[i] for i in range(len(self))]

    def take(self, which: IntArray) -> Spellings:
        """Some spellings in another order, without a Python loop."""
        sizes = np.diff(self.ends, prepend=0)[which]
        ends = np.cumsum(sizes)
        shift = np.repeat(self.ends[which] - ends, sizes)
        return Spellings(self.blob[np.arange(len(shift)) + shift], ends)

    def plus(self, other: Spellings) -> Spellings:
        last = int(self.ends[-1]) if len(self) else 0
        return Spellings(
            np.concatenate((self.blob, other.blob)), np.concatenate((self.ends, other.ends + last))
        )
