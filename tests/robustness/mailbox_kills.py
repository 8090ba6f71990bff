"""Kills `spamnb imap run` and cuts its connections while a person sorts mail, and compares with a tally.

python -m tests.robustness.mailbox_kills --kills 300 --cuts 100
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from spamnb.mail.parse import parse_mails
from spamnb.model.message_digest import message_digests
from spamnb.model.spam_model import SpamModel
from spamnb.training.trainer import train
from tests.helpers.command_line import PATIENCE, Cli
from tests.helpers.dovecot import PASSWORD, USERS, Dovecot, missing_programs
from tests.robustness.result_row import Row

GOOD = ("lunch", "meeting", "report", "garden", "train", "weekend")
BAD = ("prize", "winner", "claim", "cash", "pills", "urgent")
_SMALL_CUTS = 10


def mail(number: int, words: tuple[str, ...], rng: random.Random) -> bytes:
    """A mail that no other one equals; some have no Message-ID."""
    text = " ".join(rng.choices(words, k=12))
    head = f"Message-ID: <{number}@example.net>\r\n" if rng.random() < 0.8 else ""
    return f"{head}From: a{number}@example.net\r\nSubject: {text[:30]}\r\n\r\n{text} {number}\r\n".encode()


class Cutter:
    """Passes connections on to a server, and cuts them all when asked to."""

    def __init__(self, port: int) -> None:
        self._target, self._open = port, set[socket.socket]()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._threads: list[threading.Thread] = []
        self._run(self._accept)

    def _run(self, work: Callable[..., None], *args: socket.socket) -> None:
        self._threads.append(threading.Thread(target=work, args=args, daemon=True))
        self._threads[-1].start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._target))
                self._open |= {client, server}
                self._run(self._pass_on, client, server)
                self._run(self._pass_on, server, client)

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                sink.sendall(data)
        self._open.discard(source)
        with suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)
        source.close()

    def cut(self) -> None:
        for one in list(self._open):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Ends all connections and waits for their threads."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()
        for one in self._threads:
            one.join(PATIENCE)


class Person:
    """Delivers mails by IMAP and moves them, and keeps the tally that the model must have at the end."""

    def __init__(self, server: Dovecot, user: str, rng: random.Random) -> None:
        from imapclient import IMAPClient

        self.rng, self.delivered = rng, dict[bytes, bytes]()  # raw mail -> raw mail as the server has it
        self.expected: dict[bytes, str] = {}
        self.places: dict[bytes, str] = {}  # where the person has put a mail
        self.settled: set[bytes] = set()  # the filter has decided about them
        self._client: Any = IMAPClient("127.0.0.1", server.tls_port, ssl_context=server.context())
        self._client.login(user, PASSWORD)
        self._numbers = iter(range(1, 1_000_000))

    def close(self) -> None:
        self._client.logout()

    def act(self) -> None:
        self.rng.choice([self.deliver, self.deliver, self.mark_spam, self.restore, self.trash])()

    def deliver(self) -> None:
        raw = mail(next(self._numbers), self.rng.choice([GOOD, BAD]), self.rng)
        self.delivered[raw] = raw
        self._client.append("INBOX", raw)

    def mark_spam(self) -> None:
        self._move("INBOX", "Junk", "spam", self.settled)

    def restore(self) -> None:
        self._move("Junk", self.rng.choice(["INBOX", "Archive"]), "ham", self.delivered.keys())

    def trash(self) -> None:
        self._move("Junk", "Trash", "", self.delivered.keys())

    def _move(self, source: str, target: str, label: str, allowed: Any) -> None:
        """Moves one mail that the person has not moved before."""
        mails = self.mails(source)
        free = [uid for uid, raw in mails.items() if raw in allowed and raw not in self.places]
        if free:
            uid = self.rng.choice(free)
            self._client.select_folder(source)
            self._client.move([uid], target)
            self.places[mails[uid]] = target
            if label:
                self.expected[mails[uid]] = label

    def mails(self, folder: str) -> dict[int, bytes]:
        self._client.select_folder(folder, readonly=True)
        rows = self._client.fetch(self._client.search(["ALL"]), ["BODY.PEEK[]"])
        return {uid: row[b"BODY[]"] for uid, row in rows.items() if b"BODY[]" in row}

    def read(self) -> int:
        """How many mails are marked as read."""
        number = 0
        for _, _, folder in self._client.list_folders():
            self._client.select_folder(folder, readonly=True)
            number += len(self._client.search(["SEEN"]))
        return number

    def problems(self, model: SpamModel) -> list[str]:
        """What is not as the tally has it."""
        where: dict[bytes, list[str]] = {raw: [] for raw in self.delivered}
        for _, _, folder in self._client.list_folders():
            for raw in self.mails(folder).values():
                where[raw].append(folder)
        problems = [f"is in {names}" for names in where.values() if len(names) != 1]
        problems += [
            f"is in {where[raw]}, not {name}" for raw, name in self.places.items() if where[raw] != [name]
        ]
        problems += [f"{n} mails are read"] if (n := self.read()) else []
        return problems + self._wrong_lessons(model)

    def _wrong_lessons(self, model: SpamModel) -> list[str]:
        assert model.seen_messages is not None
        mails = list(self.delivered)
        digests = message_digests(parse_mails(mails))
        counts = {label: model.seen_messages.count(label, digests).tolist() for label in ("spam", "ham")}
        got = [{label: n[row] for label, n in counts.items() if n[row]} for row in range(len(mails))]
        wanted = [{self.expected[raw]: 1} if raw in self.expected else {} for raw in mails]
        return [f"learned as {g}, not {w}" for g, w in zip(got, wanted, strict=True) if g != w]


class Trial:
    """A server, a small model of one's own, and a home for `spamnb imap`."""

    def __init__(self, folder: Path, server: Dovecot, user: str, rng: random.Random) -> None:
        self.cli, self.server, self.rng = Cli(folder), server, rng
        self.cutter = Cutter(server.tls_port)
        self.model = folder / "own.spamnb"
        mails = [mail(-i, (GOOD, BAD)[i % 2], rng) for i in range(1, 401)]
        train(parse_mails(mails), [("ham", "spam")[i % 2] for i in range(1, 401)]).save(self.model)
        self.person = Person(server, user, rng)
        login = ("--server", f"127.0.0.1:{self.cutter.port}", "--ca-file", str(server.certificate))
        command = f"echo '{PASSWORD}'"
        self.cli("imap", "login", user, *login, "--password-command", command, "--action", "move")
        with open(self.cli.data / "spamnb" / "accounts.toml", "a") as file:
            file.write("poll = 1\n")
        self.once()
        for _ in range(20):
            self.person.deliver()
        self.once()

    def once(self) -> None:
        """Runs to the end, without a kill: from now on all mails in the inbox are decided."""
        self.cli("imap", "once", "-m", self.model)
        self.person.settled = set(self.person.delivered)

    def start(self) -> subprocess.Popen[bytes]:
        """Starts the filter; returns when it has read its model."""
        command = self.cli.command("imap", "run", "-m", self.model)
        running = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=self.cli.here, env=self.cli.env
        )
        assert running.stderr is not None
        first = running.stderr.readline()
        assert first.startswith(b"running "), first
        return running

    def kill(self, times: int) -> int:
        """Kills the filter so many times at random moments, while the person acts."""
        for n in range(times):
            running = self.start()
            for _ in range(self.rng.randrange(1, 5)):
                self.person.act()
            time.sleep(self.rng.uniform(0.0, 0.4))
            os.kill(running.pid, signal.SIGKILL)
            running.communicate(timeout=PATIENCE)
            self.person.act()
            if n % 5 == 4:
                self.once()
        return self.problems()

    def cut(self, times: int) -> int:
        """Cuts the filter's connections so many times, while the person acts."""
        for begin in range(0, times, _SMALL_CUTS):
            running = self.start()
            for _ in range(min(_SMALL_CUTS, times - begin)):
                for _ in range(self.rng.randrange(1, 4)):
                    self.person.act()
                time.sleep(self.rng.uniform(0.0, 0.6))
                self.cutter.cut()
            ended = running.poll()
            running.kill()
            errors = running.communicate(timeout=PATIENCE)[1].decode()
            assert ended is None, f"ended with {ended}: {errors}"
            self.once()
        return self.problems()

    def __enter__(self) -> Trial:
        return self

    def __exit__(self, *_: object) -> None:
        self.cutter.close()
        self.person.close()

    def problems(self) -> int:
        """Runs twice more, so that nothing is left to do, then compares."""
        self.once()
        self.once()
        problems = self.person.problems(SpamModel.load(self.model))
        for line in problems:
            print(f"mailbox: {line}", file=sys.stderr)
        return len(problems)


