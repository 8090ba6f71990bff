"""Files and streams of messages in, chunks of messages out: finds the format, lazily imports its reader."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from spamnb.errors import DataError
from spamnb.readers.inputs import Input, refuse_binary
from spamnb.readers.options import FORMATS, ReadOptions
from spamnb.readers.skipped import Skipped
from spamnb.readers.source import Source
from spamnb.readers.streams import check_path, open_bytes

__all__ = ["FORMATS", "READERS", "ReadOptions", "Skipped", "Source", "expand", "open_source"]

# format -> module with `open_input(given, options, *, format, labelled) -> Source`
READERS = {
    "csv": "spamnb.readers.table",
    "tsv": "spamnb.readers.table",
    "jsonl": "spamnb.readers.jsonl",
    "parquet": "spamnb.readers.parquet",
    "lines": "spamnb.readers.lines",
    "null": "spamnb.readers.lines",
}


def open_source(path: str, options: ReadOptions, *, labelled: bool) -> Source:
    """Open a path (`-` is standard input) and settle how to read it.

    `labelled` asks for labels and leaves out records that cannot be used; without it every record comes out
    as one message, in order, and a pipe is read as it arrives.
    """
    stream = open_bytes(path, live=not labelled)
    try:
        given = Input(stream)
        if not given.raw_head:
            return _empty(given, labelled)
        format = "parquet" if _is_parquet(given, options) else options.format
        if format != "parquet":
            nuls = options.format == "null"
            refuse_binary(given, options.encoding, nuls=nuls)
            given.decode(options.encoding, nuls=nuls)
            if format == "auto":
                from spamnb.readers.sniff import find_format

                format = find_format(given, options, labelled=labelled)
        source: Source = import_module(READERS[format]).open_input(
            given, options, format=format, labelled=labelled
        )
        return source
    except BaseException:
        stream.close()
        raise


def _is_parquet(given: Input, options: ReadOptions) -> bool:
    """Parquet is told by its first bytes, whatever its name."""
    return options.format == "parquet" or (options.format == "auto" and given.raw_head.startswith(b"PAR1"))


def expand(paths: Sequence[str]) -> list[str]:
    """The inputs that some arguments stand for; refuses what cannot be read before anything is read."""
    for path in paths:
        if path != "-":
            check_path(path)
    return list(paths)


def _empty(given: Input, labelled: bool) -> Source:
    if labelled:
        raise DataError(f"{given.name} is empty", hint="give a file with labelled messages")
    return Source(given.name, f"{given.name}: empty", given.stream.size, iter(()), given.stream.close)
