"""Reads and writes the files of allow and block lists: one entry a line, `allow ann@example.org`."""

from __future__ import annotations

import os
from collections.abc import Callable

from spamnb.core import files
from spamnb.errors import ConfigError
from spamnb.mail.sender_lists import ALLOW, BLOCK, ListEntry, SenderLists, is_entry, ranked

SITE_FILE = "/etc/spamnb/lists.txt"


def own_lists() -> str | None:
    """Returns the user's file, None if there is no configuration folder."""
    from spamnb.core import user_config_folder

    folder = user_config_folder()
    return None if folder is None else os.path.join(folder, "lists.txt")


def list_paths() -> list[str]:
    """Lists the files to read, the user's own first: its entries come before those of the site."""
    return [*filter(None, [own_lists()]), SITE_FILE]


def read_list(path: str) -> list[ListEntry]:
    """Reads one file; a missing one is empty. Refuses a line that is no entry."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ConfigError(f"cannot read {path}: {reason}", hint="correct it, or move it away") from None
    entries = []
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].lower().split()
        if not words:
            continue
        if len(words) != 2 or words[0] not in (ALLOW, BLOCK) or not is_entry(words[1]):
            raise ConfigError(
                f"{path}:{number}: expected an entry, got {line.strip()!r}",
                hint="for example: allow ann@example.org",
            )
        entries.append(ListEntry(*words))
    return entries


def write_list(path: str, entries: list[ListEntry]) -> None:
    """Replaces a file as a whole; the entries are sorted."""
    try:
        files.make_folder(os.path.dirname(path))
        with files.atomic_write(path) as stream:
            stream.write("".join(f"{one}\n" for one in sorted(entries, key=str)).encode())
    except OSError as error:
        raise files.cannot_write(path, error) from None


class StoredLists:
    """The lists as they are on disk. A long-running process asks for `newest()`.

    With `warn`, a file that cannot be used is a warning, and the lists stay as they were.
    """

    def __init__(self, warn: Callable[[str], None] | None = None) -> None:
        self._warn = warn
        self._stamp: tuple[object, ...] = ()
        self._lists = SenderLists()

    def newest(self) -> SenderLists:
        """Returns the same object as long as the files are the same."""
        paths = list_paths()
        stamp = tuple(map(_stamp, paths))
        if stamp != self._stamp:
            self._stamp = stamp
            try:
                entries = tuple(entry for path in paths for entry in ranked(read_list(path)))
                self._lists = SenderLists(entries)
            except ConfigError as error:
                if self._warn is None:
                    raise
                self._warn(f"{error.message}; the lists are used as they were")
        return self._lists


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
