"""Defines a peer: it learns labelled messages and scores others, in a folder of its own."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Messages:
    """Texts of short messages, or raw mails as latin-1, so that their bytes can be had back."""

    texts: Sequence[str]
    mail: bool = False

    def as_bytes(self) -> list[bytes]:
        """Mails as they were; a short message as a mail without a header."""
        if self.mail:
            return [text.encode("latin-1") for text in self.texts]
        return [f"\n{text}\n".encode() for text in self.texts]

    def lines(self) -> list[str]:
        return [" ".join(text.split()) for text in self.texts]

    def files(self, folder: Path) -> list[str]:
        """Each message in a file of its own; their paths."""
        folder.mkdir(parents=True, exist_ok=True)
        paths = [folder / str(i) for i in range(len(self.texts))]
        for path, data in zip(paths, self.as_bytes(), strict=True):
            path.write_bytes(data)
        return [str(path) for path in paths]


class Peer(ABC):
    """Made anew for each split; what it keeps between `train` and `score` is in `folder` or in itself."""

    name: ClassVar[str]
    package: ClassVar[str]  # where it comes from: the package whose version is reported
    cutoffs: ClassVar[tuple[float, ...]] = (0.5,)  # spam from here on; its own default first
    probabilities: ClassVar[bool] = True  # whether its scores from 0 to 1 are meant as probabilities

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder

    @classmethod
    def version(cls) -> str | None:
        """The version that is installed, or None."""
        try:
            return importlib.metadata.version(cls.package)
        except importlib.metadata.PackageNotFoundError:
            return None

    @classmethod
    def row(cls, cut: float) -> str:
        """Its name in a table, with where it says spam if there is more than one answer to that."""
        return cls.name if cls.cutoffs == (0.5,) else f"{cls.name}, spam from {cut:g}"

    @abstractmethod
    def train(self, messages: Messages, spam: Bools) -> None:
        """Learn these messages."""

    @abstractmethod
    def score(self, messages: Messages) -> tuple[Floats, Floats]:
        """A score that rises with spam, and the same as a value from 0 to 1."""


class Tool(Peer):
    """A peer that can be timed as whole commands, from files to verdicts."""

    @abstractmethod
    def write(self, messages: Messages, spam: Bools | None) -> None:
        """Put the messages down as the tool reads them: to learn, or without labels to classify."""

    @abstractmethod
    def train_command(self) -> list[str]:
        """Learns from nothing what was written with labels."""

    @abstractmethod
    def predict_command(self) -> list[str]:
        """Judges what was written without labels."""

    def one_command(self) -> list[str]:
        """Judges the one message that was written without labels."""
        return self.predict_command()


class LineTool(Tool):
    """A tool of a Python package, run by its module here, which reads one message a line."""

    module: ClassVar[str]  # of benchmarks.peers

    def labelled(self, line: str, spam: bool) -> str:
        """A line to learn."""
        raise NotImplementedError

    def write(self, messages: Messages, spam: Bools | None) -> None:
        lines = messages.lines()
        if spam is not None:
            lines = [self.labelled(line, bool(s)) for line, s in zip(lines, spam, strict=True)]
        name = "predict.txt" if spam is None else "train.txt"
        (self.folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")

    def train_command(self) -> list[str]:
        return [sys.executable, "-m", f"benchmarks.peers.{self.module}", "train", str(self.folder)]

    def predict_command(self) -> list[str]:
        return [sys.executable, "-m", f"benchmarks.peers.{self.module}", "predict", str(self.folder)]


def print_verdicts(folder: Path, probability: Callable[[str], float]) -> None:
    """What `predict` of a line tool prints: verdict, probability and message."""
    with open(folder / "predict.txt", encoding="utf-8") as file:
        for line in file.read().splitlines():
            p = probability(line)
            sys.stdout.write(f"{'spam' if p >= 0.5 else 'ham'}\t{p:.4f}\t{line}\n")


class Program(Tool):
    """A mail filter with a command of its own, which reads a file for each message."""

    def write(self, messages: Messages, spam: Bools | None) -> None:
        if spam is None:
            self._list("predict", messages.files(self.folder / "new"))
            return
        paths = messages.files(self.folder / "known")
        for label, wanted in (("ham", False), ("spam", True)):
            self._list(label, [path for path, is_spam in zip(paths, spam, strict=True) if is_spam == wanted])

    def _list(self, name: str, paths: Sequence[str]) -> None:
        (self.folder / name).write_text("".join(f"{path}\n" for path in paths))

    @classmethod
    def version(cls) -> str | None:
        """What the program says of itself."""
        try:
            done = subprocess.run([cls.package, "-V"], capture_output=True, text=True, check=False)
        except FileNotFoundError:
            return None
        words = [word.strip("v,") for word in (done.stdout + done.stderr).split()]
        return next((word for word in words if word[:1].isdigit()), "unknown")

    def train(self, messages: Messages, spam: Bools) -> None:
        self.write(messages, spam)
        subprocess.run(self.train_command(), check=True, capture_output=True)

    def classified(self, messages: Messages) -> list[list[str]]:
        """The words of each line that it prints, one line for each message."""
        self.write(messages, None)
        done = subprocess.run(self.predict_command(), check=True, capture_output=True, text=True)
        lines = [line.split() for line in done.stdout.splitlines()]
        if len(lines) != len(messages.texts):
            raise SystemExit(f"{self.name} classified {len(lines)} of {len(messages.texts)} messages")
        return lines
