"""Writes results to stdout and everything else to stderr, with control characters escaped."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from io import TextIOWrapper
from select import select
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

import click

from spamnb.cli import progress_bar
from spamnb.cli.progress_bar import Bar
from spamnb.errors import DataError, SpamnbError

if TYPE_CHECKING:
    from rich.console import Console

    from spamnb.readers import Source

_LABEL_WIDTH = 18


def print_status(text: str, quiet: bool = False) -> None:
    """Prints one line for the user on stderr; one too long for a terminal is broken at blanks.

    Every line on stderr is printed here. A line end inside comes from a name or a value, and is escaped like
    any control character: no file name can forge an error.
    """
    if not quiet:
        from spamnb.cli.line_wrap import columns, wrapped
        from spamnb.core import visible

        progress_bar.erase()
        width = columns(sys.stderr)
        try:
            click.echo(wrapped(visible(text), width), err=True)
        except OSError:  # a log on a full disk must not end the command
            _mute()


def print_step(label: str, text: str, quiet: bool = False) -> None:
    """Prints a status line that begins with a label, such as `saved`."""
    print_status(f"{label:<{_LABEL_WIDTH}}{text}", quiet)


def print_table(rows: Sequence[Sequence[str]], numbers: Collection[int]) -> None:
    """Prints rows of cells below each other on stdout; these columns are of numbers, and end together."""
    from spamnb.core import visible

    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.rjust(width) if i in numbers else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        click.echo(visible("  ".join(cells).rstrip()))


def _mute() -> None:
    """Sends stderr, with what waits to be written, to nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)


def print_prompt(text: str, quiet: bool = False) -> None:
    """Prints a prompt if stdin is a terminal."""
    if sys.stdin is not None and sys.stdin.isatty():
        print_status(text, quiet)


def is_typed(path: object) -> bool:
    """Tells whether an input is typed on a terminal."""
    return path == "-" and sys.stdin is not None and sys.stdin.isatty()


def print_mark(text: str = "> ") -> None:
    """Prints the mark behind which the next message is typed."""
    click.echo(text, nl=False, err=True)


def show_error(error: SpamnbError) -> None:
    print_status(f"Error: {error.message}")
    hint = error.hint
    if not hint and error.exit_code == 2:
        hint = f"see `spamnb {' '.join(sys.argv[1:2])} --help`"
    if hint:
        print_status(f"Hint: {hint}")


def report_skipped(source: Source, quiet: bool) -> None:
    """Prints which messages of a source were skipped, joined, or used only in part."""
    for line in source.skipped.lines():
        print_status(f"{source.name}: {line}", quiet)
    if source.notes.count:
        print_status(f"{source.name}: {source.notes.by_reason()}", quiet)


def console() -> Console:
    """Returns the rich console for stdout; it obeys NO_COLOR, FORCE_COLOR and COLUMNS.

    A file or a pipe has no width: tables there have all columns, and each row is one line.
    """
    from rich.console import Console

    from spamnb.report import UNLIMITED

    progress_bar.erase()
    out = _stdout()
    if isinstance(out, TextIOWrapper):
        out.reconfigure(errors="backslashreplace")  # letters that the terminal's encoding lacks
    width = None if out.isatty() or os.environ.get("COLUMNS", "").isdigit() else UNLIMITED
    return Console(highlight=False, emoji=False, markup=False, width=width)


def outlive_lost_connections() -> None:
    """Makes writing to a closed connection an error, from which a command recovers: SIGPIPE would end it."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)


def read_all(stream: BinaryIO) -> bytes:
    """Reads a stream to its end, also a non-blocking one, which may have nothing yet."""
    if not hasattr(os, "get_blocking") or os.get_blocking(stream.fileno()):
        return stream.read()  # a terminal reports its end only once
    blocks: list[bytes] = []
    while (block := stream.read(1 << 20)) != b"":
        if block is None:
            select([stream], [], [])
        else:
            blocks.append(block)
    return b"".join(blocks)


def write_bytes(data: bytes) -> None:
    """Writes to stdout and flushes, so that a reader at the other end of a pipe has it now."""
    out = _stdout().buffer
    if progress_bar.may_reach_terminal(out):
        progress_bar.erase()
    with writing():
        remaining = memoryview(data)
        while remaining:  # PYTHONUNBUFFERED and non-blocking pipes take only some at a time
            remaining = remaining[_write_some(out, remaining) :]
        while not _flushed(out):
            pass


def _write_some(out: BinaryIO, data: memoryview) -> int:
    """Writes as much as is taken, and returns how much; waits for a non-blocking pipe that is full."""
    try:
        written = out.write(data) or 0
    except BlockingIOError as error:
        written = error.characters_written
    if not written:
        select([], [out], [])
    return written


def _flushed(out: BinaryIO) -> bool:
    try:
        out.flush()
    except BlockingIOError:
        select([], [out], [])
        return False
    return True


@contextmanager
def writing() -> Iterator[None]:
    """Turns an OSError into an error about standard output."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise DataError(
            f"cannot write to standard output: {error.strerror}", "free some space, or write to another place"
        ) from None


def _stdout() -> TextIO:
    if sys.stdout is None:
        raise DataError("there is no standard output to write to", "do not close it: >/dev/null discards it")
    return sys.stdout


def write_json(result: dict[str, Any], target: str) -> None:
    """Writes a result to a file, or to stdout for '-'."""
    from spamnb._version import __version__
    from spamnb.core import files
    from spamnb.report import dumps

    text = dumps({"made_by": f"spamnb {__version__}", **result})  # first: overwrite.py looks for it
    if target == "-":
        write_bytes(text.encode())
        return
    files.write(target, text.encode())


def progress(label: str, total: int | None, quiet: bool) -> AbstractContextManager[Bar]:
    """Shows a bar on stderr, if that is a terminal, for reading `total` bytes."""
    return progress_bar.shown(label, total, quiet, progress_bar.byte_unit)


def steps(label: str, total: int | None, quiet: bool) -> AbstractContextManager[Bar]:
    """Shows a bar on stderr, if that is a terminal, for `total` steps."""
    return progress_bar.shown(label, total, quiet, progress_bar.count_unit)
