"""Writes predictions as a table for people, row by row as messages come.

A row is one line, cut to the width of the terminal; its evidence follows on a line of its own. In a file or a
pipe, which have no width, each message is whole and its evidence is a column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spamnb.core import IntArray, cut_to_width, display_width, visible
from spamnb.messages import Chunk
from spamnb.model import Predictions
from spamnb.report.prediction_lines import Explain, evidence_text, reasons_text, shown_text

_GAP = "  "
_LONGEST_ALIGNED = 80  # columns: a longer message does not widen all rows of a file
_LONGEST_LABEL = 20
_RED, _GREEN, _YELLOW, _BOLD, _DIM = "31", "32", "33", "1", "2"


@dataclass(frozen=True)
class Screen:
    """Where a table is shown; `width` is 0 in a file or a pipe."""

    width: int = 0
    colour: bool = False
    encoding: str = "utf-8"

    @property
    def ellipsis(self) -> str:
        return "…" if self.encoding.lower().replace("-", "").startswith("utf") else "..."

    def style(self, text: str, code: str) -> str:
        """Colours a text, if the screen has colours."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text

    def printable(self, text: str) -> str:
        """Returns foreign text on one line, harmless, and in letters that the screen has."""
        line = visible(" ".join(text.split()))
        return line.encode(self.encoding, "backslashreplace").decode(self.encoding)

    def cut(self, text: str, used: int) -> str:
        """Cuts a text to the room that is left after so many columns."""
        return cut_to_width(text, max(self.width - used, 1), self.ellipsis) if self.width else text


class TableWriter:
    """Formats rows as they come: verdict, probability, message, and with explanations the evidence.

    `names` are those of the verdicts, `unsure` last. Their lengths are known, so columns never move.
    """

    at_once = 200  # rows: a whole batch takes seconds, in which nothing would be shown

    def __init__(
        self, screen: Screen, names: Sequence[str], positive: str, explain: Explain | None = None
    ) -> None:
        self._screen = screen
        self._labels = [cut_to_width(screen.printable(name), _LONGEST_LABEL) for name in names]
        self._colours = [_RED if name == positive else _GREEN for name in names[:-1]] + [_YELLOW]
        self._explain = explain
        self._first = max(map(display_width, ("verdict", *self._labels)))
        self._second = f"P({self._labels[names.index(positive)]})" if len(names) == 3 else "P"
        self._header = self._first_line()

    def begin(self, source: str, columns: tuple[str, ...] | None) -> bytes:  # noqa: ARG002
        """Returns the header before the first source."""
        header, self._header = self._header, b""
        return header

    def _first_line(self) -> bytes:
        screen = self._screen
        last = "message"
        if self._explain is not None and not screen.width:
            last = _padded(last, _LONGEST_ALIGNED) + _GAP + "evidence"
        cells = [_padded("verdict", self._first), f"{self._second:>6}", last]
        return self._encode(screen.style(_GAP.join(cells), _BOLD))

    def lines(self, chunk: Chunk, predictions: Predictions, rows: IntArray) -> bytes:
        return b"".join(
            self._encode(line) for i in rows.tolist() for line in self._row(chunk, predictions, i)
        )

    def _row(self, chunk: Chunk, predictions: Predictions, row: int) -> Iterator[str]:
        screen, code = self._screen, int(predictions.codes[row])
        verdict = screen.style(self._labels[code], self._colours[code])
        verdict += " " * (self._first - display_width(self._labels[code]))
        number = f"{predictions.probability[row]:.4f}".rjust(max(6, len(self._second)))
        used = self._first + len(number) + 2 * len(_GAP)
        message = screen.cut(self._text(chunk, row, used), used)
        line = _GAP.join((verdict, number, message))
        if self._explain is None:
            yield line
            return
        evidence = screen.printable(evidence_text(self._explain(chunk, row)))
        if screen.width:
            yield line
            yield " " * used + screen.style(screen.cut(evidence, used), _DIM)
        else:
            yield line + " " * (_LONGEST_ALIGNED - display_width(message)) + _GAP + evidence

    def _text(self, chunk: Chunk, row: int, used: int) -> str:
        """Returns the message; of a mail the source, in half of the room that is left, and the subject."""
        screen = self._screen
        text = screen.printable(shown_text(chunk, row))
        if not chunk.sources:
            return text
        room = max(screen.width - used, 0) // 2 if screen.width else len(text)
        subject = screen.printable(chunk.texts.subject(row))
        return f"{_end(text, room, screen.ellipsis)}{_GAP}{subject}".rstrip()

    def _encode(self, line: str) -> bytes:
        return f"{line.rstrip()}\n".encode(self._screen.encoding, "backslashreplace")


def _end(text: str, most: int, mark: str) -> str:
    """Returns the end of a long path, which tells more than its beginning.

    >>> _end("Maildir/cur/1719.M1", 12, "..."), _end("in.mbox#1", 12, "...")
    ('...r/1719.M1', 'in.mbox#1')
    """
    return text if len(text) <= most else mark + text[max(len(text) - most + len(mark), 0) :]


def _padded(text: str, width: int) -> str:
    return text + " " * (width - display_width(text))


class ReplyWriter(TableWriter):
    """Answers typed messages: verdict, probability, and the reasons in place of the message."""

    at_once = 0

    def __init__(
        self, screen: Screen, names: Sequence[str], positive: str, explain: Explain, all_reasons: bool
    ) -> None:
        super().__init__(screen, names, positive)
        self._header = b""
        self._reasons, self._all_reasons = explain, all_reasons

    def _text(self, chunk: Chunk, row: int, used: int) -> str:  # noqa: ARG002
        explanation = self._reasons(chunk, row)
        text = evidence_text(explanation) if self._all_reasons else reasons_text(explanation)
        return self._screen.printable(text)
