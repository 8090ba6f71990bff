"""Times the MOVE of 500 mails to Junk and back on a real Dovecot, with deploy/dovecot and without it.

python -m benchmarks.move_to_junk --rounds 5
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path
from typing import Any

from spamnb.mailbox.lesson_spool import waiting_lessons
from tests.docs.test_dovecot_recipe import USER, LearningDovecot
from tests.helpers.dovecot import PASSWORD, Dovecot

MAILS, WORDS = 500, 1000


def client_of(server: Dovecot) -> Any:
    from imapclient import IMAPClient

    client = IMAPClient("127.0.0.1", server.tls_port, ssl_context=server.context())
    client.login(USER, PASSWORD)
    return client


def seconds(server: Dovecot, rounds: int) -> list[float]:
    """The times of MOVE, there and back again."""
    client = client_of(server)
    for n in range(MAILS):
        client.append("INBOX", b"Subject: mail %d\r\n\r\n%s\r\n" % (n, b"word " * WORDS))
    times = []
    for source, target in [("INBOX", "Junk"), ("Junk", "INBOX")] * rounds:
        client.select_folder(source)
        uids = client.search(["ALL"])
        assert len(uids) == MAILS
        started = time.perf_counter()
        client.move(uids, target)
        times.append(time.perf_counter() - started)
    client.logout()
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with Dovecot() as plain:
        without = seconds(plain, rounds)
    with LearningDovecot() as server:
        times = seconds(server, rounds)
        queued = len(waiting_lessons(str(Path(server.queue) / USER)))
    assert queued == len(times) * MAILS, queued
    for what, each in (("without lessons", without), ("with lessons", times)):
        print(f"{what:<16} median {statistics.median(each):.2f} s, {min(each):.2f} to {max(each):.2f} s")


if __name__ == "__main__":
    main()
