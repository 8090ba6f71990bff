"""Keeps a journal beside a model file: the changes since that was written, as bytes, one record for each run.

    head      "spamnb-journal 1", the SHA-256 of the model file that it belongs to
    record    mark, length, check, checksum of these three; then the payload

The check of a record covers the one before it, so a record is valid only in its place. Readers need no lock:
docs/internals/model-format.md has the reasons.
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
from shlex import quote
from typing import Any

from spamnb.core import Record, files, is_trusted, remove_leftovers, share_like, user_name
from spamnb.errors import JournalError, ModelError, TornJournalError
from spamnb.storage import model_file, model_writer
from spamnb.storage.model_file import JOURNAL, JOURNAL_HEAD, AnyPath

MAX_BYTES = 1 << 30
_MARK = b"rec1"
_FIELDS = struct.Struct("<4sI8s")
_HEAD = re.compile(re.escape(JOURNAL_HEAD) + rb"[0-9a-f]{64}\n")
_HEAD_SIZE = len(JOURNAL_HEAD) + 64 + 1
_RECORD_HEAD = _FIELDS.size + 4
_TRIES, _PAUSE = 5, 0.02
# Without O_NONBLOCK, opening a FIFO would wait for its writer.
_SAFE = sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
NO_JOURNAL = "spamnb did not make it: remove it"


class DamagedJournal(Exception):
    """A journal with damage that no crash explains; the argument is the byte where it begins."""


class Journal(Record):
    """The payloads of a journal, the byte where the last valid record ends, and the check of that record.

    `is_torn`: more bytes follow, of a record that was cut off.
    """

    payloads: list[bytes]
    end: int
    check: bytes
    is_torn: bool = False


def path_of(model: AnyPath) -> str:
    """Returns the path of a model's journal."""
    return os.path.realpath(model) + JOURNAL


def read_both(model: AnyPath) -> tuple[dict[str, Any], bytes, Journal | None]:
    """Returns state and checksum of a model file, and its journal, None where it has none.

    The journal is opened before the model file, so it is never newer than that: the records of a journal that
    does not belong to the file are already in the file.
    """
    for left in reversed(range(_TRIES)):
        handle = _open(model)
        try:
            state, checksum = model_file.read_with_checksum(model)
            if handle is None:
                return state, checksum, None
            data = _read(handle)
        finally:
            if handle is not None:
                os.close(handle)
        try:
            journal = parse(data, checksum)
            if journal is None or not (journal.is_torn and left):
                return state, checksum, journal
        except DamagedJournal as error:
            # While a learner removes a torn record, a reader can see a mixture of both.
            if not left:
                raise damaged(model, f"byte {error.args[0]:,}") from None
        time.sleep(_PAUSE)  # perhaps a learner is just writing
    raise AssertionError


def read(model: AnyPath, checksum: bytes) -> Journal | None:
    """Returns the journal of the model file with this checksum. Needs the lock."""
    handle = _open(model)
    if handle is None:
        return None
    try:
        return parse(_read(handle), checksum)
    except DamagedJournal as error:
        raise damaged(model, f"byte {error.args[0]:,}") from None
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
            raise JournalError(f"{shown} is a link, expected a journal", NO_JOURNAL) from None
        raise JournalError(
            f"cannot read {shown}: {(error.strerror or str(error)).lower()}",
            hint="it holds what the model learned last; "
            f"see `spamnb model check -m {quote(os.fspath(model))}`",
        ) from None
    try:
        check_file(handle, model)
    except BaseException:
        os.close(handle)
        raise
    return handle


def check_file(handle: int, model: AnyPath, suffix: str = JOURNAL, kind: str = "journal") -> None:
    """Refuses a journal that another user may have put beside the model, and what is no regular file."""
    shown, status = f"{os.fspath(model)}{suffix}", os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        raise JournalError(f"{shown} is not a regular file, expected a {kind}", NO_JOURNAL)
    if os.path.exists(model) and not is_trusted(status.st_uid, os.fspath(model)):
        owner = user_name(os.stat(model).st_uid)
        raise JournalError(
            f"{shown} belongs to {user_name(status.st_uid)}, expected {owner}, the model's owner",
            hint=f"if it is right, change its owner: chown {owner} {quote(shown)}; else remove it",
        )


def _read(handle: int) -> bytes:
    with open(handle, "rb", closefd=False) as file:
        size = os.fstat(handle).st_size  # reading takes memory for as many bytes as are asked for
        return file.read(min(size, MAX_BYTES))


def parse(data: bytes, checksum: bytes) -> Journal | None:
    """Returns the valid records of a journal that belongs to the model file with this checksum, else None.

    A crash can leave a last record that is cut short, or zeros in its place: such a record is ignored.
    """
    if not data.startswith(JOURNAL_HEAD + checksum + b"\n"):
        if _has_damaged_head(data, checksum):
            raise DamagedJournal(0)
        return None
    payloads, at, check = [], _HEAD_SIZE, checksum
    while (size := _record_size(data, at)) is not None:
        end = at + _RECORD_HEAD + size
        if end > len(data):
            break
        payload = data[at + _RECORD_HEAD : end]
        if _FIELDS.unpack_from(data, at)[2] != _check(check, payload):
            if end == len(data):
                break
            raise DamagedJournal(at)
        payloads.append(payload)
        at, check = end, _check(check, payload)
    return Journal(payloads, at, check, at < len(data))


