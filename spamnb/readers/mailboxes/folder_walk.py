"""Walks the files of mail folders in a fixed order, and skips files that are no mails."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from spamnb.readers.skipped_rows import SkippedRecords

# Files that Dovecot, Courier, Exim and Thunderbird keep beside the mails.
_INDEX_FILE = re.compile(r"dovecot[.-]|courier|maildir(?:folder|size)$|subscriptions$|.*\.msf$|context$")
_REMOVED = re.compile(r"[,#]\d+$|.+~$")  # deleted mails of MH, and backups of editors
_MH = (".mh_sequences", ".xmhcache")  # in a folder with one of these, mails are named by numbers
Identity = tuple[int, int]  # device and inode of a folder: the same by any name


def is_maildir(folder: str) -> bool:
    """Returns whether a folder has `cur`, or at least `new` and `tmp`: archives often lose empty folders."""
    cur, new, tmp = (os.path.isdir(os.path.join(folder, name)) for name in ("cur", "new", "tmp"))
    return cur or (new and tmp)


def listing(folder: str, skipped: SkippedRecords) -> list[os.DirEntry[str]]:
    """Lists a folder, with the numbers of MH in their order; skips a folder that cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=_order)
    except OSError as error:
        skipped.add(folder, error.strerror or str(error))
        return []


def _order(entry: os.DirEntry[str]) -> tuple[int, str]:
    name = entry.name
    return (int(name), "") if name.isascii() and name.isdecimal() else (-1, name)


def is_folder(entry: os.DirEntry[str]) -> bool:
    """Returns whether it is a folder; not if a link cannot be followed: reading it gives the reason."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def skip_unfinished(tmp: str, skipped: SkippedRecords) -> None:
    """Skips the files in `tmp` of a Maildir: they are no mails yet."""
    for entry in listing(tmp, skipped):
        skipped.add(entry.path, "still being delivered")


class Walker:
    """Walks folders and their subfolders, each once, so that a link back up makes no endless loop.

    With `maildirs`, the files of a Maildir are those in its `cur` and `new`.
    """

    def __init__(self, skipped: SkippedRecords, *, maildirs: bool = True) -> None:
        self._skipped = skipped
        self._maildirs = maildirs
        self._seen: set[Identity] = set()

    def files(self, root: str) -> Iterator[str]:
        """Yields the files in a folder, then those of its subfolders."""
        parent, name = os.path.split(root.rstrip(os.sep))
        if self._maildirs and name in ("cur", "new") and is_maildir(parent):
            yield from self._mails(root)
            return
        todo, real = [root], os.path.realpath(root)
        while todo:
            folder = todo.pop()
            if (folder != root and self._leads_up(folder, real)) or not self.enter(folder):
                continue
            subfolders: list[str] = []
            if self._maildirs and is_maildir(folder):
                yield from self._maildir(folder, subfolders)
            else:
                yield from self._folder(folder, subfolders)
            todo += reversed(subfolders)

    def _leads_up(self, folder: str, root: str) -> bool:
        """Returns whether it is a link to a folder above the root: files beside the root are not in it."""
        if not os.path.islink(folder):
            return False
        above = os.path.join(root, "").startswith(os.path.join(os.path.realpath(folder), ""))
        if above:
            self._skipped.add(folder, "link to a folder above")
        return above

    def enter(self, folder: str) -> bool:
        """Marks a folder as entered; returns False if it was entered before or cannot be read."""
        try:
            status = os.stat(folder)
        except OSError as error:
            self._skipped.add(folder, error.strerror or str(error))
            return False
        identity = status.st_dev, status.st_ino
        if identity in self._seen:
            self._skipped.add(folder, "folder was read already")
            return False
        self._seen.add(identity)
        return True

    def _folder(self, folder: str, subfolders: list[str]) -> Iterator[str]:
        entries = listing(folder, self._skipped)
        numbered = any(entry.name in _MH for entry in entries)
        for entry in entries:
            if entry.name.startswith("."):
                self._skipped.add(entry.path, "hidden")
            elif is_folder(entry):
                subfolders.append(entry.path)
            elif _INDEX_FILE.match(entry.name):
                self._skipped.add(entry.path, "index or cache file")
            elif _REMOVED.match(entry.name):
                self._skipped.add(entry.path, "deleted, or a backup")
            elif numbered and not entry.name.isdecimal():
                self._skipped.add(entry.path, "not an MH email: its name is not a number")
            else:
                yield entry.path

    def _maildir(self, folder: str, subfolders: list[str]) -> Iterator[str]:
        for entry in listing(folder, self._skipped):
            if entry.name in ("cur", "new"):
                yield from self._mails(entry.path)
            elif entry.name == "tmp":
                skip_unfinished(entry.path, self._skipped)
            elif entry.name.startswith("."):
                self._skipped.add(entry.path, "hidden")
            elif is_folder(entry):
                subfolders.append(entry.path)
            else:
                self._skipped.add(entry.path, "not in cur or new")

    def _mails(self, folder: str) -> Iterator[str]:
        subfolders: list[str] = []
        yield from self._folder(folder, subfolders)
        for path in subfolders:
            self._skipped.add(path, "folder among the emails of a Maildir")
