"""Reads model files: a dict of builtins and plain arrays, as joblib writes it, followed by its SHA-256.

`joblib.load` opens such a file too. `read` needs no joblib, runs nothing that the file asks for, and maps
large files instead of copying them. The checksum detects damage, not malice: an attacker who can change the
file can change its checksum too. `model_writer` writes model files.
"""

from __future__ import annotations

import hashlib
import math
import mmap as mapping
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from typing import BinaryIO, TypeVar

import numpy as np

from spamnb.errors import ModelError
from spamnb.storage import safe_unpickler

FORMAT = "spamnb-model"
FORMAT_VERSION = 1
MAX_BYTES = 4 << 30
# A mapped file that is shortened in place ends its readers with SIGBUS, so files up to this size are read.
# That takes 0.5 ms per MB more than mapping, and memory that processes do not share.
MAX_READ = 64 << 20
CHECKSUM_MARK = b"\nspamnb-sha256:"
TRAILER_SIZE = len(CHECKSUM_MARK) + 64 + 1  # the mark, the checksum in hexadecimal digits and a line feed
JOURNAL = ".journal"  # the suffix of the journal beside a model file: spamnb/storage/update_journal.py
HISTORY = ".history"  # the suffix of the lessons that the journal no longer has: storage/history_file.py
JOURNAL_HEAD = b"spamnb-journal 1\n"  # followed by the checksum of the model file that it belongs to
_HEAD = 256  # bytes at the beginning of a file that contain its format

T = TypeVar("T")
AnyPath = str | os.PathLike[str]

_TRAIN = "train one with `spamnb train DATA`"
_AGAIN = "copy the file again, or train a new model with `spamnb train DATA`"
_COMPRESSED = (b"\x1f\x8b", b"x\x01", b"x\x5e", b"x\x9c", b"x\xda", b"BZh", b"\xfd7zXZ", b"]\x00\x00", b"ZF")
_MAGIC = {  # first bytes of files that users mistake for a model
    "compressed data": _COMPRESSED,
    "a ZIP archive": (b"PK\x03\x04",),
    "a Parquet file": (b"PAR1",),
    "a mailbox": (b"From ",),
    "a JSON file": (b"{",),
}


def read(path: AnyPath, *, mmap: bool = True) -> dict[str, object]:
    """Returns the state stored at `path`, checked against its checksum; any defect is a ModelError.

    With `mmap` the arrays are read-only, and views of the file if it is larger than MAX_READ: such a file
    must not be shortened in place (`model_writer` never does). Without `mmap` they are writeable.
    """
    return read_with_checksum(path, mmap=mmap)[0]


def read_with_checksum(path: AnyPath, *, mmap: bool = True) -> tuple[dict[str, object], bytes]:
    """Returns the state and the checksum of the file, by which a journal names the file it belongs to."""
    shown = os.fspath(path)
    try:
        data = _bytes(shown, mmap)
        state = _without_title(safe_unpickler.load(_body(data, shown)), shown)
        return state, bytes(data[-65:-1])
    except ModelError:
        raise
    except safe_unpickler.RefusedError as error:
        hint = f"nothing in it was run; {_TRAIN}"
        raise ModelError(f"{shown} is not a spamnb model: {error}", hint) from error
    except FileNotFoundError as error:
        raise ModelError(f"no model at {shown}", _TRAIN) from error
    except Exception as error:
        hint = "check the path and its permissions"
        raise ModelError(f"cannot read {shown}: {reason(error)}", hint) from error


def is_model_file(path: AnyPath) -> bool:
    """Does a file begin and end as model files do? What lies between is not checked."""
    with suppress(ModelError, OSError):
        check_file(os.fspath(path))
        with open(path, "rb") as file:
            head = file.read(_HEAD)
            file.seek(max(0, os.fstat(file.fileno()).st_size - TRAILER_SIZE))
            return begins_model(head) and file.read().startswith(CHECKSUM_MARK)
    return False


def begins_model(head: bytes) -> bool:
    """Tells whether these are the first bytes of a model file."""
    return head.startswith(b"\x80") and FORMAT.encode() in head[:_HEAD]


