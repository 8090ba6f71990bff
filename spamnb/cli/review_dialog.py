"""Asks about messages one by one, learns each answer at once, and reports what changed."""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any, NamedTuple

import click
import numpy as np

from spamnb.cli.data_inputs import inputs, read_options
from spamnb.cli.message_kind import as_typed, note_mail
from spamnb.cli.output import print_status, print_step, progress, report_skipped
from spamnb.cli.update_model import flag_of_changed, undo_command
from spamnb.core import FloatArray, cut_to_width, visible
from spamnb.errors import DataError
from spamnb.messages import Chunk, Texts
from spamnb.model import SpamModel
from spamnb.readers import open_source
from spamnb.report import evidence_text
from spamnb.settings import history_days
from spamnb.training import Learner, ReviewQueue, class_label, undo

_SHOWN = 600  # columns of a message
_KEYS = "s spam, h ham, u or space skip, b back, q quit, ? help"


class ReviewMessages(NamedTuple):
    """All messages of the inputs with their columns; `sources` has the files of mails."""

    texts: Texts
    categories: dict[str, list[str]]
    numbers: dict[str, FloatArray]
    sources: list[str]


def read_messages(model: str, paths: tuple[str, ...], flags: dict[str, Any]) -> ReviewMessages:
    """Reads all messages of the inputs for the model in a file, without labels."""
    features = SpamModel.load(model).features
    quiet, chunks = flags["quiet"], list[Chunk]()
    reading = read_options(flags, categorical=features.categorical, numeric=features.numeric)
    for path, how in inputs(paths if not flags["files_from"] else (), flags, reading):
        with open_source(path, as_typed(path, how), labelled=False) as source:
            print_status(source.description, quiet)
            with progress(source.name, source.size, quiet) as bar:
                for chunk in source:
                    chunks.append(_without_blanks(chunk))
                    bar.at(chunk.position)
            report_skipped(source, quiet)
    if not sum(map(len, chunks)):
        raise DataError("there are no messages to review", hint="name a file or a mailbox with messages")
    return ReviewMessages(
        Texts.concat([chunk.texts for chunk in chunks]),
        {name: [v for chunk in chunks for v in chunk.categories[name]] for name in features.categorical},
        {name: np.concatenate([chunk.numbers[name] for chunk in chunks]) for name in features.numeric},
        [source for chunk in chunks for source in (chunk.sources or [""] * len(chunk))],
    )


def _without_blanks(chunk: Chunk) -> Chunk:
    """Leaves out messages without text: a label of them teaches nothing. Mails and columns have more."""
    if chunk.sources or chunk.categories or chunk.numbers:
        return chunk
    rows = np.array([i for i, text in enumerate(chunk.texts.tolist()) if text.strip()], np.int64)
    return chunk if len(rows) == len(chunk) else chunk.select(rows)


