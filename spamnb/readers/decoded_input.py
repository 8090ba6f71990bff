"""An opened input as UTF-8 bytes whose beginning can be looked at before it is read."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator

from spamnb.errors import DataError
from spamnb.readers.byte_stream import ByteStream
from spamnb.readers.encodings import Transcoder, detect_encoding
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
    (b"PK\x03\x04", "a ZIP archive (or an office document)"),
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
    """The bytes of a stream with its head read: `raw_head` as stored, after `decode` also `head` as UTF-8."""

    def __init__(self, stream: ByteStream) -> None:
        self.stream = stream
        self.name = stream.name
        self.raw_head = _read_head(stream)
        self.encoding = ""
        self.head = b""
        self._transcoder = Transcoder("", stream.name)
        self._head_unread = False
        self._as_stored = False

    def decode(self, encoding: str, *, nuls: bool = False, lenient: bool = False) -> None:
        """Fix the encoding, detected where it is `auto` (`nuls`: NUL bytes separate messages).

        `lenient` takes bytes that are no UTF-8 for strays: what a live stream is must not depend on how much
        of it has come when it is looked at.
        """
        codec = self.encoding = encoding
        if encoding == "auto":
            codec, self.encoding = detect_encoding(self.raw_head, whole=self.stream.ended, nuls=nuls)
            if lenient and codec == "cp1252-web":
                codec, self.encoding = "", "UTF-8"
        self._as_stored = codec == ""
        self._transcoder = Transcoder(codec, self.name)
        self.head = self._transcoder.feed(self.raw_head, self.stream.ended)
        self._head_unread = True

    def read(self, size: int) -> bytes:
        """UTF-8 bytes from the beginning on: about `size`, or what a live stream has; nothing at the end."""
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
        """The place in the file of what follows the first `skip` bytes; None if it is not stored as it is.

        What comes from standard input has no place that another process could find.
        """
        if self.stream.size is None or self.stream.compression or not self._as_stored:
            return None
        if self.stream.path == "-":
            return None
        return skip + len(codecs.BOM_UTF8) * self.raw_head.startswith(codecs.BOM_UTF8)

    def need_lines(self, count: int) -> None:
        """Wait until the head has so many whole lines: what it tells must not depend on a pipe's speed."""
        while not self.stream.ended and self.raw_head.count(b"\n") < count:
            if len(self.raw_head) > _LONGEST_HEAD:
                return
            self.raw_head += self.stream.read(HEAD_BYTES)

    def raw_blocks(self, size: int) -> Iterator[bytes]:
        """The input as stored, from the beginning on, in pieces of at most `size` bytes or of the head's."""
        if self.raw_head:
            yield self.raw_head
        while block := self.stream.read(size):
            yield block

    def blocks(
        self, size: int, separator: bytes, dropped: Callable[[int], None] | None = None
    ) -> Iterator[bytes]:
        """The input in pieces of about `size` bytes that end with the separator (the last one may not).

        A record that is too long is refused; or, if `dropped` is there to be told how many line ends it
        has, the next piece is an empty record in its place, and nothing of it is kept in memory.
        """
        parts: list[bytes] = []
        held = done = 0
        while True:
            block = self.read(size)
            first, end = block.find(separator), block.rfind(separator) + 1
            if held + (first if end else len(block)) > LONGEST_RECORD:
                if dropped is None:
                    raise too_long(self.name, done)
                dropped(self._drop([*parts, block], separator, size))
                yield separator
                parts, held = [], 0
            elif end:
                parts.append(block[:end])
                yield b"".join(parts)
                done += held + end
                parts, held = [block[end:]], len(block) - end
            elif block:
                parts.append(block)
                held += len(block)
            else:
                break
        if held:
            yield b"".join(parts)

    def _drop(self, parts: list[bytes], separator: bytes, size: int) -> int:
        """Read on behind the record that begins with these parts; tells how many line ends it has."""
        *before, block = parts
        newlines = sum(part.count(b"\n") for part in before)
        while block and separator not in block:
            newlines += block.count(b"\n")
            block = self.read(size)
        gone, _, self.head = block.partition(separator)
        self._head_unread = True
        return newlines + gone.count(b"\n")


def too_long(name: str, start: int) -> DataError:
    """A message takes about thirty times its size to judge: one line could take all memory."""
    return DataError(
        f"{name}: the message that begins at byte {start:,} is longer than {LONGEST_RECORD >> 20} MiB",
        hint="cut it, or leave it out; if this is no file of messages, give another one",
    )


def _read_head(stream: ByteStream) -> bytes:
    """The first 64 KiB, of a live stream what came first; but at least a line."""
    head = stream.read(HEAD_BYTES)
    while not stream.ended and len(head) < _LONGEST_HEAD and not any(end in head for end in _LINE_ENDS):
        head += stream.read(max(HEAD_BYTES, len(head)))
    return head


def refuse_binary(raw: DecodedInput, encoding: str, *, nuls: bool = False) -> None:
    """Name what was given instead of text (`nuls`: NUL bytes separate messages)."""
    head = raw.raw_head
    kind = next((kind for magic, kind in _MAGIC if head.startswith(magic)), "")
    if not kind and encoding == "auto" and _looks_binary(head.replace(b"\0", b"") if nuls else head):
        kind = "a binary file"
    if begins_model(head):
        raise DataError(
            f"{raw.name} is a spamnb model, expected messages",
            hint=f"look into it with `spamnb inspect {raw.name}`, or use it with -m {raw.name}",
        )
    if kind:
        raise DataError(
            f"{raw.name} is {kind}, expected messages as text",
            hint="give CSV, TSV, JSONL, Parquet or text, unpacked; for a rare encoding give --encoding",
        )


def _looks_binary(head: bytes) -> bool:
    if detect_encoding(head, whole=False)[0].startswith(("utf-16", "utf-32")):
        return False
    return len(head) - len(head.translate(None, _CONTROL)) > _MOST_CONTROL * len(head)
