"""Folders of mails: Maildir, MH, files in folders, and folders of spam and of ham."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from spamnb.errors import DataError
from spamnb.readers.decoded_input import DecodedInput
from spamnb.readers.formats import FORMATS, format_by_suffix
from spamnb.readers.mailboxes.folder_labels import LabelledFolder, labelled_parts, no_labels
from spamnb.readers.mailboxes.folder_walk import Walker, is_maildir
from spamnb.readers.mailboxes.mail_files import MailFile
from spamnb.readers.mailboxes.mail_source import label_of, mail_labels, open_groups, refuse_columns
from spamnb.readers.read_options import ReadOptions
from spamnb.readers.skipped_rows import SkippedRecords
from spamnb.readers.source import Source
from spamnb.readers.tables.labels import LabelMap

_SHOWN_PARTS = 5


def open_folder(path: str, options: ReadOptions, *, labelled: bool) -> Source:
    """Open a directory: by its index if it has one, else all mails in it."""
    if options.format != "auto" and not FORMATS[options.format].is_mail:
        raise DataError(
            f"{path} is a directory, expected a file of format {options.format}",
            hint=f"give the files in it, for example {path}/*",
        )
    refuse_columns(path, options)
    if options.format in ("auto", "index"):
        from spamnb.readers.mailboxes.mail_index import find_index, open_index

        if index := find_index(path, stated=options.format == "index"):
            return open_index(index, options, labelled=labelled)
    skipped = SkippedRecords()
    sort = labelled and options.label is None
    parts = (
        labelled_parts(path, options.spam_label, skipped)
        if sort
        else [LabelledFolder(path, options.label or "")]
    )
    if not parts:
        raise no_labels(path)
    _check_maildirs(parts, options)
    labels = mail_labels(options, ("spam", "ham")) if labelled else None
    kind = _sorted_kind(path, parts, labels) if sort else _kind(path, options)
    return open_groups(path, kind, _mails(parts, options, labels, skipped), options, labels, skipped)


def open_input(given: DecodedInput, options: ReadOptions, *, format: str, labelled: bool) -> Source:  # noqa: ARG001
    """Refuse a file where a folder was announced."""
    raise DataError(
        f"{given.name} is a file, expected a directory: --format {format}",
        hint="leave out --format, or give eml or mbox",
    )


def open_files(paths: Sequence[str], options: ReadOptions, *, labelled: bool) -> Source:
    """Open many files, each a mail, as one source."""
    name = f"{len(paths):,} files from {paths[0]} on"
    refuse_columns(name, options)
    if labelled and options.label is None:
        raise DataError(
            f"{name} have no labels", hint="say what they are: --label spam=PATH, --label ham=PATH"
        )
    labels, skipped = mail_labels(options, ("spam", "ham")) if labelled else None, SkippedRecords()
    label = label_of(labels, options.label)
    groups = (MailFile(path, label) for path in paths)
    return open_groups(name, "one mail a file", groups, options, labels, skipped)


def _check_maildirs(parts: list[LabelledFolder], options: ReadOptions) -> None:
    wrong = next((part.path for part in parts if part.mbox or not _in_maildir(part.path)), None)
    if options.format == "maildir" and wrong is not None:
        raise DataError(
            f"{wrong} is no Maildir: it has no folders cur and new", hint="leave out --format maildir"
        )


def _in_maildir(path: str) -> bool:
    folder, name = os.path.split(path)
    return is_maildir(path) or (name in ("cur", "new") and is_maildir(folder))


def _mails(
    parts: list[LabelledFolder], options: ReadOptions, labels: LabelMap | None, skipped: SkippedRecords
) -> Iterator[MailFile]:
    walker = Walker(skipped, maildirs=options.format != "folder")
    for part in parts:
        label = label_of(labels, part.label)
        files = [part.path] if part.mbox else walker.files(part.path)
        for path in files:
            mbox = part.mbox or options.format == "mbox" or format_by_suffix(path) == "mbox"
            yield MailFile(path, label, mbox)


def _kind(path: str, options: ReadOptions) -> str:
    return "Maildir" if options.format != "folder" and is_maildir(path) else "folder of mails"


def _sorted_kind(root: str, parts: list[LabelledFolder], labels: LabelMap | None) -> str:
    """`labelled folders (ham: inbox; spam: junk, spam)`."""
    names: dict[str, list[str]] = {}
    for part in parts:
        names.setdefault(label_of(labels, part.label), []).append(os.path.relpath(part.path, root))
    shown = [
        f"{label}: {', '.join(found[:_SHOWN_PARTS])}" + (", ..." if len(found) > _SHOWN_PARTS else "")
        for label, found in sorted(names.items())
    ]
    return f"labelled folders ({'; '.join(shown)})"
