"""What is done with the mails of a source in other processes: counting them, scoring them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from spamnb.message import Chunk, Texts
from spamnb.readers.options import ReadOptions

if TYPE_CHECKING:
    from spamnb.model import SpamModel
    from spamnb.samples import Partial
    from spamnb.training import Trainer


class Counting:
    """Each process counts its mails for itself; after the last one the trainer absorbs what they counted.

    `number` is that of the input.
    """

    def __init__(self, trainer: Trainer, number: int = 0) -> None:
        self._trainer, self._number = trainer, number

    def start(self) -> None:
        self._trainer = replace(self._trainer, partial=True)  # the same settings, nothing counted

    def __call__(self, chunk: Chunk) -> Chunk:
        assert chunk.labels is not None
        self._trainer.add(chunk.texts, chunk.labels)
        none = np.zeros(len(chunk), np.int64)
        texts = Texts(b"", none, none)  # nobody reads them any more
        return Chunk(texts, chunk.lines, chunk.labels, position=chunk.position, made=True)

    def finish(self) -> Partial:
        return self._trainer.result()

    def gather(self, found: list[tuple[list[int], Partial]]) -> None:
        for numbers, partial in found:
            for part in partial.parts:  # the process only knows which of its own items this was
                part.order = self._number, numbers[part.order[1]]
        self._trainer.absorb([partial for _, partial in found])


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
