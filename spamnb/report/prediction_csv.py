"""Writes predictions as CSV, with the columns of the input."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spamnb.core import IntArray, visible
from spamnb.messages import Chunk, guarded, is_formula
from spamnb.model import Predictions
from spamnb.report.prediction_column_names import Header
from spamnb.report.prediction_lines import Explain, evidence_text, shown_text


class Csv:
    """verdict, probability, log_odds, then the columns of the input, or `message` if it is no table.

    A message that a spreadsheet would run begins with an apostrophe; `guarded` counts these cells, which are
    of the column `text_name`. All other columns stay as they were read: their values are ids and the like.
    """

    def __init__(self, names: Sequence[str], explain: Explain | None = None, escape: bool = False) -> None:
        self._escape = escape  # for a terminal; a file gets the text as it is
        self._explain = explain
        self.guarded, self.text_name = 0, "message"
        self._names = [self._guarded(name) for name in names]
        self.header = Header(["verdict", "probability", "log_odds", *(["evidence"] if explain else [])])

    def begin(self, source: str, columns: tuple[str, ...] | None) -> bytes:
        if not self.header.begin(source, columns):
            return b""
        names = self.header.names
        cells = [*names[:3], *(("message",) if columns is None else columns), *names[3:]]
        return _line([self._cell(cell) for cell in cells])

    def lines(self, chunk: Chunk, predictions: Predictions, rows: IntArray) -> bytes:
        picked = rows.tolist()
        self.header.observe(chunk.columns)
        cells = [
            [self._names[code] for code in predictions.codes[rows].tolist()],
            [f"{p:.6f}" for p in predictions.probability[rows].tolist()],
            [f"{x:.6f}" for x in predictions.log_odds[rows].tolist()],
            *self._input_cells(chunk, picked),
        ]
        if self._explain is not None:
            cells.append([self._guarded(evidence_text(self._explain(chunk, i))) for i in picked])
        return b"".join(map(_line, zip(*cells, strict=True)))

    def _input_cells(self, chunk: Chunk, rows: list[int]) -> list[list[str]]:
        """Returns the cells of each column of the input."""
        kept = chunk.columns
        if kept is None:
            return [self._texts(shown_text(chunk, i) for i in rows)]
        if kept.text is not None:
            self.text_name = kept.names[kept.text]
        cells = []
        for column in range(len(kept.names)):
            texts = kept.texts(column)
            values = (texts[i].decode("utf-8", "replace") for i in rows)
            is_text = column == kept.text
            cells.append(self._texts(values) if is_text else [self._cell(value) for value in values])
        return cells

    def _texts(self, texts: Iterable[str]) -> list[str]:
        """Returns the cells of messages, and counts those that get an apostrophe."""
        texts = list(texts)
        self.guarded += sum(map(is_formula, texts))
        return [self._guarded(text) for text in texts]

    def _guarded(self, text: str) -> str:
        return self._cell(guarded(text))

    def _cell(self, text: str) -> str:
        return _cell(visible(text) if self._escape else text)


def _line(cells: Sequence[str]) -> bytes:
    return (",".join(cells) + "\r\n").encode("utf-8", "replace")


def _cell(text: str) -> str:
    """Formats a CSV field, quoted where needed.

    >>> _cell("-3"), _cell('say "hi", ok')
    ('-3', '"say ""hi"", ok"')
    """
    if any(c in text for c in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text