class ReviewDialog:
    """Asks, learns and goes back; `typed` if stdin has the messages, so that keys come from the terminal."""

    def __init__(self, path: str, messages: ReviewMessages, flags: dict[str, Any], typed: bool) -> None:
        self._messages, self._flags = messages, flags
        self._by_key = typed or (sys.stdin is not None and sys.stdin.isatty())
        self._path = path
        self._model = SpamModel.load(self._path)
        self._labels = {key: class_label(self._model, key == "s") for key in "sh"}
        self._queue = ReviewQueue(self._model, messages.texts, messages.categories, messages.numbers)
        self._answered: list[tuple[int, int | None, str, int]] = []  # question, lesson, label, messages

    def run(self, number: int | None) -> None:
        """Asks until the user quits, the answers end, or no question is left."""
        if self._messages.sources[0]:
            note_mail(self._model, self._flags["quiet"])
        questions, messages = len(self._queue), len(self._messages.texts)
        known = "" if questions else ": the model has learned all of them"
        print_step("review", f"{_plural(questions, 'question')} about {_plural(messages, 'message')}{known}")
        if questions:
            print_step("keys", _KEYS)
        try:
            while (number is None or len(self._answered) < number) and self._ask():
                pass
        finally:  # also after Ctrl-C: every answer is learned by then
            self._report()

    def _ask(self) -> bool:
        """Asks one question; False if that was the end."""
        row = self._queue.next(self._model)
        if row is None:
            return False
        self._show(row)
        while (key := self._key()) not in ("", "q"):
            if key in self._labels:
                self._learn(row, self._labels[key])
            elif key == "u":
                self._close(row, None, "", 0)
                print_step("skipped", "nothing learned from this message", self._flags["quiet"])
            elif key == "b" and self._answered:
                self._back()
            else:
                print_step("keys" if key == "?" else "no such key", _KEYS)
                continue
            return True
        return False

    def _key(self) -> str:
        """Reads one key of the terminal, or the first letter of the next line; "" at the end."""
        if self._by_key:
            try:
                key = click.getchar()
            except (EOFError, OSError):
                return ""
            return {" ": "u", "\x04": ""}.get(key, key[:1].lower())
        line = sys.stdin.readline() if sys.stdin is not None else ""
        return line if not line else (line.strip()[:1].lower() or "u")

    def _show(self, row: int) -> None:
        """Prints a message with verdict, probability and the strongest evidence."""
        texts, columns = self._messages.texts.select(np.array([row])), self._columns(np.array([row]))
        explanation, more = self._model.explain(texts, *columns), len(self._queue.members(row)) - 1
        also = f", {_plural(more, 'near-duplicate')}" if more else ""
        verdict = f"{explanation.verdict}, P({explanation.positive}) = {explanation.probability:.2f}{also}"
        print_status("")
        print_step(f"question {len(self._answered) + 1}", verdict)
        for label, text in self._parts(row, texts):
            print_step(label, cut_to_width(visible(text, tsv=True), _SHOWN))
        print_step("evidence", evidence_text(explanation))

    def _parts(self, row: int, texts: Texts) -> list[tuple[str, str]]:
        """Returns the text, for a mail with its file and subject."""
        parts = [("file", self._messages.sources[row])] if self._messages.sources[row] else []
        if texts.subjects:
            parts.append(("subject", texts.subject(0)))
        return [*parts, ("message", _one_line(texts[0]))]

    def _columns(self, rows: np.ndarray) -> tuple[dict[str, list[str]], dict[str, FloatArray]]:
        categories, numbers = self._messages.categories, self._messages.numbers
        return (
            {c: [values[i] for i in rows.tolist()] for c, values in categories.items()},
            {c: np.asarray(values)[rows] for c, values in numbers.items()},
        )

    def _learn(self, row: int, label: str) -> None:
        rows, flags = self._queue.members(row), self._flags
        learner = Learner(self._path, source="review", history_days=history_days(flags))
        with learner:
            learner.learn(self._messages.texts.select(rows), [label] * len(rows), *self._columns(rows))
        self._model = learner.model
        print_step("learned", label, flags["quiet"])
        self._close(row, None if learner.lesson is None else learner.lesson.id, label, len(rows))

    def _close(self, row: int, lesson: int | None, label: str, messages: int) -> None:
        self._answered.append((row, lesson, label, messages))
        self._queue.close(row)

    def _back(self) -> None:
        """Takes the last answer back; its question comes again."""
        row, lesson, label, _ = self._answered.pop()
        if lesson is not None:
            undo(self._path, lesson=lesson, source="review")
            self._model = SpamModel.load(self._path)
        self._queue.reopen(row)
        print_step("back", f"{label} taken back" if label else "to the skipped message", self._flags["quiet"])

    def _report(self) -> None:
        """Prints what was learned, and how many of the other verdicts changed by that."""
        learned: Counter[str] = Counter()
        for _, _, label, messages in self._answered:
            learned[label] += messages
        skipped, quiet = sum(not label for _, _, label, _ in self._answered), self._flags["quiet"]
        del learned[""]
        print_status("", quiet)
        if not learned:
            print_status("Nothing was learned.", quiet)
            return
        each = ", ".join(f"{n:,} {label}" for label, n in sorted(learned.items()))
        answers = len(self._answered) - skipped
        total = sum(learned.values())
        text = f"{_plural(total, 'message')} ({each}) by {_plural(answers, 'answer')}"
        print_step("learned", text, quiet)
        changed, rest = self._queue.flipped(self._model)
        print_step("flipped", f"{changed:,} of {rest:,} other verdicts", quiet)
        flag = flag_of_changed(self._flags["model"], self._path)
        commands = f"`spamnb model log{flag}` lists the answers"
        last = next((lesson for _, lesson, _, _ in reversed(self._answered) if lesson is not None), None)
        if last is not None and history_days(self._flags):
            undoing = undo_command(last, self._flags["model"], self._path)
            commands += f", `{undoing}` takes the last one back"
        print_step("take back", commands, quiet)


def _one_line(text: bytes) -> str:
    return " ".join(text[: 8 * _SHOWN].decode("utf-8", "replace").split())


def _plural(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
