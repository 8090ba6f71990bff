"""Reads the tables that `predict` wrote: takes away what it added to the texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from spamnb.core import IntArray
from spamnb.messages import Texts, is_predicted, unescape_fields, unguarded
from spamnb.readers.tables.chunk_builder import Records, factorise
from spamnb.readers.tables.csv_dialect import CsvDialect


@dataclass(frozen=True)
class WrittenRecords:
    """Records that `predict` wrote, read as what they were: `restore` takes away what it added to texts.

    It added it to the column `only`; None: to all columns.
    """

    records: Records
    restore: Callable[[Texts], Texts]
    only: int | None

    @property
    def lines(self) -> IntArray:
        return self.records.lines

    @property
    def faults(self) -> Mapping[int, str]:
        return self.records.faults

    def column(self, column: int) -> list[bytes]:
        return self.texts(column).tolist() if self._is_changed(column) else self.records.column(column)

    def texts(self, column: int) -> Texts:
        texts = self.records.texts(column)
        return self.restore(texts) if self._is_changed(column) else texts

    def distinct(self, column: int) -> tuple[list[bytes], IntArray]:
        return factorise(self.column(column)) if self._is_changed(column) else self.records.distinct(column)

    def _is_changed(self, column: int) -> bool:
        return self.only in (None, column)


def written_as(dialect: CsvDialect, text: int | None) -> Callable[[Records], Records] | None:
    """Returns how to read the records of a table that `predict` wrote; None for any other table."""
    if dialect.delimiter == "," and text is not None and is_predicted(dialect.names):
        return partial(WrittenRecords, restore=unguarded, only=text)
    if dialect.delimiter == "\t" and is_predicted(dialect.names, tsv=True):
        return partial(WrittenRecords, restore=unescape_fields, only=None)
    return None
