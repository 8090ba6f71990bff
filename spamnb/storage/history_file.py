"""Keeps the lessons that the journal no longer has one by one, so that they can be listed and undone.

    head      "spamnb-history 1", the origin of the model's lessons
    block     mark, length, first and last lesson, time of the last, CRC-32 of the payload, CRC-32 of these
              six; then the payload

The journal has every lesson until its records become one, or go into the model file. Before that, the learner
puts them into the history. Only lessons up to the number that the model names are valid: what a killed
learner added beyond that is overwritten. A model works without its history; then nothing can be undone.
"""

from __future__ import annotations

import errno
import os
import struct
import time
import zlib
from contextlib import suppress
from typing import BinaryIO

from spamnb.core import Record, files, remove_leftovers, share_like
from spamnb.errors import JournalError, ModelError
from spamnb.storage import model_writer, update_journal
from spamnb.storage.model_file import HISTORY, AnyPath

HISTORY_DAYS = 90  # for which lessons are kept
MOST_LESSONS, MOST_BYTES = 20_000, 64 << 20
_HEAD = b"spamnb-history 1\n"
_MARK = b"blk1"
_FIELDS = struct.Struct("<4sIQQQI")
_BLOCK_HEAD = _FIELDS.size + 4
_DAY = 86_400
_SAFE = sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))


class Block(Record):
    """Lessons `first` to `last`, the time of the last, their bytes, and where the block begins and ends."""

    first: int
    last: int
    time: int
    start: int
    end: int
    check: int


class Lessons(Record):
    """New lessons for the history: their bytes, their numbers, and the time of the last."""

    payload: bytes
    first: int
    last: int
    time: int


def path_of(model: AnyPath) -> str:
    """Returns the path of a model's history."""
    return os.path.realpath(model) + HISTORY


def read(model: AnyPath, origin: str, last: int) -> list[bytes]:
    """Returns the payloads of the blocks up to lesson `last`; [] where the history is of other lessons.

    It ends at the first block that is damaged.
    """
    handle = _open(model, os.O_RDONLY)
    if handle is None:
        return []
    payloads = []
    with open(handle, "rb") as file:
        for block in _blocks(file, origin, last):
            file.seek(block.start + _BLOCK_HEAD)
            payload = file.read(block.end - block.start - _BLOCK_HEAD)
            if zlib.crc32(payload) != block.check:
                break
            payloads.append(payload)
    return payloads


def append(model: AnyPath, origin: str, floor: int, lessons: Lessons, days: int = HISTORY_DAYS) -> None:
    """Adds lessons, durably, behind those up to number `floor`. Needs the lock of the model.

    Lessons that are too old, or too many, are dropped. With 0 `days` there is no history.
    """
    try:
        if days <= 0:
            remove(model)
            return
        handle = _open(model, os.O_RDWR)
        if handle is None:
            _create(model, _head(origin) + _block(lessons))
            return
        with open(handle, "r+b") as file:
            _add(model, file, origin, floor, lessons, days)
    except OSError as error:
        raise model_writer.cannot_write_model(f"{os.fspath(model)}{HISTORY}", error) from error


def remove(model: AnyPath) -> None:
    """Removes the history of a model."""
    with suppress(FileNotFoundError):
        os.unlink(path_of(model))


def _add(model: AnyPath, file: BinaryIO, origin: str, floor: int, lessons: Lessons, days: int) -> None:
    blocks = list(_blocks(file, origin, floor))
    kept = _recent(blocks, days, lessons)
    if not blocks or len(kept) < len(blocks):
        data = [_head(origin)]
        for block in kept:
            file.seek(block.start)
            data.append(file.read(block.end - block.start))
        _create(model, b"".join([*data, _block(lessons)]))
        return
    with suppress(ModelError, OSError):  # the model may have another group or mode by now
        share_like(file.fileno(), os.path.realpath(model), at_least=0o600)
    file.seek(blocks[-1].end)
    file.truncate()  # what a killed learner left
    file.write(_block(lessons))
    file.flush()
    os.fsync(file.fileno())


def _recent(blocks: list[Block], days: int, new: Lessons) -> list[Block]:
    """Returns the last blocks that are within all limits, together with the new lessons."""
    oldest, kept = time.time() - days * _DAY, list[Block]()
    number, size = new.last - new.first + 1, len(new.payload)
    for block in reversed(blocks):
        number += block.last - block.first + 1
        size += block.end - block.start
        if block.time < oldest or number > MOST_LESSONS or size > MOST_BYTES:
            break
        kept.append(block)
    return kept[::-1]


def _create(model: AnyPath, data: bytes) -> None:
    real = os.path.realpath(model)
    with files.atomic_write(real + HISTORY, shared_like=real, at_least=0o600) as file:
        file.write(data)
    model_writer.sync_folder(os.path.dirname(real))
    remove_leftovers(os.path.dirname(real))


def _open(model: AnyPath, flags: int) -> int | None:
    shown = f"{os.fspath(model)}{HISTORY}"
    try:
        handle = os.open(path_of(model), flags | _SAFE)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise JournalError(f"{shown} is a link, expected a history", update_journal.NO_JOURNAL) from None
        what = (error.strerror or str(error)).lower()
        raise JournalError(f"cannot read {shown}: {what}", hint="check its permissions") from None
    try:
        update_journal.check_file(handle, model, HISTORY, "history")
    except BaseException:
        os.close(handle)
        raise
    return handle


def _head(origin: str) -> bytes:
    return _HEAD + origin.encode() + b"\n"


def _block(lessons: Lessons) -> bytes:
    numbers = lessons.first, lessons.last, lessons.time
    head = _FIELDS.pack(_MARK, len(lessons.payload), *numbers, zlib.crc32(lessons.payload))
    return head + zlib.crc32(head).to_bytes(4, "little") + lessons.payload


def _blocks(file: BinaryIO, origin: str, last: int) -> list[Block]:
    """Returns the blocks with lessons up to number `last`, without their payloads."""
    blocks, at, size = list[Block](), len(_head(origin)), os.fstat(file.fileno()).st_size
    if file.read(at) != _head(origin):
        return []
    while True:
        file.seek(at)
        head = file.read(_BLOCK_HEAD)
        if len(head) < _BLOCK_HEAD or head[_FIELDS.size :] != zlib.crc32(head[: _FIELDS.size]).to_bytes(
            4, "little"
        ):
            return blocks
        _, length, first, to, when, check = _FIELDS.unpack(head[: _FIELDS.size])
        end = at + _BLOCK_HEAD + length
        if end > size or to > last or (blocks and first <= blocks[-1].last):
            return blocks
        blocks.append(Block(first, to, when, at, end, check))
        at = end
