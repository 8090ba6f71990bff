"""Tells what kind of messages come in, SMS or mail, and whether their labels are classes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

from spamnb.cli.data_inputs import inputs, read_options
from spamnb.cli.output import print_status
from spamnb.errors import DataError
from spamnb.readers import mail_formats

if TYPE_CHECKING:
    from spamnb.counts import CountStore
    from spamnb.messages import Chunk
    from spamnb.model import SpamModel
    from spamnb.readers import ReadOptions
    from spamnb.training import Trainer

_LONG_TEXT = 400  # mean bytes of a text; those of SMS corpora have 80 to 110
_NAMED_CLASSES = 10
_MANY_CLASSES, _MIN_MESSAGES = 50, 3  # more classes with fewer messages each are texts or numbers


def kind_of_inputs(paths: tuple[str, ...], params: dict[str, Any], quiet: bool) -> str:
    """The kind of the first messages to classify; says which ready-made model is used for them."""
    path, how = inputs(paths or ("-",), params, read_options(params))[0]
    readable = path != "-" and params["files_from"] != "-"  # a pipe cannot be read twice
    mail = params["input_format"] in mail_formats() or (readable and _begins_with_mail(path, how, False))
    kind = "mail" if mail else "sms"
    print_status(f"no model of your own yet: using the ready-made one for {kind}", quiet)
    return kind


def kind_of_data(sources: list[Any], params: dict[str, Any]) -> str:
    """The kind of the first labelled messages; a pipe, which cannot be read twice, is taken for SMS."""
    path, how = sources[0]
    if params["input_format"] in mail_formats() or not isinstance(path, str) or os.path.isdir(path):
        return "mail"
    return "mail" if os.path.isfile(path) and _begins_with_mail(path, how, True) else "sms"


def _begins_with_mail(path: Any, how: ReadOptions, labelled: bool) -> bool:
    from spamnb.readers import open_source

    with open_source(path, how, labelled=labelled) as source:
        return any(_is_mail(chunk) for chunk, _ in zip(source, range(1), strict=False))


def _is_mail(chunk: Chunk) -> bool:
    sizes = chunk.texts.ends - chunk.texts.starts
    return bool(chunk.sources) or (len(sizes) > 0 and float(sizes.mean()) > _LONG_TEXT)


def peek_is_mail(chunks: Iterable[Chunk]) -> tuple[bool, Iterator[Chunk]]:
    """Tells whether chunks are mail by the first of them, and gives all of them again."""
    remaining = iter(chunks)
    first = next(remaining, None)
    return (False, remaining) if first is None else (bool(first.sources), chain([first], remaining))


def note_mail(model: SpamModel, quiet: bool) -> None:
    """Prints a note if mail comes to a model that was trained on none."""
    from spamnb.model import knows_mail

    if not knows_mail(model):
        print_status("note: this model has learned no mail: what it says about mail means little", quiet)


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
    """`640 ham, 173 spam`; of many classes the largest ten and the number of the others."""
    from spamnb.core import excerpt

    sizes = list(zip(store.labels, store.message_totals.tolist(), strict=True))
    more = len(sizes) - _NAMED_CLASSES
    if more > 0:
        sizes = sorted(sizes, key=lambda item: -item[1])[:_NAMED_CLASSES]
    text = ", ".join(f"{n:,} {excerpt(label)}" for label, n in sizes)
    return f"{text} and {more:,} more class{'es' * (more > 1)}" if more > 0 else text
