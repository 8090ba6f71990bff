"""A model as builtins and plain arrays, and back; what does not fit is a ModelError."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from spamnb._version import __version__
from spamnb.counts import count_state
from spamnb.errors import ConfigError, ModelError
from spamnb.model import calibration as calibrations, weight_correction as corrections
from spamnb.model.change_history import ChangeHistory
from spamnb.model.decision import Decision
from spamnb.model.seen_messages import SeenMessages
from spamnb.settings import FeatureConfig, ScorerConfig
from spamnb.storage import require

if TYPE_CHECKING:
    from spamnb.model.spam_model import SpamModel
import math


def to_state(model: SpamModel) -> dict[str, Any]:
    state: dict[str, Any] = {
        "written_by": __version__,
        "positive": model.positive,
        "features": model.features.to_dict(),
        "scorer": model.scoring.to_dict(),
        "decision": model.decision.to_dict(),
        "calibration": model.calibration.to_dict(),
        "metrics": _figures(model.metrics),
        "counts": count_state.to_state(model.store),
        "seen_messages": None if model.seen_messages is None else model.seen_messages.to_state(),
        "change_history": model.change_history.to_dict(),
        "generation": model.generation,
    }
    if model.active_correction is not None:
        state["correction"] = model.active_correction.to_state(model.store)
    if model.min_known_words is not None:
        state["min_known_words"] = model.min_known_words
    if model.aged_until is not None:
        state["aged_until"] = model.aged_until
    return state if model.active_base is None else state | {"base": model.active_base.to_state()}


def _figures(figures: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The confusion of many classes is one array: single values are slow to read, and limited."""
    if figures is None or not figures.get("confusion"):
        return None if figures is None else dict(figures)
    return {**figures, "confusion": np.array(figures["confusion"], np.int64)}


def fields(state: Mapping[str, Any]) -> dict[str, Any]:
    """The inverse of `to_state`: what SpamModel is made of."""
    features, scoring = _settings(state)
    store = count_state.from_state(require(state, "counts", dict))
    correction = require(state, "correction", dict) if "correction" in state else None
    return {
        "features": features,
        "scoring": scoring,
        "store": store,
        "decision": Decision.from_dict(require(state, "decision", dict)),
        "calibration": calibrations.from_dict(require(state, "calibration", dict)),
        "positive": require(state, "positive", str),
        "metrics": checked(state.get("metrics")),
        "seen_messages": SeenMessages.from_state(state.get("seen_messages")),
        "change_history": ChangeHistory.from_dict(state.get("change_history")),
        "generation": require(state, "generation", int) if "generation" in state else 0,
        "min_known_words": _share(state),
        "aged_until": _day(state),
        "correction": None if correction is None else corrections.from_state(correction, store),
    }


def _share(state: Mapping[str, Any]) -> float | None:
    """The share of known words below which ham is not said; models of version 0.1.0 have none."""
    if "min_known_words" not in state:
        return None
    share = require(state, "min_known_words", float)
    if not 0 < share <= 1:
        raise ModelError(
            f"the model's min_known_words must be a share, got {share:g}", "train the model again"
        )
    return share


def _day(state: Mapping[str, Any]) -> str | None:
    """The day up to which the model was aged; most never were."""
    if "aged_until" not in state:
        return None
    from datetime import date

    day = require(state, "aged_until", str)
    try:
        return date.fromisoformat(day).isoformat()
    except ValueError:
        raise ModelError(
            f"the model's aged_until must be a day, got {day!r:.40}", "train the model again"
        ) from None


def _settings(state: Mapping[str, Any]) -> tuple[FeatureConfig, ScorerConfig]:
    try:
        features = FeatureConfig.from_dict(require(state, "features", dict))
        return features, ScorerConfig.from_dict(require(state, "scorer", dict))
    except (TypeError, ValueError, ConfigError) as error:
        raise damaged(error) from None


def damaged(error: Exception) -> ModelError:
    return ModelError(f"the settings in the model are damaged: {error}", "train the model again")


_LARGEST = 1 << 63
_NEEDED = ("folds", "sample", "of", "accuracy")
_WITH_RECALL = ("ham", "false_positives")  # what is told beside the recall of two classes
_COUNTS = frozenset(
    (
        *("folds", "sample", "of", "messages", "spam", "ham", "unsure", "support"),
        *("true_positives", "false_positives", "false_negatives", "true_negatives"),
    )
)
_WORDS = frozenset(("label", "refined", "started"))


def checked(state: object) -> dict[str, Any] | None:
    """The figures of a model's state, None if it has none; anything odd in them is a damaged model.

    >>> checked({"folds": 5, "sample": 9, "of": 9, "accuracy": 0.5})["folds"]
    5
    """
    if not isinstance(state, dict):
        return None
    if isinstance(state.get("confusion"), np.ndarray):
        state = {**state, "confusion": tuple(map(tuple, state["confusion"].tolist()))}
    needed = _NEEDED + (_WITH_RECALL if "recall" in state else ())
    if not all(name in state for name in needed) or not isinstance(state["accuracy"], float):
        raise _damaged("one is missing")
    for name, value in state.items():
        if not _good(name, value):
            raise _damaged(f"{name!s:.40} is {value!r:.80}")
    return state


def _good(name: str, value: object) -> bool:
    if name == "classes":
        return isinstance(value, (list, tuple)) and all(map(_class, value))
    if name == "confusion":
        return isinstance(value, (list, tuple)) and all(map(_counts, value))
    if name == "before":
        return isinstance(value, (list, tuple)) and all(isinstance(by, str) for by in value)
    if name in _COUNTS:
        return _count(value)
    if name in _WORDS:
        return isinstance(value, str)
    return value is None or (type(value) is float and math.isfinite(value)) or _count(value)


def _class(value: object) -> bool:
    return isinstance(value, dict) and "label" in value and all(_good(n, v) for n, v in value.items())


def _counts(row: object) -> bool:
    return isinstance(row, (list, tuple)) and all(map(_count, row))


def _count(value: object) -> bool:
    return type(value) is int and 0 <= value < _LARGEST


def _damaged(what: str) -> ModelError:
    return ModelError(f"the figures in the model are damaged: {what}", hint="train the model again")
