"""Draws a progress bar on one line of stderr, and erases it before anything else is printed there.

The bar has no thread: it is drawn when a step is reported, and a forked worker or a killed process leaves
nothing running. The line ends `_MARGIN` columns before the edge, so that the ^C that a terminal echoes does
not begin a second line, which nothing would erase.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

import click

from spamnb.core import display_width

DELAY = 1.0  # seconds before the bar appears: what takes less needs none
_PAUSE = 0.1  # seconds between two drawings
_MARGIN = 4
_LONGEST_LABEL, _LONGEST_BAR, _SHORTEST_BAR = 30, 30, 5
_ERASE = "\r\x1b[K"

Unit = Callable[[int, int | None], str]  # describes a position and the total


class Bar:
    """Shows progress from `DELAY` seconds on; does nothing without a terminal."""

    _drawn: Bar | None = None  # the bar that is on the terminal now

    def __init__(self, label: str = "", total: int | None = None, unit: Unit | None = None) -> None:
        self._label, self._total, self._unit = label, total, unit
        self._started = time.monotonic()
        self._next = self._started + DELAY

    def at(self, position: int) -> None:
        """Reports a position; draws the bar if it is time to."""
        now = time.monotonic()
        if self._unit is None or now < self._next:
            return
        self._next = now + _PAUSE
        line = bar_line(self._label, position, self._total, self._unit, now - self._started, _columns())
        if line:
            Bar._drawn = self
            _write(_ERASE + line)


def erase() -> None:
    """Erases the bar that is on the terminal, if there is one."""
    if Bar._drawn is not None:
        Bar._drawn = None
        _write(_ERASE)


def bar_line(label: str, position: int, total: int | None, unit: Unit, seconds: float, columns: int) -> str:
    """Renders one line of at most `columns` cells but a margin, "" if that is too narrow.

    >>> bar_line("sms.csv", 5, 20, count_unit, 3.0, 60)
    'sms.csv [#####----------------]  25%  5 of 20  0:09 left'
    """
    room, label = columns - _MARGIN, _shortened(label, _LONGEST_LABEL)
    if not total:
        line = f"{label} {unit(position, None)}"
        return line if display_width(line) <= room else ""
    share = min(max(position / total, 0.0), 1.0)
    left = f"  {_clock(seconds * (1 - share) / share)} left" if share else ""
    tail = f" {share:>4.0%}  {unit(position, total)}{left}"
    size = min(room - display_width(label) - len(tail) - 3, _LONGEST_BAR)
    if size < _SHORTEST_BAR:
        return tail.strip() if len(tail.strip()) <= room else ""
    full = int(share * size)
    return f"{label} [{'#' * full}{'-' * (size - full)}]{tail}"


def byte_unit(position: int, total: int | None) -> str:
    """Describes a number of bytes, such as "1.2 of 40.0 MB"."""
    return f"{position / 1e6:.1f}" + ("" if total is None else f" of {total / 1e6:.1f}") + " MB"


def count_unit(position: int, total: int | None) -> str:
    """Describes a number of steps, such as "3 of 10"."""
    return f"{position:,}" + ("" if total is None else f" of {total:,}")


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"


def _shortened(label: str, most: int) -> str:
    """Shortens a label to its end, which of a path says most."""
    if display_width(label) <= most:
        return label
    while display_width(label) > most - 3:
        label = label[1:]
    return f"...{label}"


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def _write(text: str) -> None:
    with suppress(OSError):  # if the terminal has gone, the work goes on
        click.echo(text, nl=False, err=True)


@contextmanager
def shown(label: str, total: int | None, quiet: bool, unit: Unit) -> Iterator[Bar]:
    """Shows a bar while the block runs, if stderr is a terminal that can show it."""
    if quiet or not _can_show():
        yield Bar()
        return
    from spamnb.core import visible

    try:
        yield Bar(visible(label), total, unit)
    finally:
        erase()


def _can_show() -> bool:
    """Tells whether stderr is a terminal that moves its cursor; it may also be closed."""
    return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def may_reach_terminal(stream: IO[Any] | None) -> bool:
    """Tells whether what is written here may appear on a terminal: at once, or by a pipe as of `| head`."""
    try:
        if stream is None:
            return False
        mode = os.fstat(stream.fileno()).st_mode
        return stream.isatty() or stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
    except (OSError, ValueError):
        return False
