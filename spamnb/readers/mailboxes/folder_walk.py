"""The files of a mail folder in a fixed order; what is no mail is skipped and counted."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from spamnb.readers.skipped_rows import SkippedRecords

# What Dovecot, Courier, Exim and Thunderbird keep beside the mails.
_INDEX_FILE = re.compile(r"dovecot[.-]|courier|maildir(?:folder|size)$|subscriptions$|.*\.msf$|context$")
_REMOVED = re.compile(r"[,#]\d+$|.+~$")  # what MH makes of a mail that is deleted, and what editors leave
_MH = (".mh_sequences", ".xmhcache")  # a folder with one of these holds mails that are numbers
Place = tuple[int, int]  # device and number of a folder: the same one by any name


def is_maildir(folder: str) -> bool:
    """A Maildir has `cur`, or at least `new` and `tmp`: archives often lose empty folders."""
    cur, new, tmp = (os.path.isdir(os.path.join(folder, name)) for name in ("cur", "new", "tmp"))
    return cur or (new and tmp)


def listing(folder: str, skipped: SkippedRecords) -> list[os.DirEntry[str]]:
    """What is in a folder, MH's numbers in their order; a folder that cannot be read is skipped."""
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
    """False too for a link to where we may not look: reading it will tell why."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def skip_unfinished(tmp: str, skipped: SkippedRecords) -> None:
    """What is in the `tmp` of a Maildir is no mail yet."""
    for entry in listing(tmp, skipped):
        skipped.add(entry.path, "still being delivered")


class Walker:
    """Goes through folders and those in them, each once: a link back up is no way round for ever.

    With `maildirs` the files of a Maildir are those in its `cur` and `new`.
    """

    def __init__(self, skipped: SkippedRecords, *, maildirs: bool = True) -> None:
        self._skipped = skipped
        self._maildirs = maildirs
        self._seen: set[Place] = set()

    def files(self, root: str) -> Iterator[str]:
        """The files in a folder, then those of the folders in it."""
        parent, name = os.path.split(root.rstrip(os.sep))
        if self._maildirs and name in ("cur", "new") and is_maildir(parent):
            yield from self._mails(root)
            return
        todo, real = [root], os.path.realpath(root)
        while todo:
            folder = todo.pop()
            if (folder != root and self._leads_up(folder, real)) or not self.enter(folder):
                continue
            inside: list[str] = []
            if self._maildirs and is_maildir(folder):
                yield from self._maildir(folder, inside)
            else:
                yield from self._folder(folder, inside)
            todo += reversed(inside)

    def _leads_up(self, folder: str, root: str) -> bool:
        """A link to a folder above the root: all beside the root would be read as if it were inside."""
        if not os.path.islink(folder):
            return False
        above = os.path.join(root, "").startswith(os.path.join(os.path.realpath(folder), ""))
        if above:
            self._skipped.add(folder, "link to a folder above")
        return above

    def enter(self, folder: str) -> bool:
        """False for a folder that was entered before."""
        try:
            found = os.stat(folder)
        except OSError as error:
            self._skipped.add(folder, error.strerror or str(error))
            return False
        place = found.st_dev, found.st_ino
        if place in self._seen:
            self._skipped.add(folder, "folder was read already")
            return False
        self._seen.add(place)
        return True

    def _folder(self, folder: str, inside: list[str]) -> Iterator[str]:
        entries = listing(folder, self._skipped)
        numbered = any(entry.name in _MH for entry in entries)
        for entry in entries:
            if entry.name.startswith("."):
                self._skipped.add(entry.path, "hidden")
            elif is_folder(entry):
                inside.append(entry.path)
            elif _INDEX_FILE.match(entry.name):
                self._skipped.add(entry.path, "index or cache file")
            elif _REMOVED.match(entry.name):
                self._skipped.add(entry.path, "deleted, or a backup")
            elif numbered and not entry.name.isdecimal():
                self._skipped.add(entry.path, "no number, as mails of MH have")
            else:
                yield entry.path

    def _maildir(self, folder: str, inside: list[str]) -> Iterator[str]:
        for entry in listing(folder, self._skipped):
            if entry.name in ("cur", "new"):
                yield from self._mails(entry.path)
            elif entry.name == "tmp":
                skip_unfinished(entry.path, self._skipped)
            elif entry.name.startswith("."):
                self._skipped.add(entry.path, "hidden")
            elif is_folder(entry):
                inside.append(entry.path)
            else:
                self._skipped.add(entry.path, "not in cur or new")

    def _mails(self, folder: str) -> Iterator[str]:
        inside: list[str] = []
        yield from self._folder(folder, inside)
        for path in inside:
            self._skipped.add(path, "folder among the mails of a Maildir")
