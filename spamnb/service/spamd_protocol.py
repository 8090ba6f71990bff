r"""Parses requests and formats replies of the spamd protocol 1.5, without any socket.

    CHECK SPAMC/1.5\r\n              SPAMD/1.1 0 EX_OK\r\n
    Content-length: 42\r\n           Spam: True ; 15.0 / 5.0\r\n
    \r\n                             \r\n
    (the mail)

The first word is the command, a header line ends it, and the mail follows. A reply has the code of an error
from sysexits.h, 0 for none.
"""

from __future__ import annotations

import re
import zlib
from typing import NamedTuple

COMMANDS = {"CHECK", "SYMBOLS", "REPORT", "REPORT_IFSPAM", "PROCESS", "HEADERS", "TELL", "PING", "SKIP"}
WITHOUT_BODY = {"PING", "SKIP"}
MOST_HEADER = 8 << 10  # bytes of the first line and all header lines together
EX_USAGE, EX_DATAERR, EX_UNAVAILABLE, EX_SOFTWARE, EX_TIMEOUT, EX_PROTOCOL = 64, 65, 69, 70, 79, 76

_FIRST_LINE = re.compile(rb"([A-Z_]+) SPAMC/(\d{1,3})\.(\d{1,3})")
_FIELD = re.compile(rb"([!-9;-~]+):[ \t]*(.*?)[ \t]*")
_LENGTH = re.compile(rb"\d{1,15}")


class ProtocolError(Exception):
    """A request that cannot be answered; `code` is one of sysexits.h, `message` goes into the log."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


class SpamdRequest(NamedTuple):
    """A request without its body."""

    command: str
    length: int | None = None  # of the body; None: until the client ends
    compressed: bool = False
    label: str = ""  # Message-class of TELL: `spam` or `ham`
    sets: bool = False  # Set: local
    removes: bool = False  # Remove: local
    one_field: bool = False  # a client before version 1.3, such as Exim, reads one field of a reply


def parse_request(head: bytes) -> SpamdRequest:
    r"""Parses the lines before the body; unknown fields are ignored.

    >>> parse_request(b"CHECK SPAMC/1.5\r\nContent-length: 42\r\nUser: me\r\n")[:3]
    ('CHECK', 42, False)
    >>> parse_request(b"REPORT SPAMC/1.2\r\n").one_field
    True
    """
    first, *lines = head.rstrip(b"\r\n").split(b"\n")
    match = _FIRST_LINE.fullmatch(first.rstrip(b"\r"))
    if match is None or (command := match[1].decode()) not in COMMANDS:
        raise ProtocolError(EX_PROTOCOL, "Bad header line: expected COMMAND SPAMC/VERSION")
    fields = dict(_parse_field(line.rstrip(b"\r")) for line in lines)
    length = fields.get(b"content-length")
    if length is not None and not _LENGTH.fullmatch(length):
        raise ProtocolError(EX_PROTOCOL, "Bad header line: Content-length is no number")
    compress = fields.get(b"compress", b"").lower()
    if compress not in (b"", b"zlib"):
        raise ProtocolError(EX_PROTOCOL, "Bad header line: only Compress: zlib is supported")
    return SpamdRequest(
        command,
        None if length is None else int(length),
        bool(compress),
        *_tell_fields(command, fields),
        one_field=(int(match[2]), int(match[3])) < (1, 3),
    )


def _parse_field(line: bytes) -> tuple[bytes, bytes]:
    match = _FIELD.fullmatch(line)
    if match is None:
        raise ProtocolError(EX_PROTOCOL, "Bad header line: expected NAME: VALUE")
    return match[1].lower(), match[2]


def _tell_fields(command: str, fields: dict[bytes, bytes]) -> tuple[str, bool, bool]:
    """Returns label, set and remove; `Set: local` learns, `Remove: local` forgets."""
    if command != "TELL":
        return "", False, False
    label = fields.get(b"message-class", b"").decode("ascii", "replace").lower()
    sets, removes = (b"local" in fields.get(name, b"").lower() for name in (b"set", b"remove"))
    if label not in ("", "spam", "ham") or (sets and not label):
        raise ProtocolError(EX_USAGE, "Message-class must be spam or ham")
    if sets == removes:
        raise ProtocolError(EX_USAGE, "TELL needs either Set: local or Remove: local")
    return label, sets, removes


def decode_body(request: SpamdRequest, body: bytes, most: int) -> bytes:
    """Returns the mail; refuses a body that is shorter than stated, or larger than `most` when inflated."""
    if request.length is not None and len(body) != request.length:
        raise ProtocolError(
            EX_PROTOCOL,
            f"Content-length mismatch: expected {request.length} bytes, got {len(body)} bytes",
        )
    if not request.compressed:
        return body
    inflater = zlib.decompressobj()
    try:
        mail = inflater.decompress(body, most + 1)
    except zlib.error:
        raise ProtocolError(EX_DATAERR, "the body is not zlib data") from None
    if len(mail) > most:
        raise too_large(most)
    if not inflater.eof:
        raise ProtocolError(EX_DATAERR, "the zlib data is not complete")
    return mail


def too_large(most: int) -> ProtocolError:
    return ProtocolError(EX_DATAERR, f"the email is too large: at most {most} bytes are accepted")


def format_pong() -> bytes:
    return b"SPAMD/1.5 0 PONG\r\n"


def format_error(error: ProtocolError) -> bytes:
    r"""Formats a refusal, in one line.

    >>> format_error(ProtocolError(76, "Bad header line"))
    b'SPAMD/1.0 76 Bad header line\r\n'
    """
    text = error.message.encode("ascii", "backslashreplace").replace(b"\r", b" ").replace(b"\n", b" ")
    return b"SPAMD/1.0 %d %s\r\n" % (error.code, text)


def format_verdict(
    is_spam: bool, score: float, required: float, body: bytes | None = None, with_length: bool = True
) -> bytes:
    r"""Formats the reply to a mail; CHECK has no body, and the end of the reply can end it.

    >>> format_verdict(True, 15.0, 5.0)
    b'SPAMD/1.1 0 EX_OK\r\nSpam: True ; 15.0 / 5.0\r\n\r\n'
    """
    spam = f"Spam: {'True' if is_spam else 'False'} ; {score:.1f} / {required:.1f}\r\n".encode()
    length = b"" if body is None or not with_length else b"Content-length: %d\r\n" % len(body)
    return b"SPAMD/1.1 0 EX_OK\r\n%s%s\r\n%s" % (length, spam, body or b"")


def format_told(did_set: bool, did_remove: bool) -> bytes:
    r"""Formats the reply to TELL: what was done.

    >>> format_told(True, False)
    b'SPAMD/1.1 0 EX_OK\r\nDidSet: local\r\nContent-length: 2\r\n\r\n\r\n'
    """
    done = b"DidSet: local\r\n" * did_set + b"DidRemove: local\r\n" * did_remove
    return b"SPAMD/1.1 0 EX_OK\r\n%sContent-length: 2\r\n\r\n\r\n" % done
