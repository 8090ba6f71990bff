"""Measures detection with the defaults of `spamnb train`, beside peers on the same splits.

Corpora: SMS Spam Collection, or another of ../shared/data (`--corpus`); exact repeats are removed, but
not from raw mail. Splits: stratified, 70% to train, 30% to test, one for each seed. Nothing is chosen on
these splits: settings were chosen on folds of training parts. `--ablation` shows what each part gives.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.corpora import JSONL, MAILS, Bools, parse_seeds, read_messages, split
from benchmarks.intervals import paired_p, tally
from benchmarks.peers.base import Messages, Peer
from benchmarks.peers.known import SCIKIT_LEARN, present
from spamnb.messages import Texts
from spamnb.metrics import evaluate_binary
from spamnb.settings import FeatureConfig, ScorerConfig, TrainingConfig
from spamnb.training.threshold import MAIL_MAX_FPR
from spamnb.training.trainer import Trainer

Floats = NDArray[np.float64]


Classified = tuple[Floats, Floats, Bools]  # score, probability, called spam


MEASURES = (
    "accuracy",
    "precision",
    "recall",
    "ham_wrong",
    "one_minus_auc",
    "recall_at_0.1",
    "recall_at_0.5",
    "ece",
    "log_loss",
)


LOWER = ("ham_wrong", "one_minus_auc", "ece", "log_loss")


WANTED: dict[str, dict[str, float]] = {
    "uci": {"accuracy": 99.3, "recall_at_0.1": 96.0, "one_minus_auc": 0.20, "ece": 0.005},
    "spamassassin": {"accuracy": 99.4, "recall_at_0.1": 96.5, "one_minus_auc": 0.02},
    "trec": {"one_minus_auc": 0.002},
}


Results = dict[str, list[dict[str, float]]]


def spamnb(texts: Texts, spam: Bools, unseen: Texts, **settings: Any) -> Classified:
    """`spamnb train` and `spamnb predict` with these settings in place of the defaults."""
    trainer = Trainer(**{"features": FeatureConfig.usual(mail=bool(texts.tags)), **settings})
    trainer.add(texts, ["spam" if s else "ham" for s in spam])
    model = trainer.finish()
    predictions = model.score(unseen)
    return predictions.log_odds, predictions.probability, predictions.codes == model.labels.index("spam")


def peer_scores(kind: type[Peer], known: Messages, spam: Bools, unseen: Messages) -> dict[str, Classified]:
    """What a peer says, once for each of its lines between ham and spam."""
    with tempfile.TemporaryDirectory() as folder:
        peer = kind(Path(folder))
        peer.train(known, spam)
        score, p = peer.score(unseen)
    return {kind.row(cut): (score, p, p >= cut) for cut in kind.cutoffs}


OURS, OURS_MAIL = "spamnb (defaults)", "spamnb, its line for mail (default)"


ABLATION: dict[str, dict[str, Any]] = {
    "without signs": {"features": FeatureConfig(punctuation=False)},
    "without refinement": {"training": TrainingConfig(refine="no")},
    "refinement forced": {"training": TrainingConfig(refine="yes")},
    "only words": {"features": FeatureConfig(ngrams=1)},
    "words and pairs of words": {"features": FeatureConfig(ngrams=2)},
    "only words, no shapes": {"features": FeatureConfig(ngrams=1, shapes=False)},
    "words and pairs, no shapes": {"features": FeatureConfig(ngrams=2, shapes=False)},
    "without damping": {"scoring": ScorerConfig(damping=0.0)},
    "every occurrence counts": {"scoring": ScorerConfig(once=False)},
    "alpha 1": {"scoring": ScorerConfig(alpha=1.0)},
}


def measure(truth: Bools, score: Floats, probability: Floats, called: Bools) -> dict[str, float]:
    """Percentages, (1-AUC)%, and what is wrong with the probabilities."""
    metrics = evaluate_binary(truth, probability, called, scores=score)
    return {
        "accuracy": 100 * metrics.accuracy,
        "precision": 100 * metrics.precision,
        "recall": 100 * metrics.recall,
        "ham_wrong": 100 * metrics.false_positives / metrics.ham,
        "one_minus_auc": 100 * (1 - metrics.roc_auc),
        "recall_at_0.1": 100 * metrics.recall_at_fpr_0_1_percent,
        "recall_at_0.5": 100 * metrics.recall_at_fpr_0_5_percent,
        "ece": metrics.ece,
        "log_loss": metrics.log_loss,
    }


def run(name: str, seeds: Sequence[int], peers: Sequence[type[Peer]], ablation: bool) -> Results:
    texts, strings, spam = read_messages(name)
    ours: dict[str, dict[str, Any]] = {OURS: {}}
    if name in MAILS:
        ours[OURS_MAIL] = {"training": TrainingConfig(max_fpr=MAIL_MAX_FPR)}
    if ablation:
        ours |= ABLATION
    results: Results = {}
    for seed in seeds:
        known, test = split(spam, seed)
        scores = {
            row: spamnb(texts.select(known), spam[known], texts.select(test), **settings)
            for row, settings in ours.items()
        }
        training, unseen = (Messages([strings[i] for i in part], name in MAILS) for part in (known, test))
        for kind in peers:
            scores |= peer_scores(kind, training, spam[known], unseen)
        for row, measured in scores.items():
            results.setdefault(row, []).append(measure(spam[test], *measured))
    return results


def show(results: Results) -> dict[str, float]:
    """Print the means and the comparison split by split; gives the means of the defaults."""
    print(f"{'':<34}" + "".join(f"{name:>15}" for name in MEASURES))
    for name, rows in results.items():
        print(f"{name:<34}" + "".join(f"{np.mean([r[m] for r in rows]):>15.4g}" for m in MEASURES))
    ours = results[OURS]
    for name, rows in results.items():
        if rows is not ours:
            text = [_tally(m, ours, rows) for m in ("accuracy", "one_minus_auc", "recall_at_0.1")]
            print(f"defaults against {name}: " + "; ".join(text))
    return {m: float(np.mean([r[m] for r in ours])) for m in MEASURES}


def gaps(name: str, ours: list[dict[str, float]], theirs: list[dict[str, float]]) -> list[float]:
    """By how much ours is better in each split."""
    sign = -1 if name in LOWER else 1
    return [sign * (a[name] - b[name]) for a, b in zip(ours, theirs, strict=True)]


def _tally(name: str, ours: list[dict[str, float]], theirs: list[dict[str, float]]) -> str:
    differences = gaps(name, ours, theirs)
    won, tied, lost = tally(differences)
    return f"{name} {won} won, {tied} tied, {lost} lost, p {paired_p(differences):.2g}"


def met(name: str, means: dict[str, float]) -> bool:
    """Whether the means reach what is wanted of them; says so."""
    wanted = WANTED.get(name, {})
    good = all(means[m] <= w if m in LOWER else means[m] >= w for m, w in wanted.items())
    text = ", ".join(f"{m} {'<=' if m in LOWER else '>='} {w:g}" for m, w in wanted.items())
    print(f"wanted of the means: {text or 'nothing'}: {'met' if good else 'MISSED'}", flush=True)
    return good


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", default="uci", choices=["uci", *JSONL, *MAILS])
    parser.add_argument("--only-ours", action="store_true")
    parser.add_argument("--ablation", action="store_true", help="also without each part of the defaults")
    arguments, seeds = parse_seeds(parser, 10)
    peers = [] if arguments.only_ours else present(SCIKIT_LEARN)
    print(f"{arguments.corpus}, seeds {seeds[0]} to {seeds[-1]}")
    means = show(run(arguments.corpus, seeds, peers, arguments.ablation))
    sys.exit(0 if met(arguments.corpus, means) else 1)


if __name__ == "__main__":
    main()
