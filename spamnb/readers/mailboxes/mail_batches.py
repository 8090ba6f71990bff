"""Collects raw mails into batches and parses each batch into a chunk."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from spamnb.core import Record
from spamnb.mail import Limits, mail_texts
from spamnb.messages import Chunk
from spamnb.readers.mailboxes.mail_files import Group, MailFile, RawMail, read_file
from spamnb.readers.skipped_rows import SkippedRecords

if TYPE_CHECKING:
    from spamnb.readers.source import Work

BATCH_MAILS = 256
BATCH_BYTES = 1 << 22
SHARED_MAILS = 192  # in a batch for other processes: short waits for the last one
SHARED_BYTES = 1 << 20  # a larger file may be a mailbox: it is read here, and its mails are shared


class MailBatch(Record):
    """Mails to be parsed together, and files with more of them.

    `position` is how far the input was read; if it is None, the bytes of the mails are counted instead.
    """

    mails: list[RawMail]
    files: list[MailFile]
    position: int | None
    labelled: bool


class ParsedBatch(Record):
    """A chunk of parsed mails, the mails that were skipped, and those that were cut at a limit.

    The numbers of the chunk begin with 1. Its position is that of the input, or the bytes of its own mails.
    """

    chunk: Chunk
    position_known: bool
    skipped: list[tuple[str, str]]
    notes: list[tuple[str, str]]


class SkippedList(SkippedRecords):
    """Lists every skipped mail, for another process to count."""

    def __init__(self) -> None:
        super().__init__()
        self.all: list[tuple[str, str]] = []

    def add(self, place: int | str, reason: str) -> None:
        self.all.append((str(place), reason))


class Batcher:
    """Collects mails until they fill a batch; `position` returns how far the input was read."""

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
        """Yields the mails of all groups; those of a live stream as they arrive.

        Batches that are shared among processes hold small files unread.
        """
        count, size = (min(SHARED_MAILS, BATCH_MAILS), SHARED_BYTES) if shared else (BATCH_MAILS, BATCH_BYTES)
        for group in groups:
            for mails in self._add(group, shared=shared):
                for mail in mails:
                    self._mails.append(mail)
                    self._bytes += len(mail.data)
                    if len(self._mails) >= count or self._bytes >= size:
                        yield self._batch()
                if live and self._mails:
                    yield self._batch()
            if len(self._files) >= count or self._bytes >= size:
                yield self._batch()
        if self._mails or self._files:
            yield self._batch()

    def _add(self, group: Group, *, shared: bool) -> Iterable[list[RawMail]]:
        """Returns the mails of a group; a file that another process may read is kept unread."""
        if isinstance(group, list):
            return (group,)
        size = _small_size(group) if shared else None
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


def _small_size(file: MailFile) -> int | None:
    """Returns the bytes of a small file; None for a large one or one that cannot be read."""
    try:
        size = os.stat(file.path).st_size
    except (OSError, ValueError):
        return None
    return None if file.mbox or size > SHARED_BYTES else size


class Parser:
    """Parses a batch, here or in a forked process; there it also does the `work`."""

    def __init__(self, limits: Limits, work: Work | None) -> None:
        self._limits = limits
        self._work = work
        self._main_process = os.getpid()

    def __call__(self, batch: MailBatch) -> ParsedBatch:
        parsed = parse_batch(batch, self._limits)
        if self._work is None or os.getpid() == self._main_process:
            return parsed
        return ParsedBatch(self._work(parsed.chunk), parsed.position_known, parsed.skipped, parsed.notes)


def parse_batch(batch: MailBatch, limits: Limits) -> ParsedBatch:
    """Reads the files of a batch, and parses all its mails."""
    from spamnb.mail import parse_mail

    skipped = SkippedList()
    raws = _read_batch(batch, limits, skipped)
    mails = [parse_mail(raw.data, limits) for raw in raws]
    sources = [raw.source for raw in raws]
    position_known = batch.position is not None
    chunk = Chunk(
        mail_texts(mails),
        np.arange(1, len(mails) + 1),
        [raw.label for raw in raws] if batch.labelled else None,
        position=batch.position if batch.position is not None else sum(len(raw.data) for raw in raws),
        sources=sources,
    )
    notes = [(raw.source, f"cut at {limits.message:,} bytes") for raw in raws if raw.cut]
    notes += [(place, note) for place, mail in zip(sources, mails, strict=True) for note in mail.notes]
    return ParsedBatch(chunk, position_known, skipped.all, notes)


def _read_batch(batch: MailBatch, limits: Limits, skipped: SkippedRecords) -> list[RawMail]:
    """Returns the mails of a batch and of its files; skips empty ones if they are labelled."""
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
