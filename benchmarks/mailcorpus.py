"""The public mail corpora: where they lie, unpacked if need be, and their splits."""

from __future__ import annotations

import tarfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import SHARED
from spamnb.mail import Mail
from spamnb.mail.parse import parse_mail

MAIL = SHARED / "mail"
Bools = NDArray[np.bool_]
Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Corpus:
    """Paths of mails in the order of the index, and which are spam."""

    name: str
    paths: list[str]
    spam: Bools

    def parsed(self) -> list[Mail]:
        return [parse_mail(Path(path).read_bytes()) for path in self.paths]

    def labels(self) -> list[str]:
        return ["spam" if s else "ham" for s in self.spam.tolist()]


def find(name: str, given: Path | None, scratch: Path) -> Path:
    """The unpacked corpus: given/NAME, else the archive beside the clone unpacked into `scratch`."""
    if given is not None:
        return given / name
    archive = MAIL / f"{name}.tar.xz"
    if not archive.exists():
        raise SystemExit(f"needs {name} in ../shared/data/mail, or unpacked: --corpora FOLDER/{name}")
    with tarfile.open(archive) as packed:
        packed.extractall(scratch, filter="data")
    return next(scratch.glob(f"**/{name}/index"), scratch / "index").parent


def read(name: str, given: Path | None, scratch: Path) -> Corpus:
    """The corpus that its index lists: `spam path` or `ham path` a line."""
    folder = find(name, given, scratch)
    rows = [line.split(maxsplit=1) for line in (folder / "index").read_text("utf-8").splitlines()]
    return Corpus(
        name, [str(folder / path) for _, path in rows], np.array([row[0] == "spam" for row in rows])
    )


def split(spam: Bools, seed: int) -> tuple[Rows, Rows]:
    """Row numbers of a stratified split, 70% to train and 30% to test."""
    rng = np.random.default_rng(seed)
    parts: tuple[list[Rows], list[Rows]] = [], []
    for label in (False, True):
        rows = rng.permutation(np.flatnonzero(spam == label))
        cut = round(0.7 * len(rows))
        parts[0].append(rows[:cut])
        parts[1].append(rows[cut:])
    known, held = (np.sort(np.concatenate(part)) for part in parts)
    return known, held
