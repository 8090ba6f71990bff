"""What is done with the mails of a source in other processes: counting them, scoring them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from spamnb.message import Chunk, Texts
from spamnb.readers.options import ReadOptions

if TYPE_CHECKING:
    from spamnb.model import SpamModel
    from spamnb.shares import Share
    from spamnb.training import Trainer


class Counting:
    """Each process counts its messages for itself; after the last one the trainer takes all shares."""

    def __init__(self, trainer: Trainer) -> None:
        self._trainer = trainer

    def start(self) -> None:
        self._trainer = replace(self._trainer)  # with the same settings and nothing counted

    def __call__(self, chunk: Chunk) -> Chunk:
        assert chunk.labels is not None
        self._trainer.add(chunk.texts, chunk.labels)
        none = np.zeros(len(chunk), np.int64)
        texts = Texts(b"", none, none)  # nobody reads them any more
        return Chunk(texts, chunk.lines, chunk.labels, position=chunk.position, made=True)

    def finish(self) -> Share:
        return self._trainer.share()

    def gather(self, found: list[tuple[list[int], Share]]) -> None:
        self._trainer.take(found)


class Scoring:
    """Messages come with what the model says about them."""

    def __init__(self, model: SpamModel) -> None:
        self._model = model

    def __call__(self, chunk: Chunk) -> Chunk:
        made = self._model.score(chunk.texts)
        return Chunk(
            chunk.texts, chunk.lines, chunk.labels, position=chunk.position, sources=chunk.sources, made=made
        )


def with_work(reading: ReadOptions, work: Counting | Scoring) -> ReadOptions:
    """How to read, with this work for the processes that read, if there are several."""
    return replace(reading, work=work) if reading.jobs > 1 else reading
