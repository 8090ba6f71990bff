"""Model files: a dict of builtins and plain arrays, written by joblib in one step or not at all, read safely.

The file is what `joblib.dump` writes, so `joblib.load` opens it, followed by a line with its SHA-256.
`read` needs no joblib, runs nothing the file asks for, and maps the arrays instead of copying them.
The checksum finds damage, not malice: who can change a file can change its checksum too.
"""

from __future__ import annotations

import errno
import hashlib
import mmap as mapping
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from typing import BinaryIO, TypeVar

import numpy as np

from spamnb.core import files
from spamnb.errors import ModelError
from spamnb.storage import safe_unpickler
from spamnb.storage.model_writer import SEAL, SEAL_SIZE, dump, plain

FORMAT = "spamnb-model"
FORMAT_VERSION = 1
MAX_BYTES = 4 << 30
_HEAD = 256  # bytes, among the first of which a file says that it is a model
JOURNAL = (
    ".journal"  # what is learned into a model file stands beside it first: spamnb/storage/update_journal.py
)
JOURNAL_HEAD = b"spamnb-journal 1\n"  # then the checksum of the model file that it goes with

T = TypeVar("T")
AnyPath = str | os.PathLike[str]

_TRAIN = "train one with `spamnb train DATA`"
_AGAIN = "copy the file again, or train a new model with `spamnb train DATA`"
_COMPRESSED = (b"\x1f\x8b", b"x\x01", b"x\x5e", b"x\x9c", b"x\xda", b"BZh", b"\xfd7zXZ", b"]\x00\x00", b"ZF")
_MAGIC = {  # first bytes of what people mistake for a model
    "compressed data": _COMPRESSED,
    "a ZIP archive": (b"PK\x03\x04",),
    "a Parquet file": (b"PAR1",),
    "a mailbox": (b"From ",),
    "a JSON file": (b"{",),
}


def write(state: Mapping[str, object], path: AnyPath) -> int:
    """Put `state` at `path` as a whole or leave what was there; gives the number of bytes written.

    The file is readable by its owner only; the same state with its keys in the same order gives the same
    bytes. Tuples come back as lists. A missing folder is made; a link is refused.
    """
    shown = os.fspath(path)
    files.refuse_link(shown, ModelError)
    document = plain(_titled(state), "", {}, 0)
    try:
        return _save(document, files.target(shown))
    except safe_unpickler.RefusedError as error:
        raise ModelError(f"cannot write {shown}: {error}", "keep many values in one array") from error
    except (OSError, ValueError) as error:
        raise cannot_write(shown, error) from error


def cannot_write(shown: str, error: Exception) -> ModelError:
    """What to say when the system refuses."""
    return ModelError(f"cannot write {shown}: {_words(error)}", _write_hint(error))


def read(path: AnyPath, *, mmap: bool = True) -> dict[str, object]:
    """The state stored at `path`, checked against its checksum; whatever is wrong with it is a ModelError.

    With `mmap` the arrays are read-only views of the file, good for as long as nobody shortens it in place
    (`write` never does); without it they are in memory and writeable.
    """
    return read_with_checksum(path, mmap=mmap)[0]


def read_with_checksum(path: AnyPath, *, mmap: bool = True) -> tuple[dict[str, object], bytes]:
    """What `read` gives, and the checksum of the file: a journal names the file that it goes with so."""
    shown = os.fspath(path)
    try:
        data = _bytes(shown, mmap)
        state = _untitled(safe_unpickler.load(_body(data, shown)), shown)
        return state, bytes(data[-65:-1])
    except ModelError:
        raise
    except safe_unpickler.RefusedError as error:
        hint = f"nothing in it was run; {_TRAIN}"
        raise ModelError(f"{shown} is not a spamnb model: {error}", hint) from error
    except FileNotFoundError as error:
        raise ModelError(f"no model at {shown}", _TRAIN) from error
    except Exception as error:
        raise ModelError(
            f"cannot read {shown}: {_words(error)}", "check the path and its permissions"
        ) from error


def is_model_file(path: AnyPath) -> bool:
    """Does a file begin and end as model files do? Nothing is said of what lies between."""
    with suppress(ModelError, OSError):
        check_file(os.fspath(path))
        with open(path, "rb") as file:
            head = file.read(_HEAD)
            file.seek(max(0, os.fstat(file.fileno()).st_size - SEAL_SIZE))
            return begins_model(head) and file.read().startswith(SEAL)
    return False


def begins_model(head: bytes) -> bool:
    """Are these the first bytes of a model file?"""
    return head.startswith(b"\x80") and FORMAT.encode() in head[:_HEAD]


