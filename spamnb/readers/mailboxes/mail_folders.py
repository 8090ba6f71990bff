"""Opens folders of mails: Maildir, MH, files in folders, and folders of spam and ham."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from shlex import quote

from spamnb.errors import DataError
from spamnb.readers.decoded_input import DecodedInput
from spamnb.readers.formats import FORMATS, format_by_suffix
from spamnb.readers.mailboxes.folder_labels import LabelledFolder, labelled_folders, no_labels
from spamnb.readers.mailboxes.folder_walk import Walker, is_maildir
from spamnb.readers.mailboxes.mail_files import MailFile
from spamnb.readers.mailboxes.mail_source import (
    RawMails,
    label_of,
    mail_labels,
    open_mails,
    refuse_columns,
)
from spamnb.readers.read_options import ReadOptions
from spamnb.readers.skipped_rows import SkippedRecords
from spamnb.readers.source import Source
from spamnb.readers.tables.labels import LabelMap

_MOST_LISTED = 5  # folders of each label


def open_folder(path: str, options: ReadOptions, *, labelled: bool) -> Source:
    """Opens a directory by its index if it has one, else all mails in it."""
    if options.format != "auto" and not FORMATS[options.format].is_mail:
        raise DataError(
            f"{path} is a directory, expected a file of format {options.format}",
            hint=f"give the files in it, for example {quote(path)}/*",
        )
    refuse_columns(path, options)
    if options.format in ("auto", "index"):
        from spamnb.readers.mailboxes.mail_index import find_index, open_index

        if index := find_index(path, stated=options.format == "index"):
            return open_index(index, options, labelled=labelled)
    skipped = SkippedRecords()
    by_name = labelled and options.label is None  # the names of folders are the labels
    folders = [LabelledFolder(path, options.label or "")]
    if by_name:
        folders = labelled_folders(path, options.spam_label, skipped)
    if not folders:
        raise no_labels(path)
    _check_maildirs(folders, options)
    labels = mail_labels(path, options, ("spam", "ham")) if labelled else None
    kind = _describe_folders(path, folders, labels) if by_name else _kind(path, options)
    mails = _mail_files(folders, options, labels, skipped)
    return open_mails(RawMails(path, kind, mails, labels, skipped), options)


def open_input(decoded: DecodedInput, options: ReadOptions, *, format: str, labelled: bool) -> Source:  # noqa: ARG001
    """Refuses a file in place of a folder."""
    raise DataError(
        f"{decoded.name} is a file, expected a directory: --input-format {format}",
        hint="leave out --input-format, or give eml or mbox",
    )


def open_files(paths: Sequence[str], options: ReadOptions, *, labelled: bool) -> Source:
    """Opens many files of one mail each as one source."""
    name = f"{len(paths):,} files from {paths[0]} on"
    refuse_columns(name, options)
    if labelled and options.label is None:
        raise DataError(
            f"{name} have no labels", hint="say what they are: --label spam=PATH, --label ham=PATH"
        )
    labels, skipped = mail_labels(name, options, ("spam", "ham")) if labelled else None, SkippedRecords()
    label = label_of(labels, options.label)
    groups = (MailFile(path, label) for path in paths)
    return open_mails(RawMails(name, "one email per file", groups, labels, skipped), options)


def _check_maildirs(folders: list[LabelledFolder], options: ReadOptions) -> None:
    wrong = next((folder.path for folder in folders if folder.mbox or not _in_maildir(folder.path)), None)
    if options.format == "maildir" and wrong is not None:
        raise DataError(
            f"{wrong} is not a Maildir: it has no folders cur and new",
            hint="leave out --input-format maildir",
        )


def _in_maildir(path: str) -> bool:
    folder, name = os.path.split(path)
    return is_maildir(path) or (name in ("cur", "new") and is_maildir(folder))


def _mail_files(
    folders: list[LabelledFolder], options: ReadOptions, labels: LabelMap | None, skipped: SkippedRecords
) -> Iterator[MailFile]:
    walker = Walker(skipped, maildirs=options.format != "folder")
    for folder in folders:
        label = label_of(labels, folder.label)
        files = [folder.path] if folder.mbox else walker.files(folder.path)
        for path in files:
            mbox = folder.mbox or options.format == "mbox" or format_by_suffix(path) == "mbox"
            yield MailFile(path, label, mbox)


def _kind(path: str, options: ReadOptions) -> str:
    return "Maildir" if options.format != "folder" and is_maildir(path) else "folder of mail"


def _describe_folders(root: str, folders: list[LabelledFolder], labels: LabelMap | None) -> str:
    """Writes `labelled folders (ham: inbox; spam: junk, spam)`."""
    names: dict[str, list[str]] = {}
    for folder in folders:
        names.setdefault(label_of(labels, folder.label), []).append(os.path.relpath(folder.path, root))
    classes = [
        f"{label}: {', '.join(listed[:_MOST_LISTED])}" + (", ..." if len(listed) > _MOST_LISTED else "")
        for label, listed in sorted(names.items())
    ]
    return f"labelled folders ({'; '.join(classes)})"
