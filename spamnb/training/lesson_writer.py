"""Writes a lesson into the journal of a model, or the journal into the model file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from spamnb.core import Record
from spamnb.errors import ModelError
from spamnb.model import Change, SpamModel, encode, sum_changes
from spamnb.storage import update_journal
from spamnb.training.journal_history import keep_lessons
from spamnb.training.stored_model import StoredModel

# When the journal has this many records they become one. When it is this large, and this share of the model
# file, it is folded into that. So a reader spends about 3 ms on the records (0.1 ms for each), and a learner
# seldom rewrites the model file.
RECORDS, LARGE, SHARE = 32, 1 << 18, 16


class LessonWriter(Record):
    """Writes to the files that `stored` has read; the caller has the lock, and `model` has the lesson."""

    stored: StoredModel
    history_days: int
    model: SpamModel

    def write(self, lesson: Change, compact: bool) -> None:
        """Adds a lesson to the journal; with `compact`, or if it is large, to the model file."""
        record, path = self._encode(lesson), self.stored.path
        most = max(LARGE, os.path.getsize(path) // SHARE)
        if compact or len(record) > most:
            self.rewrite([record])
        else:
            size = update_journal.append(path, self.stored.checksum, self.stored.journal, record)
            with suppress(ModelError):  # it is learned; the next learner tidies up
                self._tidy_up(record, size > most)

    def rewrite(self, records: Sequence[bytes] = ()) -> None:
        """Writes journal and new records into the model file; the history keeps the lessons."""
        keep_lessons(self.stored, records, self.history_days)
        # joblib looks for multiprocessing when it is imported, 80 ms that a save does not need.
        os.environ.setdefault("JOBLIB_MULTIPROCESSING", "0")
        replace(self.model, generation=self.model.generation + 1).save(self.stored.path)

    def _tidy_up(self, record: bytes, large: bool) -> None:
        """Makes one record of many, or writes them into the model file if they are large."""
        journal = self.stored.journal
        records = 1 + (0 if journal is None else len(journal.payloads))
        if large:
            self.rewrite([record])
        elif records >= RECORDS:
            changes = keep_lessons(self.stored, [record], self.history_days)
            merged = self._encode(sum_changes(changes).condensed().replace(lesson=None))
            update_journal.append(self.stored.path, self.stored.checksum, None, merged)

    def _encode(self, change: Change) -> bytes:
        """Encodes a record of the journal; it spells what the model file does not have, or may lose."""
        counts = change.counts
        unknown = self.stored.file_store.find(counts.keys) < 0
        return encode(change, unknown | (counts.messages < 0).any(axis=1))
