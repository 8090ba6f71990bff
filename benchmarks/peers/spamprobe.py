"""spamprobe as a peer: every message learned, with its own defaults."""

from __future__ import annotations

import shlex

import numpy as np

from benchmarks.peers.base import Floats, Messages, Program

SPAM_CUTOFF = 0.7  # its default


class Spamprobe(Program):
    """A database in a folder of its own; each file is one message (-M)."""

    name = package = "spamprobe"
    cutoffs = (SPAM_CUTOFF,)

    def train_command(self) -> list[str]:
        db = shlex.quote(f"{self.folder}/db")
        learn = f"{self._many('good', 'ham')} && {self._many('spam', 'spam')}"
        return ["sh", "-c", f"rm -rf {db}; mkdir {db}; {learn}"]

    def predict_command(self) -> list[str]:
        return ["sh", "-c", self._many("score", "predict")]

    def one_command(self) -> list[str]:
        return ["spamprobe", "-M", "-d", f"{self.folder}/db", "score", str(self.folder / "new" / "0")]

    def score(self, messages: Messages) -> tuple[Floats, Floats]:
        score = np.array([float(words[1]) for words in self.classified(messages)])
        return score, score

    def _many(self, what: str, listed: str) -> str:
        """It takes paths on its command line only: as many at once as the system allows."""
        folder = shlex.quote(str(self.folder))
        return f"xargs -d '\\n' -s 1000000 spamprobe -M -d {folder}/db {what} < {folder}/{listed}"
