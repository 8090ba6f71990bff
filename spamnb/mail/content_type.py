"""Parses Content-Type and Content-Disposition: the type of a part, its parameters and its file name."""

from __future__ import annotations

import re
from typing import NamedTuple

from spamnb.core import BoundedCache
from spamnb.mail.charset import decode_words, from_percent, to_utf8
from spamnb.mail.tagged_words import as_word, words

_PARAMETER = re.compile(rb""";\s*([\w*-]+)\s*=\s*("[^"]*"|[^;\s]*)""")
_EXTENSION_BYTES = 8


class ContentType(NamedTuple):
    """`text/html; charset=utf-8` as kind text, type text_html, charset utf-8."""

    kind: bytes
    type: bytes
    charset: bytes
    boundary: bytes
    name: bytes


def _content_type(value: bytes) -> ContentType:
    kind, slash, subtype = value.partition(b";")[0].strip().lower().partition(b"/")
    if not slash or not kind or not subtype:
        kind, subtype = b"text", b"plain"
    values = parameters(value)
    return ContentType(
        kind,
        as_word(kind + b"_" + subtype)[:64],
        values.get(b"charset", b"")[:64],
        values.get(b"boundary", b"")[:256].rstrip(),
        values.get(b"name", b""),
    )


content_types = BoundedCache(_content_type)


def parameters(value: bytes) -> dict[bytes, bytes]:
    r"""Parses the parameters after the first semicolon; joins those in pieces, and decodes character sets.

    >>> parameters(b"text/plain; charset=utf-8; name*0*=utf-8'en'caf; name*1*=%C3%A9")
    {b'charset': b'utf-8', b'name': b'caf\xc3\xa9'}
    """
    pieces: dict[bytes, list[bytes]] = {}
    for key, raw in _PARAMETER.findall(value):
        name, star, number = key.lower().partition(b"*")
        if name in pieces and not star:
            continue
        piece = raw.strip(b'"')
        if star and (number == b"" or number.endswith(b"*")):
            piece = _decode_extended(piece)
        pieces.setdefault(name, []).append(piece)
    return {name: b"".join(several) for name, several in pieces.items()}


def _decode_extended(piece: bytes) -> bytes:
    """Decodes an extended value such as `utf-8'en'caf%C3%A9`."""
    charset, _, language_and_text = piece.partition(b"'")
    text = language_and_text.partition(b"'")[2] if language_and_text else piece
    return to_utf8(from_percent(text), charset if language_and_text else b"")


def file_words(name: bytes, kind: bytes) -> list[bytes]:
    """Returns the type of an attachment, the words of its name, and its extension.

    >>> file_words(b"Invoice_60418.pdf.exe", b"application_pdf")
    [b'type_application_pdf', b'Invoice 60418 pdf exe', b'ext_exe', b'double_ext']
    """
    out = [b"type_" + kind]
    if not name:
        return out
    name = decode_words(name)
    out.append(words(name.replace(b"_", b" ")))
    stem, dot, extension = name.rpartition(b".")
    if dot and 0 < len(extension) <= _EXTENSION_BYTES:
        out.append(b"ext_" + as_word(extension.lower()))
        if b"." in stem[-5:-1]:
            out.append(b"double_ext")
    return out
