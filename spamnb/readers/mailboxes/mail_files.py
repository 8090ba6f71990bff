"""Raw mails out of files of any kind, at most so many bytes of each."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import NamedTuple

from spamnb.errors import DataError
from spamnb.readers.byte_stream import MAGIC, ByteStream
from spamnb.readers.mailboxes.mbox import Splitter, holds_many, without_mark
from spamnb.readers.skipped_rows import SkippedRecords

BLOCK = 1 << 20
_SMALL = 1 << 16  # bytes that are read at once
_NO_FILE = (errno.ENXIO, errno.EISDIR)  # what opening a socket or a folder gives
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class RawMail(NamedTuple):
    """The bytes of a mail, where they are from, what it is labelled, and whether it is longer than that."""

    data: bytes
    source: str
    label: str = ""
    cut: bool = False


class MailFile(NamedTuple):
    """A file with a mail, or with many if it is an mbox, that is still to be read."""

    path: str
    label: str = ""
    mbox: bool = False


Group = list[RawMail] | MailFile  # what comes from a source at once


def one_mail(blocks: Iterable[bytes], source: str, label: str, max_size: int) -> Iterator[list[RawMail]]:
    """A stream that is one mail; it is read to its end, since mail systems take a closed pipe for a fault."""
    data = b""
    for block in blocks:
        data += block[: max_size + 1 - len(data)]
    yield [RawMail(without_mark(data[:max_size]), source, label, len(data) > max_size)]


def many_mails(blocks: Iterable[bytes], source: str, label: str, max_size: int) -> Iterator[list[RawMail]]:
    """The mails of an mbox, as they come to an end in each block; named `source#1`, `source#2` ..."""
    splitter, count = Splitter(max_size), 0
    for block, final in _last_is_known(blocks):
        found = splitter.feed(block, final=final)
        if found:
            yield [
                RawMail(data, f"{source}#{number}", label, cut)
                for number, (data, cut) in enumerate(found, count + 1)
            ]
            count += len(found)


def _last_is_known(blocks: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    for block in blocks:
        yield block, False
    yield b"", True


def read_file(
    path: str, label: str, max_size: int, skipped: SkippedRecords, *, mbox: bool = False
) -> Iterable[list[RawMail]]:
    """The mail in a file, or the mails if it is an mbox; what cannot be read is skipped with the reason."""
    data = None if mbox else _small_file(path)
    if data is None or len(data) > max_size or holds_many(data):
        return _read_any(path, label, max_size, skipped, mbox=mbox)
    return ([RawMail(without_mark(data), path, label)],)


def _small_file(path: str) -> bytes | None:
    """The bytes of a file as most mails are, in half of the time; None for all that needs more care."""
    try:
        number = os.open(path, _FLAGS)
        try:
            found = os.fstat(number)
            if found.st_size >= _SMALL or not stat.S_ISREG(found.st_mode):
                return None
            data = os.read(number, _SMALL)
        finally:
            os.close(number)
    except (OSError, ValueError):
        return None
    return data if len(data) == found.st_size and not data.startswith(MAGIC) else None


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
                    yield from one_mail([head], path, label, max_size)
    except ValueError:  # a NUL byte, as an index can hold
        skipped.add(path, "not a name that a file can have")
    except OSError as error:
        skipped.add(path, "not a regular file" if error.errno in _NO_FILE else error.strerror or str(error))
    except DataError as error:
        why = getattr(error.__cause__, "strerror", None)
        skipped.add(path, why or error.message.removeprefix(f"{path}: "))


def _open(path: str, flags: int) -> int:
    """To open a FIFO would else wait for its writer."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _blocks(head: bytes, stream: ByteStream) -> Iterator[bytes]:
    yield head
    while block := stream.read(BLOCK):
        yield block
