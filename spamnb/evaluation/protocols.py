"""Ways to measure a filter on data of its own: a held-out part, a stream in order, growing training sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from spamnb.core import IntArray
from spamnb.errors import DataError
from spamnb.evaluation.on_data import Evaluation, evaluation, on_chunks
from spamnb.evaluation.prequential import Streamed, streamed
from spamnb.features import extract, mix
from spamnb.messages import Chunk
from spamnb.metrics import Scores
from spamnb.model import SpamModel, calibration as calibrations, word_digests
from spamnb.settings import FeatureConfig
from spamnb.training import (
    FEWEST,
    Digests,
    FoldScores,
    HeldOutScores,
    Trainer,
    apply_calibration,
    copies_note,
    metrics_of,
)

SIZES = 10
SMALLEST = 1 / 64  # of the training part, in a learning curve
TrainerMaker = Callable[[], Trainer]


@dataclass(frozen=True, eq=False)
class Gathered:
    """All messages, with equal digests for copies and the class of each text: that of its first label."""

    chunks: list[Chunk]
    digests: Digests
    labels: tuple[str, ...]
    truth: IntArray

    @classmethod
    def of(cls, chunks: Iterable[Chunk]) -> Gathered:
        digester, kept, digests = Trainer(FeatureConfig.plain(), folds=0), [], []
        for chunk in chunks:
            words = word_digests(extract(chunk.texts, digester.features))
            columns = chunk.categories, chunk.numbers
            digests.append(digester.digests(words, chunk.texts, chunk.labels or [], *columns))
            kept.append(chunk)
        names = [label for chunk in kept for label in chunk.labels or []]
        labels = tuple(sorted(set(names)))
        if len(labels) < 2:
            raise DataError(
                f"evaluating needs messages of at least two classes, got {len(labels)}",
                hint="check the label column (--label-column) and which label means spam (--spam-label)",
            )
        index = {label: c for c, label in enumerate(labels)}
        truth = np.array([index[name] for name in names], np.int64)
        return cls(kept, np.concatenate(digests), labels, truth)

    def select(self, keep: IntArray) -> Iterator[Chunk]:
        """The messages of these rows (ascending)."""
        begin = 0
        for chunk in self.chunks:
            rows = keep[(keep >= begin) & (keep < begin + len(chunk))] - begin
            begin += len(chunk)
            if len(rows):
                yield _picked(chunk, rows)


def _picked(chunk: Chunk, rows: IntArray) -> Chunk:
    every = rows.tolist()
    labels = chunk.labels or []
    return Chunk(
        chunk.texts.select(rows),
        chunk.lines[rows],
        [labels[i] for i in every],
        {c: [v[i] for i in every] for c, v in chunk.categories.items()},
        {c: v[rows] for c, v in chunk.numbers.items()},
        sources=[chunk.sources[i] for i in every] if chunk.sources else (),
    )


def shuffled(data: Gathered, seed: int) -> tuple[IntArray, IntArray]:
    """The place of each message's text among the texts of its class, in an order by chance, and their number.

    Copies have the same place. The order depends on the texts and the seed, not on the order of the data.
    """
    texts, text = np.unique(data.digests, return_inverse=True)
    label = np.full(len(texts), len(data.labels))
    np.minimum.at(label, text, data.truth)
    chance = mix(texts ^ mix(np.array([seed], np.uint64)))
    order = np.lexsort((chance, label))
    place = np.empty(len(texts), np.int64)
    place[order] = np.arange(len(texts)) - np.searchsorted(label[order], label[order])
    return place[text], np.bincount(label, minlength=len(data.labels))[label[text]]


def split(data: Gathered, share: float, seed: int) -> tuple[IntArray, IntArray]:
    """Rows to learn and rows to judge: `share` of the different texts of each class are held out."""
    place, of = shuffled(data, seed)
    held = place < np.maximum(np.rint(share * of), 1)
    learned, judged = np.flatnonzero(~held), np.flatnonzero(held)
    if len(np.unique(data.truth[learned])) < len(data.labels):
        raise DataError(
            f"nothing of a class is left to learn when {share:.0%} are held out",
            hint="hold out less, or give more labelled messages",
        )
    return learned, judged


def _trained(make: TrainerMaker, chunks: Iterable[Chunk]) -> SpamModel:
    trainer = make()
    for chunk in chunks:
        trainer.add(chunk.texts, chunk.labels or [], chunk.categories, chunk.numbers)
    return trainer.finish()


def _split_notes(data: Gathered, learned: IntArray, judged: IntArray, share: float, seed: int) -> list[str]:
    parts = f"{len(learned):,} messages to learn, {len(judged):,} to judge"
    how = f"{share:.0%} of the texts of each class held out, copies together, seed {seed}"
    return [parts, how, *copies_note(data.digests)]


def holdout(data: Gathered, make: TrainerMaker, share: float, seed: int) -> Evaluation:
    """Train on one part, judge the other."""
    learned, judged = split(data, share, seed)
    found = on_chunks(_trained(make, data.select(learned)), data.select(judged))
    return replace(found, notes=tuple(_split_notes(data, learned, judged, share, seed)))


def learning_curve(data: Gathered, make: TrainerMaker, share: float, seed: int) -> Evaluation:
    """The same held-out part judged after more and more of the other; each size contains the ones before."""
    learned, judged = split(data, share, seed)
    place, of = shuffled(data, seed)
    held = np.maximum(np.rint(share * of), 1)
    rank = ((place - held) / np.maximum(of - held, 1))[learned]  # from 0 to 1 within each class
    first = place[learned] == held[learned]  # so that no class is missing from the smallest part
    steps: list[Mapping[str, Any]] = []
    found = None
    for size in np.geomspace(SMALLEST, 1.0, SIZES).tolist():
        rows = learned[(rank < size) | first]
        if steps and len(rows) == steps[-1]["learned"]:
            continue  # of few messages not every size is another one
        found = on_chunks(_trained(make, data.select(rows)), data.select(judged))
        steps.append(_step(len(rows), found.scores))
    assert found is not None
    notes = _split_notes(data, learned, judged, share, seed)
    caption = "the held-out part, judged after learning so many messages"
    return replace(found, notes=tuple(notes), steps=tuple(steps), caption=caption)


def _step(messages: int, scores: Any) -> Mapping[str, Any]:
    names = (
        ("accuracy", "precision", "recall", "f1", "roc_auc", "recall_at_fpr_0_1_percent", "log_loss")
        if isinstance(scores, Scores)
        else ("accuracy", "macro_f1", "log_loss")
    )
    return {"learned": messages, **{name: getattr(scores, name) for name in names}}


def online(data: Gathered, trainer: Trainer) -> Evaluation:
    """Each message judged by those before it, then learned; figures of all, and on the way."""
    parts = ((chunk.texts, chunk.labels or []) for chunk in data.chunks)
    stream = streamed(parts, trainer.features, trainer.scoring)
    positive = trainer.positive if trainer.positive in data.labels else data.labels[-1]
    start = calibrations.identity(len(data.labels))
    model = SpamModel(trainer.features, trainer.scoring, stream.store, trainer.decision, start, positive)
    model, held = _calibrated_on_the_way(model, stream)
    notes = ["each message judged by those before it, then learned", *copies_note(data.digests)]
    steps: list[Mapping[str, Any]] = []
    for end in np.linspace(0, len(held.truth), SIZES + 1).astype(int)[1:].tolist():
        begin = steps[-1]["learned"] if steps else 0
        if end > begin:
            steps.append(_step(end, metrics_of(model, _part(held, begin, end))))
    caption = "each line: the messages since the line before"
    return replace(evaluation(model, held, tuple(notes)), steps=tuple(steps), caption=caption)


def _calibrated_on_the_way(model: SpamModel, stream: Streamed) -> tuple[SpamModel, HeldOutScores]:
    """The calibration is fitted to the answers given so far, whenever they have become a tenth more."""
    scores, truth, n = stream.scores, stream.truth, len(stream.truth)
    parts, at = [], 0
    while at < n:
        past = slice(stream.begin, at)
        seen = np.bincount(truth[past], minlength=len(model.labels))
        if seen.min() >= FEWEST:
            model = replace(model, calibration=_fitted(model, scores.damped[past], truth[past]))
        until = min(n, max(at + 10, at + at // 10))
        rows = slice(at, until)
        parts.append(
            apply_calibration(model, truth[rows], FoldScores(scores.damped[rows], scores.known[rows]))
        )
        at = until
    names = ("truth", "log_odds", "proba", "known")
    return model, HeldOutScores(*(np.concatenate([getattr(p, name) for p in parts]) for name in names))


def _fitted(model: SpamModel, damped: Any, truth: IntArray) -> calibrations.Calibration:
    if len(model.labels) > 2:
        return calibrations.fit(damped, truth, len(model.labels))
    plus = model.labels.index(model.positive)
    with np.errstate(invalid="ignore"):
        raw = damped[:, plus] - damped[:, 1 - plus]
    return calibrations.fit(np.where(np.isnan(raw), 0.0, raw), (truth == plus).astype(np.int64), 2)


def _part(held: HeldOutScores, begin: int, end: int) -> HeldOutScores:
    rows = slice(begin, end)
    return HeldOutScores(held.truth[rows], held.log_odds[rows], held.proba[rows], held.known[rows])
