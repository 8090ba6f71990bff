"""Formats a line of the log: `event key=value ...`, or JSON."""

from __future__ import annotations

import json
import logging
import os
import sys
import time
import traceback
from collections.abc import Mapping
from contextlib import suppress


def log_line(log_format: str, event: str, fields: Mapping[str, object]) -> str:
    """Returns a line with the time of now; lines for journald have none, because it adds its own."""
    now = time.time()
    if log_format == "json":
        return json.dumps({"time": round(now, 3), "event": event, **fields})
    line = " ".join([event, *(f"{name}={_quoted(value)}" for name, value in fields.items())])
    if "JOURNAL_STREAM" in os.environ:
        return line
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(now))}Z {line}"


def write_line(line: str) -> None:
    """Writes a line to stderr at once; requests are answered even where the log cannot be written."""
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()


def log_fault(error: Exception) -> None:
    """Logs where a fault of the program happened, without the text of the error: it may quote a message."""
    where = "".join(traceback.format_tb(error.__traceback__))
    logging.getLogger("spamnb").error("internal error: %s\n%s", type(error).__name__, where)


def _quoted(value: object) -> str:
    """Formats a value; one with a blank is quoted.

    >>> _quoted(0.5), _quoted("spam"), _quoted("no model")
    ('0.5', 'spam', '"no model"')
    """
    text = str(value)
    return json.dumps(text) if not text.isprintable() or not text or set(text) & set(' "=\\') else text
