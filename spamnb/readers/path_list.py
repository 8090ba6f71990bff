"""Expands paths, lists of paths and globs into the inputs to open."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from shlex import quote

from spamnb.errors import DataError
from spamnb.readers.byte_stream import check_path, is_url, open_bytes
from spamnb.readers.formats import format_by_suffix, table_formats
from spamnb.readers.read_options import ReadOptions
from spamnb.readers.tables.label_words import normalize_label

_LOOKED_AT = 3  # paths that show whether it is a list of paths
_GLOB = re.compile(r"[*?]|\[.+\]")
Paths = str | tuple[str, ...]  # several paths: files of one mail each


def read_paths(path: str) -> list[str]:
    """Reads a list of paths from a file (`-`: standard input), each ended by a line or a NUL."""
    stream = open_bytes(path, live=False)
    try:
        data = b"".join(iter(lambda: stream.read(1 << 16), b""))
    finally:
        stream.close()
    nuls = b"\0" in data
    entries = data.split(b"\0") if nuls else [line.removesuffix(b"\r") for line in data.split(b"\n")]
    paths = [os.fsdecode(entry) for entry in entries if entry]
    if not paths:
        raise DataError(f"no paths in {stream.name}", hint="it should list one path a line")
    if "-" in paths and path == "-":
        raise DataError("the list on standard input names - itself", hint="list files and folders")
    if not nuls and not any(map(os.path.exists, paths[:_LOOKED_AT])):
        _refuse_index(path, stream.name, data)
    return paths


def _refuse_index(path: str, name: str, data: bytes) -> None:
    """Refuses an index of labelled mails, which is no list of paths but an input."""
    from spamnb.readers.mailboxes.mail_index import is_index

    if is_index(path, data):
        as_input = "--input-format index -" if path == "-" else quote(path)
        raise DataError(
            f"{name} is an index of labelled emails, not a list of paths",
            hint=f"it is an input of its own, without --files-from: for example spamnb predict {as_input}",
        )


def plan(
    paths: Sequence[str], labelled: Sequence[tuple[str, str]], options: ReadOptions
) -> list[tuple[Paths, ReadOptions]]:
    """Pairs each input with its options: first the paths, then the (label, path) pairs.

    A path that does not exist is an error.
    """
    paths = [file for path in paths for file in expand_path(path, options)]
    labelled = [(label, file) for label, path in labelled for file in expand_path(path, options)]
    for path in (*paths, *(path for _, path in labelled)):
        if path != "-":
            check_path(path)
    with_label = [(path, _with_label(options, label)) for label, path in labelled]
    return [*((path, options) for path in group_single_mails(paths, options)), *with_label]


def _with_label(options: ReadOptions, label: str) -> ReadOptions:
    """States the label of all messages: as written, or what the stated spam label makes of it."""
    if options.spam_label is None:
        return replace(options, label=label)
    is_spam = normalize_label(label) == normalize_label(options.spam_label)
    return replace(options, label="spam" if is_spam else "ham", spam_label=None)


def existing_paths(listed: Sequence[str]) -> tuple[list[str], list[str]]:
    """Splits a list into paths that exist and paths that are gone.

    If all are gone, it is no list of paths: then none counts as gone, and opening the first one fails.
    """
    existing, gone = list[str](), list[str]()
    for path in listed:
        exists = path == "-" or os.path.exists(path)
        if not exists and _GLOB.search(path):
            exists = bool(glob.glob(path, recursive=True))
        (existing if exists else gone).append(path)
    return (existing, gone) if existing else ([*listed], [])


def expand_path(path: str, options: ReadOptions) -> list[str]:
    """Lists the files that a pattern matches, and the tables of a folder of tables; else the path itself."""
    files = expand_glob(path)
    return [
        file
        for path in files
        for file in (os.path.isdir(path) and _table_files(path, options.format)) or [path]
    ]


def expand_glob(path: str) -> list[str]:
    """Lists the files that a pattern such as `part-*.csv` matches, in order; any other path is itself."""
    if os.path.exists(path) or not _GLOB.search(path) or is_url(path):
        return [path]
    files = sorted(glob.glob(path, recursive=True))
    if not files:
        raise DataError(f"no file matches {path}", hint="check the folder and the pattern")
    return files


def group_single_mails(paths: Sequence[str], options: ReadOptions) -> list[Paths]:
    """Groups neighbours that are files of one mail each, by their suffix or as stated, into one input.

    >>> group_single_mails(["a.csv", "1.eml", "2.eml", "-"], ReadOptions())
    ['a.csv', ('1.eml', '2.eml'), '-']
    """
    inputs: list[Paths] = []
    for single, neighbours in groupby(paths, lambda path: _is_single_mail(path, options)):
        group = tuple(neighbours)
        inputs += [group] if single and len(group) > 1 else group
    return inputs


def _is_single_mail(path: str, options: ReadOptions) -> bool:
    if path == "-" or os.path.isdir(path):
        return False
    return options.format == "eml" or (options.format == "auto" and format_by_suffix(path) == "eml")


def _table_files(folder: str, format: str = "auto") -> list[str]:
    """Returns the tables in a folder in order, by their suffixes; none for a folder of mail.

    A folder of tables has no subfolders, and at least half of its files are tables. Hidden files do not
    count. A stated `format` selects the files of that format.
    """
    try:
        with os.scandir(folder) as entries:
            visible = sorted((e for e in entries if not e.name.startswith(".")), key=lambda e: e.name)
    except OSError:  # reading it as mail says what is wrong
        return []
    tables = [entry.path for entry in visible if _is_table(entry.name)]
    if any(entry.is_dir() for entry in visible) or 2 * len(tables) < len(visible):
        return []
    return [path for path in tables if format in ("auto", format_by_suffix(path))]


def _is_table(name: str) -> bool:
    return format_by_suffix(name) in table_formats() or name.lower().endswith(".zip")
