"""Labelled messages from all that a command line names, with a word about each source on stderr."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from spamnb.cli.inputs import inputs
from spamnb.cli.output import progress, report_skipped, say

if TYPE_CHECKING:
    from spamnb.message import Chunk
    from spamnb.readers import ReadOptions


def chunks(
    paths: tuple[str, ...],
    given: dict[str, Any],
    reading: ReadOptions,
    quiet: bool,
    told: list[str] | None = None,
) -> Iterator[Chunk]:
    """One source after the other; `told` gets what is said of each."""
    from spamnb.readers import open_source

    for path, how in inputs(paths, given, reading):
        with open_source(path, how, labelled=True) as source:
            say(source.description, quiet)
            with progress(source.name, source.size, quiet) as bar:
                for chunk in source:
                    yield chunk
                    bar.at(chunk.position)
            report_skipped(source, quiet)
            if told is not None:
                told.append(source.description)
                told += [f"{source.name}: {source.skipped.summary()}"] if source.skipped.count else []
