"""Opens files, pipes and standard input as bytes, and unpacks compressed ones on the way."""

from __future__ import annotations

import importlib
import io
import os
import stat
import sys
from collections.abc import Iterator

from spamnb.core import Record
from spamnb.errors import DataError

_MODULES = ((b"\x1f\x8b", "gzip"), (b"BZh", "bz2"), (b"\xfd7zXZ\x00", "lzma"))  # first bytes -> module
COMPRESSED_MAGIC = tuple(magic for magic, _ in _MODULES)
_NAMES = {"gzip": "gzip", "bz2": "bzip2", "lzma": "xz"}  # module -> the user's name of the compression
_LONGEST_FIRST = 1 << 26  # bytes of the first line of an exported model: its settings
_LONGEST_LINE = 1 << 30  # of any other: the last one may hold the digests of a hundred million messages
_BLOCK = 1 << 20


class StoredFile(Record):
    """A file as it was when it was opened: its size, and its device and inode number."""

    path: str
    size: int
    identity: tuple[int, int]

    def open(self) -> io.FileIO:
        """Opens the file once more; refuses another file that has taken its name."""
        file = open(self.path, "rb", buffering=0)  # noqa: SIM115 (the caller closes it)
        if _identity(file) != self.identity:
            file.close()
            raise DataError(f"{self.path} was replaced while it was read", hint="try again")
        return file


class ByteStream:
    """The unpacked bytes of an input; a `live` one returns what has arrived instead of waiting for more."""

    def __init__(self, path: str, file: io.BufferedReader, *, live: bool) -> None:
        self.path = path
        self.size = _file_size(file)
        self.live = live and self.size is None
        self.ended = False
        self._file = file
        self._bytes_read = 0
        self._closed = False
        try:
            self._module = _compression_module(file)
        except OSError as error:
            raise _unreadable(self.name, error) from error
        self._unpacked: io.BufferedIOBase = _unpack(file, self._module) if self._module else file

    @property
    def name(self) -> str:
        """How messages to the user name the input."""
        return "stdin" if self.path == "-" else self.path

    @property
    def compression(self) -> str:
        return _NAMES.get(self._module, "")

    @property
    def stored(self) -> StoredFile | None:
        """The file for another process to open; None if the input is no file on disk."""
        if self.size is None or self.path == "-":
            return None
        return StoredFile(self.path, self.size, _identity(self._file))

    @property
    def position(self) -> int:
        """The number of stored bytes, before unpacking, that were read."""
        return self._bytes_read if self.size is None else self._file.tell()

    def read(self, size: int) -> bytes:
        """Reads up to `size` bytes, at least one; returns nothing at the end."""
        pieces: list[bytes] = []
        while size > 0 and not self.ended:
            piece = self._read(size)
            pieces.append(piece)
            size -= len(piece)
            self.ended = not piece
            if self.ended:
                self._check_whole()
            if self.live and not _has_more(self._file):
                break
        return b"".join(pieces) if len(pieces) != 1 else pieces[0]

    def _check_whole(self) -> None:
        if self.size is not None and not self._module and self.path != "-":
            check_whole(self.name, self.size, self._bytes_read)

    def lines(self) -> Iterator[bytes]:
        """Yields the lines without their ends; a very long line comes in pieces, as if it were many."""
        begun: list[bytes] = []  # the pieces of a line that has not ended
        size, limit = 0, _LONGEST_FIRST
        while block := self.read(_BLOCK):
            *ended, last = block.split(b"\n")
            if ended:
                yield b"".join([*begun, ended[0]])
                yield from ended[1:]
                begun, size, limit = [], 0, _LONGEST_LINE
            begun.append(last)
            size += len(last)
            if size > limit:
                yield b"".join(begun)
                begun, size = [], 0
        if size:
            yield b"".join(begun)

    def _read(self, size: int) -> bytes:
        try:
            piece = self._unpacked.read1(size)
        except _read_errors(self._module) as error:
            if self._module:
                raise _damaged(self.name, self.compression) from error
            raise _unreadable(self.name, error) from error
        self._bytes_read += len(piece)
        return piece

    def close(self) -> None:
        """Closes the files that were opened here; standard input stays open."""
        if self._unpacked is not self._file:
            self._unpacked.close()
        if self.path != "-":
            self._file.close()
        elif self._file is not getattr(sys.stdin, "buffer", None) and not self._closed:
            self._file.detach()  # else the wrapper closes the substitute for stdin when it is collected
        self._closed = True


