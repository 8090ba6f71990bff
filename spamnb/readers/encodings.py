"""Detects the encoding of an input and converts its bytes to UTF-8."""

from __future__ import annotations

import codecs
from functools import cache

from spamnb.errors import DataError

_MARKS = (  # UTF-32 first: its little-endian mark begins like that of UTF-16
    (codecs.BOM_UTF8, "utf-8", "UTF-8 with BOM"),
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32 LE"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32 BE"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16 LE"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16 BE"),
)


def detect_encoding(head: bytes, *, complete: bool, nuls: bool = False) -> tuple[str, str]:
    r"""Returns the codec ("" = UTF-8, passed on unchanged) and its name for the user, from the first bytes.

    Without a byte order mark, every other byte being NUL means UTF-16, unless `nuls` are to be expected.

    >>> [detect_encoding(head, complete=True)[1] for head in (b"ok", b"caf\xe9", "ok".encode("utf-16-le"))]
    ['UTF-8', 'cp1252', 'UTF-16 LE']
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
        return "cp1252-web", "cp1252"
    return "", "UTF-8"


class Transcoder:
    """Converts bytes to UTF-8, piece by piece, and drops the byte order mark."""

    def __init__(self, codec: str, name: str) -> None:
        self._codec = codec
        self._name = name
        self._decoder = None if codec in ("", "cp1252-web") else codecs.getincrementaldecoder(codec)()
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
        if self._codec == "":
            return data
        if self._decoder is None:
            return codecs.charmap_decode(data, "strict", _cp1252())[0].encode()
        pending = len(self._decoder.getstate()[0])  # bytes of a character that is not complete yet
        try:
            return self._decoder.decode(data, final).encode("utf-8", "surrogatepass")
        except UnicodeError as error:
            offset = self._bytes_done - pending + getattr(error, "start", 0)
            raise DataError(
                f"{self._name} is not {self._codec}: byte {offset + 1} cannot be decoded",
                hint="leave --encoding to auto, or try --encoding cp1252",
            ) from error


@cache
def _cp1252() -> str:
    """Lists the characters of cp1252; its five undefined bytes are read as Latin-1, as browsers do."""
    return "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(256))
