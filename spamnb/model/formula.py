"""States how a model computes its log-odds: the form of the score, its constants, the calibration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spamnb.model.base_model import FOLLOWS
from spamnb.model.calibration import Platt
from spamnb.model.explanation import counted_by
from spamnb.model.scoring_engine import weighted
from spamnb.model.spam_model import SpamModel
from spamnb.scorers import BACK_OFF, Form, Stats, class_weights

_WEIGHTED_SUMS = (Form.SUM, Form.COMPLEMENT, Form.PRESENCE)  # x counts the tokens, or marks those present


@dataclass(frozen=True, slots=True)
class Formula:
    """Everything but the tokens and columns that a message's log-odds are computed from.

    `form` is how the numbers of tokens make the score of a class (`scorers.Form`), `bias` is what every
    message adds to it, by class; `log_prior` is a part of the bias, for `presence` the rest is the sum of
    log(1 - P(i|c)) over the vocabulary. `once` says that a token counts once per message, `counted` names the
    counts that P(i|c) comes from, messages or occurrences: P(i|c) is (count times class weight + `added`, or
    `added_to_ngrams`) / `below`. For `complement` the counts of the other classes make P(i|not c).
    `max_token_weight` and `max_evidence` limit the evidence against the positive class of two
    (`scorers.evidence_limits`). With a base model, `base_weight` times its log-odds are added before the
    calibration.
    """

    scorer: str
    form: str
    classes: tuple[str, ...]
    positive: str
    once: bool
    counted: str
    added: float | None
    added_to_ngrams: float | None
    below: tuple[float, ...] | None
    bias: tuple[float, ...]
    log_prior: tuple[float, ...]
    class_weights: tuple[float, ...]
    damping: float
    max_token_weight: float
    max_evidence: int
    order: int | None
    back_off: float | None
    vocabulary: int
    columns: bool
    correction_bias: float | None
    calibration: dict[str, Any]
    base_weight: float | None = None
    base_by_share: bool = False  # own log-odds count by the share of known tokens that are known to them
    base: Formula | None = None


@dataclass(frozen=True, slots=True)
class Linear:
    """log-odds = slope * (w.x + b) / m^damping + offset, for `positive` against `negative`.

    With a base model, slope * base_weight * (the log-odds of the base model, whose linear view is `base`) is
    added.
    """

    positive: str
    negative: str
    b: float
    slope: float
    offset: float
    damping: float
    base_weight: float | None = None
    base_by_share: bool = False  # own log-odds count by the share of known tokens that are known to them
    base: Linear | None = None


def positive_index(model: SpamModel) -> int:
    """Returns the class that a weight above 0 is evidence for: the positive one, else the last."""
    labels = model.labels
    return labels.index(model.positive) if model.positive in labels else len(labels) - 1


def formula_of(model: SpamModel) -> Formula:
    """Returns the formula of a model."""
    scorer, config, base = model.engine.scorer, model.active_scoring, model.active_base
    stats, limits = weighted(Stats.of(model.scored_store), config), model.engine.limits
    fraction = scorer.fraction(stats)
    return Formula(
        scorer=scorer.name,
        form=scorer.form.value,
        classes=model.labels,
        positive=model.labels[positive_index(model)],
        once=scorer.once,
        counted=counted_by(scorer),
        added=None if fraction is None else fraction.added,
        added_to_ngrams=None if fraction is None else fraction.added_to_ngrams,
        below=None if fraction is None else tuple(fraction.below.tolist()),
        bias=tuple(scorer.bias(stats).tolist()),
        log_prior=tuple(scorer.log_prior(stats).tolist()),
        class_weights=tuple(class_weights(config, model.labels, model.scored_store.message_totals).tolist()),
        damping=config.damping,
        max_token_weight=0.0 if limits is None else limits.weight,
        max_evidence=0 if limits is None else limits.tokens,
        order=scorer.order,
        back_off=None if scorer.order is None else BACK_OFF,
        vocabulary=model.scored_store.vocabulary,
        columns=bool(model.features.categorical or model.features.numeric),
        correction_bias=None if model.active_correction is None else model.engine.correction_bias,
        calibration={name: x for name, x in model.calibration.to_state().items() if name != "note"},
        base_by_share=model.base is not None and model.calibration.note == FOLLOWS,
        base_weight=None if base is None else base.weight,
        base=None if base is None else formula_of(base.model),
    )


def as_formula(shown: Mapping[str, Any]) -> Formula:
    """Returns the formula of its fields, as `asdict` gives them."""
    base = None if shown["base"] is None else as_formula(shown["base"])
    return Formula(**{**shown, "base": base})


def linear_view(formula: Formula) -> Linear | None:
    """Returns w.x + b and what is done with it, where that is exactly the log-odds; else None."""
    base = None if formula.base is None else linear_view(formula.base)
    is_sum = Form(formula.form) in _WEIGHTED_SUMS and not formula.max_evidence and not formula.columns
    exact = is_sum and len(formula.classes) == 2 and formula.calibration["kind"] == "platt"
    if not exact or (formula.base is not None and base is None):
        return None
    plus = formula.classes.index(formula.positive)
    fit = Platt(formula.calibration["slope"], formula.calibration["offset"])
    return Linear(
        positive=formula.positive,
        negative=formula.classes[1 - plus],
        b=formula.bias[plus] - formula.bias[1 - plus],
        slope=fit.slope,
        offset=float(fit.apply(formula.correction_bias or 0.0)),
        damping=formula.damping,
        base_weight=formula.base_weight,
        base=base,
    )
