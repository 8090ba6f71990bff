"""Opening an input for bytes: files, pipes and standard input, unpacked on the way."""

from __future__ import annotations

import importlib
import io
import os
import stat
import sys
from collections.abc import Iterator

from spamnb.core import Record
from spamnb.errors import DataError

_PACKERS = ((b"\x1f\x8b", "gzip"), (b"BZh", "bz2"), (b"\xfd7zXZ\x00", "lzma"))
_LONGEST_FIRST = 1 << 26  # bytes of the first line of an exported model: its settings
_LONGEST_LINE = 1 << 30  # of any other: the last one may hold the digests of a hundred million messages
_BLOCK = 1 << 20
MAGIC = tuple(magic for magic, _ in _PACKERS)  # how packed files begin
_SHOWN = {"gzip": "gzip", "bz2": "bzip2", "lzma": "xz"}


class StoredFile(Record):
    """A file as it was when it was opened: its bytes, and by which numbers the system knows it."""

    path: str
    size: int
    identity: tuple[int, int]

    def open(self) -> io.FileIO:
        """Open it once more; another one that has taken its name is refused."""
        file = open(self.path, "rb", buffering=0)  # noqa: SIM115 (who asked closes it)
        found = os.fstat(file.fileno())
        if (found.st_dev, found.st_ino) != self.identity:
            file.close()
            raise DataError(f"{self.path} was replaced while it was read", hint="try again")
        return file


class ByteStream:
    """An input's bytes, unpacked; a `live` one hands on what is there instead of waiting for more."""

    def __init__(self, path: str, file: io.BufferedReader, *, live: bool) -> None:
        self.path = path
        self.name = "stdin" if path == "-" else path
        self.size, regular = _size(file)
        self.live = live and not regular
        self.ended = False
        self._file = file
        self._count = 0
        self._closed = False
        try:
            self.packer = _packer(file)
        except OSError as error:
            raise _unreadable(self.name, error) from error
        self._source: io.BufferedIOBase = _unpacked(file, self.packer) if self.packer else file
        self._faults = _faults(self.packer)

    @property
    def compression(self) -> str:
        return _SHOWN.get(self.packer, "")

    @property
    def stored(self) -> StoredFile | None:
        """How another process finds the same bytes; None for what is no file on disk."""
        if self.size is None or self.path == "-":
            return None
        found = os.fstat(self._file.fileno())
        return StoredFile(self.path, self.size, (found.st_dev, found.st_ino))

    @property
    def position(self) -> int:
        """How far the input itself (not what it unpacks to) was read."""
        return self._count if self.size is None else self._file.tell()

    def read(self, size: int) -> bytes:
        """Up to `size` bytes, at least one; nothing at the end."""
        parts: list[bytes] = []
        while size > 0 and not self.ended:
            part = self._read(size)
            parts.append(part)
            size -= len(part)
            self.ended = not part
            if self.ended:
                self._check_whole()
            if self.live and not _waiting(self._file):
                break
        return b"".join(parts) if len(parts) != 1 else parts[0]

    def _check_whole(self) -> None:
        if self.size is not None and not self.packer and self.path != "-":
            check_whole(self.name, self.size, self._count)

    def lines(self) -> Iterator[bytes]:
        """The lines without their ends; one that is very long is handed out in pieces as if it were many."""
        rest: list[bytes] = []
        held, limit = 0, _LONGEST_FIRST
        while block := self.read(_BLOCK):
            *whole, last = block.split(b"\n")
            if whole:
                yield b"".join([*rest, whole[0]])
                yield from whole[1:]
                rest, held, limit = [], 0, _LONGEST_LINE
            rest.append(last)
            held += len(last)
            if held > limit:
                yield b"".join(rest)
                rest, held = [], 0
        if held:
            yield b"".join(rest)

    def _read(self, size: int) -> bytes:
        try:
            part = self._source.read1(size)
        except self._faults as error:
            if self.packer:
                raise _damaged(self.name, self.compression) from error
            raise _unreadable(self.name, error) from error
        self._count += len(part)
        return part

    def close(self) -> None:
        """Close what was opened here; standard input stays open."""
        if self._source is not self._file:
            self._source.close()
        if self.path != "-":
            self._file.close()
        elif self._file is not getattr(sys.stdin, "buffer", None) and not self._closed:
            self._file.detach()  # else the wrapper, when it goes, closes the stand-in for stdin under it
        self._closed = True


def open_bytes(path: str, *, live: bool) -> ByteStream:
    """Open a path, or standard input for `-`; `live` asks pipes to hand on what is there at once."""
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


def check_whole(name: str, size: int, found: int) -> None:
    """Complain of a file that had more bytes when it was opened than could be read."""
    if found < size:
        raise DataError(
            f"{name} was cut while it was read: {found:,} bytes of {size:,} were there",
            hint="try again when nothing writes to it",
        )


def check_path(path: str) -> None:
    """Refuse what does not exist, with the next step to try."""
    if not os.path.exists(path):
        raise DataError(f"no such file: {path}", hint=_similar(path))


def _similar(path: str) -> str:
    import difflib

    folder, name = os.path.split(path)
    try:
        near = difflib.get_close_matches(name, os.listdir(folder or "."), 1)
    except OSError:
        return f"there is no folder {folder} either: check the path"
    return f"did you mean {os.path.join(folder, near[0])}?" if near else "check the path, or give - for stdin"


def _stdin() -> io.BufferedReader:
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise DataError("there is no standard input to read", hint="give a file instead of -")
    return stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(stream)


def _size(file: io.BufferedReader) -> tuple[int | None, bool]:
    """The bytes on disk (None for a pipe), and whether it is a file on disk."""
    try:
        found = os.fstat(file.fileno())
    except (OSError, ValueError):  # a stand-in for stdin without a descriptor
        return None, False
    regular = stat.S_ISREG(found.st_mode)
    return (found.st_size if regular else None), regular


def _waiting(file: io.BufferedReader) -> bool:
    """Whether more can be read without waiting; a pipe gives 64 KiB at a time, larger batches are faster."""
    import select

    try:
        return bool(select.select([file], [], [], 0)[0])
    except (OSError, ValueError):  # no descriptor, or a system that cannot ask
        return False


def _packer(file: io.BufferedReader) -> str:
    start = file.peek(10)
    found = next((packer for magic, packer in _PACKERS if start.startswith(magic)), "")
    if found == "bz2" and start[4:10] not in (b"1AY&SY", b"\x17rE8P\x90"):  # a block, or the end at once
        return ""
    return found


def _unpacked(file: io.BufferedReader, packer: str) -> io.BufferedIOBase:
    unpacked: io.BufferedIOBase = importlib.import_module(packer).open(file, "rb")
    return unpacked


def _faults(packer: str) -> tuple[type[Exception], ...]:
    if packer == "gzip":
        import zlib

        return (OSError, EOFError, zlib.error)
    if packer == "lzma":
        import lzma

        return (OSError, EOFError, lzma.LZMAError)
    return (OSError, EOFError)


def _damaged(name: str, compression: str) -> DataError:
    return DataError(
        f"{name}: its {compression} data is damaged or cut off",
        hint=f"get the file again; `{compression} -t` checks it",
    )


def _unreadable(name: str, error: Exception) -> DataError:
    why = getattr(error, "strerror", None) or str(error)
    return DataError(f"cannot read {name}: {why}", hint="check the permissions of the file")
