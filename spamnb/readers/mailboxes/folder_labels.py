"""Labels the mails of a folder by the names of the folders and mailboxes in it."""

from __future__ import annotations

import os
import re

from spamnb.core import Record
from spamnb.errors import DataError
from spamnb.readers.mailboxes.folder_walk import Walker, is_folder, is_maildir, listing, skip_unfinished
from spamnb.readers.skipped_rows import SkippedRecords

# Letters only, in lower case: not-spam and spam_2 need no entry of their own.
_SPAM = {"spam", "junk", "phishing", "junkemail", "junkmail"}
_HAM = {"ham", "inbox", "good", "legit", "legitimate", "notspam", "nonspam", "notjunk", "easyham", "hardham"}
_NOT_LETTERS = re.compile(r"[^a-z]")
_MBOX_SUFFIX = re.compile(r"(?i)(?:\.mbo?x)?(?:\.(?:gz|bz2|xz))?$")


class LabelledFolder(Record):
    """A folder, or an mbox, with mails of one label."""

    path: str
    label: str = ""
    mbox: bool = False


def folder_label(name: str) -> str:
    """Returns `spam`, `ham` or "" for the name of a folder.

    >>> [folder_label(name) for name in ("Junk", ".Spam", "spam_2", "not-spam", "INBOX", "work")]
    ['spam', 'spam', 'spam', 'ham', 'ham', '']
    """
    letters = _NOT_LETTERS.sub("", name.lower())
    return "spam" if letters in _SPAM else "ham" if letters in _HAM else ""


def labelled_folders(root: str, spam_label: str | None, skipped: SkippedRecords) -> list[LabelledFolder]:
    """Lists the folders and mailboxes with a label in their name, at the first level where there is one.

    With a `spam_label` every folder has a label: its name.
    """
    folders: list[LabelledFolder] = []
    walker, todo = Walker(skipped), [root]
    while todo:
        folder = todo.pop()
        if not walker.enter(folder):
            continue
        own = ("cur", "new", "tmp") if is_maildir(folder) else ()
        entries = [entry for entry in listing(folder, skipped) if entry.name not in own]
        labelled = {entry.path: child for entry in entries if (child := _labelled(entry, spam_label))}
        folders += labelled.values()
        if labelled and own and spam_label is None:
            folders += _inbox(folder, skipped)
        others = [entry for entry in entries if entry.path not in labelled]
        todo += [] if labelled else reversed([entry.path for entry in others if _may_be_searched(entry)])
        for entry in others:
            if labelled or not _may_be_searched(entry):
                skipped.add(entry.path, "hidden" if entry.name.startswith(".") else "no label")
    return folders


def _may_be_searched(entry: os.DirEntry[str]) -> bool:
    return not entry.name.startswith(".") and is_folder(entry)


def _inbox(maildir: str, skipped: SkippedRecords) -> list[LabelledFolder]:
    """Lists the folders with the mails of a Maildir itself, which has folders such as .Junk beside them."""
    if os.path.isdir(tmp := os.path.join(maildir, "tmp")):
        skip_unfinished(tmp, skipped)
    paths = (os.path.join(maildir, name) for name in ("cur", "new"))
    return [LabelledFolder(path, "ham") for path in paths if os.path.isdir(path)]


def _labelled(entry: os.DirEntry[str], spam_label: str | None) -> LabelledFolder | None:
    folder = is_folder(entry)
    name = entry.name if folder else _MBOX_SUFFIX.sub("", entry.name)
    hidden = name.startswith(".")
    if spam_label is not None:
        usable = not hidden and (folder or name != entry.name)
        return LabelledFolder(entry.path, name, mbox=not folder) if usable else None
    label = "" if hidden and not folder else folder_label(name)
    return LabelledFolder(entry.path, label, mbox=not folder) if label else None


def no_labels(root: str) -> DataError:
    """Describes a folder without labels: the names that were searched, and what to do."""
    return DataError(
        f"no labels for the mails in {root}: looked for {root}/index, {root}/full/index, and folders or "
        "mailboxes named spam, junk, phishing or ham, inbox, good, legit, notspam",
        hint=f"sort them into {root}/spam and {root}/ham, or give --label spam=DIR --label ham=DIR",
    )
