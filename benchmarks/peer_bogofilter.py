"""bogofilter as a peer: trained and asked in bulk, or one mail at a time, with its own defaults."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SPAM_CUTOFF, HAM_CUTOFF = 0.99, 0.45  # its defaults: spam from the one on, ham up to the other, else unsure
Floats = NDArray[np.float64]


def installed() -> bool:
    return shutil.which("bogofilter") is not None


class Bogofilter:
    """A word list in a folder of its own; the user's settings are not read (-C)."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.command = ["bogofilter", "-C", "-d", str(folder)]

    def learn(self, paths: Sequence[str], spam: bool) -> None:
        self._run("-s" if spam else "-n", "-b", stdin="".join(f"{path}\n" for path in paths))

    def learn_one(self, path: str, spam: bool) -> None:
        self._run("-s" if spam else "-n", "-I", path)

    def scores(self, paths: Sequence[str]) -> Floats:
        """Its spamicity of each mail, from 0 to 1."""
        out = self._run("-TT", "-b", stdin="".join(f"{path}\n" for path in paths))
        found = dict(line.rsplit(" ", 1) for line in out.splitlines())
        return np.array([float(found[path]) for path in paths])

    def score_one(self, path: str) -> float:
        return float(self._run("-TT", "-I", path).split()[-1])

    def _run(self, *flags: str, stdin: str = "") -> str:
        done = subprocess.run(
            [*self.command, *flags], input=stdin, capture_output=True, text=True, check=False
        )
        if done.returncode == 3:
            raise SystemExit(f"bogofilter failed: {done.stderr}")
        return done.stdout
