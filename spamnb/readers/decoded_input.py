"""Decodes an opened input to UTF-8 bytes; its beginning can be examined before it is read."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from shlex import quote

from spamnb.errors import DataError
from spamnb.readers.byte_stream import ByteStream
from spamnb.readers.encodings import Transcoder, detect_encoding
from spamnb.readers.formats import any_of, table_formats
from spamnb.storage import begins_model

HEAD_BYTES = 1 << 16
LONGEST_RECORD = 1 << 24  # bytes of one message in a text file
_LONGEST_HEAD = 1 << 24  # where not even the first line has ended
_LINE_ENDS = (b"\n", b"\r", b"\0")

_MAGIC = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"<?xml", "an XML document"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"\x80\x02", "a pickle or joblib file"),
    (b"\x80\x03", "a pickle or joblib file"),
    (b"\x80\x04", "a pickle or joblib file"),
    (b"\x80\x05", "a pickle or joblib file"),
)
_CONTROL = bytes(b for b in range(32) if b not in b"\t\n\v\f\r\x1b")
_MOST_CONTROL = 0.03  # share of control bytes in text; compressed or binary data has about 0.1 and more


class DecodedInput:
    """A stream whose first bytes are read: `raw_head` as stored and, after `decode`, `head` as UTF-8."""

    def __init__(self, stream: ByteStream) -> None:
        self.stream = stream
        self.name = stream.name
        self.raw_head = _read_head(stream)
        self.encoding = ""
        self.head = b""
        self._transcoder = Transcoder("", stream.name)
        self._head_unread = False

    @property
    def storage(self) -> list[str]:
        """The encoding, and the compression if there is one."""
        return [self.encoding, *filter(None, [self.stream.compression])]

    def decode(self, encoding: str, *, nuls: bool = False) -> None:
        """Sets the encoding, detected if it is `auto` (`nuls`: NUL bytes separate messages)."""
        codec = self.encoding = encoding
        if encoding == "auto":
            codec, self.encoding = detect_encoding(self.raw_head, complete=self.stream.ended, nuls=nuls)
        self._transcoder = Transcoder(codec, self.name)
        self.head = self._transcoder.feed(self.raw_head, self.stream.ended)
        self._head_unread = True

    def read(self, size: int) -> bytes:
        """Reads about `size` UTF-8 bytes, or what a live stream has; returns nothing at the end."""
        data = b""
        if self._head_unread:
            data, self._head_unread = self.head, False
            if data and (self.stream.live or len(data) >= size):
                return data
        while not data or (len(data) < size and not self.stream.live):
            if self.stream.ended:
                break
            more = self.stream.read(size - len(data))
            data += self._transcoder.feed(more, self.stream.ended)
        return data

    def start(self, skip: int) -> int | None:
        """Returns the offset in the file of what follows the first `skip` bytes.

        It is None where the file does not hold the same bytes, and for standard input, which another process
        cannot open.
        """
        if self.stream.size is None or self.stream.compression or not self.is_as_stored():
            return None
        if self.stream.path == "-":
            return None
        return skip + len(codecs.BOM_UTF8) * self.raw_head.startswith(codecs.BOM_UTF8)

    def is_as_stored(self) -> bool:
        """Returns whether all that was read so far are the bytes of the input, but for a byte order mark."""
        return not self._transcoder.changed

    def need_lines(self, count: int) -> None:
        """Reads on until the head has so many whole lines: detection must not depend on a pipe's speed."""
        while not self.stream.ended and self.raw_head.count(b"\n") < count:
            if len(self.raw_head) > _LONGEST_HEAD:
                return
            self.raw_head += self.stream.read(HEAD_BYTES)

    def raw_blocks(self, size: int) -> Iterator[bytes]:
        """Yields the input as stored: the head, then blocks of at most `size` bytes."""
        if self.raw_head:
            yield self.raw_head
        while block := self.stream.read(size):
            yield block

    def blocks(
        self, size: int, separator: bytes, dropped: Callable[[int], None] | None = None
    ) -> Iterator[bytes]:
        """Yields blocks of about `size` bytes that end with the separator (the last one may not).

        A record that is too long is refused. With `dropped`, an empty record takes its place, nothing of it
        is kept in memory, and `dropped` is called with the number of its line ends.
        """
        begun: list[bytes] = []  # the pieces of a record that has not ended
        begun_bytes = bytes_done = 0
        while True:
            block = self.read(size)
            first, end = block.find(separator), block.rfind(separator) + 1
            if begun_bytes + (first if end else len(block)) > LONGEST_RECORD:
                if dropped is None:
                    raise too_long(self.name, bytes_done)
                dropped(self._drop([*begun, block], separator, size))
                yield separator
                begun, begun_bytes = [], 0
            elif end:
                begun.append(block[:end])
                yield b"".join(begun)
                bytes_done += begun_bytes + end
                begun, begun_bytes = [block[end:]], len(block) - end
            elif block:
                begun.append(block)
                begun_bytes += len(block)
            else:
                break
        if begun_bytes:
            yield b"".join(begun)

    def _drop(self, begun: list[bytes], separator: bytes, size: int) -> int:
        """Reads past the record that begins with these pieces; returns the number of its line ends."""
        *before, block = begun
        newlines = sum(piece.count(b"\n") for piece in before)
        while block and separator not in block:
            newlines += block.count(b"\n")
            block = self.read(size)
        last, _, self.head = block.partition(separator)
        self._head_unread = True
        return newlines + last.count(b"\n")


def too_long(name: str, start: int) -> DataError:
    """Describes a message that is too long: to classify one takes about thirty times its size in memory."""
    return DataError(
        f"{name}: the message that begins at byte {start:,} is longer than {LONGEST_RECORD >> 20} MiB",
        hint="cut it, or leave it out; if this is not a file of messages, give another one",
    )


def _read_head(stream: ByteStream) -> bytes:
    """Reads the first 64 KiB, of a live stream what came first; but at least a line."""
    head = stream.read(HEAD_BYTES)
    while not stream.ended and len(head) < _LONGEST_HEAD and not any(end in head for end in _LINE_ENDS):
        head += stream.read(max(HEAD_BYTES, len(head)))
    return head


def refuse_binary(decoded: DecodedInput, encoding: str, *, nuls: bool = False) -> None:
    """Refuses an input that is not text, and names its kind (`nuls`: NUL bytes separate messages)."""
    head, name = decoded.raw_head, decoded.name
    kind = next((kind for magic, kind in _MAGIC if head.startswith(magic)), "")
    if not kind and encoding == "auto" and _looks_binary(head.replace(b"\0", b"") if nuls else head):
        kind = "a binary file"
    if begins_model(head):
        raise DataError(
            f"{name} is a spamnb model, expected messages",
            hint=f"look into it with `spamnb inspect {quote(name)}`, or use it with -m {quote(name)}",
        )
    if kind:
        raise DataError(
            f"{name} is {kind}, expected messages as text",
            hint=f"give text, {any_of(table_formats())}, unpacked; for a rare encoding give --encoding",
        )


def _looks_binary(head: bytes) -> bool:
    if detect_encoding(head, complete=False)[0].startswith(("utf-16", "utf-32")):
        return False
    return len(head) - len(head.translate(None, _CONTROL)) > _MOST_CONTROL * len(head)


def record_too_long(name: str, line: int, longest: int) -> DataError:
    """Describes a record of a table that is longer than so many bytes."""
    return DataError(
        f"{name} line {line:,}: this record is longer than {longest >> 20} MiB",
        hint="cut it, or leave it out; if this is not a table of messages, give another file",
    )
