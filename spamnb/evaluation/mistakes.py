"""The worst mistakes of an evaluation, with what misled the model."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from spamnb.core import FloatArray, IntArray
from spamnb.evaluation.on_data import Evaluation
from spamnb.messages import Chunk, Texts
from spamnb.model import Explanation, Predictions, SpamModel
from spamnb.training import Sample, folds

WORST = 8  # of each kind
LONGEST = 4000  # bytes that are kept of a message


@dataclass(frozen=True, slots=True)
class Mistake:
    """A message, what it is and what was said; `probability` is P(positive), or P(said) among several."""

    truth: str
    said: str
    probability: float
    wrongness: float
    text: str
    subject: str = ""
    place: str = ""
    told: Explanation | None = None


@dataclass(frozen=True, slots=True)
class _Candidate:
    wrongness: float
    kind: int
    truth: int
    code: int
    probability: float
    chunk: Chunk  # this message alone
    place: str


class Collector:
    """Watches an evaluation and keeps the messages that were judged most wrongly, few at any time."""

    def __init__(self, model: SpamModel, limit: int = WORST) -> None:
        self.model = model
        self._limit = limit
        self._kept: list[_Candidate] = []

    def watch(self, chunk: Chunk, found: Predictions, truth: IntArray) -> None:
        """Take note of a chunk."""
        wrongness, kinds = _wrongness(self.model, found, truth)
        for kind in range(2):
            rows = np.flatnonzero(kinds == kind)
            for row in rows[np.argsort(-wrongness[rows], kind="stable")][: self._limit].tolist():
                code, p = int(found.codes[row]), float(found.probability[row])
                place = chunk.sources[row] if chunk.sources else f"line {int(chunk.lines[row])}"
                alone = _alone(chunk, row)
                self._kept.append(
                    _Candidate(float(wrongness[row]), kind, int(truth[row]), code, p, alone, place)
                )
        self._kept = [c for kind in range(2) for c in self._best(kind)]

    def _best(self, kind: int) -> list[_Candidate]:
        own = sorted((c for c in self._kept if c.kind == kind), key=lambda c: -c.wrongness)
        return own[: self._limit]

    def worst(self) -> list[Mistake]:
        """The worst of each kind, explained."""
        names = (*self.model.labels, "unsure")
        return [
            _mistake(c, names, self.model.explain(c.chunk.texts, c.chunk.categories, c.chunk.numbers))
            for c in self._kept
        ]


def _wrongness(model: SpamModel, found: Predictions, truth: IntArray) -> tuple[FloatArray, IntArray]:
    """How far on the wrong side each message lies, and its kind: -1 for what is right.

    With two classes kind 0 is a negative called positive, kind 1 a positive that was not. With more there
    is one kind, and the measure is log P(said) - log P(truth).
    """
    if len(model.labels) == 2:
        plus = model.labels.index(model.positive)
        lost, missed = (truth != plus) & (found.codes == plus), (truth == plus) & (found.codes != plus)
        kinds = np.where(lost, 0, np.where(missed, 1, -1))
        return np.where(missed, -found.log_odds, found.log_odds), kinds
    proba = model.proba(found)
    said = proba.argmax(axis=1)
    rows = np.arange(len(truth))
    with np.errstate(divide="ignore"):
        gap = np.log(proba[rows, said]) - np.log(proba[rows, truth])
    return np.asarray(gap, np.float64), np.where(said == truth, -1, 0)


def _alone(chunk: Chunk, row: int) -> Chunk:
    """One message of a chunk with all that the model looks at."""
    texts = chunk.texts.select(np.array([row]))
    categories = {name: values[row : row + 1] for name, values in chunk.categories.items()}
    numbers = {name: values[row : row + 1] for name, values in chunk.numbers.items()}
    return Chunk(texts, chunk.lines[row : row + 1], None, categories, numbers)


def _mistake(c: _Candidate, names: tuple[str, ...], told: Explanation) -> Mistake:
    texts = c.chunk.texts
    subject = " ".join(_text(texts.tags["subject"]).split()) if "subject" in texts.tags else ""
    return Mistake(
        names[c.truth], names[c.code], c.probability, c.wrongness, _text(texts), subject, c.place, told
    )


def _text(texts: Texts) -> str:
    return texts[0][:LONGEST].decode("utf-8", "replace")


def out_of_fold(found: Evaluation, k: int, limit: int = WORST) -> list[Mistake]:
    """The worst mistakes of a cross-validation, each explained by the model that had not seen its fold.

    The counts of a fold are subtracted again, so the parts sum to the very score that was measured. What
    refinement added to it was fitted anew for each fold; it stands beside the prior and the calibration.
    """
    assert found.sample is not None
    model, fold = found.model, folds(found.sample, k)
    explained: list[Mistake] = []
    for f in range(k):
        rows = np.flatnonzero(fold == f)
        chunk = _picked(found.sample, model.labels, rows)
        lean = model.forget(chunk.texts, chunk.labels or [], chunk.categories, chunk.numbers)
        lean = replace(lean, correction=None)
        if len(rows) and lean.labels == model.labels:  # else the fold has all there is of a class
            part = Collector(lean, limit)
            scored = _measured(found, rows, lean.score(chunk.texts, chunk.categories, chunk.numbers))
            part.watch(chunk, scored, found.sample.labels[rows])
            explained += [_told(mistake, model) for mistake in part.worst()]
    return _worst_of_all(explained, limit, len(model.labels) == 2, model.positive)


def _measured(found: Evaluation, rows: IntArray, scored: Predictions) -> Predictions:
    """What the cross-validation measured of these messages of a refined model."""
    held, model = found.held, found.model
    if model.correction is None or held is None:
        return scored
    plus = model.labels.index(model.positive)
    p, log_odds = held.proba[rows, plus], held.log_odds[rows]
    share = None if held.share is None else held.share[rows]
    few = model.too_few_known_words(share)
    codes = np.array([1 - plus, plus, 2])[model.decide(log_odds, held.known[rows], share)]
    return Predictions(scored.names, codes, p, log_odds, held.known[rows], scored.scored, few)


def _told(mistake: Mistake, model: SpamModel) -> Mistake:
    """Without a place, and with the measured score in its explanation."""
    told = mistake.told
    if model.correction is None or told is None:
        return replace(mistake, place="")
    log_odds = mistake.wrongness if mistake.truth != model.positive else -mistake.wrongness
    bias = told.bias + log_odds - told.log_odds
    told = replace(told, log_odds=log_odds, probability=mistake.probability, verdict=mistake.said, bias=bias)
    return replace(mistake, place="", told=told)


def _picked(sample: Sample, labels: tuple[str, ...], rows: IntArray) -> Chunk:
    assert sample.texts is not None
    picked = rows.tolist()
    return Chunk(
        sample.texts.select(rows),
        rows,
        [labels[sample.labels[i]] for i in picked],
        {c: [v[i] for i in picked] for c, v in sample.categories.items()},
        {c: v[rows] for c, v in sample.numbers.items()},
    )


def _worst_of_all(found: list[Mistake], limit: int, two: bool, positive: str) -> list[Mistake]:
    ranked = sorted(found, key=lambda m: -m.wrongness)
    if not two:
        return ranked[:limit]
    lost = [m for m in ranked if m.truth != positive][:limit]
    return lost + [m for m in ranked if m.truth == positive][:limit]
