"""A progress bar for work that is done in steps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from spamnb.cli.output import Bar, watched


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
