"""river as a peer: its bag of words and multinomial naive Bayes, message by message.

python -m benchmarks.peers.river train|predict FOLDER
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers.base import Bools, Floats, LineTool, Messages, print_verdicts

Model = tuple[Any, Any]  # bag of words, naive Bayes


def fit(rows: Iterable[tuple[str, bool]]) -> Model:
    from river.feature_extraction import BagOfWords
    from river.naive_bayes import MultinomialNB

    bag, bayes = BagOfWords(lowercase=True), MultinomialNB()
    for text, spam in rows:
        bayes.learn_one(bag.transform_one(text), spam)
    return bag, bayes


def spam_score(model: Model, text: str) -> float:
    """Log-odds of spam; its probabilities are made from the same, but end at 0 and 1."""
    joint = model[1].joint_log_likelihood(model[0].transform_one(text))
    return float(joint[True] - joint[False])


def probability(log_odds: float) -> float:
    return float(1 / (1 + np.exp(-np.clip(log_odds, -700, 700))))


class River(LineTool):
    """Reads one message a line, with the label and a tab in front to learn."""

    name = "river BagOfWords + MultinomialNB"
    module = "river"
    package = "river"

    def labelled(self, line: str, spam: bool) -> str:
        return f"{'spam' if spam else 'ham'}\t{line}"

    def train(self, messages: Messages, spam: Bools) -> None:
        self.model = fit(zip(messages.texts, spam.tolist(), strict=True))

    def score(self, messages: Messages) -> tuple[Floats, Floats]:
        score = np.array([spam_score(self.model, text) for text in messages.texts])
        return score, np.array([probability(value) for value in score])


def main(what: str, folder: Path) -> None:
    if what == "train":
        with open(folder / "train.txt", encoding="utf-8") as file:
            rows = [line.rstrip("\n").partition("\t") for line in file]
        model = fit((text, label == "spam") for label, _, text in rows)
        (folder / "model").write_bytes(pickle.dumps(model))
        return
    model = pickle.loads((folder / "model").read_bytes())
    print_verdicts(folder, lambda line: probability(spam_score(model, line)))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
