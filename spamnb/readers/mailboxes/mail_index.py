"""Reads indexes of labelled mails, as in the TREC corpora: lines with a label and a path."""

from __future__ import annotations

import os
from collections.abc import Iterator

from spamnb.errors import DataError
from spamnb.readers.byte_stream import open_bytes
from spamnb.readers.decoded_input import DecodedInput
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
from spamnb.readers.tables.label_words import known_label
from spamnb.readers.tables.labels import LabelMap

_BLOCK = 1 << 14  # small, so that progress shows
_LOOKED_AT = 3  # lines that tell whether it is an index
_PLACES = ("index", os.path.join("full", "index"))


def find_index(folder: str, *, stated: bool) -> str:
    """Returns the path of the index of a folder, "" if there is none; with `stated` that is an error."""
    for place in _PLACES:
        path = os.path.join(folder, place)
        if os.path.isfile(path) and (stated or _is_index_file(path)):
            return path
    if stated:
        raise DataError(
            f"no index in {folder}: looked for {' and '.join(os.path.join(folder, p) for p in _PLACES)}",
            hint="an index has lines such as `spam path/to/mail`; or leave out --input-format index",
        )
    return ""


def _is_index_file(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return is_index(path, file.read(_BLOCK))
    except OSError:
        return False


def is_index(path: str, head: bytes) -> bool:
    """Returns whether a file begins as an index: lines with a label and a path, of which one is known.

    If no label is a word for spam or ham, every path has to exist, and there have to be two.
    """
    lines = [
        _parse_line(line) for line in head[:_BLOCK].split(b"\n", _LOOKED_AT)[:_LOOKED_AT] if line.strip()
    ]
    if not lines or not all(mail for _, mail in lines):
        return False
    exists = [_is_file(os.path.join(os.path.dirname(path), mail)) for _, mail in lines]
    known = any(there and known_label(label) for (label, _), there in zip(lines, exists, strict=True))
    return bool(known) or (all(exists) and len(exists) > 1)


def _is_file(path: str) -> bool:
    try:
        return os.path.isfile(path)
    except ValueError:  # a NUL byte
        return False


def open_index(path: str, options: ReadOptions, *, labelled: bool) -> Source:
    """Opens the index at a path."""
    stream = open_bytes(path, live=False)
    try:
        return open_input(DecodedInput(stream), options, format="index", labelled=labelled)
    except BaseException:
        stream.close()
        raise


def open_input(decoded: DecodedInput, options: ReadOptions, *, format: str, labelled: bool) -> Source:  # noqa: ARG001
    """Opens an index; its paths are relative to its own folder."""
    refuse_columns(decoded.name, options)
    skipped = SkippedRecords()
    labels = mail_labels(decoded.name, options, _sample_labels(decoded)) if labelled else None
    files = _mail_files(decoded, options, labels, skipped)
    mails = RawMails(decoded.name, "index of emails", files, labels, skipped, decoded.stream)
    return open_mails(mails, options)


def _sample_labels(decoded: DecodedInput) -> list[str]:
    head = decoded.raw_head
    lines = (head if decoded.stream.ended else head[: head.rfind(b"\n") + 1]).split(b"\n")
    return [_parse_line(line)[0] for line in lines]


def _mail_files(
    decoded: DecodedInput, options: ReadOptions, labels: LabelMap | None, skipped: SkippedRecords
) -> Iterator[MailFile]:
    folder = os.path.dirname(decoded.stream.path)
    for number, line in enumerate(_lines(decoded.raw_blocks(_BLOCK)), 1):
        written, path = _parse_line(line)
        label = label_of(labels, written if options.label is None else options.label)
        if written and not path:
            skipped.add(number, "expected a label and a path")
        elif labels is not None and written and not label:
            skipped.add(number, labels.reason(written.encode("utf-8", "surrogateescape")))
        elif written:
            yield MailFile(os.path.join(folder, path), label)


def _lines(blocks: Iterator[bytes]) -> Iterator[bytes]:
    begun: list[bytes] = []  # pieces of a line that has not ended: joined once, however long it is
    for block in blocks:
        first, *lines = block.split(b"\n")
        begun.append(first)
        if lines:
            yield b"".join(begun)
            yield from lines[:-1]
            begun = [lines[-1]]
    yield b"".join(begun)


def _parse_line(line: bytes) -> tuple[str, str]:
    r"""Returns the label and the path of a line, "" for what is missing.

    >>> _parse_line(b"spam ../data/a mail\r\n"), _parse_line(b"ham"), _parse_line(b"\n")
    (('spam', '../data/a mail'), ('ham', ''), ('', ''))
    """
    label, _, path = line.strip().replace(b"\t", b" ", 1).partition(b" ")
    return os.fsdecode(label), os.fsdecode(path.lstrip())
