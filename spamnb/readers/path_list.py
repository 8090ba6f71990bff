"""Many paths: read from a list, with labels of their own, and single mails taken together."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from spamnb.errors import DataError
from spamnb.readers.byte_stream import check_path, open_bytes
from spamnb.readers.formats import format_by_suffix
from spamnb.readers.read_options import ReadOptions

_PATTERN = re.compile(r"[*?]|\[.+\]")
Paths = str | tuple[str, ...]  # several: files of one mail each


def read_paths(path: str, *, nuls: bool = False) -> list[str]:
    """The paths that a file (`-`: standard input) lists, one a line or with `nuls` one a NUL byte."""
    stream = open_bytes(path, live=False)
    try:
        data = b"".join(iter(lambda: stream.read(1 << 16), b""))
    finally:
        stream.close()
    if not nuls and b"\0" in data:
        raise DataError(f"the paths in {stream.name} end with NUL bytes, not with lines", hint="add -0")
    parts = data.split(b"\0") if nuls else [line.removesuffix(b"\r") for line in data.split(b"\n")]
    paths = [os.fsdecode(part) for part in parts if part]
    if not paths:
        raise DataError(f"no paths in {stream.name}", hint="it should list one path a line, or with -0 a NUL")
    if "-" in paths and path == "-":
        raise DataError("the list on standard input names - itself", hint="list files and folders")
    return paths


def plan(
    paths: Sequence[str], labelled: Sequence[tuple[str, str]], options: ReadOptions
) -> list[tuple[Paths, ReadOptions]]:
    """What to open and how: the paths, then the (label, path) pairs; what does not exist is refused."""
    paths = [found for path in paths for found in expand_glob(path)]
    labelled = [(label, found) for label, path in labelled for found in expand_glob(path)]
    for path in (*paths, *(path for _, path in labelled)):
        if path != "-":
            check_path(path)
    stated = [(path, replace(options, label=label)) for label, path in labelled]
    return [*((path, options) for path in group_single_mails(paths, options)), *stated]


def existing_paths(listed: Sequence[str]) -> tuple[list[str], list[str]]:
    """The paths of a list that are there, and those that are gone; if all are, it is no list of paths."""
    found, gone = list[str](), list[str]()
    for path in listed:
        there = path == "-" or os.path.exists(path)
        if not there and _PATTERN.search(path):
            there = bool(glob.glob(path, recursive=True))
        (found if there else gone).append(path)
    return (found, gone) if found else ([*listed], [])


def expand_glob(path: str) -> list[str]:
    """The files that a pattern such as `part-*.csv` stands for, in order; any other path is itself."""
    if os.path.exists(path) or not _PATTERN.search(path):
        return [path]
    found = sorted(glob.glob(path, recursive=True))
    if not found:
        raise DataError(f"no file matches {path}", hint="check the folder and the pattern")
    return found


def group_single_mails(paths: Sequence[str], options: ReadOptions) -> list[Paths]:
    """Neighbours that are files of one mail each, by their suffix or as stated, come as one input.

    >>> group_single_mails(["a.csv", "1.eml", "2.eml", "-"], ReadOptions())
    ['a.csv', ('1.eml', '2.eml'), '-']
    """
    found: list[Paths] = []
    for single, neighbours in groupby(paths, lambda path: _is_single(path, options)):
        together = tuple(neighbours)
        found += [together] if single and len(together) > 1 else together
    return found


def _is_single(path: str, options: ReadOptions) -> bool:
    if path == "-" or os.path.isdir(path):
        return False
    return options.format == "eml" or (options.format == "auto" and format_by_suffix(path) == "eml")
