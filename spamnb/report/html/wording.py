"""Words the sentences of the page; the template adds the markup."""

from __future__ import annotations

from typing import NamedTuple

from spamnb.evaluation import EvaluationSummary, Panels
from spamnb.metrics import MultiScores, Scores
from spamnb.report.html.number_format import (
    decimal,
    interval,
    messages,
    one_in,
    percent,
    share,
    thousands,
)
from spamnb.report.html.threshold_data import cheapest_label

HEADING = "Evaluation report"
ALL_CORRECT = "All messages were classified correctly."
CAPTIONS = {
    "roc": "Closer to the top left is better; the dashed line is random guessing. "
    "The dot marks the threshold.",
    "precision-recall": "Closer to the top right is better; the dashed line is random guessing.",
    "scores": "The less the classes overlap, the better. The vertical line is the threshold.",
    "calibration": "Points on the dashed line are perfectly calibrated. Bars are 95% confidence intervals; "
    "larger dots stand for more messages.",
}


class Sentence(NamedTuple):
    """A sentence of the summary; `strong` is its bold part."""

    before: str = ""
    strong: str = ""
    after: str = ""


class Tile(NamedTuple):
    """A large number and its label."""

    value: str
    label: str


def summary(findings: EvaluationSummary) -> list[Sentence]:
    """Words the main results."""
    if isinstance(findings.scores, Scores):
        return _binary_summary(findings.scores, findings.classes.positive, findings.classes.negative)
    return _multiclass_summary(findings.scores)


def _binary_summary(scores: Scores, spam: str, ham: str) -> list[Sentence]:
    sentences = [_recall(scores, spam), _false_positive_rate(scores, spam, ham)]
    flagged = scores.true_positives + scores.false_positives
    if flagged:
        precision = share(scores.true_positives, flagged)
        before = f"Of the {messages(flagged)} flagged as {spam}, "
        sentences.append(Sentence(before, precision, f" really {_are(flagged)} {spam} (precision)."))
    if scores.unsure:
        counted = f"{_are(scores.unsure)} unsure and counted as {ham}: unsure {spam} is missed {spam}"
        sentences.append(Sentence(f"{messages(scores.unsure)} {counted}."))
    if not scores.false_positives and not scores.false_negatives:
        sentences.append(Sentence(strong=ALL_CORRECT))
    return sentences


def _recall(scores: Scores, spam: str) -> Sentence:
    if not scores.spam:
        return Sentence(f"There is no {spam} in this data, so recall is undefined.")
    ratio = _with_interval(scores.true_positives, scores.spam)
    after = f" {spam} messages were detected: recall {ratio}."
    return Sentence("", _of(scores.true_positives, scores.spam), after)


def _false_positive_rate(scores: Scores, spam: str, ham: str) -> Sentence:
    if not scores.ham:
        return Sentence(f"There is no {ham} in this data, so the false positive rate is undefined.")
    ratio = _with_interval(scores.false_positives, scores.ham)
    about = one_in(scores.false_positives, scores.ham)
    after = f" {ham} messages were flagged as {spam}: false positive rate {ratio}"
    return Sentence(
        "", _of(scores.false_positives, scores.ham), f"{after}, about {about}." if about else f"{after}."
    )


def _of(part: int, whole: int) -> str:
    return f"{thousands(part)} of {thousands(whole)}"


def _with_interval(part: int, whole: int) -> str:
    return f"{share(part, whole)} (95% CI {interval(part, whole)})"


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def _multiclass_summary(scores: MultiScores) -> list[Sentence]:
    correct = sum(row[i] for i, row in enumerate(scores.confusion))
    ratio = _with_interval(correct, scores.messages)
    after = f" messages were classified correctly: accuracy {ratio}."
    sentences = [Sentence("", _of(correct, scores.messages), after)]
    tested = [c for c in scores.classes if c.support]
    if tested:
        worst = min(tested, key=lambda c: c.recall)
        of_class = f"{percent(worst.recall)} of its {messages(worst.support)}"
        sentences.append(Sentence(f"The class with the lowest recall is {worst.label}: {of_class}."))
    if scores.unsure:
        counted = "had no known words and are counted as their most likely class"
        sentences.append(Sentence(f"{messages(scores.unsure)} {counted}."))
    if correct == scores.messages:
        sentences.append(Sentence(strong=ALL_CORRECT))
    return sentences


def tiles(findings: EvaluationSummary) -> list[Tile]:
    """Words the labels of the large numbers."""
    scores, spam, ham = findings.scores, findings.classes.positive, findings.classes.negative
    if isinstance(scores, MultiScores):
        return [
            Tile(percent(scores.accuracy), "of messages are classified correctly (accuracy)"),
            Tile(decimal(scores.macro_f1), "macro F1: mean over the classes"),
            Tile(thousands(len(scores.classes)), "classes"),
        ]
    return [
        Tile(share(scores.true_positives, scores.spam), f"of {spam} messages are detected (recall)"),
        Tile(
            share(scores.false_positives, scores.ham), f"of {ham} messages are flagged (false positive rate)"
        ),
        Tile(percent(scores.precision), f"of messages flagged as {spam} really are (precision)"),
        Tile(decimal(scores.roc_auc), "ROC AUC: 1 is perfect, 0.5 is random"),
    ]


def threshold_caption(panels: Panels, spam: str) -> str:
    """Words what mistakes cost and which threshold would have cost least."""
    cost_fp, cost_fn = panels.costs
    cheapest = cheapest_label(panels)
    return (
        f"Costs: {cost_fp:g} for a false positive, {cost_fn:g} for missed {spam}. On this data the cost is "
        f"lowest at {cheapest}; check a threshold chosen here on other data."
    )


def mistakes_title(findings: EvaluationSummary, missed: bool) -> str:
    """Words the title of one kind of mistakes: missed spam or false positives."""
    if missed:
        return f"Missed {findings.classes.positive}"
    return f"False positives: {findings.classes.negative} flagged as {findings.classes.positive}"


def mistakes_shown(total: int, shown: int) -> str:
    """Words how many mistakes there are, and how many of them are listed."""
    return thousands(total) if total == shown else f"{thousands(total)}, the worst {shown:,} are shown"
