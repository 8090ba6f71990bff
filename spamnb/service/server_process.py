"""Runs one server process: HTTP, spamd and milter on one event loop, until it is asked to stop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
from collections.abc import Iterator
from typing import Protocol

import uvicorn

from spamnb.core import keep_freed_memory
from spamnb.service.connection_limit import MOST_CONNECTIONS
from spamnb.service.filter_service import FilterService
from spamnb.service.history_writer import HistoryReport, HistoryWriter
from spamnb.service.http_api import HttpApi
from spamnb.service.http_limits import LimitedHttpProtocol
from spamnb.service.http_security import RequestGuard
from spamnb.service.listening_sockets import ServerSockets
from spamnb.service.message_history import MessageHistory, history_path
from spamnb.service.serve_options import ServeOptions
from spamnb.service.service_log import ServiceLog
from spamnb.service.service_metrics import ServiceMetrics
from spamnb.service.spamd_server import SpamdServer

PATIENCE = 10  # seconds in which requests are finished when the server stops
_KEEP_ALIVE = 30  # seconds that a connection without a request is kept
_KEPT_MEMORY = 16 << 20  # bytes: for the next block of a list, not for what one large request has needed


class MailServer(Protocol):
    """A server for mail programs, with a listening socket of its own."""

    async def start(self, listening: socket.socket) -> None: ...
    async def stop(self, patience: float) -> None: ...


class _HttpServer(uvicorn.Server):
    """Leaves signals to the process, which has more to stop than HTTP."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class ServerProcess:
    """A service with its protocols, log and metrics."""

    def __init__(self, options: ServeOptions) -> None:
        self._options, self.log = options, ServiceLog(options.log_format)
        self.service = FilterService(
            options.model, lambda text: self.log.note("warning", text), options.limits
        )
        self.service.events.on_refusal.append(self.log.refused)
        self.metrics = ServiceMetrics(self.service.models)
        for listener in (self.log, self.metrics):
            self.service.events.on_answer.append(listener.answered)
            self.service.events.on_lesson.append(listener.corrected)
        self.history = self._open_history() if options.history else None
        guard = RequestGuard(options.token)
        limits = options.max_size, self.history, options.history
        self.http = HttpApi(self.service, self.metrics, guard, *limits)

    def _open_history(self) -> HistoryWriter:
        history = MessageHistory(history_path(), self._options.history)
        report = HistoryReport(self.metrics.history_dropped, lambda text: self.log.note("warning", text))
        writer = HistoryWriter(history, report)
        self.service.events.on_answer.append(writer.answered)
        self.service.events.on_lesson.append(writer.corrected)
        return writer

    def run(self, sockets: ServerSockets) -> None:
        """Serves the sockets until SIGTERM or SIGINT; requests in flight are finished."""
        logging.basicConfig(level=logging.ERROR)
        keep_freed_memory(_KEPT_MEMORY)
        self.service.models.load()
        config = uvicorn.Config(
            self.http,
            http=LimitedHttpProtocol,
            ws="none",
            lifespan="off",
            limit_concurrency=2 * MOST_CONNECTIONS,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_keep_alive=_KEEP_ALIVE,
            timeout_graceful_shutdown=PATIENCE,
        )
        with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
            runner.run(self._serve(_HttpServer(config), sockets))

    async def _start_mail_servers(self, sockets: ServerSockets) -> list[MailServer]:
        servers: list[MailServer] = []
        for listening in sockets.spamd:
            servers.append(SpamdServer(self.service, self._options.max_size, self._options.allow_tell))
            await servers[-1].start(listening)
        for listening in sockets.milter:
            from spamnb.service.milter_server import MilterServer

            servers.append(MilterServer(self.service, self._options.max_size, self._options.tempfail))
            await servers[-1].start(listening)
        return servers

    async def _serve(self, server: uvicorn.Server, sockets: ServerSockets) -> None:
        stopping = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stopping.set)
        mail_servers = await self._start_mail_servers(sockets)
        watching = asyncio.create_task(self.service.models.watch())
        orphaned = asyncio.create_task(_until_orphaned(self._options.workers > 1))
        serving = asyncio.create_task(server.serve(sockets.http))
        self.log.note("ready", f"process {os.getpid()}")
        stopped = asyncio.create_task(stopping.wait())
        await asyncio.wait({serving, stopped, orphaned}, return_when=asyncio.FIRST_COMPLETED)
        server.should_exit = True
        await asyncio.gather(serving, *(one.stop(PATIENCE) for one in mail_servers))
        for task in (watching, orphaned, stopped):
            task.cancel()
        self.log.note("stopped", f"process {os.getpid()}")
        self.service.batch.close()
        if self.history is not None:
            self.history.close()


async def _until_orphaned(is_worker: bool) -> None:
    """Waits until the supervisor of a worker has died: the port must not stay in use without it."""
    parent = os.getppid()
    while not is_worker or os.getppid() == parent:
        await asyncio.sleep(1)
