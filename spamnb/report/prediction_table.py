"""Writes predictions as a table, row by row, in colour if the terminal has it.

A terminal shows long messages on several lines of their column. In a file or a pipe each message has one
line, whole; columns are aligned as far as `_LONGEST_ALIGNED`, so that a long message does not widen all rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from spamnb.core import IntArray, visible
from spamnb.messages import Chunk
from spamnb.model import Predictions
from spamnb.report.column_fit import UNLIMITED, print_table
from spamnb.report.prediction_lines import Explain, evidence_text, shown_text

_GAP = 2
_LONGEST_ALIGNED = 80


class TableWriter:
    """Formats rows as they come; a column grows only if a later row needs it."""

    header = b""
    at_once = 200  # rows: a whole batch takes seconds, in which nothing would be shown

    def __init__(
        self, console: Console, names: Sequence[str], positive: str, explain: Explain | None = None
    ) -> None:
        self._console = console
        self._styles = {n: "red" if n == positive else "yellow" if n == "unsure" else "green" for n in names}
        self._explain = explain
        self._names = ["label", "P", "message"] + (["evidence"] if explain is not None else [])
        self._widest = [len(name) for name in self._names]
        self._begun = False

    def lines(self, chunk: Chunk, predictions: Predictions, rows: IntArray) -> bytes:
        if not len(rows):
            return b""
        return self._format([list(self._cells(chunk, predictions, i)) for i in rows.tolist()])

    def end(self) -> bytes:
        """Returns the header if there was no row."""
        return b"" if self._begun else self._format([])

    def _cells(self, chunk: Chunk, predictions: Predictions, row: int) -> Iterator[Text]:
        label = predictions.names[int(predictions.codes[row])]
        yield Text(visible(label), self._styles[label])
        yield Text(f"{predictions.probability[row]:.4f}")
        yield Text(visible(shown_text(chunk, row)))
        if self._explain is not None:
            yield Text(evidence_text(self._explain(chunk, row)), "dim")

    def _format(self, rows: list[list[Text]]) -> bytes:
        for cells in rows:
            self._widest = [
                max(width, cell.cell_len) for width, cell in zip(self._widest, cells, strict=True)
            ]
        heading, self._begun = not self._begun, True
        with self._console.capture() as shown:
            if self._console.width < UNLIMITED:
                print_table(self._console, self._table(rows, heading))
            else:
                self._print_lines(rows, heading)
        return shown.get().encode(self._console.encoding, "backslashreplace")

    def _print_lines(self, rows: list[list[Text]], heading: bool) -> None:
        names = [
            name.rjust(width) if name == "P" else name
            for name, width in zip(self._names, self._widest, strict=True)
        ]
        head = [[Text(name, "bold") for name in names]] if heading else []
        for cells in head + rows:
            for cell, width in zip(cells[:-1], self._widest, strict=False):
                cell.pad_right(min(width, _LONGEST_ALIGNED) - cell.cell_len)
            self._console.print(Text(" " * _GAP).join(cells), soft_wrap=True)

    def _table(self, rows: list[list[Text]], heading: bool) -> Table:
        table = Table(box=None, pad_edge=False, header_style="bold", show_header=heading)
        for name, width in zip(self._names, widths(self._widest, self._console.width), strict=True):
            free = name in ("message", "evidence")
            table.add_column(
                name,
                width=width,
                justify="right" if name == "P" else "left",
                no_wrap=not free,
                overflow="fold" if free else "ellipsis",
            )
        for cells in rows:
            table.add_row(*cells)
        return table


def widths(widest: Sequence[int], room: int) -> list[int]:
    """Computes column widths: those of the cells, but from the third one on they share the room that is left.

    >>> widths([5, 6, 30], 80), widths([5, 6, 90], 80), widths([5, 6, 90, 20], 80), widths([5, 6, 90, 70], 80)
    ([5, 6, 30], [5, 6, 65], [5, 6, 43, 20], [5, 6, 31, 32])
    """
    left = max(room - sum(widest[:2]) - _GAP * (len(widest) - 1), len(widest) - 2)
    if len(widest) == 3:
        return [*widest[:2], min(widest[2], left)]
    message, evidence = widest[2:]
    message = min(message, max(left - evidence, (left - 1) // 2))
    return [*widest[:2], message, min(evidence, left - message)]
