"""Holds the models that a server answers with, and replaces them when their files change on disk."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from threading import Lock

from spamnb.core import Record
from spamnb.errors import JournalError, SpamnbError
from spamnb.mail import DEFAULT, Limits, StoredLists
from spamnb.model import MESSAGE_KINDS, SpamModel, find_model
from spamnb.training import StoredModel

POLL = 0.4  # seconds between two looks at the files: a change is in use within one second


class LoadedModel(Record):
    """A model as it was on disk at one moment. Requests in flight keep the one that they began with."""

    path: str
    model: SpamModel
    loaded_at: float  # seconds since the epoch
    limits: Limits = DEFAULT  # how mails are read for it; with the lists of senders


class LiveModels:
    """The model for each kind of message: the one that `spamnb predict` would use now.

    `option` is that of -m, one model for all kinds. `warn` gets a sentence about a file that cannot be used;
    the model that was in use before stays.
    """

    def __init__(
        self,
        option: str | None = None,
        warn: Callable[[str], None] = lambda _: None,
        limits: Limits = DEFAULT,
    ) -> None:
        self._option, self._warn, self._limits = option, warn, limits
        self._lists = StoredLists(warn)
        self._stored: dict[str, StoredModel] = {}
        self._loaded: dict[str, LoadedModel] = {}
        self._checking = Lock()
        self._last_warning = ""

    def load(self) -> None:
        """Loads the models; an error is raised."""
        with self._checking:
            for kind in MESSAGE_KINDS:
                self._update(kind)
            self._drop_unused()

    def __getitem__(self, kind: str) -> LoadedModel:
        return self._loaded[kind]

    def check(self) -> None:
        """Loads what has changed on disk. An error is a warning: the old model stays in use."""
        with self._checking:
            try:
                for kind in MESSAGE_KINDS:
                    self._update(kind)
                self._drop_unused()
                self._last_warning = ""
            except SpamnbError as error:
                self._warn_once(error.message)
            except Exception as error:  # a file that is just being replaced; checking must go on
                self._warn_once(f"the model cannot be loaded: {type(error).__name__}")

    async def watch(self) -> None:
        """Checks the files again and again, outside of the event loop, until it is cancelled."""
        while True:
            await asyncio.sleep(POLL)
            await asyncio.to_thread(self.check)

    def _update(self, kind: str) -> None:
        path = find_model(self._option, lambda: kind)
        stored = self._stored.get(path)
        if stored is None:
            stored = self._stored[path] = StoredModel(path, warn=self._warn_about_journal)
        model, loaded = stored.newest(), self._loaded.get(kind)
        limits = self._with_lists()
        if loaded is not None and loaded.model is model and loaded.limits is limits:
            return
        shared = next((one for one in self._loaded.values() if one.model is model), None)
        if shared is None:
            model.score([b""])  # builds the scoring tables now, not for the first message
            shared = LoadedModel(path, model, time.time(), limits)
        self._loaded[kind] = shared if shared.limits is limits else shared.replace(limits=limits)

    def _with_lists(self) -> Limits:
        """Returns how mails are read, with the newest lists; the same object while these are the same."""
        lists = self._lists.newest()
        if self._limits.lists is not lists:
            self._limits = self._limits.replace(lists=lists)
        return self._limits

    def _drop_unused(self) -> None:
        used = {loaded.path for loaded in self._loaded.values()}
        self._stored = {path: stored for path, stored in self._stored.items() if path in used}

    def _warn_about_journal(self, error: JournalError) -> None:
        self._warn_once(f"{error.message}; the model is used without what it learned last")

    def _warn_once(self, warning: str) -> None:
        if warning != self._last_warning:
            self._last_warning = warning
            self._warn(warning)
