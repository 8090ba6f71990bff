"""Measures a trainer on one set of data: by a held-out part, as a stream, or with growing training sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from spamnb.core import FloatArray, IntArray
from spamnb.errors import DataError
from spamnb.evaluation.on_data import Evaluation, Observer, evaluate_chunks, evaluate_scores, join_scores
from spamnb.evaluation.prequential import StreamScores, score_stream
from spamnb.features import extract, mix
from spamnb.messages import Chunk
from spamnb.metrics import MultiScores, Scores
from spamnb.model import (
    Decision,
    SpamModel,
    Verdicts,
    calibration as calibrations,
    log_odds_of,
    positive_class,
    word_digests,
)
from spamnb.settings import FeatureConfig, TrainingConfig
from spamnb.training import (
    CAUTIOUS,
    FEWEST,
    Digester,
    Digests,
    FoldScores,
    HeldOutScores,
    Trainer,
    apply_calibration,
    duplicates_note,
    fit_linear,
    max_fpr_decision,
    metrics_of,
)

SIZES = 10
SMALLEST = 1 / 64  # share of the training messages at the first step of a learning curve
TrainerMaker = Callable[[], Trainer]


@dataclass(frozen=True, eq=False)
class LabelledData:
    """All messages, with equal digests for duplicates, and the class of each."""

    chunks: list[Chunk]
    digests: Digests
    labels: tuple[str, ...]
    truth: IntArray

    @classmethod
    def of(cls, chunks: Iterable[Chunk]) -> LabelledData:
        """Reads all chunks; they stay in memory."""
        digester, read, digests = Digester(), [], []
        for chunk in chunks:
            digests.append(word_digests(extract(chunk.texts, FeatureConfig.plain())))
            columns = chunk.categories, chunk.numbers
            digester.complete(digests[-1], chunk.texts, chunk.labels or [], *columns)
            read.append(chunk)
        names = [label for chunk in read for label in chunk.labels or []]
        labels = tuple(sorted(set(names)))
        if len(labels) < 2:
            raise DataError(
                f"evaluating needs messages of at least two classes, got {len(labels)}",
                hint="check the label column (--label-column) and which label means spam (--spam-label)",
            )
        index = {label: c for c, label in enumerate(labels)}
        truth = np.array([index[name] for name in names], np.int64)
        return cls(read, np.concatenate(digests), labels, truth)

    def select(self, keep: IntArray) -> Iterator[Chunk]:
        """Yields the messages of these rows (ascending)."""
        begin = 0
        for chunk in self.chunks:
            rows = keep[(keep >= begin) & (keep < begin + len(chunk))] - begin
            begin += len(chunk)
            if len(rows):
                yield chunk.select(rows)


def shuffled(data: LabelledData, seed: int) -> tuple[IntArray, IntArray]:
    """Returns each message's place in a random order of the distinct texts of its class, and their number.

    Duplicates have the same place; a text belongs to the first class that it is labelled with. The order
    depends on the texts and the seed, not on the order of the data.
    """
    texts, text = np.unique(data.digests, return_inverse=True)
    label = np.full(len(texts), len(data.labels))
    np.minimum.at(label, text, data.truth)
    random = mix(texts ^ mix(np.array([seed], np.uint64)))
    order = np.lexsort((random, label))
    place = np.empty(len(texts), np.int64)
    place[order] = np.arange(len(texts)) - np.searchsorted(label[order], label[order])
    return place[text], np.bincount(label, minlength=len(data.labels))[label[text]]


def split(data: LabelledData, share: float, seed: int) -> tuple[IntArray, IntArray]:
    """Splits rows into training and test; `share` of the distinct texts of each class are held out."""
    place, of = shuffled(data, seed)
    held_out = place < np.maximum(np.rint(share * of), 1)
    training, test = np.flatnonzero(~held_out), np.flatnonzero(held_out)
    if len(np.unique(data.truth[training])) < len(data.labels):
        raise DataError(
            f"no training messages of a class are left when {share:.0%} are held out",
            hint="hold out less, or give more labelled messages",
        )
    return training, test


def _train(make: TrainerMaker, chunks: Iterable[Chunk]) -> SpamModel:
    trainer = make()
    for chunk in chunks:
        trainer.add_chunk(chunk)
    return trainer.finish()


def _split_notes(data: LabelledData, sizes: tuple[int, int], share: float, seed: int) -> tuple[str, ...]:
    parts = f"{sizes[0]:,} training messages, {sizes[1]:,} test messages"
    how = f"{share:.0%} of the texts of each class held out, duplicates together, seed {seed}"
    return parts, how, *duplicates_note(data.digests)


def evaluate_holdout(
    data: LabelledData,
    make: TrainerMaker,
    share: float,
    seed: int,
    observer: Callable[[SpamModel], Observer] | None = None,
) -> Evaluation:
    """Trains on one part of the data and measures the model on the other, which its observer sees too."""
    training, test = split(data, share, seed)
    model = _train(make, data.select(training))
    result = evaluate_chunks(model, data.select(test), None if observer is None else observer(model))
    return replace(result, notes=_split_notes(data, (len(training), len(test)), share, seed))


def learning_curve(data: LabelledData, make: TrainerMaker, share: float, seed: int) -> Evaluation:
    """Measures models of more and more messages on one test part; each training set contains the smaller."""
    training, test = split(data, share, seed)
    place, of = shuffled(data, seed)
    held_out = np.maximum(np.rint(share * of), 1)
    rank = ((place - held_out) / np.maximum(of - held_out, 1))[training]  # from 0 to 1 within each class
    first = place[training] == held_out[training]  # so that no class is missing from the smallest set
    steps: list[Mapping[str, Any]] = []
    result = None
    for size in np.geomspace(SMALLEST, 1.0, SIZES).tolist():
        rows = training[(rank < size) | first]
        if steps and len(rows) == steps[-1]["learned"]:
            continue  # with few messages two sizes may select the same
        result = evaluate_chunks(_train(make, data.select(rows)), data.select(test))
        steps.append(_step(len(rows), result.scores))
    assert result is not None
    notes = _split_notes(data, (len(training), len(test)), share, seed)
    caption = "metrics of the test messages by number of training messages"
    return replace(result, notes=notes, steps=tuple(steps), caption=caption)


def _step(messages: int, scores: Scores | MultiScores) -> Mapping[str, Any]:
    names = (
        ("accuracy", "precision", "recall", "f1", "roc_auc", "recall_at_fpr_0_1_percent", "log_loss")
        if isinstance(scores, Scores)
        else ("accuracy", "macro_f1", "log_loss")
    )
    return {"learned": messages, **{name: getattr(scores, name) for name in names}}


def evaluate_online(data: LabelledData, trainer: Trainer) -> Evaluation:
    """Classifies each message with a model of the messages before it, then learns it."""
    texts = ((chunk.texts, chunk.labels or []) for chunk in data.chunks)
    sizes = dict(zip(data.labels, np.bincount(data.truth).tolist(), strict=True))
    positive = positive_class(sizes, trainer.positive)
    stream = score_stream(texts, trainer.features, trainer.scoring, positive)
    identity = calibrations.identity(len(data.labels))
    model = SpamModel(trainer.features, trainer.scoring, stream.store, trainer.decision, identity, positive)
    model, held_out = _calibrate_stream(model, stream, trainer.training)
    notes = (
        "each message classified by a model of those before it, then learned",
        *(["threshold set by the messages before"] if model.decision.max_fpr is not None else []),
        *duplicates_note(data.digests),
    )
    steps: list[Mapping[str, Any]] = []
    for end in np.linspace(0, len(held_out.truth), SIZES + 1).astype(int)[1:].tolist():
        begin = steps[-1]["learned"] if steps else 0
        if end > begin:
            steps.append(_step(end, metrics_of(model, _slice(held_out, begin, end))))
    caption = "each line: the messages since the line before"
    return replace(evaluate_scores(model, held_out, notes), steps=tuple(steps), caption=caption)


def _calibrate_stream(
    model: SpamModel, stream: StreamScores, training: TrainingConfig
) -> tuple[SpamModel, HeldOutScores]:
    """Fits calibration and threshold to the messages so far, whenever they have become a tenth more."""
    scores, truth, n = stream.scores, stream.truth, len(stream.truth)
    enough = len(model.labels) == 2 and int(np.bincount(truth).min()) >= FEWEST
    rate = training.max_fpr if enough else None
    if rate is not None:
        model = replace(model, decision=Decision(CAUTIOUS, 0.5).with_rate(rate))
    parts, at = [], 0
    while at < n:
        past = slice(stream.begin, at)
        seen = np.bincount(truth[past], minlength=len(model.labels))
        if seen.min() >= FEWEST and not model.scoring.is_textbook:
            model = replace(model, calibration=_fit(model, scores.damped[past], truth[past]))
            if rate is not None:
                before = apply_calibration(model, truth[past], _rows(scores, past))
                decision = max_fpr_decision(model, before, rate, training.max_fpr_is_default)
                model = replace(model, decision=decision)
        until = min(n, max(at + 10, at + at // 10))
        rows = slice(at, until)
        part = apply_calibration(model, truth[rows], _rows(scores, rows))
        if rate is not None:
            part = replace(part, verdicts=model.decide(part.log_odds, part.known))
        parts.append(part)
        at = until
    return model, join_scores(parts)


def _rows(scores: FoldScores, rows: slice) -> FoldScores:
    return FoldScores(scores.damped[rows], scores.known[rows])


def _fit(model: SpamModel, damped: FloatArray, truth: IntArray) -> calibrations.Calibration:
    if len(model.labels) > 2:
        return fit_linear(damped, truth, len(model.labels))
    plus = model.labels.index(model.positive)
    return fit_linear(log_odds_of(damped, plus), (truth == plus).astype(np.int64), 2)


def _slice(scores: HeldOutScores, begin: int, end: int) -> HeldOutScores:
    rows, verdicts = slice(begin, end), scores.verdicts
    if verdicts is not None:
        verdicts = Verdicts(*(getattr(verdicts, name)[rows] for name in verdicts._fields))
    columns = scores.truth[rows], scores.log_odds[rows], scores.proba[rows], scores.known[rows]
    return HeldOutScores(*columns, verdicts=verdicts)
