"""Cuts inputs into blocks of whole records that several processes can read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from spamnb.messages import Chunk
from spamnb.readers.byte_stream import StoredFile
from spamnb.readers.skipped_rows import SkippedRecords
from spamnb.readers.tables.delimited_fallback import parse_rows
from spamnb.readers.tables.delimited_fast import regular
from spamnb.readers.tables.labels import LabelMap

_QUOTE = 34


class BlockReader(Protocol):
    """Reads blocks of one input in any process: it can be pickled. `labels` remembers what occurred."""

    @property
    def labels(self) -> LabelMap | None: ...

    def read(self, block: bytes, skipped: SkippedRecords) -> Iterator[tuple[Chunk, int]]:
        """Yields chunks, each with its number of lines; lines are counted from the start of the block."""


@dataclass(frozen=True)
class Blocks:
    """An input in blocks: `cut` yields them, and `reader` reads each of them.

    `first_line` is the number of the line that the first block begins with. Where the blocks are nothing
    but the bytes of `file`, one after the other, `start` is the place in the file of the first; that holds
    as long as `is_as_stored` returns True.
    """

    reader: BlockReader
    cut: Callable[[], Iterator[bytes | memoryview]]
    first_line: int = 1
    start: int | None = None
    file: StoredFile | None = None
    is_as_stored: Callable[[], bool] = lambda: True


def last_row_end(data: bytes, delimiter: str, *, quoting: bool) -> int:
    r"""Returns where the last whole row of `data`, which begins with one, ends; 0 if there is none.

    A newline with an even number of quotes before it ends a row, if all these quotes are where a field
    begins or ends. If that check fails, the csv module decides.

    >>> last_row_end(b'ham,"two\nlines"\nspam,wi', ",", quoting=True)
    16
    """
    if not quoting or b'"' not in data:
        return data.rfind(b"\n") + 1 or _by_csv(data, delimiter, quoting)
    raw = np.frombuffer(data, np.uint8)
    quotes = np.flatnonzero(raw == _QUOTE)
    end = data.rfind(b"\n")
    while end >= 0 and (before := int(quotes.searchsorted(end))) & 1:
        end = data.rfind(b"\n", 0, int(quotes[before - 1]))  # not inside the field that this quote opens
    if end >= 0 and regular(raw[: end + 1], quotes[: quotes.searchsorted(end)], delimiter):
        return end + 1
    return _by_csv(data, delimiter, quoting)


def _by_csv(data: bytes, delimiter: str, quoting: bool) -> int:
    return parse_rows(data, delimiter, quoting=quoting, final=False).used
