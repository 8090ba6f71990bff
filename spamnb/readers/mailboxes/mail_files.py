"""Reads raw mails from files, at most so many bytes of each besides its attachments."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import NamedTuple

from spamnb.errors import DataError
from spamnb.readers.byte_stream import COMPRESSED_MAGIC, ByteStream
from spamnb.readers.mailboxes.mbox import MailBuffer, Splitter, holds_many, without_mark
from spamnb.readers.skipped_rows import SkippedRecords

BLOCK = 1 << 20
_SMALL = 1 << 16  # bytes of a file that is read at once
_NOT_A_FILE = (errno.ENXIO, errno.EISDIR)  # errors of opening a socket or a folder
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class RawMail(NamedTuple):
    """The bytes of a mail, its source and label; `cut`: the mail has more bytes."""

    data: bytes
    source: str
    label: str = ""
    cut: bool = False


class MailFile(NamedTuple):
    """A file that is still to be read: one mail, or many if it is an mbox."""

    path: str
    label: str = ""
    mbox: bool = False


Group = list[RawMail] | MailFile  # what an input yields at once


def one_mail(blocks: Iterable[bytes], source: str, label: str, max_size: int) -> Iterator[list[RawMail]]:
    """Reads a stream that is one mail to its end, since mail systems take a closed pipe for a fault."""
    mail = MailBuffer(max_size)
    for block in blocks:
        mail.add(block)
    data, cut = mail.take()
    yield [RawMail(without_mark(data), source, label, cut)]


def many_mails(blocks: Iterable[bytes], source: str, label: str, max_size: int) -> Iterator[list[RawMail]]:
    """Yields the mails of an mbox that end in each block; they are named `source#1`, `source#2` ..."""
    splitter, count = Splitter(max_size), 0
    for block, final in _mark_end(blocks):
        mails = splitter.feed(block, final=final)
        if mails:
            yield [
                RawMail(data, f"{source}#{number}", label, cut)
                for number, (data, cut) in enumerate(mails, count + 1)
            ]
            count += len(mails)


def _mark_end(blocks: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    for block in blocks:
        yield block, False
    yield b"", True


def read_file(
    path: str, label: str, max_size: int, skipped: SkippedRecords, *, mbox: bool = False
) -> Iterable[list[RawMail]]:
    """Reads the mail in a file, or the mails of an mbox; skips an unreadable file with the reason."""
    data = None if mbox else _small_file(path)
    if data is None or len(data) > max_size or holds_many(data):
        return _read_any(path, label, max_size, skipped, mbox=mbox)
    return ([RawMail(without_mark(data), path, label)],)


def _small_file(path: str) -> bytes | None:
    """Reads a small regular file, as most mails are, in half of the time; None for any other."""
    try:
        descriptor = os.open(path, _FLAGS)
        try:
            status = os.fstat(descriptor)
            if status.st_size >= _SMALL or not stat.S_ISREG(status.st_mode):
                return None
            data = os.read(descriptor, _SMALL)
        finally:
            os.close(descriptor)
    except (OSError, ValueError):
        return None
    return data if len(data) == status.st_size and not data.startswith(COMPRESSED_MAGIC) else None


def _read_any(
    path: str, label: str, max_size: int, skipped: SkippedRecords, *, mbox: bool
) -> Iterator[list[RawMail]]:
    try:
        with open(path, "rb", opener=_open) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                skipped.add(path, "not a regular file")
                return
            with closing(ByteStream(path, file, live=False)) as stream:
                head = stream.read(max_size + 1)
                if mbox or holds_many(head):
                    yield from many_mails(_blocks(head, stream), path, label, max_size)
                else:
                    yield from one_mail(_blocks(head, stream), path, label, max_size)
    except ValueError:  # a NUL byte in the path, as an index can hold
        skipped.add(path, "not a name that a file can have")
    except OSError as error:
        reason = "not a regular file" if error.errno in _NOT_A_FILE else error.strerror
        skipped.add(path, reason or str(error))
    except DataError as error:
        cause = getattr(error.__cause__, "strerror", None)
        skipped.add(path, cause or error.message.removeprefix(f"{path}: "))


def _open(path: str, flags: int) -> int:
    """Opens a file without waiting for the writer of a FIFO."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _blocks(head: bytes, stream: ByteStream) -> Iterator[bytes]:
    yield head
    while block := stream.read(BLOCK):
        yield block
