"""Indexes of labelled mails as the TREC corpora have them: lines with a label and a path."""

from __future__ import annotations

import os
from collections.abc import Iterator

from spamnb.errors import DataError
from spamnb.readers.byte_stream import open_bytes
from spamnb.readers.decoded_input import DecodedInput
from spamnb.readers.mailboxes.mail_files import MailFile
from spamnb.readers.mailboxes.mail_source import label_of, mail_labels, open_groups, refuse_columns
from spamnb.readers.read_options import ReadOptions
from spamnb.readers.skipped_rows import SkippedRecords
from spamnb.readers.source import Source
from spamnb.readers.tables.label_words import known_label
from spamnb.readers.tables.labels import LabelMap

_BLOCK = 1 << 14  # small, so that progress is seen
_PLACES = ("index", os.path.join("full", "index"))


def find_index(folder: str, *, stated: bool) -> str:
    """The path of the index of a folder, "" if there is none; with `stated` there has to be one."""
    for place in _PLACES:
        path = os.path.join(folder, place)
        if os.path.isfile(path) and (stated or _looks_right(path)):
            return path
    if stated:
        raise DataError(
            f"no index in {folder}: looked for {' and '.join(os.path.join(folder, p) for p in _PLACES)}",
            hint="an index has lines such as `spam path/to/mail`; or leave out --format index",
        )
    return ""


def _looks_right(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return is_index(path, file.readline(1 << 16))
    except OSError:
        return False


def is_index(path: str, first: bytes) -> bool:
    """Is this the first line of an index: a label and the path of something that exists?"""
    label, found = _parse(first)
    return bool(known_label(label)) and os.path.exists(os.path.join(os.path.dirname(path), found))


def open_index(path: str, options: ReadOptions, *, labelled: bool) -> Source:
    """Open the index at a path."""
    stream = open_bytes(path, live=False)
    try:
        return open_input(DecodedInput(stream), options, format="index", labelled=labelled)
    except BaseException:
        stream.close()
        raise


def open_input(given: DecodedInput, options: ReadOptions, *, format: str, labelled: bool) -> Source:  # noqa: ARG001
    """Open an index; paths in it are relative to its own folder."""
    refuse_columns(given.name, options)
    skipped = SkippedRecords()
    labels = mail_labels(options, _sample(given)) if labelled else None
    groups = _mails(given, options, labels, skipped)
    return open_groups(given.name, "index of mails", groups, options, labels, skipped, given)


def _sample(given: DecodedInput) -> list[str]:
    head = given.raw_head
    lines = (head if given.stream.ended else head[: head.rfind(b"\n") + 1]).split(b"\n")
    return [_parse(line)[0] for line in lines]


def _mails(
    given: DecodedInput, options: ReadOptions, labels: LabelMap | None, skipped: SkippedRecords
) -> Iterator[MailFile]:
    folder = os.path.dirname(given.stream.path)
    for number, line in enumerate(_lines(given.raw_blocks(_BLOCK)), 1):
        written, path = _parse(line)
        label = label_of(labels, written if options.label is None else options.label)
        if written and not path:
            skipped.add(number, "expected a label and a path")
        elif labels is not None and written and not label:
            skipped.add(number, labels.reason(written.encode("utf-8", "surrogateescape")))
        elif written:
            yield MailFile(os.path.join(folder, path), label)


def _lines(blocks: Iterator[bytes]) -> Iterator[bytes]:
    held: list[bytes] = []  # pieces of a line that has not ended: joined once, however long it is
    for block in blocks:
        first, *lines = block.split(b"\n")
        held.append(first)
        if lines:
            yield b"".join(held)
            yield from lines[:-1]
            held = [lines[-1]]
    yield b"".join(held)


def _parse(line: bytes) -> tuple[str, str]:
    r"""Label and path of a line, "" for what it lacks.

    >>> _parse(b"spam ../data/a mail\r\n"), _parse(b"ham"), _parse(b"\n")
    (('spam', '../data/a mail'), ('ham', ''), ('', ''))
    """
    label, _, path = line.strip().replace(b"\t", b" ", 1).partition(b" ")
    return os.fsdecode(label), os.fsdecode(path.lstrip())
