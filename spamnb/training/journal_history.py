"""Moves lessons from the journal to the history, before the journal's records become one."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from spamnb.model import (
    SOURCE_LENGTH,
    Change,
    LessonBlock,
    LessonEntry,
    Ranges,
    decode_each,
    short_digest,
)
from spamnb.storage import HISTORY_DAYS, history_file
from spamnb.training.stored_model import StoredModel


def describe_lesson(change: Change, number: int, source: str, undoes: Ranges = ()) -> LessonEntry:
    """Returns the entry of a change in the list of lessons."""
    counts, history = change.counts, change.change_history
    totals = zip(counts.labels, counts.message_totals.tolist(), strict=True)
    digests = [x for _, part in change.digests.parts()[:4] for x in part.values()]
    return LessonEntry(
        number,
        int(time.time()),
        source[:SOURCE_LENGTH],
        abs(history.learned + history.forgotten + history.relabelled),
        {label: n for label, n in totals if n},
        short_digest(np.concatenate(digests)) if digests else "",
        undoes,
    )


def kept_lessons(stored: StoredModel, changes: Sequence[Change]) -> int:
    """Returns the last lesson that the journal does not have by itself: the history has it."""
    marks = [stored.file_mark, *(change.mark for change in changes if change.lesson is None)]
    return max((mark.last for mark in marks if mark is not None), default=0)


def keep_lessons(stored: StoredModel, records: Sequence[bytes], days: int = HISTORY_DAYS) -> list[Change]:
    """Puts the lessons of the journal and of new records into the history; returns all their changes.

    Needs the lock. They count as kept only when the journal or the model file says so: see `kept_lessons`.
    """
    journal = stored.journal
    changes = decode_each(stored.path, [*(journal.payloads if journal is not None else []), *records])
    lessons = [change for change in changes if change.lesson is not None]
    if lessons:
        block, mark = LessonBlock.of(lessons), lessons[-1].mark
        assert mark is not None
        first, last = block.entries[0], block.entries[-1]
        kept = history_file.Lessons(block.encode(), first.id, last.id, last.time)
        history_file.append(stored.path, mark.origin, kept_lessons(stored, changes), kept, days)
    return changes


def keep_journal(path: str) -> None:
    """Puts the lessons of a model's journal into its history. Needs the lock."""
    stored = StoredModel(path)
    stored.load()
    keep_lessons(stored, [])
