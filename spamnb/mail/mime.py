"""Reads the parts of a mail: decodes text parts; of all others it reads only the type and the name."""

from __future__ import annotations

import re
from binascii import a2b_qp

from spamnb.mail.charset import from_base64, to_utf8
from spamnb.mail.content_type import ContentType, content_types, file_words, parameters
from spamnb.mail.headers import Headers, split_head
from spamnb.mail.links import find_links, link_owners, link_words, masked_links
from spamnb.mail.parsed_mail import Limits
from spamnb.mail.tagged_words import as_word, bucket
from spamnb.mail.uuencode import EncodedFile, take_files

_PLAIN = content_types[b"text/plain"]
_PAGE = content_types[b"text/html"]
_MESSAGE = content_types[b"message/rfc822"]
_AFTER_BOUNDARY = (b"\n", b" ", b"\t")
_READABLE = (b"text", b"multipart", b"message")
_HTML = (b"text_html", b"text_x_amp_html")
_META = re.compile(rb"<meta\b[^>]{0,200}?charset\s*=\s*[\"']?([\w.:-]{2,40})", re.IGNORECASE)
_META_BYTES = 2048  # of an HTML page in which it may state its character set
_BLANK = "\u00a0".encode()
_IMAGE_ONLY = 40  # bytes of text that still count as none beside an image


class MailParts:
    """The evidence of the parts of one mail: `texts` and words by kind; `count` and `depth` of the parts."""

    def __init__(self) -> None:
        self.texts: list[bytes] = []
        self.mime: list[bytes] = []
        self.files: list[bytes] = []
        self.links: list[bytes] = []
        self.html: list[bytes] = []
        self.misleads = False  # whether a link shows another host than its own
        self.count = 0
        self.depth = 0

    def url_words(self, sender_domain: bytes) -> list[bytes]:
        """Returns the words of all links, whether they lead to the sender, and whether one misleads."""
        words = link_words(self.links) + link_owners(self.links, sender_domain)
        return [*words, b"mismatch"] if self.misleads else words

    def mime_words(self) -> list[bytes]:
        """Returns the types, character sets and encodings, and facts about them together."""
        types = dict.fromkeys(self.mime)
        words = [*types, b"parts_" + bucket(self.count), b"depth_" + bucket(self.depth)]
        if b"text_html" in types and b"text_plain" not in types:
            words.append(b"html_only")
        if sum(map(len, self.texts)) <= _IMAGE_ONLY and self._has_image():
            words.append(b"image_only")
        return words

    def _has_image(self) -> bool:
        in_html = (fact.startswith(b"images_") and fact != b"images_0" for fact in self.html)
        return any(kind.startswith(b"image_") for kind in self.mime) or any(in_html)


def read_parts(headers: Headers, body: bytes, limits: Limits, notes: list[str]) -> MailParts:
    """Reads the parts of a mail with these headers, and adds a note for each limit that cut them."""
    reader = _PartReader(limits, notes)
    reader.read(headers, body)
    return reader.parts


