"""The journal beside a model file: what was learned since that was written, a record for each run.

    head      "spamnb-journal 1", the SHA-256 of the model file that it goes with
    record    mark, length, check, checksum of these three; then the change itself

The check of a record covers the one before it, so a record is only good in its place. docs/model-file.md
says why a reader is right at every moment without a lock.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
import struct
import time
import zlib
from contextlib import suppress
from typing import Any

from spamnb.core import Record, files
from spamnb.errors import ModelError
from spamnb.storage import model_file
from spamnb.storage.model_file import JOURNAL, JOURNAL_HEAD, AnyPath

MAX_BYTES = 1 << 30
_MARK = b"rec1"
_FIELDS = struct.Struct("<4sI8s")
_HEAD = re.compile(re.escape(JOURNAL_HEAD) + rb"[0-9a-f]{64}\n")
_LOOKED_AT = 1 << 16  # bytes of what has no head
_HEAD_SIZE = len(JOURNAL_HEAD) + 64 + 1
_RECORD_HEAD = _FIELDS.size + 4
_TRIES, _PAUSE = 5, 0.02
# To open a FIFO would else wait for its writer.
_SAFE = sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
_NO_JOURNAL = "spamnb did not make it: remove it"


class Damaged(Exception):
    """A journal that no crash explains; the argument is the byte where it begins to be wrong."""


class Journal(Record):
    """What stands in a journal: the records, where the last good one ends, and its check."""

    payloads: list[bytes]
    end: int
    check: bytes


def path_of(model: AnyPath) -> str:
    return os.path.realpath(model) + JOURNAL


def read_both(model: AnyPath) -> tuple[dict[str, Any], bytes, Journal | None]:
    """State and checksum of a model file, and its journal; None where it has none.

    The journal is opened before the model file: then it is never younger than that, and a journal that does
    not go with the file that is there is one whose records are in that file already.
    """
    for left in reversed(range(_TRIES)):
        handle = _open(model)
        try:
            state, seal = model_file.read_with_checksum(model)
            data = b"" if handle is None else _read(handle)
        finally:
            if handle is not None:
                os.close(handle)
        try:
            return state, seal, parse(data, seal)
        except Damaged as error:
            # While a learner takes a torn record away, what is read can be a mixture of both.
            if not left:
                raise damaged(model, f"byte {error}") from None
            time.sleep(_PAUSE)
    raise AssertionError


def read(model: AnyPath, seal: bytes) -> Journal | None:
    """The journal of the model file with this checksum. Needs the lock."""
    handle = _open(model)
    if handle is None:
        return None
    try:
        return parse(_read(handle), seal)
    except Damaged as error:
        raise damaged(model, f"byte {error}") from None
    finally:
        os.close(handle)


def _open(model: AnyPath) -> int | None:
    shown = f"{os.fspath(model)}{JOURNAL}"
    try:
        handle = os.open(path_of(model), os.O_RDONLY | _SAFE)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise ModelError(f"{shown} is a link, expected a journal", _NO_JOURNAL) from None
        raise ModelError(
            f"cannot read {shown}: {(error.strerror or str(error)).lower()}",
            hint="it holds what the model learned last; check its permissions",
        ) from None
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    raise ModelError(f"{shown} is not a regular file, expected a journal", _NO_JOURNAL)


def _read(handle: int) -> bytes:
    with open(handle, "rb", closefd=False) as file:
        size = os.fstat(handle).st_size  # to ask for all that may be there takes the memory for it
        return file.read(min(size, MAX_BYTES))


def parse(data: bytes, seal: bytes) -> Journal | None:
    """The good records of a journal that goes with the model file of this checksum; else None.

    A last record that is cut short, or zeros in place of one, is what a crash leaves behind: it is not there.
    """
    if not data.startswith(JOURNAL_HEAD + seal + b"\n"):
        if _is_damaged_head(data, seal):
            raise Damaged(0)
        return None
    payloads, at, check = [], _HEAD_SIZE, seal
    while (size := _size(data, at)) is not None:
        end = at + _RECORD_HEAD + size
        if end > len(data):
            break
        payload = data[at + _RECORD_HEAD : end]
        if _FIELDS.unpack_from(data, at)[2] != _check(check, payload):
            if end == len(data):
                break
            raise Damaged(at)
        payloads.append(payload)
        at, check = end, _check(check, payload)
    return Journal(payloads, at, check)


def _is_damaged_head(data: bytes, seal: bytes) -> bool:
    """Is this not another file's journal, or something else, but that of this one with other bytes in front?

    A journal comes to be as a whole, so no crash leaves it with half a head. What holds the mark of a record
    and has no head of any journal was one.
    """
    if not _HEAD.match(data):
        return _MARK in data[:_LOOKED_AT]
    try:
        size = _size(data, _HEAD_SIZE)
    except Damaged:
        return False
    first = data[_HEAD_SIZE + _RECORD_HEAD :][:size] if size is not None else b""
    return bool(first) and _FIELDS.unpack_from(data, _HEAD_SIZE)[2] == _check(seal, first)


def _size(data: bytes, at: int) -> int | None:
    """How long the record here is; None where no whole head of one stands."""
    head = data[at : at + _RECORD_HEAD]
    if len(head) < _RECORD_HEAD or not any(head):
        return None
    mark, size, _ = _FIELDS.unpack_from(head)
    if mark != _MARK or head[_FIELDS.size :] != zlib.crc32(head[: _FIELDS.size]).to_bytes(4, "little"):
        raise Damaged(at)
    return int(size)


def _check(before: bytes, payload: bytes) -> bytes:
    return hashlib.sha256(before + payload).digest()[:8]


def damaged(model: AnyPath, where: str) -> ModelError:
    shown = f"{os.fspath(model)}{JOURNAL}"
    hint = f"without it the model is as it was when its file was written: mv {shown} {shown}.damaged"
    return ModelError(f"{shown} is damaged: {where}", hint)


def append(model: AnyPath, seal: bytes, journal: Journal | None, payload: bytes) -> int:
    """Put a record at the end, durably or not at all; gives the size of the journal. Needs the lock."""
    check = _check(seal if journal is None else journal.check, payload)
    head = _FIELDS.pack(_MARK, len(payload), check)
    record = head + zlib.crc32(head).to_bytes(4, "little") + payload
    try:
        if journal is None:
            return _create(os.path.realpath(model), JOURNAL_HEAD + seal + b"\n" + record)
        return _extend(path_of(model), journal.end, record)
    except OSError as error:
        raise model_file.cannot_write(f"{os.fspath(model)}{JOURNAL}", error) from error


def _create(model: str, data: bytes) -> int:
    """A new journal comes to be as a whole, in place of one that went with another file.

    Who may read the model may read it too: without it they would have to do without the model.
    """
    import tempfile

    folder, path = os.path.dirname(model), model + JOURNAL
    handle, temporary = tempfile.mkstemp(".tmp", ".spamnb-", folder)  # mode 0600
    try:
        try:
            files.copy_read_permissions(model, handle)
            _write(handle, data)
            os.fsync(handle)
        finally:
            os.close(handle)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    model_file.sync_folder(folder)
    return len(data)


def _extend(path: str, end: int, record: bytes) -> int:
    handle = os.open(path, os.O_WRONLY | _SAFE)
    try:
        if os.fstat(handle).st_size > end:  # what a crash left behind the last good record
            os.ftruncate(handle, end)
        os.lseek(handle, end, os.SEEK_SET)
        try:
            _write(handle, record)
            os.fdatasync(handle) if hasattr(os, "fdatasync") else os.fsync(handle)
        except BaseException:
            with suppress(OSError):  # who was told that it failed must not find it there later
                os.ftruncate(handle, end)
            raise
    finally:
        os.close(handle)
    return end + len(record)


def _write(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]
