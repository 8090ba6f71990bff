"""Tells what kind of messages come in, SMS or mail, and whether their labels are classes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from spamnb.cli.data_inputs import inputs, read_options
from spamnb.cli.output import is_typed, print_status
from spamnb.errors import DataError
from spamnb.model import MAIL, TEXT, kind_by_length
from spamnb.readers import mail_formats

if TYPE_CHECKING:
    from spamnb.counts import CountStore
    from spamnb.messages import Chunk
    from spamnb.model import SpamModel
    from spamnb.readers import ReadOptions
    from spamnb.training import Trainer

_MOST_SOURCES = 10  # of which the first with messages tells
_NAMED_CLASSES = 10
_MANY_CLASSES, _MIN_MESSAGES = 50, 3  # more classes with fewer messages each are texts or numbers


def kind_of_inputs(paths: tuple[str, ...], params: dict[str, Any]) -> str:
    """Tells the kind of the messages that a command reads: of its texts, its paths, or stdin."""
    if params.get("texts"):
        return kind_of_texts(params["texts"])
    default = () if params["files_from"] or params.get("labelled") else ("-",)
    return kind_of_messages(inputs(paths or default, params, read_options(params)))


def kind_of_texts(texts: Sequence[str]) -> str:
    """Returns the kind of texts on the command line by their length."""
    return kind_by_length(sum(map(len, texts)) / len(texts))


def kind_of_messages(sources: list[Any]) -> str:
    """Tells by the first messages whether inputs are mail, texts, or texts as long as mails.

    Mail is what a reader of mails reads. The first lines of stdin tell; any other pipe, which cannot be read
    twice, is taken for text.
    """
    kinds = (_kind_of_source(path, reading) for path, reading in sources[:_MOST_SOURCES])
    return next(filter(None, kinds), TEXT)


def _kind_of_source(path: Any, reading: ReadOptions) -> str:
    """Returns the kind of the first messages, "" for an input without messages."""
    if reading.format in mail_formats() or not isinstance(path, str) or os.path.isdir(path):
        return MAIL
    if path == "-":
        return MAIL if stdin_mail_format(reading) else TEXT
    if not os.path.isfile(path):
        return TEXT
    from spamnb.readers import open_source

    with open_source(path, reading, labelled=False) as source:
        if source.mail:
            return MAIL
        first = next(iter(source), None)
        return "" if first is None else _kind_of_chunk(first)


def stdin_mail_format(reading: ReadOptions) -> str:
    """Returns `eml` or `mbox` if a mail waits on stdin and no format is stated, else ""; reads nothing.

    What is typed on a terminal are messages, one a line.
    """
    from spamnb.readers import certain_mail, peek_stdin

    return certain_mail(peek_stdin(), ended=True) if reading.format == "auto" else ""


def as_typed(path: Any, reading: ReadOptions) -> ReadOptions:
    """Returns how to read an input: what is typed are messages, one a line, unless options say otherwise."""
    return replace(reading, format="lines") if is_typed(path) and reading.says_nothing else reading


def _kind_of_chunk(chunk: Chunk) -> str:
    if chunk.sources:
        return MAIL
    sizes = chunk.texts.ends - chunk.texts.starts
    return kind_by_length(float(sizes.mean())) if len(sizes) else TEXT


def peek_is_mail(chunks: Iterable[Chunk]) -> tuple[bool, Iterator[Chunk]]:
    """Tells whether chunks are mail by the first of them, and gives all of them again."""
    remaining = iter(chunks)
    first = next(remaining, None)
    return (False, remaining) if first is None else (bool(first.sources), chain([first], remaining))


def note_mail(model: SpamModel, quiet: bool) -> None:
    """Prints a note if mail comes to a model that was trained on none."""
    from spamnb.model import knows_mail

    if not knows_mail(model):
        print_status("note: this model was trained without mail; its verdicts on mail are unreliable", quiet)


def note_stdin_is_mail(format: str, quiet: bool) -> None:
    """Prints a note if stdin, which may have one message a line, was detected as mail."""
    if format in ("eml", "mbox"):
        kind = "one email" if format == "eml" else "an mbox"
        print_status(f"note: stdin is read as {kind}; --input-format lines classifies each line", quiet)


def check_classes(trainer: Trainer) -> None:
    """Refuses a label column that holds no labels; after under-sampling too few messages are left to tell."""
    classes, messages = len(trainer.classes), trainer.messages
    if trainer.keep is None and classes > _MANY_CLASSES and messages < _MIN_MESSAGES * classes:
        raise DataError(
            "the label column does not look like labels: expected few different values, "
            f"got {classes:,} in {messages:,} rows",
            hint="name the column of the labels with --label-column",
        )


def classes_text(store: CountStore) -> str:
    """Returns `640 ham, 173 spam`; of many classes the largest ten and the number of the others."""
    from spamnb.core import excerpt

    sizes = list(zip(store.labels, store.message_totals.tolist(), strict=True))
    more = len(sizes) - _NAMED_CLASSES
    if more > 0:
        sizes = sorted(sizes, key=lambda item: -item[1])[:_NAMED_CLASSES]
    text = ", ".join(f"{n:,} {excerpt(label)}" for label, n in sizes)
    return f"{text} and {more:,} more class{'es' * (more > 1)}" if more > 0 else text
