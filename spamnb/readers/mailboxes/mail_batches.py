"""Raw mails by the hundreds, and the chunk that a batch of them becomes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from spamnb.core import Record
from spamnb.mail import Limits, as_texts
from spamnb.messages import Chunk
from spamnb.readers.mailboxes.mail_files import Group, MailFile, RawMail, read_file
from spamnb.readers.skipped_rows import SkippedRecords

if TYPE_CHECKING:
    from spamnb.readers.source import Work

BATCH_MAILS = 256
BATCH_BYTES = 1 << 22
SHARED_MAILS = 192  # in a batch for other processes: the last one to be ready should not be awaited for long
SHARED_BYTES = 1 << 20  # a larger file may be a mailbox: it is read here, and its mails are handed out


class MailBatch(Record):
    """Mails to be parsed together, and files to be read for more; `position` is how far the input was read.

    Without a position it is the bytes of the mails themselves that count.
    """

    mails: list[RawMail]
    files: list[MailFile]
    position: int | None
    labelled: bool


class Parsed(Record):
    """What becomes of a batch: a chunk, the mails that were left out, and those that ran into a limit.

    Its numbers begin with 1; its position is the bytes of its own mails if that of the input is not known.
    """

    chunk: Chunk
    known: bool
    skipped: list[tuple[str, str]]
    notes: list[tuple[str, str]]


class Noted(SkippedRecords):
    """Keeps every record, to be told in another process."""

    def __init__(self) -> None:
        super().__init__()
        self.every: list[tuple[str, str]] = []

    def add(self, place: int | str, reason: str) -> None:
        self.every.append((str(place), reason))


class Batcher:
    """Collects mails until they are enough for a batch; `position` tells how far the input was read."""

    def __init__(
        self, skipped: SkippedRecords, limits: Limits, *, labelled: bool, position: Callable[[], int] | None
    ) -> None:
        self._skipped = skipped
        self._limits = limits
        self._labelled = labelled
        self._position = position
        self._mails: list[RawMail] = []
        self._files: list[MailFile] = []
        self._bytes = 0

    def batches(
        self, groups: Iterable[Group], *, live: bool = False, shared: bool = False
    ) -> Iterator[MailBatch]:
        """The mails of all groups; those of a live stream go on as they come.

        Batches to be shared among processes hold small files unread.
        """
        mails, size = (min(SHARED_MAILS, BATCH_MAILS), SHARED_BYTES) if shared else (BATCH_MAILS, BATCH_BYTES)
        for group in groups:
            for some in self._add(group, shared=shared):
                for mail in some:
                    self._mails.append(mail)
                    self._bytes += len(mail.data)
                    if len(self._mails) >= mails or self._bytes >= size:
                        yield self._batch()
                if live and self._mails:
                    yield self._batch()
            if len(self._files) >= mails or self._bytes >= size:
                yield self._batch()
        if self._mails or self._files:
            yield self._batch()

    def _add(self, group: Group, *, shared: bool) -> Iterable[list[RawMail]]:
        """Mails to be held; what may be read elsewhere is held as a file."""
        if isinstance(group, list):
            return (group,)
        size = _small(group) if shared else None
        if size is None:
            return read_file(group.path, group.label, self._limits.message, self._skipped, mbox=group.mbox)
        self._files.append(group)
        self._bytes += size
        return ()

    def _batch(self) -> MailBatch:
        position = self._position() if self._position else None
        batch = MailBatch(self._mails, self._files, position, self._labelled)
        self._mails, self._files, self._bytes = [], [], 0
        return batch


def _small(file: MailFile) -> int | None:
    """The bytes of a file that another process may read; None for a large one or one that cannot be read."""
    try:
        size = os.stat(file.path).st_size
    except (OSError, ValueError):
        return None
    return None if file.mbox or size > SHARED_BYTES else size


class Parser:
    """Parses a batch, here or in a forked process; there it also does the work that was asked for."""

    def __init__(self, limits: Limits, work: Work | None) -> None:
        self._limits = limits
        self._work = work
        self._here = os.getpid()

    def __call__(self, batch: MailBatch) -> Parsed:
        parsed = parse_batch(batch, self._limits)
        if self._work is None or os.getpid() == self._here:
            return parsed
        return Parsed(self._work(parsed.chunk), parsed.known, parsed.skipped, parsed.notes)


def parse_batch(batch: MailBatch, limits: Limits) -> Parsed:
    """Read what is to be read, and parse it."""
    from spamnb.mail import parse_mail

    skipped = Noted()
    raws = _filled(batch, limits, skipped)
    mails = [parse_mail(raw.data, limits) for raw in raws]
    sources = [raw.source for raw in raws]
    known = batch.position is not None
    chunk = Chunk(
        as_texts(mails),
        np.arange(1, len(mails) + 1),
        [raw.label for raw in raws] if batch.labelled else None,
        position=batch.position if batch.position is not None else sum(len(raw.data) for raw in raws),
        sources=sources,
    )
    notes = [(raw.source, f"cut at {limits.message:,} bytes") for raw in raws if raw.cut]
    notes += [(place, note) for place, mail in zip(sources, mails, strict=True) for note in mail.notes]
    return Parsed(chunk, known, skipped.every, notes)


def _filled(batch: MailBatch, limits: Limits, skipped: SkippedRecords) -> list[RawMail]:
    """The mails of a batch and of its files; to learn from, they must not be empty."""
    raws = list(batch.mails)
    for path, label, mbox in batch.files:
        for group in read_file(path, label, limits.message, skipped, mbox=mbox):
            raws += group
    if not batch.labelled:
        return raws
    for raw in raws:
        if not raw.data or raw.data.isspace():
            skipped.add(raw.source, "empty")
    return [raw for raw in raws if raw.data and not raw.data.isspace()]
