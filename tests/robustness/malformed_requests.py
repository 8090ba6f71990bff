"""Sends malformed requests to a running server, HTTP and spamd: none may crash it, hang it or get no end.

python -m tests.robustness.malformed_requests 10000
"""

from __future__ import annotations

import random
import socket
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.helpers.command_line import Cli
from tests.helpers.running_server import MAIL, SPAM_TEXT, Server, resident_megabytes
from tests.robustness.result_row import Row

PER_SECOND = 100  # requests, at least: how many are tried in the seconds of `make hardening`
_HANG = 20.0  # seconds
_HTTP = [
    b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b'Content-Length: 20\r\n\r\n{"text": "free win"}',
    b"POST /explain HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nwin",
    b"POST /learn?label=x HTTP/1.1\r\nHost: localhost\r\nContent-Type: message/rfc822\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n5\r\nab: c\r\n0\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
]
_SPAMD = [
    b"CHECK SPAMC/1.5\r\nContent-length: %d\r\n\r\n%s" % (len(MAIL), MAIL),
    b"REPORT SPAMC/1.5\r\nUser: me\r\nContent-length: %d\r\n\r\n%s" % (len(MAIL), MAIL),
    b"PROCESS SPAMC/1.5\r\nCompress: zlib\r\n\r\n" + zlib.compress(MAIL),
    b"TELL SPAMC/1.5\r\nMessage-class: spam\r\nSet: local\r\nContent-length: 5\r\n\r\na: b\n",
    b"PING SPAMC/1.2\r\n\r\nPING SPAMC/1.2\r\n\r\n",
]
_PIECES = [
    b"\r\n",
    b"\n",
    b"\0",
    b": ",
    b"-1",
    b"9" * 30,
    b"Content-length: 7\r\n",
    b"\xff\xfe",
    b"{",
    b"[[" * 500,
]


def malformed(chance: random.Random, seeds: list[bytes]) -> bytes:
    """Returns a request with a few bytes changed, removed, repeated or put in, or bytes without a sense."""
    if chance.random() < 0.1:
        return chance.randbytes(chance.randrange(400))
    data = bytearray(chance.choice(seeds))
    for _ in range(chance.randint(1, 5)):
        at = chance.randrange(len(data) + 1)
        end = min(len(data), at + chance.randint(1, 30))
        match chance.randrange(4):
            case 0:
                data[at:at] = chance.choice(_PIECES)
            case 1:
                del data[at:end]
            case 2:
                data[at:at] = data[at:end] * chance.randint(1, 20)
            case _:
                data[at:end] = chance.randbytes(end - at)
    return bytes(data)


def send(address: tuple[str, int], data: bytes) -> float:
    """Sends bytes and waits until the server closes; returns the seconds."""
    began = time.monotonic()
    with socket.create_connection(address, timeout=_HANG) as client:
        try:
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
            while client.recv(1 << 16):
                pass
        except ConnectionError:  # closed before it has read everything, or because all is wrong
            pass
    return time.monotonic() - began


def tries(count: int, seed: int = 0) -> Iterator[tuple[str, bool, float, float]]:
    """Yields for each request the protocol, whether the server stood, the seconds and its memory in MB."""
    chance = random.Random(seed)
    flags = "-m", "mail", "--spamd", "127.0.0.1:0", "--allow-tell"
    with tempfile.TemporaryDirectory() as folder, Server(Cli(Path(folder)), *flags) as server:
        spamd = int(server.wait_for(r"spamd://127\.0\.0\.1:(\d+)")[1])
        targets = {"HTTP": (server.port, _HTTP), "spamd": (spamd, _SPAMD)}
        for number in range(count):
            name = "HTTP" if number % 2 else "spamd"
            port, seeds = targets[name]
            ok, seconds = _stood(lambda p=port, s=seeds: send(("127.0.0.1", p), malformed(chance, s)))  # type: ignore[misc]
            if number % 100 == 99:
                answer = server.post("/predict", {"text": SPAM_TEXT})
                ok &= server.process.poll() is None and "verdict" in answer
            yield name, ok, seconds, resident_megabytes(server.process.pid)
        assert server.process.poll() is None


def _stood(work: Callable[[], float]) -> tuple[bool, float]:
    try:
        return True, work()
    except (TimeoutError, ConnectionRefusedError):
        return False, _HANG


def rows(seconds: float) -> list[Row]:
    results = list(tries(max(100, int(seconds * PER_SECOND))))
    return [
        Row(
            "malformed-requests", name, len(part), sum(not ok for _, ok, _, _ in part),
            max(s for _, _, s, _ in part), max(mb for _, _, _, mb in part),
        )
        for name in ("HTTP", "spamd")
        if (part := [result for result in results if result[0] == name])
    ]  # fmt: skip


if __name__ == "__main__":
    for row in rows(int(sys.argv[1]) / PER_SECOND):
        print(row)
