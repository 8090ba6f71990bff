"""Defines what readers yield: a chunk of messages with their labels and columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

from spamnb.core import FloatArray, IntArray, Record
from spamnb.messages.texts import Texts


class InputColumns(Protocol):
    """All columns of some records, as their input has them."""

    @property
    def names(self) -> Sequence[str]: ...

    @property
    def text(self) -> int | None:
        """The column of the messages."""

    def texts(self, column: int) -> Texts:
        """Returns the values of a column as texts."""

    def record(self, row: int) -> Mapping[str, Any]:
        """Returns the values of a record by name, as JSON has them."""

    def fault(self, row: int) -> str:
        """Returns why a damaged record could not be read; empty for any other."""


class Chunk(Record):
    """Some hundreds of messages from a reader, with their labels and columns.

    `labels` is None if the source was read without labels; `categories` has one string per message and
    categorical column ("" = missing), `numbers` one float per message and numeric column (nan = missing);
    `lines` is each message's 1-based line in its source; `position` is how far the source was read, in bytes;
    `sources` is the path of each mail, or `mailbox#number`; `worker_result` is the result of the worker
    processes (`Source.work`); `columns` has all columns of a table (`ReadOptions.keep_columns`); `file` is
    the name of the source if there are several.
    """

    texts: Texts
    lines: IntArray
    labels: list[str] | None = None
    categories: Mapping[str, list[str]] = MappingProxyType({})
    numbers: Mapping[str, FloatArray] = MappingProxyType({})
    position: int = 0
    sources: Sequence[str] = ()
    worker_result: Any = None
    columns: InputColumns | None = None
    file: str = ""

    def __len__(self) -> int:
        return len(self.texts)

    def select(self, rows: IntArray) -> Chunk:
        """Selects messages, in the order of `rows`, with their labels and the columns of the model."""
        picked = rows.tolist()
        return Chunk(
            self.texts.select(rows),
            self.lines[rows],
            None if self.labels is None else [self.labels[i] for i in picked],
            {name: [values[i] for i in picked] for name, values in self.categories.items()},
            {name: values[rows] for name, values in self.numbers.items()},
            sources=[self.sources[i] for i in picked] if self.sources else (),
            file=self.file,
        )

    def place(self, row: int) -> str:
        """Returns where a message comes from: the path of a mail, else its line and, of several, its file."""
        if self.sources:
            return self.sources[row]
        return f"{self.file} line {int(self.lines[row])}".strip()
