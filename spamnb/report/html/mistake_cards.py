"""Collects the mistakes that the page shows: each message with its verdict and the evidence."""

from __future__ import annotations

import math
from typing import NamedTuple

from spamnb.evaluation import EvaluationSummary, Mistake
from spamnb.features import token_label
from spamnb.metrics import MultiScores
from spamnb.model import Explanation
from spamnb.report.html import wording
from spamnb.report.model_card import join_words

MAX_CHARACTERS = 500  # shown of a message
MAX_TOKENS = 7  # shown of an explanation


class Chip(NamedTuple):
    """A piece of evidence: a token, or a sum."""

    name: str
    log_odds: float
    is_token: bool = False


class MistakeCard(NamedTuple):
    """A misclassified message with its explanation; `cut` characters of its text are left out."""

    heading: str
    probability: tuple[str, float] | None  # label and value
    source: str
    subject: str
    text: str
    cut: int
    chips: list[Chip]


class MistakeGroup(NamedTuple):
    """Mistakes of one kind, worst first."""

    title: str
    size: str
    cards: list[MistakeCard]


def mistake_groups(findings: EvaluationSummary) -> list[MistakeGroup] | None:
    """Groups mistakes into false positives and missed spam; None where they are not known."""
    if findings.mistakes is None:
        return None
    scores, mistakes = findings.scores, findings.mistakes
    if isinstance(scores, MultiScores):
        groups = [("Misclassified messages", findings.wrong, list(mistakes))]
    else:
        missed = [m for m in mistakes if m.truth == findings.classes.positive]
        flagged = [m for m in mistakes if m.truth != findings.classes.positive]
        groups = [
            (wording.mistakes_title(findings, missed=False), scores.false_positives, flagged),
            (wording.mistakes_title(findings, missed=True), scores.false_negatives, missed),
        ]
    return [
        MistakeGroup(title, wording.mistakes_shown(total, len(own)), [_card(m, findings) for m in own])
        for title, total, own in groups
        if own
    ]


def _card(mistake: Mistake, findings: EvaluationSummary) -> MistakeCard:
    text = mistake.text.replace("\r\n", "\n").strip("\n")
    of = findings.classes.positive if len(findings.classes.labels) == 2 else mistake.verdict
    reason = "" if mistake.explanation is None else mistake.explanation.unsure_reason
    return MistakeCard(
        heading=f"{mistake.truth} classified as {mistake.verdict}" + (f" ({reason})" if reason else ""),
        probability=None if math.isnan(mistake.probability) else (of, mistake.probability),
        source=mistake.source,
        subject=mistake.subject,
        text=text[:MAX_CHARACTERS],
        cut=max(len(text) - MAX_CHARACTERS, 0),
        chips=[] if mistake.explanation is None else _chips(mistake.explanation),
    )


def _chips(explanation: Explanation) -> list[Chip]:
    """Returns the strongest tokens; with the other chips they sum to the log-odds."""
    strongest, weaker = explanation.evidence[:MAX_TOKENS], explanation.evidence[MAX_TOKENS:]
    chips = [Chip(token_label(e.token) or e.token, e.log_odds, is_token=True) for e in strongest]
    if weaker:
        chips.append(Chip(f"{len(weaker):,} weaker", sum(evidence.log_odds for evidence in weaker)))
    total = f"sum: log-odds of {explanation.positive} against {explanation.negative}"
    bias = Chip(join_words(explanation.basis.bias_parts), explanation.bias)
    return [*chips, bias, Chip(total, explanation.log_odds)]
