"""Summarizes an evaluation as plain data: all that a report shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from spamnb.evaluation.mistakes import Mistake
from spamnb.evaluation.on_data import Evaluation
from spamnb.evaluation.report_data import Panels, ScoredLabels, logit, make_panels
from spamnb.metrics import MultiScores, Scores
from spamnb.model import SPAM, Classes, Inspector, SpamModel, TokenRow, card
from spamnb.training import verdicts_of

TOP_TOKENS = 12

Facts = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, eq=False)
class EvaluationSummary:
    """An evaluation; what is not known about it is empty or None.

    `model` is the model card; `warning` says why the metrics are too good.
    """

    title: str
    scores: Scores | MultiScores
    classes: Classes
    notes: tuple[str, ...] = ()
    data: Facts = ()
    panels: Panels | None = None
    tokens: Mapping[str, Sequence[TokenRow]] = field(default_factory=dict)
    mistakes: Sequence[Mistake] | None = None
    model: Mapping[str, Any] | None = None
    warning: str = ""

    @property
    def wrong(self) -> int:
        """The number of misclassified messages."""
        if isinstance(self.scores, Scores):
            return self.scores.false_positives + self.scores.false_negatives
        return sum(n for i, row in enumerate(self.scores.confusion) for j, n in enumerate(row) if i != j)


def scored_labels(evaluation: Evaluation) -> ScoredLabels | None:
    """Collects what the plots of two classes need; None for more classes."""
    held_out, model, rule = evaluation.held_out, evaluation.model, evaluation.model.decision
    if held_out is None or len(model.labels) != 2:
        return None
    truth = held_out.truth == model.labels.index(model.positive)
    verdicts = verdicts_of(model, held_out)
    flagged = verdicts.codes == SPAM
    threshold = logit(rule.threshold) if rule.log_odds_threshold is None else rule.log_odds_threshold
    costs = rule.cost_fp or 1.0, rule.cost_fn or 1.0
    return ScoredLabels(
        *(truth, flagged, held_out.log_odds, True, model.lacks_evidence(held_out.known), threshold, costs),
        probability=verdicts.probability,
    )


def summarize(
    evaluation: Evaluation,
    title: str,
    mistakes: Sequence[Mistake],
    data: Facts = (),
    path: str = "",
    size: int = 0,
) -> EvaluationSummary:
    """Summarizes a model on data, or a cross-validation (which has no model file)."""
    model, scored = evaluation.model, scored_labels(evaluation)
    return EvaluationSummary(
        title,
        evaluation.scores,
        model.classes,
        evaluation.notes,
        data,
        None if scored is None else make_panels(scored),
        top_tokens(model),
        mistakes,
        card(model, path, size),
        evaluation.warning,
    )


def summarize_stored(
    model: SpamModel, scores: Scores | MultiScores, title: str, notes: tuple[str, ...], path: str, size: int
) -> EvaluationSummary:
    """Summarizes the metrics that training stored in a model: no curves, no mistakes."""
    return EvaluationSummary(
        *(title, scores, model.classes, notes),
        tokens=top_tokens(model),
        model=card(model, path, size),
    )


def top_tokens(model: SpamModel) -> dict[str, list[TokenRow]]:
    """Returns the tokens that are most evidence for each class."""
    inspector = Inspector(model)
    tokens = {label: inspector.top(label, TOP_TOKENS) for label in model.labels}
    return {label: rows for label, rows in tokens.items() if rows}


def data_facts(
    scores: Scores | MultiScores,
    classes: Classes,
    sources: Sequence[str],
    seen: int | None = None,
) -> Facts:
    """Describes the data: the messages of each class, those `seen` in training, how each input was read."""
    if isinstance(scores, MultiScores):
        counts = {c.label: c.support for c in scores.classes}
    else:
        counts = {c: scores.spam if c == classes.positive else scores.ham for c in classes.labels}
    sizes = ", ".join(f"{count:,} {label}" for label, count in counts.items())
    overlap = () if seen is None else (("in training data", f"{seen:,} of {scores.messages:,}"),)
    read = (("read", source) for source in sources)
    return (("messages", f"{scores.messages:,}: {sizes}"), *overlap, *read)
