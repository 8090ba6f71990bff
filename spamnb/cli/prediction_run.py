"""Scores the messages of opened inputs as they come, and writes the verdicts."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from spamnb.cli.line_notes import LineNotes
from spamnb.cli.message_kind import note_mail
from spamnb.cli.output import print_mark, print_status, print_step, progress, report_skipped
from spamnb.cli.prediction_output import Write
from spamnb.cli.progress_bar import may_reach_terminal
from spamnb.core import excerpt
from spamnb.readers import table_formats

if TYPE_CHECKING:
    from spamnb.messages import Chunk
    from spamnb.model import Predictions, SpamModel
    from spamnb.readers import Source


class OpenedInput(NamedTuple):
    """An opened input; `path` is "" for the texts of the command line, `typed` if a person types it."""

    path: str | tuple[str, ...]
    source: Source
    typed: bool = False


@dataclass
class PredictionCounts:
    """Counts the verdicts that occurred, the messages written, and the files that could not be read."""

    verdicts: dict[str, int] = field(default_factory=dict)
    written: int = 0
    unread: int = 0


@dataclass
class PredictionRun:
    """Classifies inputs one after the other; `only` is the code of the verdict to write, None for all."""

    model: SpamModel
    writer: Any
    write: Write
    only: int | None
    file: str | None
    quiet: bool
    counts: PredictionCounts = field(default_factory=PredictionCounts)
    _begun: bool = False
    _mail_noted: bool = False
    _line_notes: LineNotes = field(default_factory=LineNotes)

    def answer(self, opened: OpenedInput) -> None:
        """Classifies the messages of one input."""
        path, source, typed = opened
        is_lines = path == "-" and source.format == "lines"
        if path not in ("", "-") or source.format in table_formats():
            print_status(source.description, self.quiet)
        if source.columns is not None:
            self.begin(source.name, source.columns)
        # Verdicts that appear on the terminal show the progress, and a bar would run into them.
        on_screen = self.file is None and may_reach_terminal(sys.stdout)
        with progress(source.name, source.size, self.quiet or path in ("", "-") or on_screen) as bar:
            for number, chunk in enumerate(source):
                if not number:
                    if source.columns is None:  # not before: an empty file has no columns
                        self.begin(source.name, None)
                    self._note_mail(chunk)
                if is_lines and (note := self._line_notes.of(chunk.texts)):
                    print_status(f"note: {note}", self.quiet)
                self._answer_chunk(chunk)
                bar.at(chunk.position)
                if typed:
                    print_mark()
        if typed:  # Ctrl-D leaves the cursor behind the mark
            print_mark("\n")
        report_skipped(source, self.quiet)
        self.counts.unread += source.skipped.unread

    def finish(self) -> None:
        """Writes the end of the output, and prints what was left out and where the output is."""
        if not self._begun:
            self.begin("", None)
        if hasattr(self.writer, "end"):
            self.write(self.writer.end())
        header = getattr(self.writer, "header", None)
        if header is not None and header.left_out:
            names = ", ".join(sorted(header.left_out)[:5])
            note = f"note: values that the first records lack were left out: {names}"
            print_status(f"{note}; --format jsonl keeps all", self.quiet)
        if guarded := getattr(self.writer, "guarded", 0):
            cells = "1 cell" if guarded == 1 else f"{guarded:,} cells"
            begins = "that begins" if guarded == 1 else "that begin"
            note = f'{cells} of "{excerpt(self.writer.text_name)}" {begins} like a formula got an apostrophe'
            print_status(f"note: {note}; -o FILE.tsv or FILE.jsonl writes none", self.quiet)

    def report_file(self) -> None:
        """Prints what a file holds, when it is there."""
        if self.file is not None:
            each = ", ".join(f"{n:,} {name}" for name, n in self.counts.verdicts.items())
            if self.only is not None:
                each = f"of {sum(self.counts.verdicts.values()):,}"
            messages = f"{self.counts.written:,} message{'' if self.counts.written == 1 else 's'}"
            print_step("saved", f"{self.file}: {messages}" + f" ({each})" * bool(each), self.quiet)

    def begin(self, source: str, columns: tuple[str, ...] | None) -> None:
        """Writes the header, if this is the first input, and prints names that are not the usual ones."""
        self._begun = True
        self.write(self.writer.begin(source, columns))
        header = getattr(self.writer, "header", None)
        if header is not None and header.prefix:
            names = ", ".join(header.names[:3])
            print_status(
                f"note: the input has columns of these names, so the new ones are {names}", self.quiet
            )

    def _answer_chunk(self, chunk: Chunk) -> None:
        import numpy as np

        predictions: Predictions = chunk.worker_result or self.model.score(
            chunk.texts, chunk.categories, chunk.numbers
        )
        codes = predictions.codes
        for code, times in enumerate(np.bincount(codes, minlength=0).tolist()):
            if times:
                name = predictions.names[code]
                self.counts.verdicts[name] = self.counts.verdicts.get(name, 0) + times
        rows = np.arange(len(chunk)) if self.only is None else np.flatnonzero(codes == self.only)
        self.counts.written += len(rows)
        block = getattr(self.writer, "at_once", 0) or max(len(rows), 1)
        for start in range(0, len(rows), block):
            self.write(self.writer.lines(chunk, predictions, rows[start : start + block]))

    def _note_mail(self, chunk: Chunk) -> None:
        """Prints a note on mail for a model that knows none."""
        if chunk.sources:
            note_mail(self.model, self.quiet or self._mail_noted)
            self._mail_noted = True