def run(kills: int, cuts: int, seed: int) -> list[Row]:
    rows = []
    for what, times in (("killed", kills), ("connection cut", cuts)):
        started = time.monotonic()
        with (
            Dovecot() as server,
            tempfile.TemporaryDirectory() as folder,
            Trial(Path(folder), server, USERS[0], random.Random(seed)) as trial,
        ):
            failures = trial.kill(times) if what == "killed" else trial.cut(times)
            lessons = len(trial.person.expected)
        rows.append(Row("mailbox", f"{what}, {lessons} lessons", times, failures, _each(started, times), 0.0))
    return rows


def _each(started: float, times: int) -> float:
    return (time.monotonic() - started) / max(times, 1)


def rows(seconds: float) -> list[Row]:
    """As many kills and cuts as fit the seconds; none, which fails, without Dovecot."""
    if reason := missing_programs():
        print(reason, file=sys.stderr)
        return [Row("mailbox", "killed", 0, 0, 0.0, 0.0)]
    return run(max(5, int(seconds / 3)), max(5, int(seconds / 9)), seed=7)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--cuts", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    done = run(arguments.kills, arguments.cuts, arguments.seed)
    for row in done:
        print(row)
    sys.exit(any(row.failures for row in done))


if __name__ == "__main__":
    main()
