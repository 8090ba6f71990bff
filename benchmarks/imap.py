"""Measures `spamnb imap` against a real Dovecot on loopback; exits with 1 if a target is missed.

The first run classifies 5,000 mails of TREC 2007 in two accounts; then new mails arrive one by one while
`spamnb imap run` waits for them. Targets: 200 mails/s, 150 MB, 2 s from arrival to verdict.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import command_cost, machine
from benchmarks.corpora import MAILS, read_mails
from tests.helpers.command_line import Cli
from tests.helpers.dovecot import PASSWORD, USERS, Dovecot, missing_programs

RATE, MEMORY, LATENCY = 200.0, 150.0, 2.0


def deliver(server: Dovecot, user: str, mails: Sequence[bytes]) -> None:
    """Writes mails into the new account's Maildir, as a delivery agent does."""
    folder = server.folder / "home" / user / "mail" / "new"
    if not folder.exists():
        _session(server, user).logout()  # creates it
    owner = folder.parent.stat()
    for number, raw in enumerate(mails):
        path = folder / f"{time.time_ns()}.{number}.example"
        path.write_bytes(raw)
        if os.geteuid() == 0:
            os.chown(path, owner.st_uid, owner.st_gid)


def _session(server: Dovecot, user: str) -> Any:
    from imapclient import IMAPClient

    client: Any = IMAPClient("127.0.0.1", server.tls_port, ssl_context=server.context())
    client.login(user, PASSWORD)
    client.select_folder("INBOX")
    return client


def log_in(cli: Cli, server: Dovecot) -> None:
    for user in USERS:
        place = ("--server", server.server, "--ca-file", server.certificate)
        cli("imap", "login", user, *place, "--password-command", f"echo '{PASSWORD}'")


def first_run(cli: Cli, mails: int) -> tuple[float, float]:
    """Mails per second, all of the command included, and peak memory in MB."""
    os.environ.update(cli.env)
    command = cli.command("imap", "once", "-q", "--since", "2000-01-01", "--action", "move")
    cost = command_cost.run(command, any_core=True)
    return mails / cost.seconds, cost.megabytes


def latencies(cli: Cli, server: Dovecot, mails: Sequence[bytes]) -> list[float]:
    """Seconds from the end of each delivery to the line that reports the verdict."""
    client, seconds = _session(server, USERS[0]), []
    with cli.start("imap", "run", "-q", "--action", "move") as running:
        for raw in mails:
            time.sleep(1.0)
            client.append("INBOX", raw)
            started = time.perf_counter()
            running.hear()
            seconds.append(time.perf_counter() - started)
    client.logout()
    return seconds


def spam_for(cli: Cli, mails: Sequence[bytes], number: int) -> list[bytes]:
    """Mails that the model calls spam: only these are reported. A new line makes each a new mail."""
    chosen = []
    for raw in mails:
        done = subprocess.run(
            cli.command("predict", "--input-format", "eml", "-q"),
            input=raw + b"\nnew\n",
            capture_output=True,
            env=cli.env,
            check=True,
        )
        if done.stdout.startswith(b"spam"):
            chosen.append(raw + b"\nnew\n")
        if len(chosen) == number:
            break
    return chosen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mails", type=int, default=5000)
    parser.add_argument("--arrivals", type=int, default=20)
    arguments = parser.parse_args()
    if reason := missing_programs():
        raise SystemExit(reason)
    with tempfile.TemporaryDirectory() as name, Dovecot() as server:
        folder = Path(name)
        corpus = read_mails(MAILS["trec"], folder)
        mails = [Path(path).read_bytes() for path in corpus.paths[: arguments.mails]]
        cli = Cli(folder)
        for user, part in zip(USERS, (mails[::2], mails[1::2]), strict=True):
            deliver(server, user, part)
        log_in(cli, server)
        rate, megabytes = first_run(cli, len(mails))
        print(f"{machine.processor()}, {machine.usable_cores()} cores, load {os.getloadavg()[0]:.1f}")
        print(f"first run  {len(mails):,} mails, {rate:,.0f} mails/s, {megabytes:.0f} MB")
        spam = [Path(path).read_bytes() for path, bad in zip(corpus.paths, corpus.spam, strict=True) if bad]
        waits = latencies(cli, server, spam_for(cli, spam[-200:], arguments.arrivals))
        print(f"arrivals   {len(waits)}, median {statistics.median(waits):.2f} s, longest {max(waits):.2f} s")
    sys.exit(rate < RATE or megabytes > MEMORY or max(waits) > LATENCY)


if __name__ == "__main__":
    main()
