"""Writes a line for each request to stderr: its id, what was decided and how long it took; never its text."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections import Counter
from typing import Any

from spamnb.core import visible
from spamnb.service.verdict_events import Answered, Corrected


class ServiceLog:
    """Formats lines as `key=value` or JSON, and writes those of one turn of the event loop together.

    Lines for journald have no time: it adds its own.
    """

    def __init__(self, log_format: str = "text") -> None:
        self._json = log_format == "json"
        self._with_time = self._json or "JOURNAL_STREAM" not in os.environ
        self._lines: list[str] = []

    def answered(self, event: Answered) -> None:
        fields: dict[str, Any] = {"id": event.id, "source": event.source}
        if len(event.scored) == 1:
            scored = event.scored[0]
            fields |= {"verdict": scored.verdict, "p": round(scored.probability, 4)}
        else:
            fields |= {"messages": len(event.scored), **Counter(one.verdict for one in event.scored)}
        self._add("verdict", fields | {"ms": round(1000 * event.seconds, 2)})

    def corrected(self, event: Corrected) -> None:
        taught = event.taught
        fields = {"id": event.id, "source": event.source, "action": taught.action, "label": taught.label}
        changes = {"messages": len(taught.messages), "changed": taught.outcome.changes}
        self._add("lesson", fields | changes | {"ms": round(1000 * event.seconds, 2)})

    def note(self, event: str, text: str) -> None:
        """Writes a line about the server itself, at once."""
        self._add(event, {"message": visible(text)})
        self.flush()

    def _add(self, event: str, fields: dict[str, Any]) -> None:
        now = time.time()
        if self._json:
            line = json.dumps({"time": round(now, 3), "event": event, **fields})
        else:
            line = " ".join([event, *(f"{name}={_quoted(value)}" for name, value in fields.items())])
            if self._with_time:
                line = f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(now))}Z {line}"
        self._lines.append(line)
        if len(self._lines) == 1:
            try:
                asyncio.get_running_loop().call_soon(self.flush)
            except RuntimeError:  # in a thread, or before the loop runs
                self.flush()

    def flush(self) -> None:
        lines, self._lines = self._lines, []
        if lines and sys.stderr is not None:
            sys.stderr.write("\n".join(lines) + "\n")
            sys.stderr.flush()


def _quoted(value: object) -> str:
    """Formats a value; one with a blank is quoted.

    >>> _quoted(0.5), _quoted("spam"), _quoted("no model")
    ('0.5', 'spam', '"no model"')
    """
    text = str(value)
    return json.dumps(text) if not text or any(c in ' "=\\' for c in text) else text
