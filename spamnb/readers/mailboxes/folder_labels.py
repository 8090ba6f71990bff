"""Labels the mails of a folder by the names of the folders and mailboxes in it."""

from __future__ import annotations

import os
import re

from spamnb.core import Record
from spamnb.errors import DataError
from spamnb.readers.mailboxes.folder_walk import Walker, is_folder, is_maildir, listing, skip_unfinished
from spamnb.readers.skipped_rows import SkippedRecords
from spamnb.readers.tables.label_words import is_certain_word, is_spam_word
from spamnb.readers.tables.labels import unknown_spam_label

# Names of folders besides the words that are certain; "valid" or "clean" may have folders spam and ham in it.
_SPAM, _HAM = {"bad", "fake"}, {"inbox", "good", "wanted", "easy ham", "hard ham"}
_NUMBER = re.compile(r"[\W_]*\d+$")  # spam_2
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
    word = _NUMBER.sub("", name.lower()).strip("._- ").replace("_", " ").replace("-", " ")
    if is_certain_word(word):
        return "spam" if is_spam_word(word) else "ham"
    return "spam" if word in _SPAM else "ham" if word in _HAM else ""


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
        if not own:
            labelled |= _other_folder(entries, labelled)
        folders += labelled.values()
        if labelled and own and spam_label is None:
            folders += _inbox(folder, skipped)
        others = [entry for entry in entries if entry.path not in labelled]
        todo += [] if labelled else reversed([entry.path for entry in others if _may_be_searched(entry)])
        for entry in others:
            if labelled or not _may_be_searched(entry):
                skipped.add(entry.path, "hidden" if entry.name.startswith(".") else "no label")
    return folders


def _other_folder(
    entries: list[os.DirEntry[str]], labelled: dict[str, LabelledFolder]
) -> dict[str, LabelledFolder]:
    """Labels the one other folder or mailbox beside those of spam, or beside those of ham."""
    labels = {folder.label for folder in labelled.values()}
    others = [entry for entry in entries if entry.path not in labelled and _may_be_label(entry)]
    if len(others) != 1 or labels not in ({"spam"}, {"ham"}):
        return {}
    other, label = others[0], "ham" if labels == {"spam"} else "spam"
    return {other.path: LabelledFolder(other.path, label, mbox=not is_folder(other))}


def _may_be_label(entry: os.DirEntry[str]) -> bool:
    """Returns whether it is a folder, or an mbox by its suffix, that is not hidden."""
    is_mbox = not is_folder(entry) and _MBOX_SUFFIX.sub("", entry.name) != entry.name
    return not entry.name.startswith(".") and (is_folder(entry) or is_mbox)


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
        return LabelledFolder(entry.path, name, mbox=not folder) if _may_be_label(entry) else None
    label = "" if hidden and not folder else folder_label(name)
    return LabelledFolder(entry.path, label, mbox=not folder) if label else None


def no_labels(root: str) -> DataError:
    """Describes a folder without labels: the names that were searched, and what to do."""
    folders = [entry for entry in listing(root, SkippedRecords()) if _may_be_label(entry)]
    if len(folders) == 2 and not is_maildir(root):
        names = (
            _MBOX_SUFFIX.sub("", entry.name) if not is_folder(entry) else entry.name for entry in folders
        )
        return unknown_spam_label(root, dict(zip(names, map(_count_files, folders), strict=True)))
    return DataError(
        f"no labels for the emails in {root}: looked for {root}/index, {root}/full/index, and folders or "
        "mailboxes named spam, junk, phishing or ham, inbox, good, legit, notspam",
        hint=f"sort them into {root}/spam and {root}/ham, or give --label spam=DIR --label ham=DIR",
    )


def _count_files(entry: os.DirEntry[str]) -> int:
    return sum(1 for _ in Walker(SkippedRecords()).files(entry.path)) if is_folder(entry) else 1
