"""Starts a server: checks what it may do, opens its sockets, and runs one process or several workers."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Iterable
from contextlib import ExitStack, suppress

from spamnb.errors import ConfigError, MissingExtraError, SpamnbError
from spamnb.model import MESSAGE_KINDS, find_model
from spamnb.service.listening_sockets import (
    Address,
    ServerSockets,
    address_of,
    inherited_sockets,
    listen,
    names_of_inherited,
)
from spamnb.service.log_line import log_line, write_line
from spamnb.service.message_history import MessageHistory, history_path
from spamnb.service.serve_options import ServeOptions
from spamnb.service.supervisor import FAILED_EXIT, Supervisor
from spamnb.storage import model_file

SHARED_METRICS = "PROMETHEUS_MULTIPROC_DIR"


def serve(http: Address, spamd: Address | None, milter: Address | None, options: ServeOptions) -> int:
    """Serves until it is stopped; returns the exit code."""
    with ExitStack() as cleaning:
        if options.workers > 1:  # before the packages are imported: they look for it then
            folder = tempfile.TemporaryDirectory(prefix="spamnb-metrics-")
            os.environ[SHARED_METRICS] = cleaning.enter_context(folder)
        _require_packages()
        if milter is not None or any(name.startswith("milter") for name in names_of_inherited()):
            _require_milter()
        for kind in MESSAGE_KINDS:
            model_file.check_file(find_model(options.model, lambda kind=kind: kind))  # type: ignore[misc]
        if options.history:  # once, before several workers do it at the same time
            MessageHistory(history_path(), options.history).close()
        sockets = _sockets(http, spamd, milter, options)
        for address in (spamd, milter):
            if address is not None and address.path:
                cleaning.callback(_remove, address.path)
        for name, listening in sockets._asdict().items():
            for one in listening:
                _announce(options.log_format, _url(name, one))
        return _run(sockets, options) if options.workers == 1 else _run_workers(sockets, options)


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)


def _require_packages() -> None:
    try:
        import fastapi  # noqa: F401
        import httptools  # noqa: F401
        import prometheus_client  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise MissingExtraError("the server", "serve") from None


def _require_milter() -> None:
    try:
        import kilter.service  # noqa: F401
    except ImportError:
        raise MissingExtraError("--milter", "milter") from None


def _check_access(http: Iterable[Address], spamd: Iterable[Address], options: ServeOptions) -> None:
    for address in http:
        if not address.is_local and not options.token:
            raise ConfigError(
                f"other machines can reach {address}, so a token is required",
                hint="openssl rand -hex 32 > token, then add --token-file token",
            )
    for address in spamd:
        if options.allow_tell and not address.is_local:
            raise ConfigError(
                f"--allow-tell would let every machine that reaches {address} change the model: "
                "the spamd protocol has no password",
                hint="listen on 127.0.0.1 or on a unix socket, or teach over HTTP with a token",
            )


def _sockets(
    http: Address, spamd: Address | None, milter: Address | None, options: ServeOptions
) -> ServerSockets:
    """Returns the sockets of all protocols: those of systemd, else new ones; checks who can reach them."""
    if not (inherited := inherited_sockets()):
        _check_access([http], [] if spamd is None else [spamd], options)
        for_mail = ((spamd, "--spamd"), (milter, "--milter"))
        return ServerSockets(
            [listen(http)], *([] if one is None else [listen(one, flag)] for one, flag in for_mail)
        )
    names = names_of_inherited() + [""] * len(inherited)
    pairs = list(zip(names, inherited, strict=False))
    for_spamd = [one for name, one in pairs if name.startswith("spamd")]
    for_milter = [one for name, one in pairs if name.startswith("milter")]
    for_http = [one for _, one in pairs if one not in for_spamd + for_milter]
    _check_access(map(address_of, for_http), map(address_of, for_spamd), options)
    return ServerSockets(for_http, for_spamd, for_milter)


def _url(kind: str, listening: socket.socket) -> str:
    address = address_of(listening)
    return f"{kind}+{address}" if address.path else f"{kind}://{address}"


def _run(sockets: ServerSockets, options: ServeOptions) -> int:
    from spamnb.service.server_process import ServerProcess

    ServerProcess(options).run(sockets)
    return 0


def _run_workers(sockets: ServerSockets, options: ServeOptions) -> int:
    """Runs workers that share the sockets."""

    def work() -> int:
        try:
            return _run(sockets, options)
        except SpamnbError as error:
            note("error", f"{error.message}; {error.hint}")
            return FAILED_EXIT

    def note(event: str, text: str) -> None:
        write_line(log_line(options.log_format, event, {"message": text}))

    return Supervisor(options.workers, work, note).run()


def _announce(log_format: str, url: str) -> None:
    """Tells where a server listens: on a terminal as other commands write their steps."""
    line = f"listening  {url}"
    write_line(log_line(log_format, "listening", {"address": url}) if log_format == "json" else line)
