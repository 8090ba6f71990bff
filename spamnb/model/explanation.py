"""Why a message got its score: one part for each token or column, and the parts sum to the log-odds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spamnb.core import FloatArray
from spamnb.features import Batch, KeyArray, extract
from spamnb.messages import Texts
from spamnb.model.calibration import LIMIT, Platt, Temperature, probability
from spamnb.model.scoring_engine import Engine, LookedUpBatch

if TYPE_CHECKING:
    from spamnb.model.base_model import BaseModel
    from spamnb.model.predictions import Predictions
    from spamnb.model.spam_model import Categories, Numbers, SpamModel


@dataclass(frozen=True, slots=True)
class Evidence:
    """One piece of evidence: what it adds to the log-odds, and how many messages of each class had it."""

    token: str
    times: int
    log_odds: float
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """log_odds = bias + sum of the parts' log_odds, for `label` against `other`."""

    label: str
    other: str
    log_odds: float
    probability: float
    evidence: float
    verdict: str
    bias: float
    parts: tuple[Evidence, ...]  # strongest first
    known: int
    unknown: int
    why: str = ""  # of an unsure message


def explained(model: SpamModel, texts: Texts, categories: Categories, numbers: Numbers) -> Explanation:
    """What speaks for and against the one message in `texts`: bias and parts sum to the log-odds."""
    batch, result = extract(texts, model.features), model.score(texts, categories, numbers)
    pair = model.pair or _two_best(result)
    slope, offset = _line(model, result)
    columns = model.engine.columns(1, categories, numbers)
    parts, bias = parts_of(model.engine, batch, columns, pair, slope * float(result.scored.scale[0]))
    if model.active_base is not None:
        parts, more = _with_start(model.active_base, parts, texts, slope)
        bias += more
    log_odds = float(result.log_odds[0])
    if model.pair is None:
        total = bias + sum(p.log_odds for p in parts)
        log_odds = 0.0 if total != total else float(np.clip(total, -LIMIT, LIMIT))
    missing = [np.count_nonzero(~_knows(model, np.unique(s.keys))) for s in batch.streams]
    return Explanation(
        model.labels[pair[0]],
        model.labels[pair[1]],
        log_odds,
        float(probability(log_odds)) if model.pair is not None else float(result.probability[0]),
        float(result.scored.evidence[0]),
        result.labels[0],
        bias + offset,
        tuple(parts),
        int(result.scored.known[0]),
        int(sum(missing)),
        result.unsure_reason(0),
    )


def _with_start(
    start: BaseModel, parts: list[Evidence], texts: Texts, slope: float
) -> tuple[list[Evidence], float]:
    """The parts with what the start says of each token, and what it adds to the bias.

    How many messages had a token is told of one's own; of those that only the start knows it is none.
    """
    told = explained(start.model, texts, {}, {})
    factor = slope * start.weight
    found = {part.token: part for part in parts}
    for part in told.parts:
        own = found.get(part.token) or Evidence(part.token, part.times, 0.0, (0,) * len(part.counts))
        found[part.token] = replace(own, log_odds=own.log_odds + factor * part.log_odds)
    return sorted(found.values(), key=_strength), factor * told.bias


def _strength(part: Evidence) -> tuple[float, str]:
    return -abs(part.log_odds), part.token


def _knows(model: SpamModel, keys: KeyArray) -> NDArray[np.bool_]:
    """Which tokens the model knows, or the one that it starts from."""
    known = model.store.find(keys) >= 0
    return known if model.active_base is None else known | (model.active_base.model.store.find(keys) >= 0)


def _line(model: SpamModel, result: Predictions) -> tuple[float, float]:
    """The slope and offset that one message's log-odds come from.

    A calibration that bends has Platt's slope for all parts; how far it bends away from his line counts
    into the offset, and so does the bias of a correction.
    """
    fitted = model.calibration
    if isinstance(fitted, Temperature):
        return fitted.scale, 0.0
    offset = fitted.offset
    if model.active_correction is not None:
        offset += fitted.slope * model.sign * model.active_correction.bias
    if not isinstance(fitted, Platt):
        raw = model.raw(result.scored)
        offset += float((fitted.apply(raw) - fitted.slope * raw - fitted.offset)[0])
    return fitted.slope, offset


def _two_best(result: Predictions) -> tuple[int, int]:
    order = np.argsort(-result.scored.joint[0], kind="stable")
    return int(order[0]), int(order[1])


def parts_of(
    engine: Engine,
    batch: Batch,
    columns: dict[str, FloatArray],
    pair: tuple[int, int],
    factor: float,
) -> tuple[list[Evidence], float]:
    """The parts of a batch of one message for class pair[0] against pair[1], and the bias' share."""
    plus, minus = pair
    looked = engine.look_up(batch)
    _, values = engine.scorer.terms(looked.weights, looked.entries, looked.stats)
    with np.errstate(invalid="ignore"):
        gap = values[:, plus] - values[:, minus]
    corrected = engine.correct(looked)
    if corrected is not None and engine.correction is not None:
        gap = gap + (corrected if engine.store.labels[plus] == engine.correction.label else -corrected)
    difference = (np.where(np.isnan(gap), 0.0, gap) * factor).tolist()  # impossible in both: says nothing
    parts = _sequence_parts(engine, looked, difference) if engine.scorer.order else None
    if parts is None:
        rows = looked.store_rows(looked.entries.ids).tolist()
        times = looked.entries.counts.tolist()
        parts = [_part(engine, r, n, d) for r, n, d in zip(rows, times, difference, strict=True)]
    for name, terms in columns.items():
        if terms.any():
            parts.append(Evidence(name, 1, float((terms[0, plus] - terms[0, minus]) * factor), ()))
    bias = engine.bias(looked.stats)
    return sorted(parts, key=_strength), float((bias[plus] - bias[minus]) * factor)


def _part(engine: Engine, row: int, times: int, log_odds: float) -> Evidence:
    store = engine.store
    return Evidence(store.spellings[row], times, log_odds, tuple(store.messages[row].tolist()))


def _sequence_parts(engine: Engine, looked: LookedUpBatch, difference: list[float]) -> list[Evidence]:
    """For a scorer that reads words in order: one part for each known word, with the words before it."""
    words = looked.entries.sequence
    assert words is not None
    known = [j for j in range(words.shape[1]) if words[0, j] >= 0]
    parts = []
    for j, value in zip(known, difference, strict=True):
        row = int(looked.store_rows(words[0, j : j + 1])[0])
        before = [i for i in range(max(0, j - engine.scorer.order), j) if words[0, i] >= 0]
        spelled = [engine.store.spellings[int(looked.store_rows(words[0, i : i + 1])[0])] for i in before]
        part = _part(engine, row, 1, value)
        after = f" (after {' '.join(spelled)})" if spelled else ""
        parts.append(Evidence(part.token + after, 1, value, part.counts))
    return parts