def checksum_of(path: AnyPath) -> bytes:
    """The checksum that a file says it has, without a look at the rest."""
    check_file(os.fspath(path))
    with open(path, "rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - 65))
        return file.read(64)


def require(
    state: Mapping[str, object],
    key: str,
    kind: type[T],
    *,
    dtype: str | None = None,
    ndim: int | None = None,
    shape: tuple[int, ...] | None = None,
) -> T:
    """The value at `key` ("a.b" is b inside a) if it is exactly of this kind, and otherwise a ModelError.

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


def _unusable(key: str, expected: str, got: str) -> ModelError:
    return ModelError(f"the model's {key} is not usable: expected {expected}, got {got}", _AGAIN)


def _titled(state: Mapping[str, object]) -> dict[str, object]:
    title: dict[str, object] = {"format": FORMAT, "version": FORMAT_VERSION}
    for key in title.keys() & state.keys():
        raise ModelError(f"the model state has a key {key!r}, which the model file needs for itself")
    return title | dict(state)


def _untitled(document: object, shown: str) -> dict[str, object]:
    if not isinstance(document, dict) or document.pop("format", None) != FORMAT:
        raise ModelError(f"{shown} is not a spamnb model", _TRAIN)
    version = document.pop("version", None)
    if type(version) is not int or version < 1:
        raise ModelError(f"{shown} is not a spamnb model: it has no format version", _TRAIN)
    if version > FORMAT_VERSION:
        formats = f"format {version}, this one reads up to {FORMAT_VERSION}"
        hint = "upgrade spamnb, or train a new model with `spamnb train DATA`"
        raise ModelError(f"{shown} was written by a newer spamnb ({formats})", hint)
    return document


def _save(document: object, target: str) -> int:
    import tempfile

    folder = _folder(target)
    handle, temporary = tempfile.mkstemp(".tmp", ".spamnb-", folder)  # mode 0600
    try:
        with open(handle, "w+b") as file:
            files.copy_read_permissions(target, handle)
            size = dump(document, file)
            if size > MAX_BYTES:
                raise OSError(errno.EFBIG, f"it would be larger than {MAX_BYTES} bytes")
            # What cannot be read back must not replace what can.
            view = memoryview(_map(file))
            safe_unpickler.load(view[:-SEAL_SIZE])
        _drop_journal(target, bytes(view[-65:-1]))
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    sync_folder(folder)
    with suppress(OSError):
        _drop_journal(target)
    return size


def _drop_journal(target: str, seal: bytes = b"") -> None:
    """A new file needs no journal of the old one; with `seal`, only if that would go with the new one too.

    The journal of another file is not looked at, so it can go after the file is replaced. But the same
    bytes may come again, if a model is trained again: then the journal has to go before.
    """
    path = target + JOURNAL
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):  # to open a FIFO would wait for its writer
            raise OSError(errno.EINVAL, f"{path} is not a regular file: remove it")
        with open(path, "rb") as file:
            head = file.read(len(JOURNAL_HEAD) + 64)
    except FileNotFoundError:
        return
    if head.startswith(JOURNAL_HEAD + seal):
        os.unlink(path)


def _folder(target: str) -> str:
    if os.path.isdir(target):
        raise IsADirectoryError(errno.EISDIR, "it is a directory, expected a file")
    if os.path.exists(target) and not os.path.isfile(target):
        raise OSError(errno.EINVAL, "it is not a regular file")
    folder = os.path.dirname(target)
    with suppress(FileExistsError):  # a file in place of the folder: the next step says so better
        files.make_folder(folder)
    return folder


def sync_folder(folder: str) -> None:
    """Make the new name durable where the system can; if it cannot, the old or the new model is there."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _map(file: BinaryIO) -> mapping.mmap:
    return mapping.mmap(file.fileno(), 0, access=mapping.ACCESS_READ)


def check_file(shown: str) -> None:
    """Refuse what cannot be a model file; asked first, because opening a pipe would wait for its writer."""
    try:
        kind = os.stat(shown).st_mode
    except FileNotFoundError:
        raise ModelError(f"no model at {shown}", _TRAIN) from None
    if stat.S_ISDIR(kind):
        raise ModelError(f"{shown} is a directory, expected a model file", "give the path of the file in it")
    if not stat.S_ISREG(kind):
        raise ModelError(f"{shown} is not a regular file, expected a model file", _TRAIN)


def _bytes(shown: str, mapped: bool) -> memoryview:
    check_file(shown)
    with open(shown, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size == 0:
            raise ModelError(f"{shown} is empty, expected a spamnb model", _AGAIN)
        if size > MAX_BYTES:
            raise ModelError(f"{shown} is too large: {size} bytes, expected at most {MAX_BYTES}", _TRAIN)
        if mapped:
            return memoryview(_map(file))
        data = bytearray(size)
        file.readinto(data)
        return memoryview(data)


def _body(data: memoryview, shown: str) -> memoryview:
    """What `joblib.dump` wrote, without the seal, once the seal is found to match."""
    if data[0] != 0x80:
        guess = _guess(bytes(data[:4096]))
        hint = "if these are labelled messages, train on them with `spamnb train`"
        raise ModelError(f"{shown} is not a spamnb model: it looks like {guess}", hint)
    body, seal = data[:-SEAL_SIZE], bytes(data[-SEAL_SIZE:])
    if not seal.startswith(SEAL):
        raise ModelError(f"{shown} is cut short or not a spamnb model: no checksum at its end", _AGAIN)
    if seal != SEAL + hashlib.sha256(body).hexdigest().encode() + b"\n":
        raise ModelError(f"{shown} is damaged: its contents do not match its checksum", _AGAIN)
    return body


def _guess(head: bytes) -> str:
    for name, magic in _MAGIC.items():
        if head.startswith(magic):
            return name
    line = head.splitlines()[0]
    if b"\0" in head:
        return "the data of another program"
    return "a CSV file" if b"," in line else "a TSV file" if b"\t" in line else "a text file"


def _words(error: Exception) -> str:
    text = (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__
    return text[0].lower() + text[1:]


def _write_hint(error: Exception) -> str:
    number = error.errno if isinstance(error, OSError) else None
    if number in (errno.ENOSPC, errno.EDQUOT):
        return "free some disk space and try again; the model that was there is unchanged"
    if number in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "give a place where you may write"
    return "the model that was there, if any, is unchanged"
