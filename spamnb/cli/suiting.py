"""Settings that depend on what is read: mail is not filtered quite like short messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

from spamnb.cli import options, rate
from spamnb.cli.output import say

if TYPE_CHECKING:
    from spamnb.message import Chunk
    from spamnb.model import SpamModel
    from spamnb.training import Trainer


def suit(trainer: Trainer, given: dict[str, Any], mail: bool) -> None:
    """Settings that were not stated are those that suit mail, if it is mail; before the first message.

    What a model is to start from has settled how messages are read.
    """
    trainer.max_fpr = rate.of_data(given, mail)
    if mail and trainer.start is None:
        trainer.read_as(options.feature_config(given, mail))


def looked_at(chunks: Iterable[Chunk]) -> tuple[bool, Iterator[Chunk]]:
    """Are these mails, by the first of them? And all of them again."""
    read = iter(chunks)
    first = next(read, None)
    return (False, read) if first is None else (bool(first.sources), chain([first], read))


def note_mail(model: SpamModel, quiet: bool) -> None:
    """Say so if the model has never met a mail."""
    from spamnb.suitability import knows_mail

    if not knows_mail(model):
        say("note: this model has learned no mail: what it says about mail means little", quiet)
