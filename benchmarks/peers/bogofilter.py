"""bogofilter as a peer: trained and asked in bulk, or one mail at a time, with its own defaults."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.peers.base import Floats, Messages, Program

SPAM_CUTOFF, HAM_CUTOFF = 0.99, 0.45  # its defaults: spam from the one on, ham up to the other, else unsure


def installed() -> bool:
    return Bogofilter.version() is not None


class Bogofilter(Program):
    """A word list in a folder of its own; the user's settings are not read (-C)."""

    name = package = "bogofilter"
    cutoffs = (SPAM_CUTOFF, 0.5)

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.command = ["bogofilter", "-C", "-d", str(folder)]

    def train_command(self) -> list[str]:
        base, folder = shlex.join(self.command), shlex.quote(str(self.folder))
        learn = f"{base} -n -b < {folder}/ham && {base} -s -b < {folder}/spam"
        return ["sh", "-c", f"rm -f {folder}/wordlist.db; {learn}"]

    def predict_command(self) -> list[str]:
        listed = shlex.quote(str(self.folder / "predict"))
        return ["sh", "-c", f"{shlex.join(self.command)} -e -TT -b < {listed}"]

    def one_command(self) -> list[str]:
        return [*self.command, "-e", "-T", "-I", str(self.folder / "new" / "0")]

    def score(self, messages: Messages) -> tuple[Floats, Floats]:
        score = np.array([float(words[-1]) for words in self.classified(messages)])
        return score, score

    def learn(self, paths: Sequence[str], spam: bool) -> None:
        self._run("-s" if spam else "-n", "-b", stdin="".join(f"{path}\n" for path in paths))

    def learn_one(self, path: str, spam: bool) -> None:
        self._run("-s" if spam else "-n", "-I", path)

    def scores(self, paths: Sequence[str]) -> Floats:
        """Its spamicity of each mail, from 0 to 1."""
        out = self._run("-TT", "-b", stdin="".join(f"{path}\n" for path in paths))
        lines = dict(line.rsplit(" ", 1) for line in out.splitlines())
        return np.array([float(lines[path]) for path in paths])

    def score_one(self, path: str) -> float:
        return float(self._run("-TT", "-I", path).split()[-1])

    def _run(self, *flags: str, stdin: str = "") -> str:
        done = subprocess.run(
            [*self.command, *flags], input=stdin, capture_output=True, text=True, check=False
        )
        if done.returncode == 3:
            raise SystemExit(f"bogofilter failed: {done.stderr}")
        return done.stdout
