"""Which ready-made model fits what comes in: SMS and other short texts, or mail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spamnb.cli.data_inputs import inputs, read_options
from spamnb.cli.output import print_status

if TYPE_CHECKING:
    from spamnb.messages import Chunk
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from spamnb.cli import max_fpr_option, options

if TYPE_CHECKING:
    from spamnb.messages import Chunk
    from spamnb.model import SpamModel
    from spamnb.training import Trainer
from typing import TYPE_CHECKING

from spamnb.errors import DataError
from spamnb.readers import mail_formats

if TYPE_CHECKING:
    from spamnb.counts import CountStore
    from spamnb.training import Trainer


LONG = 400  # bytes of a text on average from which on it is no SMS; those of SMS corpora have 80 to 110


def kind_of(paths: tuple[str, ...], given: dict[str, Any], quiet: bool) -> str:
    """The kind of the first input, told on stderr: nobody shall wonder which model is used."""
    kind = "mail" if given["input_format"] in mail_formats() or _mail_first(paths, given) else "sms"
    print_status(f"no model of your own yet: using the ready-made one for {kind}", quiet)
    return kind


def kind_of_data(sources: list[Any], given: dict[str, Any]) -> str:
    """The kind of the first input of labelled messages; a pipe, which is read once, is taken for SMS."""
    import os

    from spamnb.readers import open_source

    path, how = sources[0]
    if given["input_format"] in mail_formats() or not isinstance(path, str) or os.path.isdir(path):
        return "mail"
    if not os.path.isfile(path):
        return "sms"
    with open_source(path, how, labelled=True) as source:
        return "mail" if any(_is_mail(chunk) for chunk, _ in zip(source, range(1), strict=False)) else "sms"


def _mail_first(paths: tuple[str, ...], given: dict[str, Any]) -> bool:
    """Look at the first messages; what comes from a pipe cannot be looked at twice."""
    from spamnb.readers import open_source

    path, how = inputs(paths or ("-",), given, read_options(given))[0]
    if path == "-" or given["files_from"] == "-":
        return False
    with open_source(path, how, labelled=False) as source:
        return any(_is_mail(chunk) for chunk, _ in zip(source, range(1), strict=False))


def _is_mail(chunk: Chunk) -> bool:
    texts = chunk.texts
    sizes = texts.ends - texts.starts
    return bool(chunk.sources) or (len(texts) > 0 and float(sizes.mean()) > LONG)


def apply_mail_defaults(trainer: Trainer, given: dict[str, Any], mail: bool) -> None:
    """Settings that were not stated are those that suit mail, if it is mail; before the first message.

    What a model is to start from has settled how messages are read.
    """
    trainer.max_fpr = max_fpr_option.of_data(given, mail)
    if mail and trainer.start is None:
        trainer.read_as(options.feature_config(given, mail))


def peek_is_mail(chunks: Iterable[Chunk]) -> tuple[bool, Iterator[Chunk]]:
    """Are these mails, by the first of them? And all of them again."""
    read = iter(chunks)
    first = next(read, None)
    return (False, read) if first is None else (bool(first.sources), chain([first], read))


def note_mail(model: SpamModel, quiet: bool) -> None:
    """Say so if the model has never met a mail."""
    from spamnb.model import knows_mail

    if not knows_mail(model):
        print_status("note: this model has learned no mail: what it says about mail means little", quiet)


_SHOWN = 10
_MANY, _FEW_EACH = 50, 3  # more classes than that, with fewer messages each on average, are texts or numbers


def check_classes(trainer: Trainer) -> None:
    """Refuse a wrong label column; under-sampling leaves too few messages of each class to tell."""
    classes, messages = len(trainer.classes), trainer.messages
    if trainer.keep is None and classes > _MANY and messages < _FEW_EACH * classes:
        raise DataError(
            "the label column does not look like labels: expected few different values, "
            f"got {classes:,} in {messages:,} rows",
            hint="name the column of the labels with --label-column",
        )


def classes_text(store: CountStore) -> str:
    """`640 ham, 173 spam`; of many classes the largest ten and the number of the others."""
    from spamnb.core import excerpt

    each = list(zip(store.labels, store.message_totals.tolist(), strict=True))
    more = len(each) - _SHOWN
    if more > 0:
        each = sorted(each, key=lambda item: -item[1])[:_SHOWN]
    text = ", ".join(f"{n:,} {excerpt(label)}" for label, n in each)
    return f"{text} and {more:,} more class{'es' * (more > 1)}" if more > 0 else text
