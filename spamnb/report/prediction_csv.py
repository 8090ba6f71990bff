"""Writes predictions as CSV, with the columns of the input."""

from __future__ import annotations

import re
from collections.abc import Sequence

from spamnb.core import IntArray, visible
from spamnb.messages import Chunk
from spamnb.model import Predictions
from spamnb.report.prediction_column_names import Header
from spamnb.report.prediction_lines import Explain, evidence_text, shown_text

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")  # -3 and +4917012345 are no formulas, and ids must survive


class Csv:
    """verdict, probability, log_odds, then the columns of the input, or `message` if it is no table.

    A cell that a spreadsheet would run begins with an apostrophe; `guarded` counts these cells.
    """

    def __init__(self, names: Sequence[str], explain: Explain | None = None, escape: bool = False) -> None:
        self._escape = escape  # for a terminal; a file gets the text as it is
        self._explain = explain
        self.guarded = 0
        self._names = [self._cell(name) for name in names]
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
            cells.append([self._cell(evidence_text(self._explain(chunk, i))) for i in picked])
        return b"".join(map(_line, zip(*cells, strict=True)))

    def _input_cells(self, chunk: Chunk, rows: list[int]) -> list[list[str]]:
        """Returns the cells of each column of the input."""
        kept = chunk.columns
        if kept is None:
            return [[self._cell(shown_text(chunk, i)) for i in rows]]
        columns = [kept.texts(i) for i in range(len(kept.names))]
        return [[self._cell(texts[i].decode("utf-8", "replace")) for i in rows] for texts in columns]

    def _cell(self, text: str) -> str:
        text = visible(text) if self._escape else text
        if _is_formula(text):
            self.guarded += 1
        return _cell(text)


def _line(cells: Sequence[str]) -> bytes:
    return (",".join(cells) + "\r\n").encode("utf-8", "replace")


def _is_formula(text: str) -> bool:
    return text.startswith(_FORMULA) and not _NUMBER.fullmatch(text)


def _cell(text: str) -> str:
    """Formats a CSV field, quoted where needed; a leading = + - @ gets an apostrophe (CWE-1236).

    >>> _cell('=1+1'), _cell('-3'), _cell('say "hi", ok')
    ("'=1+1", '-3', '"say ""hi"", ok"')
    """
    if _is_formula(text):
        text = "'" + text
    if any(c in text for c in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text
