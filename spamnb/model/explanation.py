"""Explains the score of a message: the evidence of each token and column, which sums to the log-odds."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spamnb.core import FloatArray, IntArray, excerpt
from spamnb.counts import NO_GRAM
from spamnb.features import SHAPE, Batch, KeyArray
from spamnb.model.calibration import LIMIT, Beta, Platt, Temperature
from spamnb.model.evidence import Basis, Evidence
from spamnb.model.listed_verdicts import follow_lists
from spamnb.model.predictions import TOO_CLOSE, remember
from spamnb.model.raw_scores import LookedUpBatch
from spamnb.model.scoring_engine import Engine
from spamnb.scorers import Form, Scorer

if TYPE_CHECKING:
    from spamnb.messages import Categories, Numbers
    from spamnb.model.base_model import BaseModel
    from spamnb.model.predictions import Predictions
    from spamnb.model.spam_model import SpamModel

_SHOWN = 7  # tokens of an explanation as text
_SAME = 1e-5  # scores that differ by less are alike


@dataclass(frozen=True, slots=True)
class Explanation:
    """log_odds = bias + sum of the log-odds of `evidence`, for the class `positive` against `negative`.

    `positive` is the positive class of the model, usually spam, and `probability` is P(spam), also where the
    `verdict` is ham. Of more than two classes, `positive` and `negative` are the most and the second most
    likely, and `probability` that of the verdict. It follows from the log-odds, unless the message is unsure
    for lack of evidence, or its sender is on a list, or it was taught word for word: `taught_as` is the label
    that it was taught with, and the verdict.
    """

    positive: str
    negative: str
    log_odds: float
    probability: float
    verdict: str
    bias: float
    evidence: tuple[Evidence, ...]  # strongest first
    basis: Basis
    unsure_reason: str = ""
    taught_as: str = ""

    @property
    def listed(self) -> str:
        """Returns the entry of an allow or block list that decides the verdict; empty if there is none."""
        return self.basis.listed

    def __str__(self) -> str:
        """Returns the verdict and the strongest evidence, in at most ten lines."""
        lines = [
            f"{self.verdict}, P({self.positive}) = {self.probability:.4f}, log-odds {self.log_odds:+.2f}"
        ]
        lines += [f"{e.log_odds:+8.2f}  {excerpt(e.name)}" for e in self.evidence[:_SHOWN]]
        if rest := self.evidence[_SHOWN:]:
            lines.append(f"{sum(e.log_odds for e in rest):+8.2f}  {len(rest):,} more")
        return "\n".join([*lines, f"{self.bias:+8.2f}  bias"])

    def to_dict(self) -> dict[str, Any]:
        """Returns all fields, names and counts as dicts, lists, texts and numbers, as for json.dumps."""
        fields = asdict(self)
        for name in ("classes", "bias_parts"):
            fields["basis"][name] = list(fields["basis"][name])
        fields["evidence"] = [
            {name: list(value) if isinstance(value, tuple) else value for name, value in item.items()}
            for item in ({**asdict(e), "name": e.name, "counts": e.counts} for e in self.evidence)
        ]
        return fields

    @property
    def lacks_evidence(self) -> bool:
        """Is the message unsure because too little in it is known?"""
        return self.unsure_reason not in ("", TOO_CLOSE)


def explain_batch(
    model: SpamModel,
    batch: Batch,
    categories: Categories,
    numbers: Numbers,
    taught_as: IntArray | None = None,
    listed: tuple[str, ...] = (),
) -> Explanation:
    """Explains the prediction for a batch of one message."""
    predictions = model.score_batch(batch, categories, numbers)
    if taught_as is not None:
        predictions = remember(model, predictions, taught_as)
    predictions = follow_lists(model, predictions, listed)
    pair = model.pair or _two_best(predictions)
    slope, offset = _slope_and_offset(model, predictions)
    columns = model.engine.columns(1, categories, numbers)
    factor = slope * float(predictions.scored.scale[0])
    evidence, bias = collect_evidence(model.engine, batch, columns, pair, factor)
    if model.active_base is not None:
        evidence, base_bias = _add_base(model.active_base, evidence, batch, slope)
        bias += base_bias
    log_odds = float(predictions.log_odds[0]) if model.pair is not None else _sum(evidence, bias + offset)
    return Explanation(
        positive=model.labels[pair[0]],
        negative=model.labels[pair[1]],
        log_odds=log_odds,
        probability=float(predictions.probability[0]),
        verdict=predictions.labels[0],
        bias=bias + offset,
        evidence=tuple(evidence),
        basis=_basis(model, batch, predictions),
        unsure_reason=predictions.unsure_reason(0),
        taught_as=predictions.taught_label(0),
    )


def _basis(model: SpamModel, batch: Batch, predictions: Predictions) -> Basis:
    scorer, base = model.engine.scorer, model.active_base
    streams = [s for s in batch.streams if s.kind != SHAPE]
    unknown = sum(np.count_nonzero(~_is_known(model, np.unique(s.keys))) for s in streams)
    return Basis(
        classes=model.labels,
        log_evidence=float(predictions.scored.log_evidence[0]),
        known=int(predictions.scored.known[0]),
        unknown=int(unknown),
        counted=counted_by(scorer),
        base_counted=counted_by(scorer if base is None else base.model.engine.scorer),
        bias_parts=_bias_parts(scorer.form),
        listed=predictions.listed_entry(0),
    )


def _sum(evidence: list[Evidence], bias: float) -> float:
    """Returns the log-odds of two of several classes."""
    total = bias + sum(e.log_odds for e in evidence)
    return 0.0 if total != total else float(np.clip(total, -LIMIT, LIMIT))


def counted_by(scorer: Scorer) -> str:
    """Names what a scorer estimates P(w|c) from."""
    return "messages" if scorer.once else "occurrences"


def _bias_parts(form: Form) -> tuple[str, ...]:
    if form is Form.COMPLEMENT:
        return ("calibration",)
    return ("prior", *(["absent words"] if form is Form.PRESENCE else []), "calibration")


def _add_base(
    base: BaseModel, evidence: list[Evidence], batch: Batch, slope: float
) -> tuple[list[Evidence], float]:
    """Adds the evidence of the base model; returns it and what the base model adds to the bias.

    A token that only one of the two models knows has the counts 0 in the other.
    """
    explanation = explain_batch(base.model, batch, {}, {})
    factor, none = slope * base.weight, (0,) * len(base.model.labels)
    by_token = {e.token: replace(e, base_counts=none if e.own_counts else None) for e in evidence}
    for e in explanation.evidence:
        own = by_token.get(e.token) or Evidence(e.token, e.times, 0.0, none)
        total = own.log_odds + factor * e.log_odds
        by_token[e.token] = replace(own, log_odds=total, base_counts=e.counts)
    return sorted(by_token.values(), key=_strength), factor * explanation.bias


def _strength(evidence: Evidence) -> tuple[float, float, str]:
    """Puts the strongest first; of those with the same limit, the token whose counts are most one-sided."""
    counts = evidence.own_counts or (0,)
    one_sided = (max(counts) - min(counts)) / (sum(counts) + 1)
    return -round(abs(evidence.log_odds), 6), -one_sided, evidence.token


def _is_known(model: SpamModel, keys: KeyArray) -> NDArray[np.bool_]:
    """Returns whether the model, or its base model, knows each token."""
    known = model.scored_store.find(keys) >= 0
    return known if model.active_base is None else known | (model.active_base.model.store.find(keys) >= 0)


def _slope_and_offset(model: SpamModel, predictions: Predictions) -> tuple[float, float]:
    """Returns the slope and offset that calibrate the message's log-odds z.

    f(z) = f(0) + k z with k = (f(z) - f(0)) / z for the calibration f: so a curve scales all evidence alike.
    For the scores x and y of the two best of several classes f(x) - f(y) = k (x - y). The bias of a
    correction is part of the offset.
    """
    calibration = model.calibration
    if isinstance(calibration, Temperature):
        return calibration.scale, 0.0
    if model.pair is None:  # it has learned a class more than it was calibrated for
        return _secant(calibration, *predictions.scored.damped[0, list(_two_best(predictions))].tolist()), 0.0
    slope = _secant(calibration, float(model.raw(predictions.scored)[0]), 0.0)
    return slope, float(calibration.apply(0.0)) + slope * model.engine.correction_bias


def _secant(calibration: Platt | Beta, x: float, y: float) -> float:
    """Returns (f(x) - f(y)) / (x - y) of a calibration f; where x is about y, its slope there."""
    if isinstance(calibration, Platt) or not isfinite(x - y):
        return calibration.slope
    if abs(x - y) < _SAME:
        x, y = x + _SAME, y - _SAME
    first, second = calibration.apply([x, y]).tolist()
    return float(first - second) / (x - y)


def _two_best(predictions: Predictions) -> tuple[int, int]:
    order = np.argsort(-predictions.scored.joint[0], kind="stable")
    return int(order[0]), int(order[1])


def collect_evidence(
    engine: Engine,
    batch: Batch,
    columns: dict[str, FloatArray],
    pair: tuple[int, int],
    factor: float,
) -> tuple[list[Evidence], float]:
    """Returns one message's evidence for class pair[0] against pair[1], strongest first, and the bias."""
    plus, minus = pair
    looked_up = engine.look_up(batch)
    tokens = looked_up.tokens
    _, values = engine.scorer.terms(tokens.weights, looked_up.entries, tokens.stats)
    with np.errstate(invalid="ignore"):
        log_odds = values[:, plus] - values[:, minus]
    corrected = engine.correct(looked_up)
    if corrected is not None:
        log_odds = log_odds + corrected
    each = (np.where(np.isnan(log_odds), 0.0, log_odds) * factor).tolist()  # impossible in both: no evidence
    if engine.scorer.order is not None:
        evidence = _sequence_evidence(engine, looked_up, each)
    else:
        evidence = _token_evidence(engine, looked_up, each)
    for name, terms in columns.items():
        if terms.any():
            evidence.append(Evidence(name, 1, _log_odds(terms[0], pair) * factor, ()))
    return sorted(evidence, key=_strength), _log_odds(engine.bias(tokens.stats), pair) * factor


