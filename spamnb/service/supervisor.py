"""Runs several workers that share the listening sockets, and replaces one that dies."""

from __future__ import annotations

import os
import signal
import time
import traceback
from collections.abc import Callable
from contextlib import suppress

_SHORT_LIFE = 1.0  # seconds: a worker that dies sooner is replaced after a pause, not at once
_STOPS = signal.SIGTERM, signal.SIGINT
_FAILURES = 5  # of workers one after the other, before the server gives up
FAILED_EXIT = 3  # of a worker that cannot start


class Supervisor:
    """Starts `count` processes that run `work`; ends them with SIGTERM when it gets one itself."""

    def __init__(self, count: int, work: Callable[[], int], note: Callable[[str, str], None]) -> None:
        self._count, self._work, self._note = count, work, note
        self._started: dict[int, float] = {}
        self._stopping = False
        self._failures = 0

    def run(self) -> int:
        """Runs until it is stopped; returns the exit code."""
        for number in _STOPS:
            signal.signal(number, self._stop)
        for _ in range(self._count):
            self._start()
        while self._started:
            try:
                pid, status = os.wait()
            except InterruptedError:
                continue
            begin = self._started.pop(pid, None)
            if begin is not None and not self._stopping:
                self._replace(pid, status, time.monotonic() - begin)
        return FAILED_EXIT if self._failures >= _FAILURES else 0

    def _start(self) -> None:
        # Signals wait meanwhile: a new worker must not handle them as the supervisor does.
        signal.pthread_sigmask(signal.SIG_BLOCK, _STOPS)
        pid = os.fork()
        if not pid:
            for number in _STOPS:
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPS)
            os._exit(self._exit_code())
        self._started[pid] = time.monotonic()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPS)

    def _exit_code(self) -> int:
        """Runs the work of a worker; an error ends the worker, and never returns to the supervisor's code."""
        try:
            return self._work()
        except BaseException:
            traceback.print_exc()
            return 1

    def _replace(self, pid: int, status: int, lived: float) -> None:
        code = os.waitstatus_to_exitcode(status)
        failed = lived < _SHORT_LIFE or code == FAILED_EXIT
        self._failures = self._failures + 1 if failed else 0
        cause = f"signal {-code}" if code < 0 else f"exit code {code}"
        if self._failures >= _FAILURES:
            self._note(
                "error", f"worker {pid} ended with {cause}; {_FAILURES} failed one after the other: giving up"
            )
            self._stop()
            return
        self._note("warning", f"worker {pid} ended with {cause}; starting another one")
        if failed:
            time.sleep(_SHORT_LIFE)
        if not self._stopping:
            self._start()

    def _stop(self, *_: object) -> None:
        self._stopping = True
        self._end_workers()

    def _end_workers(self) -> None:
        for pid in self._started:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
