"""Answers the spamd protocol on a TCP port or a unix socket: one request a connection, as spamd does it."""

from __future__ import annotations

import asyncio
import socket
from functools import partial

from spamnb.errors import SpamnbError
from spamnb.mail import annotate
from spamnb.model import REQUIRED, MailVerdict, mail_verdict
from spamnb.service import spamd_protocol as protocol
from spamnb.service.connection_limit import REQUEST_TIME, ConnectionLimit
from spamnb.service.filter_service import FilterService
from spamnb.service.log_line import log_fault
from spamnb.service.message_scoring import Message, Scored
from spamnb.service.spamd_protocol import ProtocolError, SpamdRequest
from spamnb.service.spamd_report import format_report, symbols_of
from spamnb.service.verdict_events import Refused

_REPLY_TIME = 30.0  # seconds in which a client has to read its answer
_CHUNK = 1 << 16
_TELL_REFUSED = "Service Unavailable: TELL commands are not enabled, set the --allow-tell switch."


class SpamdServer:
    """Serves the connections of one listening socket."""

    def __init__(self, service: FilterService, max_size: int, allow_tell: bool = False) -> None:
        self._service, self._max_size, self._allow_tell = service, max_size, allow_tell
        self._limit = ConnectionLimit()
        self._tasks: set[asyncio.Task[None]] = set()
        self._answering: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def start(self, listening: socket.socket) -> None:
        start = asyncio.start_unix_server if listening.family == socket.AF_UNIX else asyncio.start_server
        self._server = await start(self._connected, sock=listening, limit=protocol.MOST_HEADER)

    async def stop(self, patience: float) -> None:
        """Stops to accept, finishes requests that are complete, and drops the others."""
        if self._server is not None:
            self._server.close()
        for task in self._tasks - self._answering:
            task.cancel()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=patience)
            for task in late:
                task.cancel()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._limit.wait(task, partial(_cancel, task))
        try:
            reply = await self._reply(reader, task)
            if reply:
                writer.write(reply)
                await asyncio.wait_for(writer.drain(), _REPLY_TIME)
        except (OSError, TimeoutError, asyncio.CancelledError):  # the client has gone, is slow, or has to go
            writer.transport.abort()
        finally:
            self._limit.leave(task)
            self._tasks.discard(task)
            self._answering.discard(task)
            writer.close()

    async def _reply(self, reader: asyncio.StreamReader, task: asyncio.Task[None]) -> bytes:
        try:
            request, mail = await asyncio.wait_for(self._read(reader), REQUEST_TIME)
            self._limit.leave(task)
            self._answering.add(task)
            return await self._answer(request, mail)
        except ProtocolError as error:
            return self._refuse(error.code, error.message, error.message)
        except TimeoutError:
            reason = "Timeout: no complete request"
            return self._refuse(protocol.EX_TIMEOUT, reason, reason)
        except SpamnbError as error:
            return self._refuse(protocol.EX_UNAVAILABLE, error.message)
        except (OSError, asyncio.CancelledError):
            raise
        except Exception as error:
            log_fault(error)
            return self._refuse(protocol.EX_SOFTWARE, f"internal error: {type(error).__name__}")

    def _refuse(self, code: int, message: str, reason: str = "") -> bytes:
        self._service.events.refused(Refused("spamd", code, reason=reason))
        return protocol.format_error(ProtocolError(code, message))

    async def _read(self, reader: asyncio.StreamReader) -> tuple[SpamdRequest, bytes]:
        request = protocol.parse_request(await _read_head(reader))
        if request.command in protocol.WITHOUT_BODY:
            return request, b""
        if request.command == "TELL" and not self._allow_tell:
            raise ProtocolError(protocol.EX_UNAVAILABLE, _TELL_REFUSED)
        if (request.length or 0) > self._max_size:
            raise protocol.too_large(self._max_size)
        body = await _read_body(reader, request.length, self._max_size)
        return request, protocol.decode_body(request, body, self._max_size)

    async def _answer(self, request: SpamdRequest, mail: bytes) -> bytes:
        if request.command == "PING":
            return protocol.format_pong()
        if request.command == "SKIP":
            return b""
        message = Message(mail, True)
        if request.command == "TELL":
            return await self._tell(request, message)
        _, scored = await self._service.classify(message, "spamd")
        verdict = mail_verdict(scored.loaded.model, scored.predictions, scored.row)
        body = await self._body_of(request.command, message, scored, verdict)
        with_length = not request.one_field
        return protocol.format_verdict(verdict.is_spam, verdict.score, REQUIRED, body, with_length)

    async def _body_of(
        self, command: str, message: Message, scored: Scored, verdict: MailVerdict
    ) -> bytes | None:
        if command == "CHECK":
            return None
        if command == "SYMBOLS":
            return symbols_of(verdict, scored)
        if command in ("PROCESS", "HEADERS"):
            mail = annotate(message.raw, await self._service.header_fields(scored))
            return mail if command == "PROCESS" else _header_of(mail)
        if command == "REPORT_IFSPAM" and not verdict.is_spam:
            return b""
        return format_report(verdict, await self._service.explain_scored(scored))

    async def _tell(self, request: SpamdRequest, message: Message) -> bytes:
        if request.sets:
            _, taught = await self._service.learn([message], request.label, "spamd")
        else:
            _, taught = await self._service.forget([message], request.label, "spamd")
        changed = taught.outcome.changes > 0
        return protocol.format_told(request.sets and changed, request.removes and changed)


async def _read_head(reader: asyncio.StreamReader) -> bytes:
    """Reads the lines before the body, with the blank one; PING and SKIP may leave that out."""
    head = b""
    while len(head) <= protocol.MOST_HEADER:
        try:
            line = await reader.readline()
        except ValueError:  # longer than the limit of the reader
            break
        head += line
        if not line.rstrip(b"\r\n") or (head == line and line.split(b" ")[0] == b"SKIP"):
            return head
    raise ProtocolError(protocol.EX_PROTOCOL, f"the header has more than {protocol.MOST_HEADER} bytes")


async def _read_body(reader: asyncio.StreamReader, length: int | None, most: int) -> bytes:
    """Reads as many bytes as stated, or until the client ends; fewer if it ends before."""
    parts, size = [], 0
    while length is None or size < length:
        part = await reader.read(_CHUNK if length is None else min(_CHUNK, length - size))
        if not part:
            break
        parts.append(part)
        size += len(part)
        if size > most:
            raise protocol.too_large(most)
    return b"".join(parts)


def _header_of(mail: bytes) -> bytes:
    """Returns the header of a mail with the blank line that ends it."""
    ends = [at + len(end) for end in (b"\n\n", b"\n\r\n") if (at := mail.find(end)) >= 0]
    return mail[: min(ends)] if ends else mail


def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