def _log_odds(log_p: FloatArray, pair: tuple[int, int]) -> float:
    """Returns the difference of two classes; what is impossible in both is no evidence."""
    plus, minus = (float(log_p[c]) for c in pair)
    return 0.0 if plus == minus else plus - minus


def _token_evidence(engine: Engine, looked_up: LookedUpBatch, log_odds: list[float]) -> list[Evidence]:
    rows = looked_up.store_rows(looked_up.entries.ids)
    tokens, counts = engine.store.spellings.take(rows).tolist(), map(tuple, _counted(engine)[rows].tolist())
    return list(map(Evidence, tokens, looked_up.entries.counts.tolist(), log_odds, counts))


def _counted(engine: Engine) -> IntArray:
    """Returns the counts that the scorer uses."""
    return engine.store.messages if engine.scorer.once else engine.store.tokens


def _counts(engine: Engine, row: int) -> tuple[int, ...]:
    """Returns the counts of a token; 0 for an unknown one, whose row is -1."""
    return tuple(_counted(engine)[row].tolist()) if row >= 0 else (0,) * len(engine.store.labels)


def _sequence_evidence(engine: Engine, looked_up: LookedUpBatch, log_odds: list[float]) -> list[Evidence]:
    """Returns the evidence of each known word after words that the model knows, where their order counts.

    Its counts are those of all these words together. Longer sequences than the known ones change nothing.
    """
    words, spellings = looked_up.entries.sequence, engine.store.spellings
    assert words is not None

    def row(n: int, j: int) -> int:  # of the n-gram that ends at word j
        return int(looked_up.store_rows(words[n - 1, j : j + 1])[0]) if words[n - 1, j] >= 0 else -1

    evidence = []
    for j, value in zip(np.flatnonzero(words[0] >= 0).tolist(), log_odds, strict=True):
        before = [m for m in range(1, len(words)) if words[m, j] != NO_GRAM and words[m - 1, j - 1] >= 0]
        n = max(before, default=0)
        after = f" (after {spellings[row(n, j - 1)]})" if n else ""
        evidence.append(Evidence(spellings[row(1, j)] + after, 1, value, _counts(engine, row(n + 1, j))))
    return evidence
