"""Reads a model file with its journal, and tells whether what was read is still the newest."""

from __future__ import annotations

import os
from collections.abc import Callable

from spamnb.errors import JournalError, ModelError
from spamnb.model import SpamModel, stamp_of, with_newest_base, with_records
from spamnb.storage import model_file, update_journal


class StoredModel:
    """A model as its files were when last read. A long-running process asks for `newest()`.

    >>> import tempfile
    >>> from spamnb.training.trainer import train
    >>> path = os.path.join(tempfile.mkdtemp(), "my.spamnb")
    >>> size = train(["win a prize", "see you"], ["spam", "ham"]).save(path)
    >>> stored = StoredModel(path)
    >>> stored.newest() is stored.newest(), stored.is_newest()
    (True, True)
    """

    def __init__(
        self, path: str | os.PathLike[str], *, warn: Callable[[JournalError], None] | None = None
    ) -> None:
        self.path = os.fspath(path)
        self.model: SpamModel | None = None
        self.journal: update_journal.Journal | None = None
        self._warn = warn

    def load(self) -> SpamModel:
        """Reads the files, without the lock; a write meanwhile is noticed by `is_newest` and `refresh`.

        A journal that cannot be used is an error. With `warn`, that gets the error, and the model is as it
        was when its file was written. It is called too if the journal ends inside a record: then all whole
        records are used.
        """
        self._files, self._base = _fingerprint(self.path), ""
        try:
            model = self._load()
            if self._warn is not None and self.journal is not None and self.journal.is_torn:
                self._warn(update_journal.torn(self.path, self.journal))
            return model
        except JournalError as error:
            if self._warn is None:
                raise
            self.checksum = b""  # of no file: `refresh` reads everything again
            self.model = self._with_base(SpamModel.from_state(model_file.read(self.path)))
            self._warn(error)
            return self.model

    def _load(self) -> SpamModel:
        state, self.checksum, self.journal = update_journal.read_both(self.path)
        model = SpamModel.from_state(state)
        self.file_store, self.file_mark = model.store, model.lesson_mark  # without the journal
        self.model = self._with_base(with_records(model, self._records(self.journal), self.path))
        return self.model

    def _with_base(self, model: SpamModel) -> SpamModel:
        """Returns the model with the newest state of a base model that follows its file."""
        path = model.base.path if model.base is not None else ""
        self._base = stamp_of(path) if path else ""
        return with_newest_base(model)

    def is_newest(self) -> bool:
        """Tells whether the files are unchanged since they were read. Needs no lock and reads 64 bytes."""
        if self.model is None or _fingerprint(self.path) != self._files:
            return False
        base = self.model.base
        return base is None or not base.path or stamp_of(base.path) == self._base

    def newest(self) -> SpamModel:
        """Returns the model as it is on disk now; reads the files again only if they have changed."""
        if self.model is None or not self.is_newest():
            return self.load()
        return self.model

    def refresh(self) -> SpamModel:
        """Adds what other processes have learned since the files were read. Needs the lock.

        A journal that cannot be used is an error: what is learned next would go into it.
        """
        if self.model is None:
            return self._load()
        features = self.model.features
        if not self._add_new_records():
            self._load()
        if self.model.features != features:
            raise ModelError(f"{self.path} was replaced by another model", "start again")
        return self.model

    def _add_new_records(self) -> bool:
        """Adds new records of the journal; False if the model file or old records were replaced."""
        assert self.model is not None
        if model_file.checksum_of(self.path) != self.checksum:
            return False
        old, journal = self._records(self.journal), update_journal.read(self.path, self.checksum)
        records = self._records(journal)
        if records[: len(old)] != old:
            return False
        self.journal = journal
        self.model = with_records(self.model, records[len(old) :], self.path)
        return True

    @staticmethod
    def _records(journal: update_journal.Journal | None) -> list[bytes]:
        return [] if journal is None else journal.payloads


def _fingerprint(path: str) -> tuple[bytes, tuple[int, int, int] | None]:
    """Returns the checksum in the model file; inode, size and time of the journal."""
    checksum = model_file.checksum_of(path)
    try:
        status = os.stat(update_journal.path_of(path))
    except OSError:
        return checksum, None
    return checksum, (status.st_ino, status.st_size, status.st_mtime_ns)