def checksum_of(path: AnyPath) -> bytes:
    """Returns the checksum at the end of a file; what comes before it is not read."""
    check_file(os.fspath(path))
    with open(path, "rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - 65))
        return file.read(64)


def check_file(shown: str) -> None:
    """Refuses what cannot be a model file, before it is opened: opening a pipe would wait for its writer."""
    try:
        kind = os.stat(shown).st_mode
    except FileNotFoundError:
        raise ModelError(f"no model at {shown}", _TRAIN) from None
    if stat.S_ISDIR(kind):
        raise ModelError(f"{shown} is a directory, expected a model file", "give the path of the file in it")
    if not stat.S_ISREG(kind):
        raise ModelError(f"{shown} is not a regular file, expected a model file", _TRAIN)


def require(
    state: Mapping[str, object],
    key: str,
    kind: type[T],
    *,
    dtype: str | None = None,
    ndim: int | None = None,
    shape: tuple[int, ...] | None = None,
) -> T:
    """Returns the value at `key` ("a.b" is b inside a); a ModelError if it is not exactly of this kind.

    >>> require({"counts": {"total": np.zeros(3, "u8")}}, "counts.total", np.ndarray, dtype="u8", ndim=1)
    array([0, 0, 0], dtype=uint64)
    """
    value: object = state
    for part in key.split("."):
        if not isinstance(value, Mapping) or part not in value:
            raise ModelError(f"the model has no {key}", _AGAIN)
        value = value[part]
    if type(value) is not kind:
        raise _unusable(key, kind.__name__, type(value).__name__)
    if isinstance(value, np.ndarray):
        if dtype is not None and value.dtype != dtype:
            raise _unusable(key, np.dtype(dtype).name, value.dtype.name)
        if ndim is not None and value.ndim != ndim:
            raise _unusable(key, f"{ndim} dimensions", f"{value.ndim}")
        if shape is not None and value.shape != shape:
            raise _unusable(key, f"shape {shape}", f"{value.shape}")
    return value


def finite_number(value: object) -> float:
    """Returns a number of a state as a float; a ValueError if it is none, not finite, or larger than a float.

    >>> finite_number(2), finite_number(0.5)
    (2.0, 0.5)
    """
    if type(value) is not int and type(value) is not float:
        raise ValueError(f"expected a number, got {type(value).__name__}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError("a number is not finite")
    return number


def _unusable(key: str, expected: str, got: str) -> ModelError:
    return ModelError(f"the model's {key} is not usable: expected {expected}, got {got}", _AGAIN)


def _without_title(document: object, shown: str) -> dict[str, object]:
    if not isinstance(document, dict) or document.pop("format", None) != FORMAT:
        raise ModelError(f"{shown} is not a spamnb model", _TRAIN)
    version = document.pop("version", None)
    if type(version) is not int or version < 1:
        raise ModelError(f"{shown} is not a spamnb model: it has no format version", _TRAIN)
    if version != FORMAT_VERSION:
        formats = f"format {version}, this one reads {FORMAT_VERSION}"
        hint = "upgrade spamnb, or train a new model with `spamnb train DATA`"
        raise ModelError(f"{shown} was written by a newer spamnb ({formats})", hint)
    return document


def map_file(file: BinaryIO) -> mapping.mmap:
    """Maps a file into memory, read-only."""
    return mapping.mmap(file.fileno(), 0, access=mapping.ACCESS_READ)


def _bytes(shown: str, mapped: bool) -> memoryview:
    check_file(shown)
    with open(shown, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size > MAX_BYTES:
            raise ModelError(f"{shown} is too large: {size} bytes, expected at most {MAX_BYTES}", _TRAIN)
        data = _contents(file, size, mapped)
    if not data:
        raise ModelError(f"{shown} is empty, expected a spamnb model", _AGAIN)
    return data


def _contents(file: BinaryIO, size: int, mapped: bool) -> memoryview:
    if mapped and size > MAX_READ:
        return memoryview(map_file(file))
    if mapped:
        return memoryview(file.read(size))
    data = bytearray(size)
    return memoryview(data)[: file.readinto(data)]  # type: ignore[attr-defined]


def _body(data: memoryview, shown: str) -> memoryview:
    """Returns what joblib wrote, once the checksum behind it matches."""
    if data[0] != 0x80:
        hint = "if these are labelled messages, train on them with `spamnb train`"
        looks = _guess_kind(bytes(data[:4096]))
        raise ModelError(f"{shown} is not a spamnb model: it looks like {looks}", hint)
    body, trailer = data[:-TRAILER_SIZE], bytes(data[-TRAILER_SIZE:])
    if not trailer.startswith(CHECKSUM_MARK):
        raise ModelError(f"{shown} is cut short or not a spamnb model: no checksum at its end", _AGAIN)
    if trailer != CHECKSUM_MARK + hashlib.sha256(body).hexdigest().encode() + b"\n":
        raise ModelError(f"{shown} is damaged: its contents do not match its checksum", _AGAIN)
    return body


def _guess_kind(head: bytes) -> str:
    for name, magic in _MAGIC.items():
        if head.startswith(magic):
            return name
    line = head.splitlines()[0]
    if b"\0" in head:
        return "the data of another program"
    return "a CSV file" if b"," in line else "a TSV file" if b"\t" in line else "a text file"


def reason(error: Exception) -> str:
    """Returns the text of an error, beginning in lower case."""
    text = (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__
    return text[0].lower() + text[1:]
