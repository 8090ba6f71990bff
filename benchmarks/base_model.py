"""Measures training on a few messages with a ready-made base model, beside either alone.

Each draw takes some messages of a corpus, trains on them with and without the start as `spamnb train` does,
and classifies messages of the rest. The start has never seen the corpus: for TREC 2007 it is the shipped
model, for the others one built without them (with the two numbers of the shipped model's calibration).
The weights of spamnb/model/base_model.py and spamnb/training/fit_base_weight.py were chosen on smishing,
enron and spamassassin, with other draws; SMSSpamCollection and trec07p-10k took no part in that.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from spamnb.core.arrays import FloatArray, IntArray
from spamnb.messages import Texts
from spamnb.metrics import evaluate_binary
from spamnb.model import shipped_model
from spamnb.model.base_model import BaseModel
from spamnb.model.spam_model import SpamModel
from spamnb.settings import TrainingConfig
from spamnb.training.threshold import MAIL_MAX_FPR
from spamnb.training.trainer import Trainer
from tools import model_sources, ready_made_models
from tools.publishable_tokens import Names, census_names, person_names
from tools.ready_made_models import Counted

KINDS = {
    "SMSSpamCollection": "sms",
    "trec07p-10k": "mail",
    "smishing": "sms",
    "enron": "mail",
    "spamassassin": "mail",
}
CLASSIFIED = 2000  # messages of the rest that a draw classifies
FIRST_SEED = 700
WAYS = ("ready-made", "own alone", "both")
MEASURES = ("AUC", "R@.1", "R@1", "accuracy", "ham lost", "log loss")


@dataclass(frozen=True)
class Corpus:
    """All messages of a corpus, which are spam, and a start that has seen none of them."""

    texts: Texts
    spam: NDArray[np.bool_]
    start: SpamModel
    max_fpr: float | None  # as `spamnb train` has it by default

    def labels(self, rows: IntArray) -> list[str]:
        return ["spam" if self.spam[i] else "ham" for i in rows.tolist()]


def read(names: Sequence[str]) -> Iterator[tuple[str, Corpus]]:
    """The corpora, each with its start."""
    with tempfile.TemporaryDirectory() as folder:
        for kind in sorted({KINDS[name] for name in names}):
            sources = model_sources.read_sources(kind, Path(folder))
            raw = (text for source in sources for part in source.parts for text in part.texts.tolist())
            persons = Names.of(person_names(), census_names(), raw)
            counted = [Counted.of(source) for source in sources]
            for name in (name for name in names if KINDS[name] == kind):
                parts = model_sources.read(name, Path(folder) / f"whole {name}")
                texts = Texts.concat([part.texts for part in parts])
                spam = np.array([label == "spam" for part in parts for label in part.labels])
                start = without(name, kind, persons, counted)
                yield name, Corpus(texts, spam, start, MAIL_MAX_FPR if kind == "mail" else None)


def without(name: str, kind: str, persons: Names, counted: Sequence[Counted]) -> SpamModel:
    """The ready-made model as it would be without this corpus."""
    shipped = SpamModel.load(shipped_model(kind))
    others = [c for c in counted if name not in (c.source.name, c.source.name.removesuffix(" pieces"))]
    if len(others) == len(counted):
        return shipped
    return replace(ready_made_models.build(kind, persons, others), calibration=shipped.calibration)


def draw(spam: NDArray[np.bool_], size: int, even: bool, seed: int) -> tuple[IntArray, IntArray]:
    """Rows to learn, half of them spam or as many as there are in the corpus, and rows to classify."""
    rng = np.random.default_rng(seed)
    share = 0.5 if even else float(spam.mean())
    positives = min(max(round(size * share), 2), size - 2)
    own = [
        rng.choice(np.flatnonzero(spam == c), n, replace=False)
        for c, n in ((True, positives), (False, size - positives))
    ]
    rest = np.setdiff1d(np.arange(len(spam)), np.concatenate(own))
    held_out = rng.choice(rest, min(CLASSIFIED, len(rest)), replace=False)
    return np.sort(np.concatenate(own)), np.sort(held_out)


def measured(model: SpamModel, texts: Texts, spam: NDArray[np.bool_]) -> list[float]:
    """Area, recall at 0.1% and 1% false positives, accuracy and lost ham of the verdicts, log loss."""
    predictions = model.score(texts)
    verdict = np.array([label == "spam" for label in predictions.labels])
    unsure = np.array([label == "unsure" for label in predictions.labels])
    scores = evaluate_binary(spam, predictions.probability, verdict, unsure, scores=predictions.log_odds)
    recalls = [recall(predictions.log_odds, spam, rate) for rate in (0.001, 0.01)]
    return [scores.roc_auc, *recalls, scores.accuracy, float(verdict[~spam].mean()), scores.log_loss]


def recall(log_odds: FloatArray, spam: NDArray[np.bool_], rate: float) -> float:
    """The share of spam above all ham but a few."""
    ham = np.sort(log_odds[~spam])[::-1]
    return float((log_odds[spam] > ham[int(rate * len(ham))]).mean())


def one_draw(corpus: Corpus, size: int, even: bool, seed: int) -> list[list[float]]:
    """The measures of the three ways."""
    own, held_out = draw(corpus.spam, size, even, seed)
    texts, labels = corpus.texts.select(own), corpus.labels(own)
    models = [corpus.start]
    for start in (None, BaseModel.of("start", corpus.start)):
        trainer = Trainer(
            base=start, training=TrainingConfig(max_fpr=corpus.max_fpr, max_fpr_is_default=True)
        )
        trainer.add(texts, labels)
        models.append(trainer.finish())
    rest, spam = corpus.texts.select(held_out), corpus.spam[held_out]
    return [measured(model, rest, spam) for model in models]


def show(name: str, size: int, even: bool, results: NDArray[np.float64]) -> None:
    """Means over the draws; behind each of the others, in how many draws `both` was better, and worse."""
    print(f"\n{name}, {size} messages, {'half spam' if even else 'natural share'}, {len(results)} draws")
    print(f"{'':12}" + "".join(f"{m:>18}" for m in MEASURES))
    sign = np.array([1, 1, 1, 1, -1, -1])
    for i, way in enumerate(WAYS):
        gain = (results[:, 2] - results[:, i]) * sign
        wins = [f" ({a}-{b})" for a, b in zip((gain > 0).sum(axis=0), (gain < 0).sum(axis=0), strict=True)]
        cells = [
            f"{v:.4f}" + (w if i < 2 else "") for v, w in zip(results[:, i].mean(axis=0), wins, strict=True)
        ]
        print(f"{way:12}" + "".join(f"{cell:>18}" for cell in cells), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", nargs="*", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--sizes", nargs="*", type=int, default=[4, 20, 100, 1000])
    parser.add_argument("--draws", type=int, default=20)
    options = parser.parse_args()
    for name, corpus in read(options.corpora):
        for size in options.sizes:
            if 2 * size > len(corpus.spam):
                continue
            for even in (True, False) if size > 4 else (True,):
                seeds = range(FIRST_SEED, FIRST_SEED + options.draws)
                results = [one_draw(corpus, size, even, seed) for seed in seeds]
                show(name, size, even, np.array(results))


if __name__ == "__main__":
    main()
