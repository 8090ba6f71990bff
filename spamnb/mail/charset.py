"""Decodes text from the character sets and encodings of mail to UTF-8; no input fails."""

from __future__ import annotations

import re
from binascii import Error, a2b_base64, a2b_qp
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_LE
from encodings.aliases import aliases

from spamnb.core import BoundedCache

# Binary transforms, escapes, and `punycode` and `idna`, which take quadratic time. No mail is written in
# character sets in which ASCII bytes are other letters (EBCDIC).
_REFUSED = {
    *("base64_codec", "bz2_codec", "hex_codec", "quopri_codec", "rot_13", "uu_codec", "zlib_codec"),
    *("mbcs", "oem", "undefined", "unicode_escape", "raw_unicode_escape", "punycode", "idna"),
    *("cp037", "cp273", "cp424", "cp500", "cp875", "cp1026", "cp1140"),
}
# Character sets that browsers read as the larger one that is used under the same name.
_WIDER = {"latin_1": "cp1252", "gb2312": "gb18030", "euc_kr": "cp949", "ascii": ""}
_OTHER_NAMES = {
    "windows_874": "cp874",
    "windows_949": "cp949",
    "iso_8859_8_i": "iso_8859_8",
    "koi8_ru": "koi8_u",
    "gb_2312_80": "gb2312",
    "x_big5": "big5",
    "ks_c_5601_1987": "cp949",
}
_SHIFTING = ("utf_7", "utf_16", "utf_32", "iso2022", "hz")  # ASCII bytes may be other letters here
_WITHOUT_ALIAS = {"cp720", "cp737", "cp856", "cp874", "cp1006", "koi8_t", "koi8_u", "utf_8_sig"}
_KNOWN = (frozenset(aliases.values()) | _WITHOUT_ALIAS) - _REFUSED

_BROKEN = 0.05  # share of broken characters among those beyond ASCII from which on a declaration is wrong
_SAMPLE = 4096  # bytes that are searched for NUL
_FEWEST_NULS = 4

_ENCODED_WORD = re.compile(rb"=\?([^?\s]{1,64})\?([bBqQ])\?([^?]*)\?=")
_PERCENT = re.compile(rb"%([0-9a-fA-F]{2})")
_NOT_BASE64 = bytes(b for b in range(256) if not (chr(b).isascii() and (chr(b).isalnum() or chr(b) in "+/=")))


def _codec(charset: bytes) -> str:
    """Returns Python's name of a character set, "" for an unknown one; `codecs.lookup` would cache each."""
    label = charset.strip(b" '\"").decode("ascii", "replace").lower().replace("-", "_").removeprefix("x_")
    label = _OTHER_NAMES.get(label, label)
    codec = aliases.get(label, label)
    return _WIDER.get(codec, codec) if codec in _KNOWN else ""


_codecs = BoundedCache(_codec)


def to_utf8(data: bytes, charset: bytes = b"") -> bytes:
    r"""Converts text to UTF-8; if its character set is not declared, or wrongly so, it is guessed.

    >>> to_utf8(b"\xe9t\xe9", b"iso-8859-1").decode(), to_utf8("привет".encode("koi8-r")).decode()
    ('été', 'привет')
    """
    codec = _codecs[charset] if charset else ""
    if data.isascii() and not codec.startswith(_SHIFTING):
        codec = _shifting_codec(data)
        return data if not codec else data.decode(codec, "replace").encode("utf-8", "replace")
    codec = _wide_codec(data, codec) or codec
    if codec in ("", "utf_8"):
        try:
            data.decode()
            return data
        except UnicodeDecodeError as error:
            if error.reason == "unexpected end of data" and (codec or not data[: error.start].isascii()):
                return data[: error.start]  # a limit cut through the last character
    text = _decode(data, codec or "utf_8")
    return (_decode_guess(data) if text is None else text).encode("utf-8", "replace")


def _decode(data: bytes, codec: str) -> str | None:
    """Decodes text; None if too much of it is not in this character set."""
    try:
        text = data.decode(codec, "replace")
    except UnicodeError:
        return None
    broken = text.count("\ufffd")
    if not broken:
        return text
    others = sum(not letter.isascii() for letter in text) - broken
    return text if broken <= _BROKEN * others else None


def _decode_guess(data: bytes) -> str:
    from spamnb.mail.charset_guess import guess_charset  # its table is needed for few mails

    return data.decode(guess_charset(data), "replace")


def _shifting_codec(data: bytes) -> str:
    """Returns the character set in which ASCII bytes stand for other letters, "" if they are ASCII."""
    if data.find(b"\x1b$") >= 0:
        return "iso2022_kr" if data.find(b"\x1b$)C") >= 0 else "iso2022_jp_2"
    return _wide_codec(data, "") if 0 in data else ""


def _wide_codec(data: bytes, codec: str) -> str:
    """Returns the UTF-16 or UTF-32 of a text, by its first bytes or by the places of NUL, "" for neither."""
    for mark, name in ((BOM_UTF32_LE, "utf_32"), (BOM_UTF16_LE, "utf_16"), (BOM_UTF16_BE, "utf_16")):
        if data.startswith(mark):
            return name
    even, odd, half = data[0:_SAMPLE:2].count(0), data[1:_SAMPLE:2].count(0), min(len(data), _SAMPLE) / 2
    if (
        even + odd >= _FEWEST_NULS
        and max(even, odd) > (0.02 if codec == "utf_16" else 0.3) * half
        and min(even, odd) < 0.05 * half
    ):
        return "utf_16_le" if odd > even else "utf_16_be"
    return "utf_8" if codec == "utf_16" and not even + odd and _is_utf8(data) else ""


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def from_base64(data: bytes) -> bytes:
    """Decodes base64 as far as possible, and ignores all other bytes."""
    try:
        return a2b_base64(data)
    except Error:  # wrong padding
        letters = data.translate(None, _NOT_BASE64).partition(b"=")[0]
        complete = letters[:-1] if len(letters) % 4 == 1 else letters
        return a2b_base64(complete + b"===")


def from_percent(data: bytes) -> bytes:
    """Decodes each percent sign before two hexadecimal digits.

    >>> from_percent(b"a%20b%zz")
    b'a b%zz'
    """
    return _PERCENT.sub(lambda code: bytes.fromhex(code[1].decode()), data)


def decode_words(value: bytes) -> bytes:
    """Decodes the encoded words of a header to UTF-8.

    >>> decode_words(b"=?utf-8?q?caf=C3?= =?utf-8?q?=A9_au?= lait").decode()
    'café au lait'
    """
    if value.find(b"=?") < 0:
        return to_utf8(value)
    pieces: list[tuple[bytes, bytes]] = []  # neighbours of one character set are decoded together
    done = 0
    for match in _ENCODED_WORD.finditer(value):
        between = value[done : match.start()]
        if between.strip() or not done:
            pieces.append((b"", between))
        charset, done = match[1].partition(b"*")[0], match.end()
        data = a2b_qp(match[3], header=True) if match[2] in b"qQ" else from_base64(match[3])
        if pieces[-1][0] == charset:
            data = pieces.pop()[1] + data
        pieces.append((charset, data))
    pieces.append((b"", value[done:]))
    return b"".join(to_utf8(data, charset) for charset, data in pieces)
