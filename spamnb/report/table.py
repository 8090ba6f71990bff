"""Predictions as a table for people, in colour where the terminal has it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from spamnb.message import Chunk, IntArray
from spamnb.predictions import Predictions
from spamnb.report.rows import Explain, parts_text, shown_text
from spamnb.report.safe import visible


class TableWriter:
    """Collects rows and prints them when it is closed."""

    header = b""

    def __init__(
        self, console: Console, names: Sequence[str], positive: str, explain: Explain | None = None
    ) -> None:
        self._console = console
        self._styles = {n: "red" if n == positive else "yellow" if n == "unsure" else "green" for n in names}
        self._explain = explain
        self._table = Table(box=None, pad_edge=False, header_style="bold")
        self._table.add_column("label", no_wrap=True)
        self._table.add_column("P", justify="right", no_wrap=True)
        self._table.add_column("message", overflow="fold")
        if explain is not None:
            self._table.add_column("why", overflow="fold")

    def lines(self, chunk: Chunk, found: Predictions, rows: IntArray) -> bytes:
        for i in rows.tolist():
            label = found.names[int(found.codes[i])]
            cells = [
                Text(visible(label), self._styles[label]),
                Text(f"{found.probability[i]:.4f}"),
                Text(visible(shown_text(chunk, i))),
            ]
            if self._explain is not None:
                cells.append(Text(parts_text(self._explain(chunk, i)), "dim"))
            self._table.add_row(*cells)
        return b""

    def close(self) -> None:
        self._console.print(self._table)
