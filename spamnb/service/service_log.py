"""Writes a line for each request to stderr: its verdict and time, or its refusal; never its text."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from spamnb.core import visible
from spamnb.service.log_line import log_line, write_line
from spamnb.service.verdict_events import Answered, Corrected, Refused


class ServiceLog:
    """Collects lines, and writes those of one turn of the event loop together."""

    def __init__(self, log_format: str = "text") -> None:
        self._format = log_format
        self._lines: list[str] = []

    def answered(self, event: Answered) -> None:
        fields: dict[str, Any] = {"id": event.id, "source": event.source}
        if len(event.verdicts) == 1:
            fields |= {"verdict": event.verdicts[0], "p": round(event.probabilities[0], 4)}
        else:
            fields |= {"messages": len(event.verdicts), **Counter(event.verdicts)}
        self._add("verdict", fields | {"ms": round(1000 * event.seconds, 2)})

    def corrected(self, event: Corrected) -> None:
        taught = event.taught
        fields: dict[str, Any] = {"id": event.id, "source": event.source, "action": taught.action}
        if taught.label:
            fields["label"] = taught.label
        if taught.messages:
            fields["messages"] = len(taught.messages)
        else:
            fields["undone"] = ",".join(map(str, taught.undone))
        changes = {"changed": taught.outcome.changes, "ms": round(1000 * event.seconds, 2)}
        self._add("lesson", fields | changes)

    def refused(self, event: Refused) -> None:
        self._add("refused", {name: value for name, value in event._asdict().items() if value})

    def note(self, event: str, text: str) -> None:
        """Writes a line about the server itself, at once."""
        self._add(event, {"message": visible(text)})
        self.flush()

    def _add(self, event: str, fields: dict[str, Any]) -> None:
        self._lines.append(log_line(self._format, event, fields))
        if len(self._lines) == 1:
            try:
                asyncio.get_running_loop().call_soon(self.flush)
            except RuntimeError:  # in a thread, or before the loop runs
                self.flush()

    def flush(self) -> None:
        lines, self._lines = self._lines, []
        if lines:
            write_line("\n".join(lines))
