"""Reads a model file with its journal, and tells whether what was read is still the newest."""

from __future__ import annotations

import os

from spamnb.errors import ModelError
from spamnb.model import SpamModel, decode_all
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

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self.model: SpamModel | None = None

    def load(self) -> SpamModel:
        """Reads the files, without the lock; a write meanwhile is noticed by `is_newest` and `refresh`."""
        self._files = _fingerprint(self.path)
        state, self.checksum, self.journal = update_journal.read_both(self.path)
        model = SpamModel.from_state(state)
        self.file_store = model.store  # the counts without the journal
        self.model = self._with_records(model, self._records(self.journal))
        return self.model

    def is_newest(self) -> bool:
        """Tells whether the files are unchanged since they were read. Needs no lock and reads 64 bytes."""
        return self.model is not None and _fingerprint(self.path) == self._files

    def newest(self) -> SpamModel:
        """The model as it is on disk now; the files are read again only if they have changed."""
        if self.model is None or not self.is_newest():
            return self.load()
        return self.model

    def refresh(self) -> SpamModel:
        """Adds what other processes have learned since the files were read. Needs the lock."""
        if self.model is None:
            return self.load()
        features = self.model.features
        if not self._add_new_records():
            self.load()
        if self.model.features != features:
            raise ModelError(f"{self.path} has become another model meanwhile", "start again")
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
        self.model = self._with_records(self.model, records[len(old) :])
        return True

    @staticmethod
    def _records(journal: update_journal.Journal | None) -> list[bytes]:
        return [] if journal is None else journal.payloads

    def _with_records(self, model: SpamModel, records: list[bytes]) -> SpamModel:
        return model.changed(decode_all(self.path, records)) if records else model


def _fingerprint(path: str) -> tuple[bytes, tuple[int, int, int] | None]:
    """The checksum in the model file; inode, size and time of the journal."""
    checksum = model_file.checksum_of(path)
    try:
        found = os.stat(update_journal.path_of(path))
    except OSError:
        return checksum, None
    return checksum, (found.st_ino, found.st_size, found.st_mtime_ns)
