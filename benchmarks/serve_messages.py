"""Makes messages for the measurements of servers, from the sample data: texts, and mails around them."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from pathlib import Path

SAMPLE = Path(__file__).resolve().parents[1] / "data" / "sms_sample.csv"


def training_messages() -> list[tuple[str, str]]:
    """Returns label and text of each message in the sample."""
    with SAMPLE.open(encoding="utf-8", newline="") as file:
        return [(row["label"], row["text"]) for row in csv.DictReader(file)]


def texts(count: int, seed: int = 1) -> list[str]:
    """Returns texts of the length of SMS: those of the sample, with two words exchanged."""
    chance, pool = random.Random(seed), [text for _, text in training_messages()]
    words = [word for text in pool for word in text.split()]
    return [f"{chance.choice(words)} {chance.choice(pool)} {chance.choice(words)}" for _ in range(count)]


def mails(count: int, seed: int = 1) -> Iterator[bytes]:
    """Yields mails of about 3 kB in HTML, from the words of the sample."""
    chance = random.Random(seed)
    for number, subject in enumerate(texts(count, seed)):
        body = "".join(f"<p>{chance.choice(subject.split())} {text}</p>\n" for text in texts(25, number))
        yield (
            f"From: Sender {number} <a{number}@example.org>\r\nTo: b@example.net\r\n"
            f"Subject: {subject[:60].encode('ascii', 'replace').decode()}\r\n"
            f"Message-ID: <{number}@example.org>\r\nMIME-Version: 1.0\r\n"
            "Content-Type: text/html; charset=utf-8\r\n\r\n<html><body>\n"
        ).encode() + f"{body}</body></html>\r\n".encode()
