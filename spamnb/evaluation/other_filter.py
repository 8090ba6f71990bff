"""Figures from predictions that someone else made: the truth, and a score or a verdict for each message."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spamnb.errors import ConfigError, DataError
from spamnb.evaluation.mistakes import WORST, Mistake
from spamnb.evaluation.report_data import ScoredLabels, logit
from spamnb.messages import Chunk
from spamnb.metrics import Floats, MultiScores, Scores, evaluate_binary, evaluate_multi
from spamnb.model import SPAM, UNSURE, Decision
from spamnb.readers import LabelMap, PredictionFile, SkippedRecords, about_ham, known_label, shown

UNSURE_NAME = "unsure"
CERTAIN = 800.0  # beyond the log-odds of any probability but 0 and 1
LOG_ODDS, PROBABILITY, SCORE, NOTHING = "log-odds", "probability", "score", "nothing"
_NEED_PROBABILITY = ("log_loss", "brier", "ece")
_NEED_SCORE = ("roc_auc", "pr_auc", "recall_at_fpr_0_1_percent", "recall_at_fpr_0_5_percent")

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """One entry a message: its class, the verdict on it (a class or "unsure"), its score; maybe its text."""

    truth: Sequence[str]
    said: Sequence[str] | None
    score: Floats | None
    log_odds: bool = False  # that is what the column of scores is called
    texts: Sequence[str] = ()

    @property
    def kind(self) -> str:
        """What the scores are."""
        if self.score is None:
            return NOTHING
        if self.log_odds:
            return LOG_ODDS
        return PROBABILITY if bool(((self.score >= 0) & (self.score <= 1)).all()) else SCORE


@dataclass(frozen=True, slots=True, eq=False)
class ExternalEvaluation:
    """The figures; `outcome` is None without scores of two classes; `stated`: verdicts were given."""

    scores: Scores | MultiScores
    labels: tuple[str, ...]
    positive: str
    outcome: ScoredLabels | None
    mistakes: list[Mistake]
    notes: tuple[str, ...]
    stated: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Decided:
    called: Bools
    unsure: Bools
    threshold: float | None = None  # in units of the rank
    costs: tuple[float, float] = (1.0, 1.0)


def classes_of(truth: Iterable[str]) -> tuple[tuple[str, ...], str]:
    """All classes in order and the positive one; ham and spam stand for each other's absence.

    >>> classes_of(["spam", "spam"]), classes_of(["b", "a"]), classes_of(["x", "y", "z"])
    ((('ham', 'spam'), 'spam'), (('a', 'b'), 'b'), (('x', 'y', 'z'), 'z'))
    """
    found = set(truth)
    labels = sorted(found | {"ham", "spam"} if found <= {"ham", "spam"} else found)
    if len(labels) < 2:
        raise DataError(
            f"all messages are {labels[0]!r}: one class has no opposite",
            hint="say which label means spam with --spam-label",
        )
    return tuple(labels), "spam" if "spam" in labels else labels[-1]


def evaluate_predictions(given: Predictions, flags: Mapping[str, Any]) -> ExternalEvaluation:
    """All figures; `flags` are the options of the command line that set a threshold."""
    labels, positive = classes_of(given.truth)
    if len(labels) > 2:
        return _many(given, labels, positive)
    truth = np.array([label == positive for label in given.truth])
    rank, p = _rank(given), _probability(given)
    chosen = any(value is not None for value in flags.values())
    decided = _stated(given.said, positive) if given.said and not chosen else _decide(given, rank, p, flags)
    scores = evaluate_binary(truth, p, decided.called, decided.unsure, decided.costs, rank)
    undefined: dict[str, Any] = dict.fromkeys(_undefined(given.kind), math.nan)
    scores = replace(scores, **undefined)
    called = decided.called & ~decided.unsure
    wrong = _mistakes(given, truth, called, rank, p)
    outcome = None
    if given.kind != NOTHING:
        sure = given.kind != SCORE
        free = np.zeros(len(truth), bool)
        outcome = ScoredLabels(truth, called, rank, sure, free, decided.threshold, decided.costs)
    stated = decided.threshold is None
    return ExternalEvaluation(scores, labels, positive, outcome, wrong, _notes(given, stated), stated)


def _rank(given: Predictions) -> Floats:
    """What orders the messages: log-odds where there are probabilities, so that none of them tie."""
    if given.score is None:
        return np.zeros(len(given.truth))
    if given.kind != PROBABILITY:
        return given.score
    with np.errstate(divide="ignore"):
        odds = np.log(given.score) - np.log1p(-given.score)
    return np.asarray(np.clip(odds, -CERTAIN, CERTAIN), np.float64)


def _probability(given: Predictions) -> Floats:
    """P(positive), one half where it is not known."""
    if given.kind == PROBABILITY:
        assert given.score is not None
        return given.score
    if given.kind == LOG_ODDS:
        return np.asarray(1 / (1 + np.exp(-np.clip(_rank(given), -700, 700))), np.float64)
    return np.full(len(given.truth), 0.5)


def _undefined(kind: str) -> tuple[str, ...]:
    """The measures that such scores cannot give."""
    return {SCORE: _NEED_PROBABILITY, NOTHING: (*_NEED_PROBABILITY, *_NEED_SCORE)}.get(kind, ())


def _stated(said: Sequence[str], positive: str) -> _Decided:
    called, unsure = (np.array([word == name for word in said]) for name in (positive, UNSURE_NAME))
    return _Decided(called, unsure)


def _decide(given: Predictions, rank: Floats, p: Floats, flags: Mapping[str, Any]) -> _Decided:
    if given.kind == SCORE:
        return _cut(rank, flags)
    if given.kind == NOTHING:
        flag = next(name for name, value in flags.items() if value is not None)
        raise ConfigError(
            f"--{flag.replace('_', '-')} needs a column of scores, the file has verdicts only",
            hint="name the column of the scores with --score, or leave the option out",
        )
    rule = Decision.from_options(**flags)
    codes = rule.verdicts(p)
    costs = rule.cost_fp or 1.0, rule.cost_fn or 1.0
    return _Decided(codes == SPAM, codes == UNSURE, logit(rule.threshold), costs)


def _cut(rank: Floats, flags: Mapping[str, Any]) -> _Decided:
    """Scores that are no probabilities: only a threshold in their own units says what is called positive."""
    threshold, low, high = flags.get("threshold"), float(rank.min()), float(rank.max())
    other = next((name for name, value in flags.items() if value is not None and name != "threshold"), None)
    if other is not None or threshold is None:
        what = (
            f"--{other.replace('_', '-')} needs probabilities, but" if other else "there is no verdict, and"
        )
        raise ConfigError(
            f"{what} the scores go from {low:g} to {high:g}",
            hint="say from which score on a message is spam, for example --threshold 5",
        )
    return _Decided(rank >= threshold, np.zeros(len(rank), bool), float(threshold))


def _notes(given: Predictions, stated: bool) -> tuple[str, ...]:
    notes = ["verdicts as the file states them"] if stated else []
    if given.kind == SCORE:
        assert given.score is not None
        notes.append(
            f"the scores go from {given.score.min():g} to {given.score.max():g}, so they are no "
            "probabilities: they rank messages, but give no log loss, Brier score or calibration error"
        )
    if given.kind == NOTHING:
        notes.append("there are no scores: no curves, and no measures that need them")
    return tuple(notes)


def _mistakes(given: Predictions, truth: Bools, called: Bools, rank: Floats, p: Floats) -> list[Mistake]:
    """The worst of each kind, as far as the file has the messages; nobody can say why."""
    found: list[Mistake] = []
    labels, positive = classes_of(given.truth)
    negative = next(label for label in labels if label != positive)
    for lost in (True, False):
        rows = np.flatnonzero(called & ~truth if lost else truth & ~called)
        far = rank[rows] if lost else -rank[rows]
        for i in rows[np.argsort(-far, kind="stable")][:WORST].tolist() if given.texts else ():
            said = given.said[i] if given.said else positive if lost else negative
            shown = math.nan if given.kind in (SCORE, NOTHING) else float(p[i])
            found.append(Mistake(given.truth[i], said, shown, abs(float(rank[i])), given.texts[i]))
    return found


def _many(given: Predictions, labels: tuple[str, ...], positive: str) -> ExternalEvaluation:
    """More than two classes: only verdicts count, a single score says nothing about the others."""
    if given.said is None:
        raise DataError(
            f"{len(labels)} classes need a column of verdicts, the file has only a score",
            hint="name that column with --verdict, or say which label means spam with --spam-label",
        )
    index = {label: i for i, label in enumerate(labels)}
    rows = [i for i, said in enumerate(given.said) if said in index]
    truth, said = ([index[values[i]] for i in rows] for values in (given.truth, given.said))
    even = np.full((len(rows), len(labels)), 1 / len(labels))
    scores = replace(evaluate_multi(truth, said, even, labels), log_loss=math.nan)
    wrong = [i for i in rows if given.truth[i] != given.said[i]][:WORST] if given.texts else []
    mistakes = [Mistake(given.truth[i], given.said[i], math.nan, 0.0, given.texts[i]) for i in wrong]
    notes = ["verdicts as the file states them; without the probability of every class there is no log loss"]
    if left := len(given.said) - len(rows):
        notes.append(f"{left:,} unsure are left out: the file does not say their likeliest class")
    return ExternalEvaluation(scores, labels, positive, None, mistakes, tuple(notes), True)


def collect(
    file: PredictionFile, truth: Sequence[str] | None, spam_label: str | None
) -> tuple[Predictions, SkippedRecords]:
    """What can be compared, and the rows that cannot; `truth` is that of labelled data, if any."""
    labels, reason = _own_truth(file, spam_label) if truth is None else (list(truth), _no_label)
    said = _verdicts(file, set(labels), spam_label)
    score = _scores(file.chunks)
    left, rows = SkippedRecords("left out"), []
    for i, line in enumerate(line for chunk in file.chunks for line in chunk.lines.tolist()):
        if not labels[i]:
            left.add(line, reason(i))
        elif score is not None and np.isnan(score[i]):
            left.add(line, "no score")
        elif said is not None and not said[i]:
            left.add(line, "unknown verdict")
        else:
            rows.append(i)
    if not rows:
        raise DataError(
            f"no usable rows in {file.name}: {left.summary() if left.count else 'nothing but a header'}",
            hint="name the columns with --truth, --score and --verdict",
        )
    texts = [text for chunk in file.chunks for text in _texts(chunk)] if file.found.text is not None else []
    return Predictions(
        [labels[i] for i in rows],
        None if said is None else [said[i] for i in rows],
        None if score is None else score[rows],
        file.found.log_odds,
        [texts[i] for i in rows] if texts else [],
    ), left


def _no_label(_: int) -> str:
    return "no label"


def _own_truth(file: PredictionFile, spam_label: str | None) -> tuple[list[str], Callable[[int], str]]:
    raw = [value.encode() for chunk in file.chunks for value in chunk.categories["truth"]]
    assert file.found.truth is not None
    column = file.found.names[file.found.truth]
    if about_ham(column):  # 1 is the class looked for here, as it is in the other columns
        column = ""
    mapped = LabelMap((value.decode() for value in raw), column, spam_label)
    labels = [mapped[value] for value in raw]
    mapped.check(file.name)
    return labels, lambda i: mapped.reason(raw[i])


def _verdicts(file: PredictionFile, classes: set[str], spam_label: str | None) -> list[str] | None:
    """Verdicts as classes, "unsure", or "" for anything else."""
    if file.found.verdict is None:
        return None
    column, two = file.found.names[file.found.verdict], classes <= {"ham", "spam", ""}

    def use(value: str) -> str:
        if value.lower() == UNSURE_NAME:
            return UNSURE_NAME
        if not two:
            return value if value in classes else ""
        if spam_label is not None and value:
            return "spam" if value.lower() in (spam_label.strip().lower(), "spam") else "ham"
        return known_label(value, "" if about_ham(column) else column)

    raw = [value for chunk in file.chunks for value in chunk.categories["verdict"]]
    meaning = {value: use(value) for value in set(raw)}
    return [meaning[value] for value in raw]


def _scores(chunks: Sequence[Chunk]) -> np.ndarray[tuple[int], np.dtype[np.float64]] | None:
    if not chunks or "score" not in chunks[0].numbers:
        return None
    return np.concatenate([chunk.numbers["score"] for chunk in chunks])


def _texts(chunk: Chunk) -> list[str]:
    return [text.decode("utf-8", "replace") for text in chunk.texts.tolist()]


def check_count(file: PredictionFile, labels: int, skipped: int) -> None:
    """Joining by order needs as many predictions as messages."""
    found = sum(len(chunk) for chunk in file.chunks)
    if found == labels:
        return
    left = f" ({skipped:,} more had to be left out)" if skipped else ""
    raise DataError(
        f"{file.name} has {found:,} predictions, the data {labels:,} labelled messages{left}",
        hint="both need one row for each message, in the same order: predict this very file, or give "
        "the predictions a column with the truth and name it with --truth",
    )


def check_same(file: PredictionFile, data: Chunk) -> None:
    """Refuse to compare verdicts with the truth about other messages, where both files show the messages."""
    if file.found.text is None or data.sources or not file.chunks:
        return
    pairs = zip(file.chunks[0].texts.tolist(), data.texts.tolist(), strict=False)
    same = [theirs.lstrip(b"'").split() == ours.lstrip(b"'").split() for theirs, ours in pairs]
    if 2 * sum(same) < len(same):
        row = same.index(False)
        text = data.texts[row].decode("utf-8", "replace")
        raise DataError(
            f'{file.name} is about other messages than the data: number {row + 1} there is "{shown(text)}"',
            hint="give the data that was predicted, in the same order",
        )
