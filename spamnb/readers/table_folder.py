"""Lists the tables of a folder, which are read as one."""

from __future__ import annotations

import os

from spamnb.readers.formats import format_by_suffix, table_formats


def table_files(folder: str, format: str = "auto") -> list[str]:
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