def _has_damaged_head(data: bytes, checksum: bytes) -> bool:
    """Tells whether this is the journal of the file with this checksum, but with another head.

    A journal is created as a whole, so no crash leaves half a head or none.
    """
    if not _HEAD.match(data):
        return True
    try:
        size = _record_size(data, _HEAD_SIZE)
    except DamagedJournal:
        return False
    first = data[_HEAD_SIZE + _RECORD_HEAD :][:size] if size is not None else b""
    return bool(first) and _FIELDS.unpack_from(data, _HEAD_SIZE)[2] == _check(checksum, first)


def _record_size(data: bytes, at: int) -> int | None:
    """Returns the size of the payload that begins here; None where no complete head of a record stands."""
    head = data[at : at + _RECORD_HEAD]
    if len(head) < _RECORD_HEAD:
        return None
    if not any(head):
        if _has_record_after(data, at):
            raise DamagedJournal(at)
        return None
    if not _is_record_head(head):
        raise DamagedJournal(at)
    return int(_FIELDS.unpack_from(head)[1])


def _is_record_head(head: bytes) -> bool:
    return head.startswith(_MARK) and head[_FIELDS.size :] == _crc(head[: _FIELDS.size])


def _crc(data: bytes) -> bytes:
    return zlib.crc32(data).to_bytes(4, "little")


def _has_record_after(data: bytes, at: int) -> bool:
    """Tells whether a record is behind these zeros: a crash leaves zeros in place of the last record only."""
    while (at := data.find(_MARK, at + 1)) >= 0:
        if _is_record_head(data[at : at + _RECORD_HEAD]):
            return True
    return False


def _check(before: bytes, payload: bytes) -> bytes:
    return hashlib.sha256(before + payload).digest()[:8]


def damaged(model: AnyPath, where: str) -> JournalError:
    """Returns the error for a damaged journal."""
    shown = f"{os.fspath(model)}{JOURNAL}"
    command = f"mv {quote(shown)} {quote(f'{shown}.damaged')}"
    hint = f"without it the model is as it was when its file was written: {command}"
    return JournalError(f"{shown} is damaged: {where}", hint)


def torn(model: AnyPath, journal: Journal) -> TornJournalError:
    """Returns the warning for a journal that ends inside a record: all records before it count."""
    shown = f"{os.fspath(model)}{JOURNAL}"
    command = f"spamnb learn --compact -m {quote(os.fspath(model))}"
    hint = f"a learner was killed, or the file was cut; the next `learn` or `{command}` repairs it"
    return TornJournalError(f"{shown} ends inside a record: byte {journal.end:,}", hint)


def append(model: AnyPath, checksum: bytes, journal: Journal | None, payload: bytes) -> int:
    """Appends a record, durably or not at all; returns the size of the journal. Needs the lock.

    With no `journal`, a new one replaces any that is there.
    """
    check = _check(checksum if journal is None else journal.check, payload)
    head = _FIELDS.pack(_MARK, len(payload), check)
    record = head + _crc(head) + payload
    try:
        if journal is None:
            size = _create(os.path.realpath(model), JOURNAL_HEAD + checksum + b"\n" + record)
        else:
            size = _extend(model, journal.end, record)
        remove_leftovers(os.path.dirname(os.path.realpath(model)))
        return size
    except OSError as error:
        raise model_writer.cannot_write_model(f"{os.fspath(model)}{JOURNAL}", error) from error


def _create(model: str, data: bytes) -> int:
    """Writes a new journal as a whole, with the owner and the permissions of the model."""
    with files.atomic_write(model + JOURNAL, shared_like=model, at_least=0o600) as file:
        file.write(data)
    model_writer.sync_folder(os.path.dirname(model))
    return len(data)


def _extend(model: AnyPath, end: int, record: bytes) -> int:
    handle = os.open(path_of(model), os.O_WRONLY | _SAFE)
    try:
        check_file(handle, model)
        with suppress(ModelError, OSError):  # the model may have another group or mode by now
            share_like(handle, os.path.realpath(model), at_least=0o600)
        if os.fstat(handle).st_size > end:  # a crash left something behind the last valid record
            os.ftruncate(handle, end)
        os.lseek(handle, end, os.SEEK_SET)
        try:
            _write(handle, record)
            os.fdatasync(handle) if hasattr(os, "fdatasync") else os.fsync(handle)
        except BaseException:
            with suppress(OSError):  # a record that was reported as failed must not turn up later
                os.ftruncate(handle, end)
            raise
    finally:
        os.close(handle)
    return end + len(record)


def _write(handle: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(handle, left) :]
