"""Measuring a model: on labelled messages it has not seen, or by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from spamnb.core import FloatArray, IntArray
from spamnb.errors import DataError
from spamnb.messages import Chunk
from spamnb.metrics import MultiScores, Scores
from spamnb.model import Predictions, SpamModel
from spamnb.training import HeldOutScores, Sample, Trainer, copies_note, metrics_of


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The figures, and for two classes what curves are drawn from: is it spam (n,), log-odds (n,).

    `held` has the results message by message, `sample` the messages of a cross-validation.
    """

    model: SpamModel
    scores: Scores | MultiScores
    truth: FloatArray
    log_odds: FloatArray
    notes: tuple[str, ...] = ()
    held: HeldOutScores | None = None
    sample: Sample | None = None
    steps: tuple[Mapping[str, Any], ...] = ()  # figures on the way: of a learning curve, of a stream
    caption: str = ""  # what the steps are


Watch = Callable[[Chunk, Predictions, IntArray], None]  # with the index of the true class of each message


def on_chunks(model: SpamModel, chunks: Iterable[Chunk], watch: Watch | None = None) -> Evaluation:
    """Score labelled messages and compare; `watch` sees every chunk while its messages are at hand."""
    index = {label: i for i, label in enumerate(model.labels)}
    truth, log_odds, proba, known, share = [], [], [], [], []
    for chunk in chunks:
        truth.append(_indices(chunk.labels or [], index))
        found = model.score(chunk.texts, chunk.categories, chunk.numbers)
        log_odds.append(found.log_odds)
        proba.append(model.proba(found))
        known.append(found.known)
        share += [found.scored.words.share] if found.scored.words is not None else []
        if watch is not None:
            watch(chunk, found, truth[-1])
    if not truth:
        raise DataError("there is nothing to evaluate", hint="give a file with labelled messages")
    said = np.concatenate(log_odds), np.concatenate(proba), np.concatenate(known)
    held = HeldOutScores(np.concatenate(truth), *said, np.concatenate(share) if share else None)
    return evaluation(model, held, ())


def _indices(labels: list[str], index: dict[str, int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    unknown = sorted(set(labels).difference(index))
    if unknown:
        raise DataError(
            f"the data has labels that the model does not know: {', '.join(unknown[:5])}; "
            f"it knows {', '.join(index)}",
            hint="say which label means spam with --spam-label, or train a model on these labels",
        )
    return np.fromiter(map(index.__getitem__, labels), np.int64, len(labels))


def cross_validated(trainer: Trainer) -> Evaluation:
    """Each fold scored by a model of the other folds."""
    model, sample = trainer.counted()
    if sample is None:
        raise DataError(
            "too few messages to cross-validate: every class needs at least 10",
            hint="give more labelled messages",
        )
    model, held = trainer.settled(model, sample)
    total = int(model.store.message_totals.sum())
    note = f"{trainer.folds} folds, copies of a text in the same fold"
    if len(sample) < total:
        note += f"; a sample of {len(sample):,} of {total:,} messages"
    same = "probabilities calibrated on the same out-of-fold scores"
    if model.decision.max_fpr is not None:
        same = "probabilities calibrated and threshold chosen on the same out-of-fold scores"
    return evaluation(model, held, (note, *copies_note(sample.digests), same), sample)


def evaluation(
    model: SpamModel, held: HeldOutScores, notes: tuple[str, ...], sample: Sample | None = None
) -> Evaluation:
    """The figures of what a model said."""
    scores = metrics_of(model, held)
    if len(model.labels) > 2:
        return Evaluation(model, scores, np.zeros(0), np.zeros(0), notes, held, sample)
    spam = held.truth == model.labels.index(model.positive)
    return Evaluation(model, scores, spam.astype(np.float64), held.log_odds, notes, held, sample)
