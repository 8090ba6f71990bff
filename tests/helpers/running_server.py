"""Runs `spamnb serve` on a free port, and talks to it over HTTP and the spamd protocol."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import time
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Self

from tests.helpers.command_line import PATIENCE, Cli

SPAM_TEXT = "WIN a FREE prize! Call 0909 879 0123 now"
MAIL = b"From: a@example.org\r\nSubject: WIN\r\n\r\nCheap viagra, click http://example.org/ now\r\n"


class Server:
    """A server process inside `with`; its log is in the file `log`."""

    def __init__(self, cli: Cli, *flags: str | Path, env: dict[str, str] | None = None) -> None:
        self.cli, self.log_file = cli, cli.here / "serve.log"
        with self.log_file.open("wb") as log:
            self.process = subprocess.Popen(
                cli.command("serve", "--port", "0", *flags),
                stderr=log, stdin=subprocess.DEVNULL, cwd=cli.here, env=cli.env | (env or {}),
            )  # fmt: skip
        try:
            self.port = int(self.wait_for(r"http://\S+?:(\d+)")[1])
            self.wait_for("ready")
        except BaseException:
            self.process.kill()
            self.process.wait(PATIENCE)
            raise

    @property
    def log(self) -> str:
        return self.log_file.read_text()

    def wait_for(self, pattern: str) -> re.Match[str]:
        """Waits until the log has a line like this."""
        until = time.monotonic() + PATIENCE
        while (match := re.search(pattern, self.log)) is None:
            assert self.process.poll() is None, self.log
            assert time.monotonic() < until, f"no {pattern} in {self.log}"
            time.sleep(0.02)
        return match

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)
        assert "Traceback" not in self.log, self.log

    def ask(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Sends one request: status, header and body of the answer."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        with closing(connection):
            connection.request(method, path, body, names)
            answer = connection.getresponse()
            content = answer.read()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, content

    def post(self, path: str, body: object | bytes = b"", status: int = 200, **headers: str) -> Any:
        """Posts JSON, or bytes with a Content_Type; the answer as JSON."""
        if not isinstance(body, bytes):
            headers, body = {"Content_Type": "application/json", **headers}, json.dumps(body).encode()
        got, _, content = self.ask("POST", path, body, **headers)
        assert got == status, (got, content)
        return json.loads(content)

    def spamd(self, address: str | tuple[str, int], request: bytes, end: bool = True) -> bytes:
        """Sends bytes to the spamd port and reads until the server closes."""
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        with socket.socket(family) as client:
            client.settimeout(PATIENCE)
            client.connect(address)
            client.sendall(request)
            if end:
                client.shutdown(socket.SHUT_WR)
            parts = []
            while part := client.recv(1 << 16):
                parts.append(part)
        return b"".join(parts)


def resident_megabytes(pid: int) -> float:
    """Returns the resident memory of a process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
