"""Starts a server: checks what it may do, opens its sockets, and runs one process or several workers."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from collections.abc import Sequence

from spamnb.errors import ConfigError, MissingExtraError, SpamnbError
from spamnb.service.listening_sockets import Address, inherited_sockets, listen, names_of_inherited
from spamnb.service.serve_options import ServeOptions
from spamnb.service.supervisor import FAILED_EXIT, Supervisor

SHARED_METRICS = "PROMETHEUS_MULTIPROC_DIR"


def serve(http: Address, spamd: Address | None, options: ServeOptions) -> int:
    """Serves until it is stopped; returns the exit code."""
    _require_packages()
    _check_access(http, spamd, options)
    http_sockets, spamd_sockets = _sockets(http, spamd)
    try:
        for kind, sockets in (("http", http_sockets), ("spamd", spamd_sockets)):
            for one in sockets:
                print(f"listening  {_url(kind, one)}", file=sys.stderr, flush=True)
        if options.workers == 1:
            _run(http_sockets, spamd_sockets, options)
            return 0
        return _run_workers(http_sockets, spamd_sockets, options)
    finally:
        if spamd is not None and spamd.path and os.path.exists(spamd.path):
            os.unlink(spamd.path)


def _require_packages() -> None:
    try:
        import fastapi  # noqa: F401
        import httptools  # noqa: F401
        import prometheus_client  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise MissingExtraError("the server", "serve") from None


def _check_access(http: Address, spamd: Address | None, options: ServeOptions) -> None:
    if not http.is_local and not options.token:
        raise ConfigError(
            f"other machines can reach {http}, so a token is required",
            hint="openssl rand -hex 32 > token, then add --token-file token",
        )
    if options.allow_tell and spamd is not None and not spamd.is_local:
        raise ConfigError(
            f"--allow-tell would let every machine that reaches {spamd} change the model: "
            "the spamd protocol has no password",
            hint="listen on 127.0.0.1 or on a unix socket, or teach over HTTP with a token",
        )


def _sockets(http: Address, spamd: Address | None) -> tuple[list[socket.socket], list[socket.socket]]:
    """Returns the sockets for HTTP and spamd: those of systemd, else new ones."""
    if inherited := inherited_sockets():
        names = names_of_inherited() + [""] * len(inherited)
        pairs = list(zip(names, inherited, strict=False))
        for_spamd = [one for name, one in pairs if name.startswith("spamd")]
        return [one for _, one in pairs if one not in for_spamd], for_spamd
    return [listen(http)], [] if spamd is None else [listen(spamd)]


def _url(kind: str, listening: socket.socket) -> str:
    where = listening.getsockname()
    if listening.family == socket.AF_UNIX:
        return f"{kind}  unix:{where}"
    return f"{kind}://{Address(where[0], where[1])}"


def _run(http: Sequence[socket.socket], spamd: Sequence[socket.socket], options: ServeOptions) -> None:
    from spamnb.service.server_process import ServerProcess

    ServerProcess(options).run(http, spamd)


def _run_workers(http: Sequence[socket.socket], spamd: Sequence[socket.socket], options: ServeOptions) -> int:
    """Runs workers that share the sockets; their metrics are added up in a folder of files."""

    def work() -> int:
        try:
            _run(http, spamd, options)
        except SpamnbError as error:
            print(f"Error: {error.message}\nHint: {error.hint}", file=sys.stderr, flush=True)
            return FAILED_EXIT
        return 0

    with tempfile.TemporaryDirectory(prefix="spamnb-metrics-") as folder:
        os.environ[SHARED_METRICS] = folder
        return Supervisor(options.workers, work, lambda text: print(text, file=sys.stderr, flush=True)).run()
