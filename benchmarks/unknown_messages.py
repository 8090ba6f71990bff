"""Measures what recognises messages of an unknown kind: the share of known words or log p(x).

A model of 70% of a corpus; the limit of each measure is what one in 200 of its out-of-fold ham verdicts lies
below. The table has how many messages of other kinds lie below it, and then what the verdicts become with the
share of known words, which is what spamnb uses. Nothing is chosen on the other 30%, which are classified too.
"""

from __future__ import annotations

import argparse
import string
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from spamnb.core.arrays import FloatArray, IntArray
from spamnb.counts.entries import Entries
from spamnb.features import extract
from spamnb.messages import Texts
from spamnb.model.decision import HAM
from spamnb.model.spam_model import SpamModel
from spamnb.training.cross_validation import cross_validated_scores
from spamnb.training.fit_min_known_words import RARE, known_word_shares
from spamnb.training.trainer import Trainer
from tools import model_sources

MEASURES = ("known words", "log p(x), known", "log p(x), all")
SEED = 1
Measured = tuple[FloatArray, FloatArray, FloatArray]


def evidence(
    joint: FloatArray, known: FloatArray, every: IntArray, unseen: float
) -> tuple[FloatArray, FloatArray]:
    """log p(x) for each known token, and for each token with an unknown one as likely as one never seen."""
    total = np.logaddexp(joint[:, 0], joint[:, 1])
    return total / np.maximum(known, 1), (total + (every - known) * unseen) / np.maximum(every, 1)


def unseen(model: SpamModel) -> float:
    """The logarithm of P of a token that no message has, in the larger class."""
    alpha, totals = model.scoring.alpha, model.store.presence_totals
    return float(np.log(alpha / (totals.max() + alpha * model.store.vocabulary)))


def distinct(model: SpamModel, texts: Texts) -> IntArray:
    """How many different tokens each message has, known or not."""
    batch = extract(texts, model.features)
    _, ids = np.unique(batch.keys, return_inverse=True)
    cuts = np.cumsum([len(stream.keys) for stream in batch.streams])[:-1]
    entries = Entries.of(batch, np.split(ids.reshape(-1), cuts), None, False)
    return np.bincount(entries.rows, minlength=batch.size)


def measured(model: SpamModel, texts: Texts) -> Measured:
    """All three measures of new messages."""
    scored = replace(model, min_known_words=0.5).score(texts).scored
    assert scored.words is not None
    more = evidence(scored.joint, 1 / scored.scale, distinct(model, texts), unseen(model))
    return scored.words.share, *more


def trained(texts: Texts, labels: list[str]) -> tuple[SpamModel, Measured]:
    """The model, and the measures of its out-of-fold ham verdicts."""
    trainer = Trainer()
    trainer.add(texts, labels)
    counted, sample = trainer.counted()
    assert sample is not None
    model, held_out = trainer.calibrated(counted, sample)
    scores = cross_validated_scores(counted.store, counted.scoring, sample, trainer.training.folds)
    every = np.bincount(sample.entries.rows, minlength=len(sample))
    more = evidence(scores.damped / scores.scale[:, None], 1 / scores.scale, every, unseen(model))
    ham = model.decide(held_out.log_odds, held_out.known).codes == HAM
    first, second, third = (
        values[ham] for values in (known_word_shares(model, sample, trainer.training.folds), *more)
    )
    return model, (first, second, third)


def others(folder: Path, but: str) -> dict[str, Texts]:
    """Messages of other kinds: other languages, random letters, and SMS as usual."""
    rng, letters = np.random.default_rng(SEED), list(string.ascii_lowercase + "   ")
    shares = {
        name: Texts.concat([part.texts for part in model_sources.read(name, folder)])
        for name in ("turkish", "thai", "smishing", "SMSSpamCollection")
        if name != but
    }
    return shares | {"random letters": Texts.of(["".join(rng.choice(letters, 60)) for _ in range(500)])}


def verdicts(model: SpamModel, texts: Texts) -> str:
    verdicts = model.predict(texts)
    return ", ".join(
        f"{verdicts.count(label) / len(verdicts):.1%} {label}" for label in ("ham", "spam", "unsure")
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--corpus", default="SMSSpamCollection", choices=["SMSSpamCollection", "spamassassin"]
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        parts = model_sources.read(arguments.corpus, Path(name))
        kinds = others(Path(name), arguments.corpus)
    texts, labels = Texts.concat([p.texts for p in parts]), [label for p in parts for label in p.labels]
    order = np.random.default_rng(SEED).permutation(len(labels))
    known, rest = np.sort(order[: round(0.7 * len(order))]), np.sort(order[round(0.7 * len(order)) :])
    model, usual = trained(texts.select(known), [labels[i] for i in known.tolist()])
    limits = [float(np.quantile(values, RARE, method="lower")) for values in usual]
    figures = model.metrics or {}
    print(
        f"{arguments.corpus}: messages with fewer than {model.min_known_words} known words are never called "
        f"ham; out of fold {figures['unsure']} of {figures['sample']} are unsure, "
        f"accuracy {figures['accuracy']:.2%}\n"
    )
    print(f"{'below the limit':18}" + "".join(f"{m:>18}" for m in MEASURES))
    for kind, some in kinds.items():
        shown = [(v < limit).mean() for v, limit in zip(measured(model, some), limits, strict=True)]
        print(f"{kind:18}" + "".join(f"{value:>18.1%}" for value in shown))
    print()
    plain, test = replace(model, min_known_words=None), texts.select(rest)
    for kind, some in {"the other 30%": test, **kinds}.items():
        print(f"{kind:18}{verdicts(plain, some)} without the limit, {verdicts(model, some)} with it")
    spam = np.array([labels[i] == "spam" for i in rest.tolist()])
    right = [(np.array(m.predict(test)) == "spam") == spam for m in (plain, model)]
    print(f"accuracy on the other 30%: {right[0].mean():.2%} without, {right[1].mean():.2%} with")


if __name__ == "__main__":
    main()
