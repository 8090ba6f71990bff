"""Reads the public corpora beside the clone, and splits them into a part to train and a part to test."""

from __future__ import annotations

import argparse
import json
import lzma
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.command_cost import SHARED
from spamnb.mail import Mail, mail_texts
from spamnb.mail.parse import parse_mail
from spamnb.messages import Texts

Bools = NDArray[np.bool_]
Rows = NDArray[np.int64]

UCI = SHARED / "sms" / "SMSSpamCollection.tsv"
MAIL = SHARED / "mail"
JSONL = {"turkish": "sms/turkish.jsonl", "thai": "sms/thai.jsonl", "enron": "mail/enron.jsonl.xz"}
MAILS = {"spamassassin": "spamassassin", "trec": "trec07p-10k"}


def require(path: Path) -> Path:
    """The path of a corpus, or the end of the run where it is absent."""
    if not path.exists():
        raise SystemExit(f"needs {path.name} in ../shared/data/{path.parent.name}, beside the clone")
    return path


@dataclass(frozen=True)
class MailCorpus:
    """Paths of mails in the order of the index, and which are spam."""

    name: str
    paths: list[str]
    spam: Bools

    def raw(self) -> Iterator[bytes]:
        return (Path(path).read_bytes() for path in self.paths)

    def parsed(self) -> list[Mail]:
        return [parse_mail(data) for data in self.raw()]

    def labels(self) -> list[str]:
        return ["spam" if s else "ham" for s in self.spam.tolist()]


def read_mails(name: str, folder: Path) -> MailCorpus:
    """Unpack a corpus into the folder and read its index: `spam path` or `ham path` a line."""
    with tarfile.open(require(MAIL / f"{name}.tar.xz")) as packed:
        packed.extractall(folder, filter="data")
    index = next(folder.glob(f"**/{name}/index"), folder / "index")
    rows = [line.split(maxsplit=1) for line in index.read_text("utf-8").splitlines()]
    paths = [str(index.parent / path) for _, path in rows]
    return MailCorpus(name, paths, np.array([label == "spam" for label, _ in rows]))


def read_messages(name: str) -> tuple[Texts, list[str], Bools]:
    """What spamnb reads, what the peers read, and which of it is spam; short texts without exact repeats."""
    if name in MAILS:
        with tempfile.TemporaryDirectory() as folder:
            mails = read_mails(MAILS[name], Path(folder))
            raw = list(mails.raw())
        return mail_texts([parse_mail(mail) for mail in raw]), [m.decode("latin-1") for m in raw], mails.spam
    rows = _tsv(require(UCI)) if name == "uci" else _jsonl(require(SHARED / JSONL[name]))
    first: dict[str, bool] = {}
    for is_spam, text in rows:
        first.setdefault(text, is_spam)
    return Texts.of(list(first)), list(first), np.array(list(first.values()))


def _tsv(path: Path) -> Iterator[tuple[bool, str]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield line.startswith("spam"), line.partition("\t")[2]


def _jsonl(path: Path) -> Iterator[tuple[bool, str]]:
    data = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
    for line in data.splitlines():
        row = json.loads(line)
        yield row["label"] == "spam", row["text"]


def split(spam: Bools, seed: int) -> tuple[Rows, Rows]:
    """Row numbers of a stratified split, 70% to train and 30% to test."""
    rng = np.random.default_rng(seed)
    parts: tuple[list[Rows], list[Rows]] = [], []
    for label in (False, True):
        rows = rng.permutation(np.flatnonzero(spam == label))
        cut = round(0.7 * len(rows))
        parts[0].append(rows[:cut])
        parts[1].append(rows[cut:])
    known, test = (np.sort(np.concatenate(part)) for part in parts)
    return known, test


def parse_seeds(parser: argparse.ArgumentParser, splits: int) -> tuple[argparse.Namespace, range]:
    """Adds the options that choose the splits, and gives all options and the seeds."""
    parser.add_argument("--splits", type=int, default=splits)
    parser.add_argument("--first-seed", type=int, default=1000)
    options = parser.parse_args()
    return options, range(options.first_seed, options.first_seed + options.splits)
