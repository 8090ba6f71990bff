"""One opened input: what it is, what was left out, and its messages in chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING

from spamnb.errors import DataError
from spamnb.messages import Chunk
from spamnb.readers.skipped_rows import SkippedRecords

if TYPE_CHECKING:
    from spamnb.readers.row_blocks import Blocks
    from spamnb.readers.tables.labels import LabelMap

    Work = Callable[[Chunk], Chunk]  # may be a `ResultCollector` too


class Source:
    """An opened input, to be iterated once; `labels` tells how labels are read (None: they are not).

    `skipped` are the records that were left out, `notes` the limits because of which a part of one was.
    """

    mail = False  # are they mails?
    # What worker processes do with each chunk of mails, its result in `made`; to be set before reading.
    work: Work | None = None

    def __init__(
        self,
        name: str,
        description: str,
        size: int | None,
        chunks: Iterator[Chunk],
        close: Callable[[], None],
        *,
        skipped: SkippedRecords | None = None,
        notes: SkippedRecords | None = None,
        labels: LabelMap | None = None,
        blocks: Blocks | None = None,
    ) -> None:
        self.name = name
        self.description = description
        self.size = size
        self.skipped = skipped or SkippedRecords()
        self.notes = notes or SkippedRecords("limits met", "limit met")
        self.labels = labels
        self.blocks = blocks  # for reading in several processes, in place of iterating
        self.close = close
        self._chunks: Iterator[Chunk] | None = chunks

    @property
    def positive_hint(self) -> str | None:
        """The name of the class to be found, where the labels tell: `spam`."""
        return self.labels.positive if self.labels else None

    def __iter__(self) -> Iterator[Chunk]:
        chunks, self._chunks = self._chunks, None
        if chunks is None:
            raise RuntimeError(f"{self.name} was read already: open it again")
        rows = 0
        try:
            for chunk in chunks:
                if len(chunk):
                    rows += len(chunk)
                    yield chunk
        finally:
            self.close()
        self.check(rows)

    def check(self, rows: int) -> None:
        """Complain, when all is read, about an input with labels that had nothing usable."""
        if self.labels is not None:
            self._check(rows, self.labels)

    def _check(self, rows: int, labels: LabelMap) -> None:
        if not rows:
            found = self.skipped.summary() if self.skipped.count else "nothing but a header"
            raise DataError(
                f"no usable rows in {self.name}: {found}",
                hint="name the columns with --text-column and --label-column",
            )
        labels.check(self.name, rows, self.skipped.reasons)

    def __enter__(self) -> Source:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
