"""Loads an HTTP server with requests from many connections, and measures latencies at little cost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import NamedTuple


class Load(NamedTuple):
    """The result of a run: latencies in seconds, sorted, and how long all took."""

    latencies: list[float]
    seconds: float
    failures: int

    @property
    def per_second(self) -> float:
        return len(self.latencies) / self.seconds

    def quantile(self, share: float) -> float:
        """The latency in milliseconds that this share of requests does not exceed."""
        return 1000 * self.latencies[min(len(self.latencies) - 1, int(share * len(self.latencies)))]


def request_bytes(
    path: str, body: bytes, content_type: str = "application/json", accept: str = "*/*"
) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {content_type}\r\nAccept: {accept}\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


class Client(asyncio.Protocol):
    """One connection that sends a request and waits for its answer."""

    def __init__(self) -> None:
        self._buffer, self._end, self._chunked = bytearray(), -1, False
        self._answer: asyncio.Future[bytes] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if self._end < 0 and not self._chunked:
            self._read_head()
        complete = 0 <= self._end <= len(self._buffer)
        if self._chunked:  # no JSON has a carriage return
            complete = self._buffer.endswith(b"\r\n0\r\n\r\n")
        if complete and self._answer is not None and not self._answer.done():
            answer, self._buffer, self._end, self._chunked = bytes(self._buffer), bytearray(), -1, False
            self._answer.set_result(answer)

    def _read_head(self) -> None:
        """Finds out where the answer ends, once its header is complete."""
        if (size := self._buffer.find(b"\r\n\r\n")) < 0:
            return
        head = bytes(self._buffer[:size]).lower()
        _, field, length = head.partition(b"content-length: ")
        self._chunked = b"transfer-encoding: chunked" in head
        self._end = size + 4 + (int(length.split(b"\r\n", 1)[0]) if field else 0)

    def connection_lost(self, error: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(error or ConnectionResetError())

    async def ask(self, request: bytes) -> bytes:
        self._answer = asyncio.get_running_loop().create_future()
        self.transport.write(request)
        return await self._answer


async def closed_loop(port: int, requests: Sequence[bytes], clients: int, seconds: float) -> Load:
    """Lets each of some clients send its next request as soon as it has an answer."""
    latencies, failures, begin = list[float](), 0, time.perf_counter()
    loop = asyncio.get_running_loop()

    async def run(number: int) -> int:
        _, client = await loop.create_connection(Client, "127.0.0.1", port)
        at, wrong = number, 0
        while time.perf_counter() - begin < seconds:
            start = time.perf_counter()
            wrong += not (await client.ask(requests[at % len(requests)])).startswith(b"HTTP/1.1 200")
            latencies.append(time.perf_counter() - start)
            at += clients
        client.transport.close()
        return wrong

    failures = sum(await asyncio.gather(*map(run, range(clients))))
    return Load(sorted(latencies), time.perf_counter() - begin, failures)


async def open_loop(port: int, requests: Sequence[bytes], rate: float, seconds: float) -> Load:
    """Sends requests at a steady rate, answered or not; the latency counts from the due time."""
    loop = asyncio.get_running_loop()
    idle = [(await loop.create_connection(Client, "127.0.0.1", port))[1] for _ in range(64)]
    latencies, tasks, failures = list[float](), set[asyncio.Task[None]](), 0
    begin = time.perf_counter()

    async def ask(client: Client, request: bytes, due: float) -> None:
        nonlocal failures
        failures += not (await client.ask(request)).startswith(b"HTTP/1.1 200")
        latencies.append(time.perf_counter() - due)
        idle.append(client)

    for number in range(int(rate * seconds)):
        due = begin + number / rate
        if (pause := due - time.perf_counter()) > 0:
            await asyncio.sleep(pause)
        if not idle:
            idle.append((await loop.create_connection(Client, "127.0.0.1", port))[1])
        task = asyncio.create_task(ask(idle.pop(), requests[number % len(requests)], due))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    await asyncio.gather(*tasks)
    for client in idle:
        client.transport.close()
    return Load(sorted(latencies), time.perf_counter() - begin, failures)
