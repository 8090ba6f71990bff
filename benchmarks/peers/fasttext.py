"""fastText as a peer: words, pairs of words and character n-grams of 2 to 5, 25 epochs.

python -m benchmarks.peers.fasttext train|predict FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers.base import Bools, Floats, LineTool, Messages, print_verdicts

# A rate of 0.5 finds more spam here than its default of 0.1. 200,000 buckets in place of 2 million change
# detection little, and make its model a tenth as large and it faster.
SETTINGS = {"wordNgrams": 2, "minn": 2, "maxn": 5, "epoch": 25, "lr": 0.5, "bucket": 200_000}
SPAM, HAM = "__label__spam", "__label__ham"


def fit(folder: Path) -> Any:
    import fasttext

    return fasttext.train_supervised(str(folder / "train.txt"), thread=1, verbose=0, **SETTINGS)


def spam_score(model: Any, line: str) -> tuple[float, float]:
    """P(spam) and P(ham); `model.predict` fails with numpy 2, what it calls does not."""
    probabilities = {label: min(p, 1.0) for p, label in model.f.predict(line + "\n", 2, 0.0, "strict")}
    return probabilities.get(SPAM, 0.0), probabilities.get(HAM, 0.0)


class FastText(LineTool):
    """Reads one message a line, with the label in front to learn."""

    name = "fastText, bigrams + subwords 2-5"
    module = "fasttext"
    package = "fasttext-wheel"

    def labelled(self, line: str, spam: bool) -> str:
        return f"{SPAM if spam else HAM} {line}"

    def train(self, messages: Messages, spam: Bools) -> None:
        self.write(messages, spam)
        self.model = fit(self.folder)

    def score(self, messages: Messages) -> tuple[Floats, Floats]:
        p = np.clip([spam_score(self.model, line) for line in messages.lines()], 1e-9, 1.0)
        return np.log(p[:, 0] / p[:, 1]), p[:, 0] / p.sum(axis=1)


def main(what: str, folder: Path) -> None:
    import fasttext

    if what == "train":
        fit(folder).save_model(str(folder / "model.bin"))
        return
    model = fasttext.load_model(str(folder / "model.bin"))
    print_verdicts(folder, lambda line: spam_score(model, line)[0])


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
