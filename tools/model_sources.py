"""Reads the corpora that the shipped models are built from, and those that only measure them.

A source that is spam only, or ham only, would teach "this language is spam". So each source counts as a
certain number of messages (`mass`), half of them spam where it has both classes, however many it holds.
"""

from __future__ import annotations

import csv
import json
import lzma
import random
import shutil
import tarfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from spamnb.messages import Texts
from spamnb.readers import ReadOptions, open_source

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"
WRITTEN = "written"  # prefix of the sources that were written for spamnb, one for each writer
WRITERS = (*(f"en-{number}" for number in "123456"), *(f"lang-{letter}" for letter in "abcdefghij"))
WRITTEN_SOURCES = tuple(f"{WRITTEN} {writer}" for writer in WRITERS)
# How many messages a source counts as; half of them are spam where it has both classes. A message written for
# spamnb counts `WRITTEN_WEIGHT` times.
MASS = {
    "sms": {
        "SMSSpamCollection": 1500,
        "smishing": 600,
        "turkish": 600,
        "thai": 600,
        "india_sms": 800,
        "telegram_ru": 500,
        "tatoeba_ham_proxy": 1200,
        "enron pieces": 800,
    },
    "mail": {
        "spamassassin": 6000,
        "enron": 1500,
        "modern_mail": 1500,
        **{f"written mail {writer}": 1000 for writer in "abcdefghijk"},
    },
}
WRITTEN_WEIGHT = {"sms": 4, "mail": 1}
SOURCES = {kind: (*masses, *WRITTEN_SOURCES) for kind, masses in MASS.items()}
# Sources that are left out together, so that every source is judged by a model that knows none of its kind.
LEFT_OUT = {
    "sms": (
        ("SMSSpamCollection", "smishing", "written lang-e", "written lang-h"),
        ("turkish", "written en-1", "written lang-c"),
        ("india_sms", "written en-2", "written lang-b", "written lang-g"),
        ("telegram_ru", "written en-3", "written lang-d"),
        ("thai", "written en-4", "written lang-a", "written lang-f"),
        ("written en-5", "written en-6", "written lang-i", "written lang-j"),
    ),
    "mail": tuple((name,) for name in MASS["mail"]),
}
# The files of each writer of mails.
MAIL_WRITERS = {"written mail a": "[0-9]*.eml", **{f"written mail {w}": f"{w}*.eml" for w in "bcdefghijk"}}
MAILS = 3000  # of Enron: more of them would decide which tokens are kept
PIECES = 6000  # short pieces of mails: short messages share the vocabulary of mail spam
TATOEBA = 12_000  # sentences


@dataclass(frozen=True)
class Part:
    """Some messages of a source."""

    texts: Texts
    labels: list[str]


@dataclass(frozen=True)
class Source:
    """A corpus and how many messages it counts as."""

    name: str
    parts: list[Part]
    mass: float = 1.0

    @property
    def labels(self) -> list[str]:
        return [label for part in self.parts for label in part.labels]

    @property
    def written(self) -> bool:
        """Whether it was written for spamnb: then a token of few messages may be published."""
        return self.name.startswith(WRITTEN)

    def weights(self) -> list[float]:
        """How many times each message counts."""
        labels = self.labels
        each = {label: self.mass / len(set(labels)) / labels.count(label) for label in set(labels)}
        return [each[label] for label in labels]


def read_sources(kind: str, folder: Path) -> list[Source]:
    """Reads the sources of a kind of model; archives are unpacked into a folder."""
    sources = []
    for name in SOURCES[kind]:
        parts = read(name, folder / name)
        size = sum(len(part.labels) for part in parts)
        sources.append(Source(name, parts, MASS[kind].get(name, WRITTEN_WEIGHT[kind] * size)))
    return sources


def read(name: str, folder: Path) -> list[Part]:
    """A corpus without exact repeats; of the smishing set only what is not in SMS Spam Collection."""
    if name in MAIL_WRITERS:
        return _written_mails(MAIL_WRITERS[name], folder)
    if name.startswith(WRITTEN):
        return _table(_written(name.removeprefix(f"{WRITTEN} ")))
    if name == "SMSSpamCollection":
        lines = (SHARED / "sms" / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
        return _table(_pair(line) for line in lines)
    if name == "smishing":
        known = {_letters(text) for text, _ in _pairs("SMSSpamCollection", folder)}
        return _table(p for p in _jsonl(SHARED / "sms" / "smishing.jsonl") if _letters(p[0]) not in known)
    if name == "enron":
        mails = sorted(set(_jsonl(SHARED / "mail" / "enron.jsonl.xz")))
        return _table(random.Random(name).sample(mails, MAILS))
    if name == "enron pieces":
        return _table(_pieces(list(_jsonl(SHARED / "mail" / "enron.jsonl.xz"))))
    if name == "tatoeba_ham_proxy":
        pairs = sorted(set(_jsonl(SHARED / "more" / f"{name}.jsonl.xz")))
        return _table(random.Random(name).sample(pairs, TATOEBA))
    for path in (f"sms/{name}.jsonl", f"mail/{name}.jsonl.xz", f"more/{name}.jsonl.xz"):
        if (SHARED / path).exists():
            return _table(_jsonl(SHARED / path))
    return _unpacked(name, folder)


def _written(writer: str) -> Iterable[tuple[str, str]]:
    with (ROOT / "data" / "messages" / "train.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["writer"] == writer:
                yield row["text"], row["label"]


def _written_mails(names: str, folder: Path) -> list[Part]:
    """Reads the mails of one writer, by way of a folder that holds nothing else."""
    for path in (ROOT / "data" / "modern_mail" / "train").glob(f"*/{names}"):
        copy = folder / path.parent.name / path.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    return _mails(folder)


def _unpacked(name: str, folder: Path) -> list[Part]:
    archives = [path for part in ("mail", "more") for path in (SHARED / part).glob(f"{name}*.tar.xz")]
    with tarfile.open(archives[0]) as packed:
        packed.extractall(folder, filter="data")
    (index,) = folder.rglob("index")
    return _mails(index.parent)


def _mails(folder: Path) -> list[Part]:
    with open_source(str(folder), ReadOptions(), labelled=True) as source:
        return [Part(chunk.texts, list(chunk.labels or ())) for chunk in source]


def _pairs(name: str, folder: Path) -> list[tuple[str, str]]:
    return [
        (text.decode(), label)
        for part in read(name, folder)
        for text, label in zip(part.texts.tolist(), part.labels, strict=True)
    ]


def _pieces(mails: Sequence[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    """Pieces of 4 to 20 words out of the first words of mails."""
    choose = random.Random("pieces")
    for text, label in choose.sample(mails, PIECES):
        words = text.split()
        size = choose.randint(4, 20)
        begin = choose.randrange(max(1, min(len(words) - size, 120)))
        if piece := " ".join(words[begin : begin + size]):
            yield piece, label


def _pair(line: str) -> tuple[str, str]:
    label, _, text = line.partition("\t")
    return text, label


def _letters(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum())


def _jsonl(path: Path) -> Iterable[tuple[str, str]]:
    data = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
    for line in data.splitlines():
        row = json.loads(line)
        yield row["text"], row["label"]


def _table(pairs: Iterable[tuple[str, str]], size: int = 2000) -> list[Part]:
    rows = list(dict(pairs).items())
    blocks = (rows[i : i + size] for i in range(0, len(rows), size))
    return [Part(Texts.of([t for t, _ in b]), [label for _, label in b]) for b in blocks]
