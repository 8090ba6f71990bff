"""Writes what a server does to its history, in a thread of its own: no request waits for it."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from itertools import islice
from threading import Condition, Thread

from spamnb.service.lessons import FORGET, UNDO
from spamnb.service.log_line import log_fault
from spamnb.service.message_history import Classified, Labelled, MessageHistory, Undone
from spamnb.service.verdict_events import Answered, Corrected

PAGE = "page"  # source of requests of the page: what is tried there is not kept
MOST_WAITING = 2000  # events
MOST_BYTES = 32 << 20  # of the messages that wait
_PAUSE = 0.2  # seconds in which events are collected


class HistoryReport:
    """Counts what a history could not keep, and warns once while it cannot be written."""

    def __init__(
        self, dropped: Callable[[int], None] = lambda _: None, warn: Callable[[str], None] = lambda _: None
    ) -> None:
        self.dropped, self._warn, self._last_warning = dropped, warn, ""

    def written(self) -> None:
        """Makes the next warning a new one."""
        self._last_warning = ""

    def failed(self, error: Exception) -> None:
        """Reports an error of the database, such as a full disk, as a warning, others as faults."""
        if not isinstance(error, sqlite3.OperationalError):
            log_fault(error)
        elif (warning := f"the history cannot be written: {error}") != self._last_warning:
            self._last_warning = warning
            self._warn(f"{warning}; messages that it cannot keep are dropped")


class HistoryWriter:
    """Collects events and writes them together; more than `MOST_WAITING` are dropped and reported."""

    def __init__(self, history: MessageHistory, report: HistoryReport) -> None:
        self.history, self._report = history, report
        self._waiting: list[Classified | Labelled | Undone] = []
        self._bytes = 0
        self._changed = Condition()
        self._collected = self._written = 0  # events so far
        self._urgent = self._closing = False
        self._thread = Thread(target=self._run, name="history", daemon=True)
        self._thread.start()

    def answered(self, event: Answered) -> None:
        if event.source == PAGE:
            return
        now = time.time()
        with self._changed:
            room = MOST_WAITING - len(self._waiting) if self._bytes < MOST_BYTES else 0
            rows = zip(event.messages, event.verdicts, event.probabilities, strict=True)
            for message, verdict, probability in islice(rows, max(room, 0)):
                self._bytes += len(message.raw)
                self._waiting.append(Classified(now, event.source, message, verdict, probability))
            self._collected += min(len(event.messages), max(room, 0))
            self._changed.notify_all()
        if len(event.messages) > room:
            self._report.dropped(len(event.messages) - max(room, 0))

    def corrected(self, event: Corrected) -> None:
        taught = event.taught
        with self._changed:
            if taught.action == UNDO:
                self._waiting.append(Undone(taught.path, taught.undone))
            else:
                label = "" if taught.action == FORGET else taught.label
                self._waiting.append(Labelled(taught.messages, label, taught.path, taught.lesson))
            self._collected += 1
            self._changed.notify_all()

    def flush(self, patience: float = 5.0) -> None:
        """Waits until everything so far is written."""
        with self._changed:
            until, self._urgent = self._collected, True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._written >= until, patience)

    def close(self) -> None:
        """Writes what waits, and ends."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join(10)
        self.history.close()

    def _run(self) -> None:
        while self._wait():
            with self._changed:
                events, self._waiting, self._bytes, self._urgent = self._waiting, [], 0, False
            self._write(events)
            with self._changed:
                self._written += len(events)
                self._changed.notify_all()

    def _write(self, events: Sequence[Classified | Labelled | Undone]) -> None:
        try:
            self.history.write(events)
            self._report.written()
        except Exception as error:  # a full disk must not stop the server
            self._report.failed(error)
            self._report.dropped(len(events))

    def _wait(self) -> bool:
        """Waits for events, and a little longer for more of them; returns False at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closing)
            self._changed.wait_for(lambda: self._urgent or self._closing, _PAUSE)
            return bool(self._waiting)
