"""Settings that depend on what is read: mail is not filtered quite like short messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

from spamnb.cli import options, rate

if TYPE_CHECKING:
    from spamnb.message import Chunk
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
