"""Measures `spamnb serve` beside bogofilter, spamd and two services of FastAPI, all in turns.

One of these has a scikit-learn model, the other one does nothing.

python -m benchmarks.serve --rounds 5 --seconds 10 --requests 300000

Latencies at a steady rate count from the moment when a request was due. The client runs on the same machine.
spamc and bogofilter are started anew for each mail, as a mail server does it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.http_load import Client, closed_loop, open_loop, request_bytes
from benchmarks.machine import facts
from benchmarks.peers.sklearn import Multinomial
from benchmarks.serve_messages import mails, texts, training_messages

RATE, CLIENTS, LIST = 500, 32, 20_000
_START = 60.0  # seconds in which a server has to start


class Aim(NamedTuple):
    """A row of the table: what is measured, its unit, and the aim as a bound."""

    name: str
    unit: str
    at_most: float | None = None
    at_least: float | None = None

    def met(self, value: float) -> bool:
        return (self.at_most is None or value <= self.at_most) and (
            self.at_least is None or value >= self.at_least
        )

    @property
    def bound(self) -> str:
        if self.at_most is not None:
            return f"<= {self.at_most:,g}"
        return "" if self.at_least is None else f">= {self.at_least:,g}"


AIMS = (
    Aim("single SMS at 500/s, p50", "ms", at_most=1.5),
    Aim("single SMS at 500/s, p99", "ms", at_most=15),
    Aim("single SMS at 500/s, empty service, p50", "ms"),
    Aim("single SMS at 500/s, empty service, p99", "ms"),
    Aim("single SMS at 500/s, p50 / that of the empty service", "x"),
    Aim("processor time of one SMS at 500/s", "ms"),
    Aim("32 clients", "requests/s"),
    Aim("32 clients, scikit-learn service", "requests/s"),
    Aim("32 clients, ratio", "x", at_least=3),
    Aim("list of 20,000 SMS", "messages/s", at_least=100_000),
    Aim("list of 20,000 SMS, as JSON lines", "messages/s", at_least=100_000),
    Aim("list of 20,000 SMS, in a second of processor time", "messages/s"),
    Aim("mails, 8 clients", "mails/s", at_least=250),
    Aim("spamc round trip, p50", "ms"),
    Aim("bogofilter -p, p50", "ms"),
    Aim("spamc / bogofilter", "x", at_most=3),
    Aim("spamc to SpamAssassin, p50", "ms"),
    Aim("memory at the end", "MB", at_most=150),
    Aim("memory gained by the requests", "MB", at_most=10),
)


@contextmanager
def running(command: Sequence[str], pattern: str, env: dict[str, str]) -> Iterator[tuple[int, re.Match[str]]]:
    """Runs a server until the end of `with`; its process, and the line that tells that it is ready."""
    with tempfile.NamedTemporaryFile("w") as log:
        process = subprocess.Popen(command, stderr=log, stdout=subprocess.DEVNULL, env=env)
        try:
            until = time.monotonic() + _START
            while (match := re.search(pattern, Path(log.name).read_text())) is None:
                if process.poll() is not None or time.monotonic() > until:
                    raise SystemExit(f"{command[0]} did not start: {Path(log.name).read_text()}")
                time.sleep(0.05)
            yield process.pid, match
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_megabytes(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


class Bench:
    """The servers under test and the messages that they get."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        env = os.environ | {"HOME": str(folder), "XDG_DATA_HOME": str(folder / "data")}
        self.folder, self.socket = folder, folder / "spamd.sock"
        ours = [sys.executable, "-m", "spamnb", "serve", "--port", "0", "--spamd", f"unix:{self.socket}"]
        self.pid, match = stack.enter_context(running(ours, r"(?s)http://\S+:(\d+).*ready", env))
        self.port = int(match[1])
        self.peer_port = _start_peer(stack, "sklearn_service", env)
        self.empty_port = _start_peer(stack, "empty_service", env)
        self.texts = texts(5000)
        self.requests = [request_bytes("/predict", json.dumps({"text": t}).encode()) for t in self.texts]
        self.mails = list(mails(100))
        body = json.dumps({"texts": texts(LIST, seed=2)}).encode()
        self.lists = {
            kind: request_bytes("/predict", body, accept=f"application/{kind}") for kind in ("json", "jsonl")
        }
        self.bogofilter = self._train_bogofilter()

    def _train_bogofilter(self) -> list[str] | None:
        if shutil.which("bogofilter") is None:
            return None
        command = ["bogofilter", "-C", "-d", str(self.folder)]
        for label, flag in (("spam", "-s"), ("ham", "-n")):
            box = "".join(
                f"From x\nSubject: x\n\n{text}\n\n" for name, text in training_messages() if name == label
            )
            subprocess.run([*command, flag, "-M"], input=box.encode(), check=False)
        return [*command, "-p"]

    def round(self, seconds: float) -> Iterator[tuple[str, float]]:
        """Measures everything once."""
        for port in (self.port, self.peer_port, self.empty_port):
            asyncio.run(closed_loop(port, self.requests, 4, 0.5))  # warms up
        yield from self._singles(seconds)
        ours = asyncio.run(closed_loop(self.port, self.requests, CLIENTS, seconds)).per_second
        peer = asyncio.run(closed_loop(self.peer_port, self.requests, CLIENTS, seconds)).per_second
        yield "32 clients", ours
        yield "32 clients, scikit-learn service", peer
        yield "32 clients, ratio", ours / peer
        yield from self._lists(seconds / 2)
        raw = [request_bytes("/predict", mail, "message/rfc822") for mail in self.mails]
        yield "mails, 8 clients", asyncio.run(closed_loop(self.port, raw, 8, seconds / 2)).per_second
        yield from self._programs(max(10, int(5 * seconds)))

    def _singles(self, seconds: float) -> Iterator[tuple[str, float]]:
        """Sends single messages at a steady rate, to the empty service too."""
        name, began = f"single SMS at {RATE}/s", processor_seconds(self.pid)
        load = asyncio.run(open_loop(self.port, self.requests, RATE, seconds))
        spent = processor_seconds(self.pid) - began
        empty = asyncio.run(open_loop(self.empty_port, self.requests, RATE, seconds))
        for text, one in ((name, load), (f"{name}, empty service", empty)):
            yield f"{text}, p50", one.quantile(0.5)
            yield f"{text}, p99", one.quantile(0.99)
        yield f"{name}, p50 / that of the empty service", load.quantile(0.5) / empty.quantile(0.5)
        yield f"processor time of one SMS at {RATE}/s", 1000 * spent / len(load.latencies)

    def _lists(self, seconds: float) -> Iterator[tuple[str, float]]:
        """Sends lists, answered as JSON and as JSON lines."""
        name, began = f"list of {LIST:,} SMS", processor_seconds(self.pid)
        loads = [asyncio.run(closed_loop(self.port, [one], 1, seconds)) for one in self.lists.values()]
        spent = processor_seconds(self.pid) - began
        yield name, LIST * loads[0].per_second
        yield f"{name}, as JSON lines", LIST * loads[1].per_second
        yield (
            f"{name}, in a second of processor time",
            LIST * sum(len(one.latencies) for one in loads) / spent,
        )

    def _programs(self, count: int) -> Iterator[tuple[str, float]]:
        """Times spamc and bogofilter for the same mails, in turns."""
        commands = {"spamc round trip, p50": ["spamc", "-F", "/dev/null", "-U", str(self.socket)]}
        if self.bogofilter is not None:
            commands["bogofilter -p, p50"] = self.bogofilter
        if os.environ.get("SPAMD_PORT"):  # a spamd of SpamAssassin that is running already
            spamc = ["spamc", "-F", "/dev/null", "-p", os.environ["SPAMD_PORT"]]
            commands["spamc to SpamAssassin, p50"] = spamc
        if shutil.which("spamc") is None:
            return
        times = defaultdict[str, list[float]](list)
        for number in range(count):
            for name, command in commands.items():
                began = time.perf_counter()
                subprocess.run(
                    command, input=self.mails[number % 100], stdout=subprocess.DEVNULL, check=False
                )
                times[name].append(1000 * (time.perf_counter() - began))
        medians = {name: statistics.median(each) for name, each in times.items()}
        yield from medians.items()
        if "bogofilter -p, p50" in medians:
            yield "spamc / bogofilter", medians["spamc round trip, p50"] / medians["bogofilter -p, p50"]

    def memory(self, requests: int) -> Iterator[tuple[str, float]]:
        """Sends many requests, and compares the memory after a third of them with that at the end."""

        async def send(count: int) -> None:
            loop = asyncio.get_running_loop()

            async def some(number: int) -> None:
                _, client = await loop.create_connection(Client, "127.0.0.1", self.port)
                for at in range(number, count, CLIENTS):
                    await client.ask(self.requests[at % len(self.requests)])
                client.transport.close()

            await asyncio.gather(*map(some, range(CLIENTS)))

        asyncio.run(send(requests // 3))
        before = resident_megabytes(self.pid)
        asyncio.run(send(requests - requests // 3))
        after = resident_megabytes(self.pid)
        yield "memory at the end", after
        yield "memory gained by the requests", after - before


def _figure(value: float) -> str:
    return f"{value:,.{2 if value < 100 else 0}f}"


def _start_peer(stack: ExitStack, module: str, env: dict[str, str]) -> int:
    """Starts a service of `benchmarks.peers` on a free port; returns the port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    command = [sys.executable, "-m", f"benchmarks.peers.{module}", str(port)]
    stack.enter_context(running(command, "", env))
    _wait_for_port(port)
    return port


def _wait_for_port(port: int) -> None:
    until = time.monotonic() + _START
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except ConnectionRefusedError:
            if time.monotonic() > until:
                raise SystemExit("a service did not start") from None
            time.sleep(0.1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5, help="of each measurement in a round")
    parser.add_argument("--requests", type=int, default=30_000, help="for the measurement of memory")
    arguments = parser.parse_args()
    results, began = defaultdict[str, list[float]](list), os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        bench = Bench(stack, Path(folder))
        for _ in range(arguments.rounds):
            for name, value in bench.round(arguments.seconds):
                results[name].append(value)
        for name, value in bench.memory(arguments.requests):
            results[name].append(value)
    print(facts([Multinomial], "python -m benchmarks.serve", arguments.rounds < 3, began))
    print("\n| what | median | lowest | highest | aim | |\n|---|--:|--:|--:|--:|---|")
    for aim in AIMS:
        if values := results.get(aim.name):
            middle = statistics.median(values)
            state = ("met" if aim.met(middle) else "MISSED") if aim.bound else ""
            figures = " | ".join(map(_figure, (middle, min(values), max(values))))
            print(f"| {aim.name}, {aim.unit} | {figures} | {aim.bound} | {state} |")


if __name__ == "__main__":
    main()
