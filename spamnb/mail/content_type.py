"""Content-Type and Content-Disposition: the type of a part, its parameters and its file name."""

from __future__ import annotations

import re
from typing import NamedTuple

from spamnb.core import BoundedCache
from spamnb.mail.charset import decode_words, from_percent, to_utf8
from spamnb.mail.tagged_words import glued, words

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
    kind, slash, rest = value.partition(b";")[0].strip().lower().partition(b"/")
    if not slash or not kind or not rest:
        kind, rest = b"text", b"plain"
    found = parameters(value)
    return ContentType(
        kind,
        glued(kind + b"_" + rest)[:64],
        found.get(b"charset", b"")[:64],
        found.get(b"boundary", b"")[:256].rstrip(),
        found.get(b"name", b""),
    )


content_types = BoundedCache(_content_type)


def parameters(value: bytes) -> dict[bytes, bytes]:
    r"""The parameters after the first semicolon; those in pieces or with a character set are put together.

    >>> parameters(b"text/plain; charset=utf-8; name*0*=utf-8'en'caf; name*1*=%C3%A9")
    {b'charset': b'utf-8', b'name': b'caf\xc3\xa9'}
    """
    found: dict[bytes, bytes] = {}
    for key, raw in _PARAMETER.findall(value):
        name, star, rest = key.lower().partition(b"*")
        piece = raw.strip(b'"')
        if star and (rest == b"" or rest.endswith(b"*")):
            piece = _unquoted(piece)
        if name not in found:
            found[name] = piece
        elif star:
            found[name] += piece
    return found


def _unquoted(piece: bytes) -> bytes:
    charset, _, rest = piece.partition(b"'")
    text = rest.partition(b"'")[2] if rest else piece
    return to_utf8(from_percent(text), charset if rest else b"")


def file_words(name: bytes, kind: bytes) -> list[bytes]:
    """The words of an attachment's name, its extension and type.

    >>> file_words(b"Invoice_60418.pdf.exe", b"application_pdf")
    [b'type_application_pdf', b'Invoice 60418 pdf exe', b'ext_exe', b'double_ext']
    """
    out = [b"type_" + kind]
    if not name:
        return out
    spelled = decode_words(name)
    out.append(words(spelled.replace(b"_", b" ")))
    stem, dot, extension = spelled.rpartition(b".")
    if dot and 0 < len(extension) <= _EXTENSION_BYTES:
        out.append(b"ext_" + glued(extension.lower()))
        if b"." in stem[-5:-1]:
            out.append(b"double_ext")
    return out
