"""Detects the encoding of an input and converts its bytes to UTF-8.

Without a byte order mark and without NUL bytes, text is UTF-8, and each byte that is not valid UTF-8 is a
character of cp1252. This rule needs no look ahead, so a file and a pipe are read alike, however slowly the
pipe comes, and a file may hold both.
"""

from __future__ import annotations

import codecs
import re
from functools import cache

from spamnb.errors import DataError

_MARKS = (  # UTF-32 first: its little-endian mark begins like that of UTF-16
    (codecs.BOM_UTF8, "utf-8", "UTF-8 with BOM"),
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32 LE"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32 BE"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16 LE"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16 BE"),
)
_VALID = re.compile(
    rb"((?:[\x00-\x7f]++|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|\xed[\x80-\x9f][\x80-\xbf]"
    rb"|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}"
    rb"|\xf4[\x80-\x8f][\x80-\xbf]{2})++)"
)
_BEGUN = re.compile(rb"(?:[\xc2-\xf4]|[\xe0-\xf4][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{2})\Z")


def detect_encoding(head: bytes, *, complete: bool, nuls: bool = False) -> tuple[str, str]:
    r"""Returns the codec ("" = UTF-8, see above) and its name for the user, from the first bytes.

    Without a byte order mark, every other byte being NUL means UTF-16, unless `nuls` are to be expected.

    >>> [detect_encoding(head, complete=True)[1] for head in (b"ok", b"caf\xe9", "ok".encode("utf-16-le"))]
    ['UTF-8', 'UTF-8 or cp1252', 'UTF-16 LE']
    """
    for mark, codec, name in _MARKS:
        if head.startswith(mark):
            return ("" if codec == "utf-8" else codec), name
    half = 0 if nuls else len(head) // 2
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if half and max(even, odd) > 0.4 * half and min(even, odd) < 0.05 * half:
        return ("utf-16-le", "UTF-16 LE") if odd > even else ("utf-16-be", "UTF-16 BE")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head, final=complete)
    except UnicodeDecodeError:
        return "", "UTF-8 or cp1252"
    return "", "UTF-8"


def as_utf8(data: bytes) -> bytes:
    r"""Converts the bytes that are not valid UTF-8 from cp1252; returns the same object if there is none.

    >>> as_utf8(b"caf\xe9 ") + as_utf8("\u20ac 5 ".encode() + b"\x80 5")
    b'caf\xc3\xa9 \xe2\x82\xac 5 \xe2\x82\xac 5'
    """
    if data.isascii():
        return data
    try:
        data.decode()
    except UnicodeDecodeError:
        pieces = _VALID.split(data)  # every other one is valid
        pieces[::2] = [codecs.charmap_decode(piece, "strict", _cp1252())[0].encode() for piece in pieces[::2]]
        return b"".join(pieces)
    return data


class Transcoder:
    """Converts bytes to UTF-8, piece by piece, and drops the byte order mark.

    `changed`: some bytes were not as they are stored.
    """

    def __init__(self, codec: str, name: str) -> None:
        self._codec = codec
        self._name = name
        self._decoder = None if codec == "" else codecs.getincrementaldecoder(codec)()
        self._begun = b""  # the first bytes of a character of UTF-8
        self.changed = codec != ""
        self._bytes_done = 0
        self._at_start = True

    def feed(self, data: bytes, final: bool = False) -> bytes:
        converted = self._convert(data, final)
        self._bytes_done += len(data)
        if self._at_start and converted:
            self._at_start = False
            converted = converted.removeprefix(codecs.BOM_UTF8)
        return converted

    def _convert(self, data: bytes, final: bool) -> bytes:
        if self._decoder is None:
            return self._from_utf8(data, final)
        pending = len(self._decoder.getstate()[0])  # bytes of a character that is not complete yet
        try:
            return self._decoder.decode(data, final).encode("utf-8", "surrogatepass")
        except UnicodeError as error:
            offset = self._bytes_done - pending + getattr(error, "start", 0)
            raise DataError(
                f"{self._name} is not {self._codec}: byte {offset + 1:,} cannot be decoded",
                hint="leave --encoding to auto, or try --encoding cp1252",
            ) from error

    def _from_utf8(self, data: bytes, final: bool) -> bytes:
        if self._begun:
            data, self._begun = self._begun + data, b""
        begun = None if final else _BEGUN.search(data, max(len(data) - 3, 0))
        if begun:
            data, self._begun = data[: begun.start()], begun[0]
        converted = as_utf8(data)
        self.changed |= converted is not data
        return converted


@cache
def _cp1252() -> str:
    """Lists the characters of cp1252; its five undefined bytes are read as Latin-1, as browsers do."""
    return "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(256))
