"""Raw mails by the hundreds, and the chunk that a batch of them becomes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from spamnb.mail import as_texts
from spamnb.mail.limits import Limits
from spamnb.message import Chunk
from spamnb.readers.rawmail import RawMail
from spamnb.readers.skipped import Skipped
from spamnb.record import Record

BATCH_MAILS = 256
BATCH_BYTES = 1 << 22


class Batch(Record):
    """Mails to be parsed together: `first` is the number of the first one, `position` the bytes read."""

    mails: list[RawMail]
    first: int
    position: int
    labelled: bool


class Parsed(Record):
    """What becomes of a batch: a chunk, and for each mail that ran into a limit its source and the limit."""

    chunk: Chunk
    notes: list[tuple[str, str]]


class Batcher:
    """Collects mails until they are enough for a batch; `position` tells how far the input was read.

    Without it, the bytes of the mails themselves are counted.
    """

    def __init__(self, skipped: Skipped, *, labelled: bool, position: Callable[[], int] | None) -> None:
        self._skipped = skipped
        self._labelled = labelled
        self._position = position
        self._held: list[RawMail] = []
        self._bytes = self._done = self._before = 0

    def batches(self, groups: Iterable[list[RawMail]], *, live: bool = False) -> Iterator[Batch]:
        """The mails of all groups; those of a live stream go on as they come."""
        for group in groups:
            for mail in group:
                self._add(mail)
                if len(self._held) >= BATCH_MAILS or self._bytes >= BATCH_BYTES:
                    yield self._batch()
            if live and self._held:
                yield self._batch()
        if self._held:
            yield self._batch()

    def _add(self, mail: RawMail) -> None:
        if self._labelled and (not mail.data or mail.data.isspace()):
            self._skipped.add(mail.source, "empty")
        else:
            self._held.append(mail)
            self._bytes += len(mail.data)

    def _batch(self) -> Batch:
        self._before += self._bytes
        position = self._position() if self._position else self._before
        batch = Batch(self._held, self._done + 1, position, self._labelled)
        self._done += len(self._held)
        self._held, self._bytes = [], 0
        return batch


def parse_batch(batch: Batch, limits: Limits) -> Parsed:
    """Parse the mails of a batch, here or in a worker process."""
    from spamnb.mail.parse import parse

    mails = [parse(raw.data, limits) for raw in batch.mails]
    sources = [raw.source for raw in batch.mails]
    chunk = Chunk(
        as_texts(mails),
        np.arange(batch.first, batch.first + len(mails)),
        [raw.label for raw in batch.mails] if batch.labelled else None,
        position=batch.position,
        sources=sources,
    )
    notes = [(raw.source, f"cut at {limits.message:,} bytes") for raw in batch.mails if raw.cut]
    notes += [(place, note) for place, mail in zip(sources, mails, strict=True) for note in mail.notes]
    return Parsed(chunk, notes)
