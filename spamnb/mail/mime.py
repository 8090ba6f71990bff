"""The parts of a mail: what is text is decoded, of all others only the type and the name are read."""

from __future__ import annotations

import re
from binascii import a2b_qp

from spamnb.mail.charset import from_base64, to_utf8
from spamnb.mail.content_type import ContentType, content_types, file_words, parameters
from spamnb.mail.headers import Headers, split_head
from spamnb.mail.html_text import page
from spamnb.mail.limits import Limits
from spamnb.mail.links import find_links, link_words, masked_links
from spamnb.mail.tagged_words import bucket, glued

_PLAIN = content_types[b"text/plain"]
_MESSAGE = content_types[b"message/rfc822"]
_AFTER_BOUNDARY = (b"\n", b" ", b"\t")
_SEEN = (b"text", b"multipart", b"message")
_HTML = (b"text_html", b"text_x_amp_html")
_META = re.compile(rb"<meta\b[^>]{0,200}?charset\s*=\s*[\"']?([\w.:-]{2,40})", re.IGNORECASE)
_META_BYTES = 2048  # of a page in which it may state its character set
_IMAGE_ONLY = 40  # bytes of text that still count as none beside an image


class Parts:
    """What was found so far in the parts of one mail."""

    def __init__(self, limits: Limits, notes: list[str]) -> None:
        self.limits = limits
        self.notes = notes
        self.texts: list[bytes] = []
        self.mime: list[bytes] = []
        self.files: list[bytes] = []
        self.links: list[bytes] = []
        self.html: list[bytes] = []
        self.misleads = False
        self.count = 0
        self.depth = 0
        self.room = limits.text

    def add(self, headers: Headers, body: bytes, depth: int = 0, default: ContentType = _PLAIN) -> None:
        """One part, with all parts in it."""
        self.count += 1
        self.depth = max(depth, self.depth)
        kind = content_types[headers[b"content_type"]] if b"content_type" in headers else default
        self.mime.append(kind.type)
        if kind.kind == b"multipart" and self._split(kind, body, depth):
            return
        if kind.type == b"message_rfc822":
            self._open(_transferred(body, _encoding(headers), self.room), depth)
        elif kind.kind in (b"text", b"multipart"):
            self._read(kind, headers, body)
        if kind.name or b"content_disposition" in headers or kind.kind not in _SEEN:
            self._name(kind, headers)

    def _split(self, kind: ContentType, body: bytes, depth: int) -> bool:
        """The parts of a multipart; False if it cannot be split and is to be read as text."""
        if depth >= self.limits.depth:
            self.notes.append(f"parts within more than {self.limits.depth} others were left out")
            return True
        room = max(self.limits.parts - self.count, 0)
        pieces = _pieces(body, kind.boundary, room + 1) if kind.boundary else []
        if not pieces:
            self.mime.append(b"broken")
            return False
        if len(pieces) > room:
            self.notes.append(f"parts beyond {self.limits.parts} were left out")
        default = _MESSAGE if kind.type == b"multipart_digest" else _PLAIN
        for piece in pieces[:room]:
            self.add(*split_head(piece, self.limits, self.notes), depth + 1, default)
        return True

    def _open(self, body: bytes, depth: int) -> None:
        if depth >= self.limits.depth:
            self.notes.append(f"parts within more than {self.limits.depth} others were left out")
        else:
            self.add(*split_head(body, self.limits, self.notes), depth + 1)

    def _read(self, kind: ContentType, headers: Headers, body: bytes) -> None:
        encoding = _encoding(headers)
        if encoding:
            self.mime.append(b"encoding_" + glued(encoding)[:32])
        if kind.charset:
            self.mime.append(b"charset_" + glued(kind.charset.lower()))
        data = _transferred(body, encoding, self.room)
        if len(data) > self.room:
            self.notes.append(f"text beyond {self.limits.text} bytes was left out")
            data = data[: self.room]
        self.room -= len(data)
        text = to_utf8(data, kind.charset or (_stated(data) if kind.type in _HTML else b""))
        if 0 in text:
            text = text.replace(b"\0", b"")
        links = find_links(text)
        if kind.type in _HTML:
            links += masked_links(text)
            text, facts, misleading = page(text)
            self.misleads |= misleading
            self.html += (*facts, b"links_" + bucket(len(links)))
        self.links += links
        self.texts.append(text)

    def _name(self, kind: ContentType, headers: Headers) -> None:
        disposition = headers.get(b"content_disposition", b"")
        name = parameters(disposition).get(b"filename", kind.name)
        if name or disposition.lstrip()[:10].lower() == b"attachment" or kind.kind not in _SEEN:
            self.files += file_words(name, kind.type)

    def url_words(self) -> list[bytes]:
        """The words of all links, and whether one pretends to lead elsewhere."""
        found = link_words(self.links)
        return [*found, b"mismatch"] if self.misleads else found

    def _has_image(self) -> bool:
        shown = (fact.startswith(b"images_") and fact != b"images_0" for fact in self.html)
        return any(kind.startswith(b"image_") for kind in self.mime) or any(shown)

    def mime_words(self) -> list[bytes]:
        """The types, character sets and encodings, and what they come to together."""
        found = dict.fromkeys(self.mime)
        out = [*found, b"parts_" + bucket(self.count), b"depth_" + bucket(self.depth)]
        if b"text_html" in found and b"text_plain" not in found:
            out.append(b"html_only")
        if sum(map(len, self.texts)) <= _IMAGE_ONLY and self._has_image():
            out.append(b"image_only")
        return out


def _pieces(body: bytes, boundary: bytes, most: int) -> list[bytes]:
    """The parts between the lines of a boundary; a longer boundary may begin with the same bytes."""
    line = b"\n--" + boundary
    found: list[list[bytes]] = []
    for piece in (b"\n" + body).split(line, most)[1:]:
        if not piece or piece.startswith(_AFTER_BOUNDARY):
            found.append([piece.partition(b"\n")[2]])
        elif piece.startswith(b"--"):
            break
        elif found:
            found[-1] += (line, piece)
    return [b"".join(pieces) for pieces in found]


def _encoding(headers: Headers) -> bytes:
    """The transfer encoding, without a comment or quotes."""
    value = headers.get(b"content_transfer_encoding", b"").strip().lower()
    return value if value.isalnum() else value.partition(b"(")[0].strip(b" \t\"'")


def _stated(source: bytes) -> bytes:
    """The character set that an HTML page itself states at its beginning."""
    found = None if source.isascii() else _META.search(source[:_META_BYTES])
    return found[1] if found else b""


def _transferred(body: bytes, encoding: bytes, room: int) -> bytes:
    """A body without its transfer encoding; no more of it is decoded than there is room for."""
    if encoding == b"base64":
        return from_base64(body[: 2 * room + 2])
    if encoding == b"quoted-printable":
        return a2b_qp(body[: 4 * room + 4])
    return body
