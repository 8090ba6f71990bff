"""Represents an opened input: its description, its messages in chunks, and what was skipped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from spamnb.errors import DataError
from spamnb.messages import Chunk
from spamnb.readers.skipped_rows import SkippedRecords

if TYPE_CHECKING:
    from spamnb.readers.row_blocks import Blocks
    from spamnb.readers.tables.labels import LabelMap

    Work = Callable[[Chunk], Chunk]  # may be a `ResultCollector` too


class Origin(Protocol):
    """A file, stream or folder that messages come from; `size` is its bytes, None if they are not known."""

    @property
    def name(self) -> str: ...

    @property
    def size(self) -> int | None: ...

    def close(self) -> None: ...


class Source:
    """An opened input, to be iterated once.

    `labels` maps labels as written to labels as used; it is None if labels are not read. `skipped` are the
    records that were left out, `notes` the records that were cut at a limit. `blocks` let several processes
    read the input in place of iterating over it.
    """

    mail = False  # whether the messages are mails
    format = ""  # the name of the format that it is read as
    columns: tuple[str, ...] | None = None  # the names of all columns, if the chunks of a table keep them
    # The work of worker processes on each chunk of mails, its result in `made`; set it before reading.
    work: Work | None = None

    def __init__(
        self,
        origin: Origin,
        description: str,
        chunks: Iterator[Chunk],
        *,
        skipped: SkippedRecords | None = None,
        labels: LabelMap | None = None,
        blocks: Blocks | None = None,
    ) -> None:
        self.description = description
        self.skipped = skipped or SkippedRecords()
        self.notes = SkippedRecords("limits met", "limit met")
        self.labels = labels
        self.blocks = blocks
        self._origin = origin
        self._chunks: Iterator[Chunk] | None = chunks

    @property
    def name(self) -> str:
        return self._origin.name

    @property
    def size(self) -> int | None:
        """The bytes of the input; None if they are not known."""
        return self._origin.size

    @property
    def positive_hint(self) -> str | None:
        """The positive class, if the labels say which one it is: `spam`."""
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
        """Refuses, at the end of an input that needs labels, one without usable rows."""
        if self.labels is not None:
            self._check(rows, self.labels)

    def _check(self, rows: int, labels: LabelMap) -> None:
        if not rows:
            if not self.skipped.count:
                raise DataError(
                    f"no usable rows in {self.name}: nothing but a header",
                    hint="add messages below it",
                )
            raise DataError(
                f"no usable rows in {self.name}: {self.skipped.summary()}",
                hint="name the columns with --text-column and --label-column",
            )
        labels.check(self.name, rows, self.skipped.reasons)

    def close(self) -> None:
        self._origin.close()

    def __enter__(self) -> Source:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