class _PartReader:
    """Reads one part after the other; `room` is the number of bytes that may still be decoded."""

    def __init__(self, limits: Limits, notes: list[str]) -> None:
        self.parts = MailParts()
        self._limits = limits
        self._notes = notes
        self._room = limits.text
        self._pages = 0  # HTML pages that show anything
        self._unseen = False  # whether a later alternative is shown in place of this part

    def read(self, headers: Headers, body: bytes, depth: int = 0, default: ContentType = _PLAIN) -> None:
        """Reads one part, with all parts in it."""
        parts = self.parts
        parts.count += 1
        parts.depth = max(depth, parts.depth)
        kind = content_types[headers[b"content_type"]] if b"content_type" in headers else default
        parts.mime.append(kind.type)
        if kind.kind == b"multipart" and self._read_multipart(kind, body, depth):
            return
        if kind.type == b"message_rfc822":
            self._read_message(_transfer_decode(body, _encoding(headers), self._room), depth)
        elif kind.kind in (b"text", b"multipart"):
            self._read_text(kind, headers, body)
        if kind.name or b"content_disposition" in headers or kind.kind not in _READABLE:
            self._read_name(kind, headers)

    def _read_multipart(self, kind: ContentType, body: bytes, depth: int) -> bool:
        """Reads the parts of a multipart; returns False if it cannot be split: then it is text."""
        if self._is_too_deep(depth):
            return True
        room = max(self._limits.parts - self.parts.count, 0)
        pieces = _split_parts(body, kind.boundary, room + 1) if kind.boundary else []
        if not pieces:
            self.parts.mime.append(b"broken")
            return False
        if len(pieces) > room:
            self._notes.append(f"parts beyond {self._limits.parts:,} were left out")
        if kind.type == b"multipart_alternative":
            self._read_alternatives(pieces[:room], depth)
            return True
        default = _MESSAGE if kind.type == b"multipart_digest" else _PLAIN
        for piece in pieces[:room]:
            self.read(*split_head(piece, self._limits, self._notes), depth + 1, default)
        return True

    def _read_alternatives(self, pieces: list[bytes], depth: int) -> None:
        """Reads alternatives from the last one back: mail programs show the last that they can.

        What stands before an HTML page is not shown, so it is no evidence, unless the page is empty. A page
        that is a picture is not: its text would be the best place to hide good words. An attachment, a mail
        or AMP is no page that every program shows.
        """
        unseen, texts, ordered = self._unseen, self.parts.texts, list[bytes]()
        start = len(texts)
        for piece in reversed(pieces):
            before = self._pages
            self.read(*split_head(piece, self._limits, self._notes), depth + 1)
            self._unseen |= self._pages > before
            ordered[:0] = texts[start:]
            del texts[start:]
        texts += ordered
        self._unseen = unseen

    def _read_message(self, body: bytes, depth: int) -> None:
        """Reads a mail inside the mail; its page is not that of the mail around it."""
        if not self._is_too_deep(depth):
            pages = self._pages
            self.read(*split_head(body, self._limits, self._notes), depth + 1)
            self._pages = pages

    def _is_too_deep(self, depth: int) -> bool:
        too_deep = depth >= self._limits.depth
        if too_deep:
            self._notes.append(f"parts within more than {self._limits.depth} others were left out")
        return too_deep

    def _read_text(self, kind: ContentType, headers: Headers, body: bytes) -> None:
        parts, encoding = self.parts, _encoding(headers)
        if encoding:
            parts.mime.append(b"encoding_" + as_word(encoding)[:32])
        if kind.charset:
            parts.mime.append(b"charset_" + as_word(kind.charset.lower()))
        if self._unseen:
            return
        data = _transfer_decode(body, encoding, self._room)
        if len(data) > self._room:
            self._notes.append(f"text beyond {self._limits.text:,} bytes was left out")
            data = data[: self._room]
        self._room -= len(data)
        if kind.type not in _HTML and data.find(b"begin ") >= 0:
            data, files = take_files(data)
            self._read_files(files)
        shows = self._add_text(
            kind, to_utf8(data, kind.charset or (_html_charset(data) if kind.type in _HTML else b""))
        )
        self._pages += shows and kind.type == _PAGE.type and not _is_attachment(headers)

    def _read_files(self, files: list[EncodedFile]) -> None:
        """Reads the uuencoded files of a text as attachments."""
        for name, content in files:
            kind = _PAGE if name.lower().endswith((b".htm", b".html")) else _PLAIN
            self.parts.files += file_words(name, kind.type if content else b"application_octet_stream")
            if content:
                self._add_text(kind, to_utf8(content, _html_charset(content) if kind is _PAGE else b""))

    def _add_text(self, kind: ContentType, text: bytes) -> bool:
        """Adds a text in UTF-8, and its links and markup; returns whether it shows anything."""
        parts = self.parts
        if 0 in text:
            text = text.replace(b"\0", b"")
        links, has_picture = find_links(text), False
        if kind.type in _HTML:
            links += masked_links(text)
            from spamnb.mail.html_text import parse_html  # patterns and tables that other mail does not need

            page = parse_html(text)
            text = page.text
            has_picture = b"images_0" not in page.facts
            links = [link for link in links if link not in page.hidden_links]
            parts.misleads |= page.misleads
            parts.html += (*page.facts, b"links_" + bucket(len(links)))
        parts.links += links
        parts.texts.append(text)
        return has_picture or bool(text.replace(_BLANK, b"").strip())

    def _read_name(self, kind: ContentType, headers: Headers) -> None:
        disposition = headers.get(b"content_disposition", b"")
        name = parameters(disposition).get(b"filename", kind.name)
        if name or _is_attachment(headers) or kind.kind not in _READABLE:
            self.parts.files += file_words(name, kind.type)


def _split_parts(body: bytes, boundary: bytes, most: int) -> list[bytes]:
    """Splits a body at the lines of a boundary; a longer boundary may begin with the same bytes."""
    line = b"\n--" + boundary
    parts: list[list[bytes]] = []
    for piece in (b"\n" + body).split(line, most)[1:]:
        if not piece or piece.startswith(_AFTER_BOUNDARY):
            parts.append([piece.partition(b"\n")[2]])
        elif piece.startswith(b"--"):
            break
        elif parts:
            parts[-1] += (line, piece)
    return [b"".join(pieces) for pieces in parts]


def _is_attachment(headers: Headers) -> bool:
    return headers.get(b"content_disposition", b"").lstrip()[:10].lower() == b"attachment"


def _encoding(headers: Headers) -> bytes:
    """Returns the transfer encoding, without a comment or quotes."""
    value = headers.get(b"content_transfer_encoding", b"").strip().lower()
    return value if value.isalnum() else value.partition(b"(")[0].strip(b" \t\"'")


def _html_charset(source: bytes) -> bytes:
    """Returns the character set that an HTML page states at its beginning."""
    meta = None if source.isascii() else _META.search(source[:_META_BYTES])
    return meta[1] if meta and not meta[1].lower().startswith(b"utf-16") else b""  # it could not be read here


def _transfer_decode(body: bytes, encoding: bytes, room: int) -> bytes:
    """Decodes the transfer encoding of a body, not much beyond `room` bytes."""
    if encoding == b"base64":
        return from_base64(body[: 2 * room + 2])
    if encoding == b"quoted-printable":
        return a2b_qp(body[: 4 * room + 4])
    return body
