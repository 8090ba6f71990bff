"""All that a report shows about one evaluation, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from spamnb.evaluation.mistakes import Mistake
from spamnb.evaluation.on_data import Evaluation
from spamnb.evaluation.report_data import Panels, ScoredLabels, logit, panels
from spamnb.metrics import MultiScores, Scores
from spamnb.model import SPAM, Inspector, SpamModel, TokenRow, card

TOP_TOKENS = 12

Facts = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, eq=False)
class EvaluationSummary:
    """An evaluation; what cannot be known about it is empty or None.

    `labels` are all classes and `positive` the one to be found; `mistakes` is None where they are not known;
    `model` is the model's card.
    """

    title: str
    scores: Scores | MultiScores
    labels: tuple[str, ...]
    positive: str
    notes: tuple[str, ...] = ()
    data: Facts = ()
    panels: Panels | None = None
    tokens: Mapping[str, Sequence[TokenRow]] = field(default_factory=dict)
    mistakes: Sequence[Mistake] | None = None
    model: Mapping[str, Any] | None = None

    @property
    def negative(self) -> str:
        return next((label for label in self.labels if label != self.positive), "ham")

    @property
    def wrong(self) -> int:
        """How many messages were judged wrongly."""
        if isinstance(self.scores, Scores):
            return self.scores.false_positives + self.scores.false_negatives
        return sum(n for i, row in enumerate(self.scores.confusion) for j, n in enumerate(row) if i != j)


def outcome(found: Evaluation) -> ScoredLabels | None:
    """What the panels of two classes are made from."""
    held, model = found.held, found.model
    if held is None or len(model.labels) != 2:
        return None
    plus, rule = model.labels.index(model.positive), model.decision
    called = model.decide(held.log_odds, held.known, held.share) == SPAM
    costs = rule.cost_fp or 1.0, rule.cost_fn or 1.0
    return ScoredLabels(
        held.truth == plus, called, held.log_odds, True, held.known == 0, logit(rule.threshold), costs
    )


def of_evaluation(
    found: Evaluation,
    title: str,
    mistakes: Sequence[Mistake],
    data: Facts = (),
    path: str = "",
    size: int = 0,
) -> EvaluationSummary:
    """From a model on data, or a cross-validation (which has no file)."""
    given = outcome(found)
    return EvaluationSummary(
        title,
        found.scores,
        found.model.labels,
        found.model.positive,
        found.notes,
        data,
        None if given is None else panels(given),
        top_tokens(found.model),
        mistakes,
        card(found.model, path, size),
    )


def of_stored(
    model: SpamModel, scores: Scores | MultiScores, title: str, notes: tuple[str, ...], path: str, size: int
) -> EvaluationSummary:
    """From the figures that training stored: no curves, no mistakes."""
    return EvaluationSummary(
        *(title, scores, model.labels, model.positive, notes),
        tokens=top_tokens(model),
        model=card(model, path, size),
    )


def top_tokens(model: SpamModel) -> dict[str, list[TokenRow]]:
    """What speaks most for each class."""
    reader = Inspector(model)
    found = {label: reader.top(label, TOP_TOKENS) for label in model.labels}
    return {label: rows for label, rows in found.items() if rows}


def data_facts(
    scores: Scores | MultiScores, labels: Sequence[str], positive: str, sources: Sequence[str]
) -> Facts:
    """What was measured on: the messages of each class, then how each input was read."""
    if isinstance(scores, MultiScores):
        counts = {c.label: c.support for c in scores.classes}
    else:
        counts = {label: scores.spam if label == positive else scores.ham for label in labels}
    parts = ", ".join(f"{count:,} {label}" for label, count in counts.items())
    return (("messages", f"{scores.messages:,}: {parts}"), *(("read", source) for source in sources))
