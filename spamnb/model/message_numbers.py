"""Lists all numbers that the log-odds of one message come from, and checks that they give its score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spamnb.counts import Entries
from spamnb.features import Batch, extract
from spamnb.messages import Texts, one_message
from spamnb.model.base_model import FOLLOWS
from spamnb.model.column_tables import columns_of
from spamnb.model.inspection import Inspector, row_dict
from spamnb.model.recomputation import recompute

if TYPE_CHECKING:
    from spamnb.messages import Categories, Numbers
    from spamnb.model.spam_model import SpamModel


def numbers_of(
    model: SpamModel, message: str | bytes | Texts, categories: Categories = None, numbers: Numbers = None
) -> dict[str, Any]:
    """Returns the formula and the numbers of a message, from which `recompute` computes the log-odds.

    `tokens` are the known tokens with their `times` in the message; `length` counts all tokens, known or not;
    `words` are the words in reading order, None for unknown ones, where the scorer uses their order. With
    columns there are their tables and the message's values; with a base model, `base` has its numbers, and
    `share` is the factor of the own log-odds.
    """
    texts = one_message(message)
    listed = _batch_numbers(model, extract(texts, model.features))
    features = model.features
    if features.categorical or features.numeric:
        listed["column_tables"] = columns_of(model)
        listed["values"] = {
            **{name: str(v[0]) for name, v in (categories or {}).items() if name in features.categorical},
            **{name: float(v[0]) for name, v in (numbers or {}).items() if name in features.numeric},
        }
    return listed


def _batch_numbers(model: SpamModel, batch: Batch) -> dict[str, Any]:
    inspector, scorer, base = Inspector(model), model.engine.scorer, model.active_base
    entries = Entries.of(batch, [model.scored_store.find(s.keys) for s in batch.streams], scorer.order)
    assert entries.lengths is not None
    rows = inspector.rows(entries.ids.tolist())
    listed: dict[str, Any] = {
        "formula": inspector.formula.to_dict(),
        "tokens": [
            row_dict(row) | {"times": k} for row, k in zip(rows, entries.counts.tolist(), strict=True)
        ],
        "length": int(entries.lengths[0]),
    }
    if entries.sequence is not None:
        listed["words"] = [
            model.scored_store.spellings[i] if i >= 0 else None for i in entries.sequence[0].tolist()
        ]
    if base is not None:
        listed["base"] = _batch_numbers(base.model, batch)
        own = model.engine.score(batch)
        scored = base.add_to(own, batch, by_share=model.calibration.note == FOLLOWS)
        listed["share"] = float(scored.scale[0] / own.scale[0])
    return listed


@dataclass(frozen=True, slots=True)
class Verification:
    """The score of a message as recomputed from its numbers, and as predicted by the model, for `label`.

    The log-odds are those of the positive class of two; with more classes they are None, and `label` is the
    most probable one. Where a message lacks evidence, the model keeps the probability away from 0 and 1, so
    that only the log-odds compare.
    """

    label: str
    recomputed_log_odds: float | None
    recomputed_probability: float
    model_log_odds: float | None
    model_probability: float
    lacks_evidence: bool


def verify(
    model: SpamModel, message: str | bytes | Texts, categories: Categories = None, numbers: Numbers = None
) -> tuple[dict[str, Any], Verification]:
    """Returns the numbers of a message, and what they and the model say of it."""
    texts = one_message(message)
    predictions = model.score(texts, categories, numbers, memory=False)
    listed = numbers_of(model, texts, categories, numbers)
    result, proba, pair = recompute(listed), model.proba(predictions)[0], model.pair
    code = int(proba.argmax()) if pair is None else pair[0]
    verification = Verification(
        label=model.labels[code],
        recomputed_log_odds=result.log_odds,
        recomputed_probability=result.probabilities[model.labels[code]],
        model_log_odds=None if pair is None else float(predictions.log_odds[0]),
        model_probability=float(proba[code]),
        lacks_evidence=bool(predictions.lacks_evidence[0]),
    )
    return listed, verification
