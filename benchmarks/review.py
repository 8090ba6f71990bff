"""Compares the questions of `spamnb review` with random ones: how good is the model after so many answers?

    python -m benchmarks.review --corpora uci,trec --splits 5

Each split puts one half of a corpus into the pool and tests on the other. The model starts with ten spam and
ten ham messages of the pool, and learns the true label of each message that it asks about, near-duplicates
included. The ranking was chosen on `spamassassin` and `turkish`; `uci` and `trec` report it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

from benchmarks.corpora import MAILS, Bools, Rows, parse_seeds, read_messages
from spamnb.features import Batch, extract
from spamnb.messages import Texts
from spamnb.metrics import roc_auc
from spamnb.model import SpamModel
from spamnb.settings import FeatureConfig
from spamnb.training import ReviewQueue, Trainer

START = 20
REVIEWED, RANDOM = (50, 100, 200), (200, 400, 600)
Point = tuple[int, float, float]  # answers, accuracy, (1 - AUC) in percent


class Split:
    """One half of a corpus to ask about, the other half to test."""

    def __init__(self, texts: Texts, spam: Bools, features: FeatureConfig, tokens: Batch, seed: int) -> None:
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(spam))
        pool, test = order[: len(order) // 2], np.sort(order[len(order) // 2 :])
        first = np.concatenate([pool[spam[pool] == label][: START // 2] for label in (False, True)])
        self.texts, self.labels = texts, np.where(spam, "spam", "ham")
        self.pool: Rows = np.setdiff1d(pool, first)
        self.shuffled: Rows = rng.permutation(self.pool)
        self._test, self._spam = tokens.take(test), spam[test]
        trainer = Trainer(features)
        trainer.add(texts.select(first), self.labels[first].tolist())
        self.start = trainer.finish()

    def measure(self, answers: int, model: SpamModel) -> Point:
        log_odds = model.score_batch(self._test).log_odds
        accuracy = float(((log_odds > 0) == self._spam).mean())
        return answers, accuracy, 100 * (1 - roc_auc(self._spam, log_odds))


def reviewed(split: Split) -> Iterator[Point]:
    """Asks as `spamnb review` does."""
    model, texts = split.start, split.texts.select(split.pool)
    queue = ReviewQueue(model, texts)
    for answers in range(1, max(REVIEWED) + 1):
        row = queue.next(model)
        if row is None:
            return
        members = queue.members(row)
        label = str(split.labels[split.pool[row]])
        model = model.learn(texts.select(members), [label] * len(members))
        queue.close(row)
        if answers in REVIEWED:
            yield split.measure(answers, model)


def at_random(split: Split) -> Iterator[Point]:
    """Asks about messages in random order."""
    model, done = split.start, 0
    for answers in RANDOM:
        rows = split.shuffled[done:answers]
        model, done = model.learn(split.texts.select(rows), split.labels[rows].tolist()), answers
        yield split.measure(answers, model)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpora", default="uci,trec")
    options, seeds = parse_seeds(parser, 5)
    for name in options.corpora.split(","):
        texts, _, spam = read_messages(name)
        features = FeatureConfig.usual(mail=name in MAILS)
        tokens = extract(texts, features)
        splits = [Split(texts, spam, features, tokens, seed) for seed in seeds]
        for way, ask in (("review", reviewed), ("random", at_random)):
            curves = np.array([list(ask(split)) for split in splits])
            for answers, accuracy, loss in curves.mean(axis=0):
                worst = curves[:, curves[0, :, 0] == answers, 1].min()
                line = f"{answers:4.0f} answers  accuracy {accuracy:.2%} (lowest {worst:.2%})"
                print(f"{name:<13} {way:<7} {line}  (1-AUC)% {loss:.3f}", flush=True)


if __name__ == "__main__":
    main()