def open_bytes(path: str, *, live: bool) -> ByteStream:
    """Opens a path, or standard input for `-`; a `live` pipe returns what has arrived at once."""
    if path == "-":
        return ByteStream(path, _stdin(), live=live)
    check_path(path)
    try:
        file = open(path, "rb")  # noqa: SIM115 (the stream closes it)
    except OSError as error:
        raise _unreadable(path, error) from error
    try:
        return ByteStream(path, file, live=live)
    except BaseException:
        file.close()
        raise


def check_whole(name: str, size: int, bytes_read: int) -> None:
    """Refuses a file that had more bytes when it was opened than could be read."""
    if bytes_read < size:
        raise DataError(
            f"{name} was truncated while it was read: {bytes_read:,} of {size:,} bytes",
            hint="try again when nothing writes to it",
        )


def check_path(path: str) -> None:
    """Refuses a path that does not exist, and suggests a similar one or, for a URL, to download it."""
    if os.path.exists(path):
        return
    if is_url(path):
        import shlex

        raise DataError(
            f"{path} is a URL, expected a file", hint=f"download it first: curl -LO {shlex.quote(path)}"
        )
    raise DataError(f"no such file: {path}", hint=_similar_path(path))


def is_url(path: str) -> bool:
    """Returns whether a path is an address on the network.

    >>> is_url("https://example.com/sms.csv"), is_url("sms.csv")
    (True, False)
    """
    return path.lower().startswith(("http://", "https://", "ftp://"))


def _similar_path(path: str) -> str:
    import difflib

    folder, name = os.path.split(path)
    try:
        near = difflib.get_close_matches(name, os.listdir(folder or "."), 1, cutoff=0.75)
    except OSError:
        return f"there is no folder {folder} either: check the path"
    return f"did you mean {os.path.join(folder, near[0])}?" if near else "check the path, or give - for stdin"


def peek_stdin() -> bytes:
    """Returns what has arrived on stdin, at least a byte before its end, and leaves it there to be read.

    A terminal is not waited for.
    """
    stream = getattr(sys.stdin, "buffer", None)
    try:
        return stream.peek() if isinstance(stream, io.BufferedReader) and not stream.isatty() else b""
    except (OSError, ValueError):
        return b""


def _stdin() -> io.BufferedReader:
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise DataError("there is no standard input to read", hint="give a file instead of -")
    return stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(stream)


def _file_size(file: io.BufferedReader) -> int | None:
    """Returns the bytes of a file on disk, None for a pipe."""
    try:
        status = os.fstat(file.fileno())
    except (OSError, ValueError):  # a substitute for stdin without a descriptor
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _identity(file: io.FileIO | io.BufferedReader) -> tuple[int, int]:
    status = os.fstat(file.fileno())
    return status.st_dev, status.st_ino


def _has_more(file: io.BufferedReader) -> bool:
    """Returns whether more can be read without waiting.

    A pipe gives 64 KiB at a time; larger batches are faster.
    """
    import select

    try:
        return bool(select.select([file], [], [], 0)[0])
    except (OSError, ValueError):  # no descriptor, or a system that cannot ask
        return False


def _compression_module(file: io.BufferedReader) -> str:
    start = file.peek(10)
    module = next((module for magic, module in _MODULES if start.startswith(magic)), "")
    if module == "bz2" and start[4:10] not in (b"1AY&SY", b"\x17rE8P\x90"):  # a block, or the end at once
        return ""
    return module


def _unpack(file: io.BufferedReader, module: str) -> io.BufferedIOBase:
    unpacked: io.BufferedIOBase = importlib.import_module(module).open(file, "rb")
    return unpacked


def _read_errors(module: str) -> tuple[type[Exception], ...]:
    """Lists the errors that reading a file of this compression raises."""
    if module == "gzip":
        import zlib

        return (OSError, EOFError, zlib.error)
    if module == "lzma":
        import lzma

        return (OSError, EOFError, lzma.LZMAError)
    return (OSError, EOFError)


def _damaged(name: str, compression: str) -> DataError:
    return DataError(
        f"{name}: its {compression} data is damaged or cut off",
        hint=f"get the file again; `{compression} -t` checks it",
    )


def _unreadable(name: str, error: Exception) -> DataError:
    reason = getattr(error, "strerror", None) or str(error)
    return DataError(f"cannot read {name}: {reason}", hint="check the permissions of the file")
