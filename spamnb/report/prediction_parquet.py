"""Writes predictions as Parquet, with the columns of the input in their types (needs pyarrow)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spamnb._version import __version__
from spamnb.core import IntArray
from spamnb.errors import DataError, MissingExtraError
from spamnb.messages import Chunk
from spamnb.model import Predictions
from spamnb.report.prediction_column_names import Header
from spamnb.report.prediction_lines import Explain, evidence_text, shown_text

_GROUP_BYTES = 1 << 25  # of a row group: batches may be small


class _Sink:
    """A file for pyarrow whose bytes are taken out as they come."""

    closed = False

    def __init__(self) -> None:
        self._blocks: list[bytes] = []
        self._size = 0

    def write(self, data: Any) -> int:
        block = bytes(data)
        self._blocks.append(block)
        self._size += len(block)
        return len(block)

    def tell(self) -> int:
        return self._size

    def flush(self) -> None:
        pass

    def close(self) -> None:
        self.closed = True

    def take(self) -> bytes:
        data, self._blocks = b"".join(self._blocks), []
        return data


class ParquetWriter:
    """verdict, probability, log_odds, then the columns of the input, or `message` if it is no table."""

    def __init__(self, names: Sequence[str], explain: Explain | None = None) -> None:
        try:
            import pyarrow.parquet
        except ImportError:
            raise MissingExtraError("writing Parquet", "parquet") from None
        self._arrow = pyarrow
        self._names, self._explain = names, explain
        self.header = Header(["verdict", "probability", "log_odds", *(["evidence"] if explain else [])])
        self._columns: tuple[str, ...] = ("message",)
        self._sink, self._file = _Sink(), None
        self._schema: Any = None
        self._waiting: list[Any] = []

    def begin(self, source: str, columns: tuple[str, ...] | None) -> bytes:
        if self.header.begin(source, columns) and columns is not None:
            self._columns = columns
        return b""

    def lines(self, chunk: Chunk, predictions: Predictions, rows: IntArray) -> bytes:
        self.header.observe(chunk.columns)
        self._waiting.append(self._table(self._cells(chunk, predictions, rows)))
        return self._write() if sum(table.nbytes for table in self._waiting) > _GROUP_BYTES else b""

    def end(self) -> bytes:
        """Returns the rest of the file; without any message its columns are text."""
        if not self._waiting and self._schema is None:
            text = self._arrow.array([], self._arrow.string())
            number = self._arrow.array([], self._arrow.float64())
            cells = [text, number, number, *[text] * len(self._columns)]
            self._waiting = [self._table([*cells, *[text] * (self._explain is not None)])]
        last = self._write()
        assert self._file is not None
        self._file.close()  # writes the footer
        return last + self._sink.take()

    def _cells(self, chunk: Chunk, predictions: Predictions, rows: IntArray) -> list[Any]:
        """Returns the columns of these messages as arrays."""
        arrow, picked = self._arrow, rows.tolist()
        cells = [
            arrow.array([self._names[code] for code in predictions.codes[rows].tolist()], arrow.string()),
            arrow.array(predictions.probability[rows]),
            arrow.array(predictions.log_odds[rows]),
        ]
        if chunk.columns is None:
            cells.append(arrow.array([shown_text(chunk, i) for i in picked], arrow.string()))
        else:
            taken = arrow.array(rows)
            cells += [self._input_cells(chunk.columns, i).take(taken) for i in range(len(self._columns))]
        if self._explain is not None:
            evidence = [evidence_text(self._explain(chunk, i)) for i in picked]
            cells.append(arrow.array(evidence, arrow.string()))
        return cells

    def _input_cells(self, kept: Any, column: int) -> Any:
        """Returns a column of the input: with its type, that of its JSON values, or as text."""
        if hasattr(kept, "batch"):
            return kept.batch.column(column)
        if hasattr(kept, "values"):
            try:
                return self._arrow.array(kept.values(column))
            except (self._arrow.ArrowException, OverflowError):  # values of several types
                pass
        texts = [text.decode("utf-8", "replace") for text in kept.texts(column).tolist()]
        return self._arrow.array(texts, self._arrow.string())

    def _table(self, cells: list[Any]) -> Any:
        new = self.header.names
        names = [*new[:3], *self._columns, *new[3:]]
        table = self._arrow.Table.from_arrays(cells, names=names)
        if self._schema is None:
            return table
        return self._as_before(table)

    def _as_before(self, table: Any) -> Any:
        """Converts later rows to the types of the first ones."""
        try:
            return table.cast(self._schema)
        except (self._arrow.ArrowException, ValueError) as error:
            raise DataError(
                f"a later row has another type than the first ones: {error}", hint="write CSV or JSONL"
            ) from error

    def _write(self) -> bytes:
        if self._schema is None:
            self._schema = self._waiting[0].schema.with_metadata({"made_by": f"spamnb {__version__}"})
            self._file = self._arrow.parquet.ParquetWriter(self._sink, self._schema)
        assert self._file is not None
        tables = [self._as_before(table) for table in self._waiting]
        if tables:
            self._file.write_table(self._arrow.concat_tables(tables))
        self._waiting = []
        return self._sink.take()
