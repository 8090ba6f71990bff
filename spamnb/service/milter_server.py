"""Answers mail servers by the milter protocol: writes the verdict into the header of each mail."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Iterable

import anyio.abc
from kilter.protocol import Accept, Header, ReplyCode
from kilter.service import START, Runner, Session, options

from spamnb.errors import SpamnbError
from spamnb.mail import NO_VERDICT, fold
from spamnb.service.filter_service import FilterService
from spamnb.service.log_line import log_fault
from spamnb.service.message_scoring import Message

_TRY_AGAIN = b"451 4.7.1 The spam filter is not available, try again later"
_VERDICT = re.compile(r"x-spam(nb|-.*)?\s*", re.IGNORECASE)  # fields that only a filter may write


class MilterServer:
    """Serves the connections of one listening socket; each of them may bring many mails."""

    def __init__(self, service: FilterService, max_size: int, tempfail: bool = False) -> None:
        self._service, self._max_size, self._tempfail = service, max_size, tempfail
        self._task: asyncio.Task[None] | None = None
        self._mails = 0  # that are being answered
        examine_headers = options.examine_headers(
            can_respond=options.CanRespond.AFTER,  # else the end of the header is not sent, and kilter takes
            can_add=True,  # the beginning of the body for it
            can_modify=True,
            leading_space=True,
        )

        @options.examine_sender()
        @examine_headers
        @options.examine_body()
        async def classify(session: Session) -> Accept | ReplyCode:
            try:
                return await self._classify(session)
            except Exception as error:  # kilter would log its text, which may quote a mail
                if not isinstance(error, SpamnbError):
                    log_fault(error)
                return ReplyCode(_TRY_AGAIN)

        self._runner = Runner(classify)

    async def start(self, listening: socket.socket) -> None:
        listener = await anyio.abc.SocketListener.from_socket(listening)
        self._task = asyncio.create_task(listener.serve(self._connected))

    async def stop(self, patience: float) -> None:
        """Waits for the mails that are complete, then closes all connections."""
        end = asyncio.get_running_loop().time() + patience
        while self._mails and asyncio.get_running_loop().time() < end:
            await asyncio.sleep(0.02)
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _connected(self, client: anyio.abc.ByteStream) -> None:
        """Answers a connection; one that breaks, or is no milter client, does not end the others."""
        try:
            await self._runner(client)
        except Exception as error:
            log_fault(error)

    async def _classify(self, session: Session) -> Accept:
        body, size = [], 0
        async with session.body as chunks:  # before the header ends, else kilter skips the body
            async with session.headers as fields:
                header = [field async for field in fields]
            async for chunk in chunks:
                if size <= self._max_size:  # more is not read of a mail anyway
                    body.append(bytes(chunk))
                    size += len(chunk)
        self._mails += 1
        try:
            await self._write(session, header, await self._verdict(_raw_mail(header, body)))
        finally:
            self._mails -= 1
        return Accept()

    async def _verdict(self, raw: bytes) -> list[tuple[str, str]]:
        """Returns the fields of the verdict, or of a failure that is no reason to refuse the mail."""
        message = Message(raw, True)
        try:
            _, scored = await self._service.classify(message, "milter")
            return await self._service.header_fields(scored)
        except Exception as error:
            if self._tempfail:
                raise
            if not isinstance(error, SpamnbError):
                log_fault(error)
            return NO_VERDICT

    async def _write(self, session: Session, header: list[Header], verdict: list[tuple[str, str]]) -> None:
        for field in header:
            if _VERDICT.fullmatch(field.name):
                await session.headers.delete(field)
        for name, value in reversed(verdict):
            await session.headers.insert(Header(name, fold(name, value).partition(":")[2].encode()), START)


def _raw_mail(header: Iterable[Header], body: Iterable[bytes]) -> bytes:
    lines = (b"%s:%s\n" % (field.name.encode(), bytes(field.value)) for field in header)
    return b"".join([*lines, b"\n", *body])
