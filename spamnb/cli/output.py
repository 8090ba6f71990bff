"""Where words go: the product to stdout, everything else to stderr, nothing foreign unescaped."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from select import select
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

import click

from spamnb.errors import DataError, SpamnbError

if TYPE_CHECKING:
    from rich.console import Console

    from spamnb.readers import Source


def print_status(text: str, quiet: bool = False) -> None:
    """A line for the person at the terminal, on stderr; one that is too long for it is broken at blanks."""
    if not quiet:
        from spamnb.cli.line_wrap import columns, wrapped
        from spamnb.core import visible

        width = columns(sys.stderr)
        try:
            click.echo("\n".join(wrapped(visible(line), width) for line in text.split("\n")), err=True)
        except OSError:  # a log on a full disk must not end what is told of
            _mute()


def _mute() -> None:
    """Nothing more goes to stderr, not even what waits to be written."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)


def print_prompt(text: str, quiet: bool = False) -> None:
    """Tell who sits at the terminal that stdin is waited for."""
    if sys.stdin is not None and sys.stdin.isatty():
        print_status(text, quiet)


def show_error(error: SpamnbError) -> None:
    print_status(f"Error: {error.message}")
    hint = error.hint
    if not hint and error.exit_code == 2:
        hint = f"see `spamnb {' '.join(sys.argv[1:2])} --help`"
    if hint:
        print_status(f"Hint: {hint}")


def report_skipped(source: Source, quiet: bool) -> None:
    """Name what could not be used, and what was used only in part."""
    if source.skipped.count:
        print_status(f"{source.name}: {source.skipped.summary()}", quiet)
    if source.notes.count:
        print_status(f"{source.name}: {source.notes.by_reason()}", quiet)


def console() -> Console:
    """The rich console for stdout; it obeys NO_COLOR, FORCE_COLOR and COLUMNS."""
    from rich.console import Console

    out = _stdout()
    if isinstance(out, TextIOWrapper):
        out.reconfigure(errors="backslashreplace")  # for what the terminal's encoding has no letter
    return Console(highlight=False, emoji=False, markup=False)


def read_all(given: BinaryIO) -> bytes:
    """All of a stream, also of one that does not wait by itself: nothing there yet is not its end."""
    if not hasattr(os, "get_blocking") or os.get_blocking(given.fileno()):
        return given.read()  # a terminal tells its end once: it must not be asked again
    parts: list[bytes] = []
    while (part := given.read(1 << 20)) != b"":
        if part is None:
            select([given], [], [])
        else:
            parts.append(part)
    return b"".join(parts)


def write_bytes(data: bytes) -> None:
    """To stdout at once, so that a reader at the other end of a pipe sees it now."""
    out = _stdout().buffer
    with writing():
        rest = memoryview(data)
        while rest:  # without a buffer (PYTHONUNBUFFERED) or with a pipe that does not wait, some may be left
            rest = rest[_taken(out, rest) :]
        while not _flushed(out):
            pass


def _taken(out: BinaryIO, data: memoryview) -> int:
    """How much of it was taken; where a pipe is full that does not wait by itself, wait for it here."""
    try:
        done = out.write(data) or 0
    except BlockingIOError as error:
        done = error.characters_written
    if not done:
        select([], [out], [])
    return done


def _flushed(out: BinaryIO) -> bool:
    try:
        out.flush()
    except BlockingIOError:
        select([], [out], [])
        return False
    return True


@contextmanager
def writing() -> Iterator[None]:
    """What goes wrong in here is a fault of standard output."""
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
    """Figures to a file, or to stdout for '-'."""
    from spamnb._version import __version__
    from spamnb.core import files
    from spamnb.report import dumps

    text = dumps({"made_by": f"spamnb {__version__}", **result})  # first: it tells whose file this is
    if target == "-":
        write_bytes(text.encode())
        return
    files.write(target, text.encode())


class Bar:
    """How far the reading is; does nothing where nobody watches."""

    def __init__(self, progress: Any = None, task: Any = None) -> None:
        self._progress, self._task = progress, task

    def at(self, position: int) -> None:
        if self._progress is not None:
            self._progress.update(self._task, completed=position)


def watched() -> bool:
    """Is stderr a terminal that can show progress? It may also be closed."""
    return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


@contextmanager
def progress(label: str, total: int | None, quiet: bool) -> Iterator[Bar]:
    """A progress bar on stderr if that is a terminal."""
    if quiet or not watched():
        yield Bar()
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    from spamnb.core import visible

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn())
    err = Console(stderr=True)
    with Progress(*columns, TimeRemainingColumn(), console=err, transient=True) as shown:
        yield Bar(shown, shown.add_task(visible(label), total=total))


@contextmanager
def steps(label: str, total: int | None, quiet: bool) -> Iterator[Bar]:
    """A bar on stderr if that is a terminal; `bar.at(n)` says that n of `total` are done."""
    if quiet or not watched():
        yield Bar()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    err = Console(stderr=True)
    with Progress(*columns, TimeRemainingColumn(), console=err, transient=True) as shown:
        yield Bar(shown, shown.add_task(label, total=total))
