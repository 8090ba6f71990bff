"""States how a model computes its log-odds: the form of the score, its constants, the calibration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from spamnb.model.base_model import FOLLOWS
from spamnb.model.calibration import Platt
from spamnb.model.explanation import counted_by
from spamnb.model.scoring_engine import weighted
from spamnb.model.spam_model import SpamModel
from spamnb.scorers import BACK_OFF, Form, Stats, class_weights

_WEIGHTED_SUMS = (Form.SUM, Form.COMPLEMENT, Form.PRESENCE)  # x counts the tokens, or marks those present


@dataclass(frozen=True, slots=True)
class Estimate:
    """How P(i|c) comes from counts: (count times class weight + `added`, or `added_to_ngrams`) / `below`.

    `counted` names the counts, messages or occurrences, of the tokens in the vocabulary. For `complement` the
    counts of the other classes make P(i|not c).
    """

    counted: str
    class_weights: tuple[float, ...]
    vocabulary: int
    added: float | None
    added_to_ngrams: float | None
    below: tuple[float, ...] | None


@dataclass(frozen=True, slots=True)
class Constants:
    """What every message adds to the score of each class, and to the log-odds of two.

    `log_prior` is a part of the `bias`; for `presence` the rest is the sum of log(1 - P(i|c)) over the
    vocabulary.
    """

    bias: tuple[float, ...]
    log_prior: tuple[float, ...]
    correction_bias: float | None


@dataclass(frozen=True, slots=True)
class TokenSum:
    """How the terms of tokens, and of columns if there are any, are summed up.

    `once`: a token counts once per message. `max_token_weight` and `max_evidence` limit the evidence against
    the positive class of two (`scorers.evidence_limits`). `order` and `back_off` are of a chain of words.
    """

    once: bool
    columns: bool
    damping: float
    max_token_weight: float
    max_evidence: int
    order: int | None
    back_off: float | None


@dataclass(frozen=True, slots=True)
class BaseTerm:
    """What a base model adds before the calibration: `weight` times the log-odds by its `formula`.

    `by_share`: own log-odds count by the share of known tokens that are known to the own counts.
    """

    formula: Formula
    weight: float
    by_share: bool


@dataclass(frozen=True, slots=True)
class Formula:
    """Everything but the tokens and columns that a message's log-odds are computed from.

    `form` is how the numbers of tokens make the score of a class (`scorers.Form`).
    """

    scorer: str
    form: str
    classes: tuple[str, ...]
    positive: str
    estimate: Estimate
    constants: Constants
    sum: TokenSum
    calibration: dict[str, Any]
    base: BaseTerm | None = None

    def to_dict(self) -> dict[str, Any]:
        """Returns all fields by name, those of the parts beside the others."""
        values, base = asdict(self), self.base
        del values["base"]
        values["base_weight"] = None if base is None else base.weight
        values["base_by_share"] = base is not None and base.by_share
        values["base"] = None if base is None else base.formula.to_dict()
        for name in _PARTS:
            values.update(values.pop(name))
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Formula:
        """Reverses `to_dict`."""
        own = {f.name: values[f.name] for f in fields(cls) if f.name not in (*_PARTS, "base")}
        for name, part in _PARTS.items():
            own[name] = part(**{f.name: values[f.name] for f in fields(part)})
        if values["base"] is None:
            return cls(**own)
        base = BaseTerm(cls.from_dict(values["base"]), values["base_weight"], values["base_by_share"])
        return cls(**own, base=base)


_PARTS: dict[str, Any] = {"estimate": Estimate, "constants": Constants, "sum": TokenSum}


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
    base: Linear | None = None


def positive_index(model: SpamModel) -> int:
    """Returns the class that a weight above 0 is evidence for: the positive one, else the last."""
    labels = model.labels
    return labels.index(model.positive) if model.positive in labels else len(labels) - 1


def formula_of(model: SpamModel) -> Formula:
    """Returns the formula of a model."""
    scorer = model.engine.scorer
    stats = weighted(Stats.of(model.scored_store), model.active_scoring)
    correction_bias = None if model.active_correction is None else model.engine.correction_bias
    return Formula(
        scorer=scorer.name,
        form=scorer.form.value,
        classes=model.labels,
        positive=model.labels[positive_index(model)],
        estimate=_estimate(model, stats),
        constants=Constants(
            tuple(scorer.bias(stats).tolist()), tuple(scorer.log_prior(stats).tolist()), correction_bias
        ),
        sum=_token_sum(model),
        calibration={name: x for name, x in model.calibration.to_state().items() if name != "note"},
        base=_base_term(model),
    )


def _base_term(model: SpamModel) -> BaseTerm | None:
    base = model.active_base
    if base is None:
        return None
    return BaseTerm(formula_of(base.model), base.weight, by_share=model.calibration.note == FOLLOWS)


def _estimate(model: SpamModel, stats: Stats) -> Estimate:
    scorer, store = model.engine.scorer, model.scored_store
    fraction = scorer.fraction(stats)
    return Estimate(
        counted=counted_by(scorer),
        class_weights=tuple(class_weights(model.active_scoring, store.labels, store.message_totals).tolist()),
        vocabulary=store.vocabulary,
        added=None if fraction is None else fraction.added,
        added_to_ngrams=None if fraction is None else fraction.added_to_ngrams,
        below=None if fraction is None else tuple(fraction.below.tolist()),
    )


def _token_sum(model: SpamModel) -> TokenSum:
    scorer, limits = model.engine.scorer, model.engine.limits
    return TokenSum(
        once=scorer.once,
        columns=bool(model.features.categorical or model.features.numeric),
        damping=model.active_scoring.damping,
        max_token_weight=0.0 if limits is None else limits.weight,
        max_evidence=0 if limits is None else limits.tokens,
        order=scorer.order,
        back_off=None if scorer.order is None else BACK_OFF,
    )


def linear_view(formula: Formula) -> Linear | None:
    """Returns w.x + b and what is done with it, where that is exactly the log-odds; else None."""
    base = None if formula.base is None else linear_view(formula.base.formula)
    is_sum = Form(formula.form) in _WEIGHTED_SUMS and not formula.sum.max_evidence and not formula.sum.columns
    exact = is_sum and len(formula.classes) == 2 and formula.calibration["kind"] == "platt"
    if not exact or (formula.base is not None and base is None):
        return None
    plus = formula.classes.index(formula.positive)
    fit = Platt(formula.calibration["slope"], formula.calibration["offset"])
    return Linear(
        positive=formula.positive,
        negative=formula.classes[1 - plus],
        b=formula.constants.bias[plus] - formula.constants.bias[1 - plus],
        slope=fit.slope,
        offset=float(fit.apply(formula.constants.correction_bias or 0.0)),
        damping=formula.sum.damping,
        base_weight=None if formula.base is None else formula.base.weight,
        base=base,
    )
