"""Evaluates another filter by its predictions: the truth, and a score or a verdict for each message."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spamnb.errors import ConfigError, DataError
from spamnb.evaluation.mistakes import WORST_MISTAKES, Mistake
from spamnb.evaluation.report_data import ScoredLabels, logit
from spamnb.metrics import Floats, MultiScores, Scores, evaluate_binary, evaluate_multi
from spamnb.model import SPAM, UNSURE, Classes, Decision, positive_class
from spamnb.readers import UNSURE_NAME, PredictionFile, SkippedRecords
from spamnb.settings import is_stated

_ROUNDING = 1e-5  # of probabilities that are written with six digits
CERTAIN = 800.0  # beyond the log-odds of any probability except 0 and 1
LOG_ODDS, PROBABILITY, SCORE, NO_SCORE = "log-odds", "probability", "score", "no score"
_NEED_PROBABILITY = ("log_loss", "brier", "ece")
_NEED_SCORE = ("roc_auc", "pr_auc", "recall_at_fpr_0_1_percent", "recall_at_fpr_0_5_percent")
_UNDEFINED = {SCORE: _NEED_PROBABILITY, NO_SCORE: (*_NEED_PROBABILITY, *_NEED_SCORE)}

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class ExternalPredictions:
    """For each message its true class, the verdict (a class or "unsure"), its score, and maybe its text.

    `beside` are probabilities that stand beside log-odds: they differ from these where the filter lacks
    evidence.
    """

    truth: Sequence[str]
    verdicts: Sequence[str] | None
    scores: Floats | None
    has_log_odds: bool = False  # by the name of the column of scores
    texts: Sequence[str] = ()
    beside: Floats | None = None

    @property
    def kind(self) -> str:
        """What the scores are."""
        if self.scores is None:
            return NO_SCORE
        if self.has_log_odds:
            return LOG_ODDS
        return PROBABILITY if bool(((self.scores >= 0) & (self.scores <= 1)).all()) else SCORE

    @property
    def ranks(self) -> Floats:
        """What orders the messages: the scores; log-odds in place of probabilities, so that fewer tie."""
        if self.scores is None:
            return np.zeros(len(self.truth))
        if self.kind != PROBABILITY:
            return self.scores
        with np.errstate(divide="ignore"):
            log_odds = np.log(self.scores) - np.log1p(-self.scores)
        return np.asarray(np.clip(log_odds, -CERTAIN, CERTAIN), np.float64)

    @property
    def probabilities(self) -> Floats:
        """P(positive), one half where it is not known."""
        if self.scores is None or self.kind == SCORE:
            return np.full(len(self.truth), 0.5)
        if self.kind == PROBABILITY:
            return self.scores
        p = np.asarray(1 / (1 + np.exp(-np.clip(self.scores, -700, 700))), np.float64)
        if self.beside is None:
            return p
        others = (np.abs(self.beside - p) > _ROUNDING) & (self.beside >= 0) & (self.beside <= 1)
        return np.where(others, self.beside, p)


@dataclass(frozen=True, slots=True, eq=False)
class ExternalEvaluation:
    """The metrics and the worst mistakes.

    `scored` is None without scores of two classes. `stated`: the verdicts are those of the file.
    """

    scores: Scores | MultiScores
    classes: Classes
    scored: ScoredLabels | None
    mistakes: list[Mistake]
    notes: tuple[str, ...]
    stated: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Verdicts:
    positive: Bools
    unsure: Bools
    threshold: float | None = None  # in units of the ranks
    costs: tuple[float, float] = (1.0, 1.0)


def collect_predictions(
    file: PredictionFile, truth: Sequence[str] | None, spam_label: str | None
) -> tuple[ExternalPredictions, SkippedRecords]:
    """Collects the usable rows of a file, and the others; `truth` is that of labelled data, if any."""
    labels, reasons = file.truth(spam_label) if truth is None else (truth, {})
    verdicts, scores, texts = file.verdicts(set(labels), spam_label), file.scores(), file.texts()
    skipped, rows, beside = SkippedRecords("left out"), list[int](), file.probabilities()
    for i, line in enumerate(line for chunk in file.chunks for line in chunk.lines.tolist()):
        if not labels[i]:
            skipped.add(line, reasons.get(i, "no label"))
        elif scores is not None and np.isnan(scores[i]):
            skipped.add(line, "no score")
        elif verdicts is not None and not verdicts[i]:
            skipped.add(line, "unknown verdict")
        else:
            rows.append(i)
    if not rows:
        reason = skipped.summary() if skipped.count else "nothing but a header"
        raise DataError(
            f"no usable rows in {file.name}: {reason}",
            hint="name the columns with --label-column and --prediction-column",
        )
    return ExternalPredictions(
        [labels[i] for i in rows],
        None if verdicts is None else [verdicts[i] for i in rows],
        None if scores is None else scores[rows],
        file.columns.has_log_odds,
        [texts[i] for i in rows] if texts else [],
        None if beside is None else beside[rows],
    ), skipped


def classes_of(truth: Iterable[str]) -> Classes:
    """Returns all classes in order and the positive one; ham and spam imply each other.

    >>> classes_of(["spam", "spam"])
    Classes(labels=('ham', 'spam'), positive='spam')
    >>> classes_of(["bad", "good"]).positive, classes_of(["x", "y", "z"]).labels
    ('bad', ('x', 'y', 'z'))
    """
    sizes = Counter(truth)
    labels = sorted({"ham", "spam"} if sizes.keys() <= {"ham", "spam"} else sizes)
    if len(labels) < 2:
        raise DataError(
            f"all messages are {labels[0]!r}: two classes are needed",
            hint="say which label means spam with --spam-label",
        )
    return Classes(tuple(labels), "spam" if "spam" in labels else positive_class(sizes))


def evaluate_predictions(predictions: ExternalPredictions, options: Mapping[str, Any]) -> ExternalEvaluation:
    """Computes all metrics; `options` are those of the command line that set a threshold."""
    classes = classes_of(predictions.truth)
    if len(classes.labels) > 2:
        return _evaluate_many(predictions, classes)
    truth = np.array([label == classes.positive for label in predictions.truth])
    ranks, probabilities = predictions.ranks, predictions.probabilities
    stated = bool(predictions.verdicts) and not any(map(is_stated, options.values()))
    verdicts = _stated_verdicts(predictions, classes) if stated else _decide(predictions, options, classes)
    called = verdicts.positive & ~verdicts.unsure
    scores = evaluate_binary(truth, probabilities, verdicts.positive, verdicts.unsure, verdicts.costs, ranks)
    undefined: dict[str, Any] = dict.fromkeys(_UNDEFINED.get(predictions.kind, ()), math.nan)
    scores = replace(scores, **undefined)
    scored = None
    if predictions.kind != NO_SCORE:
        is_probability, barred = predictions.kind != SCORE, np.zeros(len(truth), bool)
        limits = verdicts.threshold, verdicts.costs
        scored = ScoredLabels(truth, called, ranks, is_probability, barred, *limits, probabilities)
    mistakes = _mistakes(predictions, truth, called, classes)
    notes = _notes(predictions, stated)
    return ExternalEvaluation(scores, classes, scored, mistakes, notes, stated)


def _stated_verdicts(predictions: ExternalPredictions, classes: Classes) -> _Verdicts:
    verdicts = np.array(predictions.verdicts, object)
    return _Verdicts(verdicts == classes.positive, verdicts == UNSURE_NAME)


def _decide(predictions: ExternalPredictions, options: Mapping[str, Any], classes: Classes) -> _Verdicts:
    """Decides by a threshold: for probabilities that of the options or 0.5, for other scores their own."""
    if predictions.kind == SCORE:
        return _cut_scores(predictions.ranks, options)
    if predictions.kind == NO_SCORE:
        option = next(name for name, value in options.items() if is_stated(value))
        raise ConfigError(
            f"--{option.replace('_', '-')} needs a column of scores, the file has verdicts only",
            hint="name the column of the scores with --prediction-column, or leave the option out",
        )
    rule = Decision.from_options(**options).for_classes(*classes)
    codes = rule.verdicts(predictions.probabilities)
    costs = rule.cost_fp or 1.0, rule.cost_fn or 1.0
    return _Verdicts(codes == SPAM, codes == UNSURE, logit(rule.threshold), costs)


def _cut_scores(scores: Floats, options: Mapping[str, Any]) -> _Verdicts:
    """Decides by scores that are no probabilities: they need a threshold in their own units."""
    threshold, low, high = options.get("threshold"), float(scores.min()), float(scores.max())
    other = next((name for name, value in options.items() if is_stated(value) and name != "threshold"), None)
    if other is not None or threshold is None:
        flag = f"--{other.replace('_', '-')}" if other else ""
        fault = f"{flag} needs probabilities, but" if other else "there is no verdict, and"
        raise ConfigError(
            f"{fault} the scores go from {low:g} to {high:g}",
            hint="set the score above which a message is spam, for example --threshold 5",
        )
    return _Verdicts(scores >= threshold, np.zeros(len(scores), bool), float(threshold))


def _notes(predictions: ExternalPredictions, stated: bool) -> tuple[str, ...]:
    notes = ["verdicts as the file states them"] if stated else []
    if predictions.kind == SCORE:
        ranks = predictions.ranks
        notes.append(
            f"the scores go from {ranks.min():g} to {ranks.max():g}, so they are no "
            "probabilities: they rank messages, but give no log loss, Brier score or calibration error"
        )
    if predictions.kind == NO_SCORE:
        notes.append("there are no scores: no curves, and no measures that need them")
    return tuple(notes)


def _mistakes(
    predictions: ExternalPredictions, truth: Bools, called: Bools, classes: Classes
) -> list[Mistake]:
    """Lists the worst mistakes of each kind, if the file has the messages; they have no explanation."""
    if not predictions.texts:
        return []
    mistakes: list[Mistake] = []
    ranks, probabilities = predictions.ranks, predictions.probabilities
    if predictions.kind in (SCORE, NO_SCORE):
        probabilities = np.full(len(ranks), math.nan)
    false_positives, missed = called & ~truth, truth & ~called
    for wrong, sign, verdict in ((false_positives, 1, classes.positive), (missed, -1, classes.negative)):
        rows = np.flatnonzero(wrong)
        for i in rows[np.argsort(-sign * ranks[rows], kind="stable")][:WORST_MISTAKES].tolist():
            stated = predictions.verdicts[i] if predictions.verdicts else verdict
            rank, text = abs(float(ranks[i])), predictions.texts[i]
            mistakes.append(Mistake(predictions.truth[i], stated, float(probabilities[i]), rank, text))
    return mistakes


def _evaluate_many(predictions: ExternalPredictions, classes: Classes) -> ExternalEvaluation:
    """Evaluates the verdicts on more than two classes: a single score says nothing about them."""
    verdicts, labels = predictions.verdicts, classes.labels
    if verdicts is None:
        raise DataError(
            f"{len(labels):,} classes need a column of verdicts, the file has only a score",
            hint="name that column with --prediction-column, or say which label means spam with --spam-label",
        )
    index = {label: i for i, label in enumerate(labels)}
    rows = [i for i, verdict in enumerate(verdicts) if verdict in index]
    truth, predicted = ([index[values[i]] for i in rows] for values in (predictions.truth, verdicts))
    even = np.full((len(rows), len(labels)), 1 / len(labels))
    scores = replace(evaluate_multi(truth, predicted, even, labels), log_loss=math.nan)
    texts = predictions.texts
    wrong = [i for i in rows if predictions.truth[i] != verdicts[i]][:WORST_MISTAKES] if texts else []
    mistakes = [Mistake(predictions.truth[i], verdicts[i], math.nan, 0.0, texts[i]) for i in wrong]
    notes = ["verdicts as the file states them; without the probability of every class there is no log loss"]
    if unsure := len(verdicts) - len(rows):
        notes.append(f"{unsure:,} unsure are left out: the file does not have their most probable class")
    return ExternalEvaluation(scores, classes, None, mistakes, tuple(notes), True)
