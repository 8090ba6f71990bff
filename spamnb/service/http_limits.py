"""Bounds what an HTTP client may take: the size of its header, the time for a request, and connections."""

from __future__ import annotations

from asyncio import TimerHandle, Transport
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from spamnb.service.connection_limit import REQUEST_TIME, ConnectionLimit

MOST_HEADER = 32 << 10  # bytes of the request line and the header
ANSWER_TIME = 300.0  # seconds in which a client has to read its answer


class LimitedHttpProtocol(HttpToolsProtocol):
    """uvicorn's protocol with limits; connections that wait for a request are in `limit`."""

    limit = ConnectionLimit()
    _timer: TimerHandle | None = None
    _head = 0  # bytes since the request began; -1: its header is complete

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        self.limit.leave(self)
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._head >= 0:
            self._head += len(data)
        if self._timer is None:  # the first bytes after an answer
            self._await_request()
        super().data_received(data)
        if self._head > MOST_HEADER and not self.transport.is_closing():
            self.send_400_response("The header is too large.")

    def send_400_response(self, msg: str) -> None:
        self.config.app.refused(400, "malformed")  # type: ignore[union-attr]  # an HttpApi
        super().send_400_response(msg)

    def on_headers_complete(self) -> None:
        self._head = -1
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self.limit.leave(self)
        self._start_timer(ANSWER_TIME)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        self._head = 0
        self._stop_timer()
        super().on_response_complete()
        if not self.transport.is_closing() and not self.pipeline:
            self.limit.wait(self, self.transport.close)

    def _await_request(self) -> None:
        self.limit.wait(self, self.transport.abort)
        self._start_timer(REQUEST_TIME)

    def _start_timer(self, seconds: float) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(seconds, self._give_up)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self, *_: Any) -> None:
        if not self.transport.is_closing():
            self.transport.abort()
