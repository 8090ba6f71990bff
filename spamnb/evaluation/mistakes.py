"""Collects the worst mistakes of an evaluation, with the evidence that misled the model."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from spamnb.core import FloatArray, IntArray
from spamnb.evaluation.on_data import Evaluation
from spamnb.messages import Chunk, Texts
from spamnb.model import Explanation, Predictions, SpamModel, predict_pair
from spamnb.training import Sample, folds

WORST_MISTAKES = 8  # of each kind
LONGEST = 4000  # bytes that are kept of a message
_REPEATS = 4  # so many times as many candidates are looked at: a text that comes again is listed once


@dataclass(frozen=True, slots=True)
class Mistake:
    """A misclassified message; `probability` is P(positive), or P(verdict) among several classes.

    `wrongness` is how far on the wrong side its score lies, `source` its file or line.
    """

    truth: str
    verdict: str
    probability: float
    wrongness: float
    text: str
    subject: str = ""
    source: str = ""
    explanation: Explanation | None = None


@dataclass(frozen=True, slots=True)
class _Candidate:
    wrongness: float
    kind: int
    truth: int
    code: int
    probability: float
    chunk: Chunk  # this message alone
    source: str


class MistakeCollector:
    """Observes an evaluation and keeps the worst mistakes of each kind, `limit` at any time."""

    def __init__(self, model: SpamModel, limit: int = WORST_MISTAKES) -> None:
        self.model = model
        self._limit = limit
        self._candidates: list[_Candidate] = []

    def observe(self, chunk: Chunk, predictions: Predictions, truth: IntArray) -> None:
        """Adds the mistakes of a chunk and drops all but the worst."""
        wrongness, kinds = _wrongness(self.model, predictions, truth)
        for kind in range(2):
            rows = np.flatnonzero(kinds == kind)
            for row in rows[np.argsort(-wrongness[rows], kind="stable")][: _REPEATS * self._limit].tolist():
                code, p = int(predictions.codes[row]), float(predictions.probability[row])
                message, place = chunk.select(np.array([row])), chunk.place(row)
                self._candidates.append(
                    _Candidate(float(wrongness[row]), kind, int(truth[row]), code, p, message, place)
                )
        self._candidates = [c for kind in range(2) for c in self._worst_of(kind)]

    def _worst_of(self, kind: int) -> list[_Candidate]:
        own = sorted((c for c in self._candidates if c.kind == kind), key=lambda c: -c.wrongness)
        first = {c.chunk.texts[0]: c for c in reversed(own)}
        return [c for c in own if first[c.chunk.texts[0]] is c][: self._limit]

    def worst(self) -> list[Mistake]:
        """Explains the worst mistakes of each kind."""
        names = (*self.model.labels, "unsure")
        return [_mistake(c, names, self._explain(c.chunk)) for c in self._candidates]

    def _explain(self, chunk: Chunk) -> Explanation:
        """Explains the evidence that was measured, also for a message that the model has learned."""
        return self.model.explain(chunk.texts, chunk.categories, chunk.numbers, memory=False)


def _wrongness(model: SpamModel, predictions: Predictions, truth: IntArray) -> tuple[FloatArray, IntArray]:
    """Returns how far on the wrong side each message lies, and its kind: -1 for a correct verdict.

    With two classes kind 0 is a false positive, kind 1 a false negative, and wrongness the log-odds of the
    wrong class. With more there is one kind, and wrongness is log P(verdict) - log P(truth).
    """
    if len(model.labels) == 2:
        plus, codes = model.labels.index(model.positive), predictions.codes
        false_positive, missed = (truth != plus) & (codes == plus), (truth == plus) & (codes != plus)
        kinds = np.where(false_positive, 0, np.where(missed, 1, -1))
        return np.where(missed, -predictions.log_odds, predictions.log_odds), kinds
    proba = model.proba(predictions)
    verdicts = model.choose(proba)
    rows = np.arange(len(truth))
    with np.errstate(divide="ignore"):
        gap = np.log(proba[rows, verdicts]) - np.log(proba[rows, truth])
    return np.asarray(gap, np.float64), np.where(verdicts == truth, -1, 0)


def _mistake(c: _Candidate, names: tuple[str, ...], explanation: Explanation) -> Mistake:
    texts = c.chunk.texts
    subject = texts.subject(0)[:LONGEST]
    result = names[c.truth], names[c.code], c.probability, c.wrongness
    return Mistake(*result, _text(texts), subject, c.source, explanation)


def _text(texts: Texts) -> str:
    return texts[0][:LONGEST].decode("utf-8", "replace")


def out_of_fold_mistakes(evaluation: Evaluation, k: int, limit: int = WORST_MISTAKES) -> list[Mistake]:
    """Explains the worst mistakes of a cross-validation, each by the model that had not learned its fold.

    The counts of a fold are subtracted again, so the evidence sums to the score that was measured. A
    correction was fitted for each fold anew; its part of the score is added to the bias.
    """
    assert evaluation.sample is not None
    model, fold = evaluation.model, folds(evaluation.sample, k)
    mistakes: list[Mistake] = []
    for f in range(k):
        rows = np.flatnonzero(fold == f)
        chunk = _select(evaluation.sample, model.labels, rows)
        other_folds = model.forget(chunk.texts, chunk.labels or [], chunk.categories, chunk.numbers)
        other_folds = replace(other_folds, correction=None)
        if len(rows) and other_folds.labels == model.labels:  # else the fold has all messages of a class
            collector = MistakeCollector(other_folds, limit)
            predictions = other_folds.score(chunk.texts, chunk.categories, chunk.numbers, memory=False)
            collector.observe(chunk, _measured(evaluation, rows, predictions), evaluation.sample.labels[rows])
            mistakes += [_with_measured_score(mistake, model) for mistake in collector.worst()]
    return _worst(mistakes, limit, model)


def _measured(evaluation: Evaluation, rows: IntArray, predictions: Predictions) -> Predictions:
    """Replaces the predictions by what the cross-validation measured, if the model has a correction."""
    held_out, model = evaluation.held_out, evaluation.model
    if model.correction is None or held_out is None:
        return predictions
    log_odds, known = held_out.log_odds[rows], held_out.known[rows]
    share = None if held_out.share is None else held_out.share[rows]
    verdicts = model.decide(log_odds, known, share)
    return predict_pair(model, verdicts, log_odds, predictions.scored).replace(known=known)


def _with_measured_score(mistake: Mistake, model: SpamModel) -> Mistake:
    """Puts the measured score of a corrected model into the explanation."""
    explanation = mistake.explanation
    if model.correction is None or explanation is None:
        return mistake
    log_odds = mistake.wrongness if mistake.truth != model.positive else -mistake.wrongness
    bias = explanation.bias + log_odds - explanation.log_odds
    explanation = replace(explanation, bias=bias, log_odds=log_odds)
    explanation = replace(explanation, probability=mistake.probability, verdict=mistake.verdict)
    return replace(mistake, explanation=explanation)


def _select(sample: Sample, labels: tuple[str, ...], rows: IntArray) -> Chunk:
    assert sample.texts is not None
    picked = rows.tolist()
    return Chunk(
        sample.texts.select(rows),
        rows,
        [labels[sample.labels[i]] for i in picked],
        {c: [v[i] for i in picked] for c, v in sample.categories.items()},
        {c: v[rows] for c, v in sample.numbers.items()},
        sources=[sample.places[i] for i in picked],
    )


def _worst(mistakes: list[Mistake], limit: int, model: SpamModel) -> list[Mistake]:
    ranked = sorted(mistakes, key=lambda m: -m.wrongness)
    if len(model.labels) > 2:
        return ranked[:limit]
    false_positives = [m for m in ranked if m.truth != model.positive][:limit]
    return false_positives + [m for m in ranked if m.truth == model.positive][:limit]
