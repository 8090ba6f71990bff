"""Measures a model on labelled messages, or a trainer by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from spamnb.core import FloatArray, IntArray
from spamnb.errors import DataError
from spamnb.features import extract
from spamnb.messages import Chunk
from spamnb.metrics import MultiScores, Scores
from spamnb.model import Predictions, SpamModel, TrainingOverlap, Verdicts, overlap_warning
from spamnb.training import (
    FEWEST,
    HeldOutScores,
    Sample,
    Trainer,
    duplicates_note,
    metrics_of,
    too_few_messages,
)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The metrics of a model, and for two classes what curves are drawn from: is it spam (n,), log-odds (n,).

    `held_out` has the results message by message, `sample` the messages of a cross-validation; `seen` counts
    the messages that the model was trained on, None where that is not known.
    """

    model: SpamModel
    scores: Scores | MultiScores
    truth: FloatArray
    log_odds: FloatArray
    notes: tuple[str, ...] = ()
    held_out: HeldOutScores | None = None
    sample: Sample | None = None
    seen: int | None = None
    steps: tuple[Mapping[str, Any], ...] = ()  # metrics at each step of a learning curve or a stream
    caption: str = ""  # of the steps

    @property
    def warning(self) -> str:
        """Words how many messages were in the training data, if more than a few; else empty."""
        return overlap_warning(self.seen or 0, self.scores.messages, "--holdout keeps repeats together")

    def overlap(self) -> dict[str, Any] | None:
        """Returns how many messages were in the training data, for JSON; None where that is not known."""
        if self.seen is None:
            return None
        share = self.seen / max(self.scores.messages, 1)
        return {"messages": self.seen, "share": share, "warning": self.warning or None}


Observer = Callable[[Chunk, Predictions, IntArray], None]  # with the index of the true class of each message


def observe_all(*observers: Observer) -> Observer:
    """Returns an observer that calls all of these."""

    def observe(chunk: Chunk, predictions: Predictions, truth: IntArray) -> None:
        for one in observers:
            one(chunk, predictions, truth)

    return observe


def evaluate_chunks(
    model: SpamModel,
    chunks: Iterable[Chunk],
    observe: Observer | None = None,
    overlap: TrainingOverlap | None = None,
) -> Evaluation:
    """Scores labelled messages and measures the verdicts; `observe` is called with every chunk.

    `overlap` recognizes messages that the model was trained on; by default those that it remembers itself.
    """
    index = {label: i for i, label in enumerate(model.labels)}
    overlap = TrainingOverlap.of(model) if overlap is None else overlap
    results, seen = [], list[int | None]()
    for chunk in chunks:
        truth = _class_indices(chunk.labels or [], index)
        batch = extract(chunk.texts, model.features)
        seen.append(overlap.count(chunk))
        predictions = model.score_batch(batch, chunk.categories, chunk.numbers)
        words = predictions.scored.words
        results.append(
            HeldOutScores(
                truth,
                predictions.log_odds,
                model.proba(predictions) if len(index) > 2 else np.zeros((len(truth), 0)),
                predictions.known,
                None if words is None else words.share,
            )
        )
        if observe is not None:
            observe(chunk, predictions, truth)
    if not results:
        raise DataError("there is nothing to evaluate", hint="give a file with labelled messages")
    counts = [count for count in seen if count is not None]
    return evaluate_scores(model, join_scores(results), seen=sum(counts) if counts else None)


def _class_indices(labels: list[str], index: dict[str, int]) -> IntArray:
    unknown = sorted(set(labels).difference(index))
    if unknown:
        raise DataError(
            f"the data has labels that the model does not know: {', '.join(unknown[:5])}; "
            f"it knows {', '.join(index)}",
            hint="say which label means spam with --spam-label, or train a model on these labels",
        )
    return np.fromiter(map(index.__getitem__, labels), np.int64, len(labels))


def join_scores(parts: list[HeldOutScores]) -> HeldOutScores:
    """Concatenates the results of several parts of the data."""
    shares = [part.share for part in parts if part.share is not None]
    return HeldOutScores(
        np.concatenate([part.truth for part in parts]),
        np.concatenate([part.log_odds for part in parts]),
        np.concatenate([part.proba for part in parts]),
        np.concatenate([part.known for part in parts]),
        np.concatenate(shares) if shares else None,
        _join_verdicts([part.verdicts for part in parts if part.verdicts is not None]),
    )


def _join_verdicts(parts: list[Verdicts]) -> Verdicts | None:
    columns = (np.concatenate([getattr(part, name) for part in parts]) for name in Verdicts._fields)
    return Verdicts(*columns) if parts else None


def cross_validate(trainer: Trainer) -> Evaluation:
    """Scores each fold with a model of the other folds."""
    model, sample = trainer.counted()
    if sample is None or int(np.bincount(sample.labels).min()) < FEWEST:
        raise too_few_messages(model.store, "give more labelled messages, or use --holdout 30%")
    model, held_out = trainer.calibrated(model, sample)
    total = int(model.store.message_totals.sum())
    note = f"{trainer.training.folds} folds, duplicates of a text in the same fold"
    if len(sample) < total:
        note += f"; a sample of {len(sample):,} of {total:,} messages"
    notes = (note, *duplicates_note(sample.digests), _calibration_note(model))
    return evaluate_scores(model, held_out, notes, sample)


def _calibration_note(model: SpamModel) -> str:
    """Returns what else the out-of-fold scores were used for."""
    if model.scoring.is_textbook:
        return "probabilities as the textbook has them, not calibrated"
    if model.decision.max_fpr is not None:
        return "probabilities calibrated and threshold chosen on the same out-of-fold scores"
    return "probabilities calibrated on the same out-of-fold scores"


def evaluate_scores(
    model: SpamModel,
    held_out: HeldOutScores,
    notes: tuple[str, ...] = (),
    sample: Sample | None = None,
    seen: int | None = None,
) -> Evaluation:
    """Measures the results of a model."""
    scores = metrics_of(model, held_out)
    spam, log_odds = np.zeros(0), np.zeros(0)
    if len(model.labels) == 2:
        spam = (held_out.truth == model.labels.index(model.positive)).astype(np.float64)
        log_odds = held_out.log_odds
    return Evaluation(model, scores, spam, log_odds, notes, held_out, sample, seen)
