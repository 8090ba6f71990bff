"""A model as builtins and plain arrays, and back; what does not fit is a ModelError."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from spamnb import calibration as calibrations
from spamnb import correction as corrections
from spamnb import countstate
from spamnb._version import __version__
from spamnb.config import FeatureConfig, ScorerConfig
from spamnb.decision import Decision
from spamnb.digests import Known
from spamnb.errors import ConfigError, ModelError
from spamnb.figures import checked as checked_figures
from spamnb.modelfile import require
from spamnb.since import Since

if TYPE_CHECKING:
    from spamnb.model import SpamModel


def to_state(model: SpamModel) -> dict[str, Any]:
    state: dict[str, Any] = {
        "written_by": __version__,
        "positive": model.positive,
        "features": model.features.to_dict(),
        "scorer": model.scoring.to_dict(),
        "decision": model.decision.to_dict(),
        "calibration": model.calibration.to_dict(),
        "figures": _figures(model.figures),
        "counts": countstate.to_state(model.store),
        "known": None if model.known is None else model.known.to_state(),
        "since": model.since.to_dict(),
        "generation": model.generation,
    }
    if model.refined is not None:
        state["correction"] = model.refined.to_state(model.store)
    if model.known is not None and model.known.faded:
        state["faded"] = model.known.faded_state()
    if model.doubt is not None:
        state["doubt"] = model.doubt
    if model.aged is not None:
        state["aged"] = model.aged
    return state if model.started is None else state | {"start": model.started.to_state()}


def _figures(figures: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The confusion of many classes is one array: single values are slow to read, and limited."""
    if figures is None or not figures.get("confusion"):
        return None if figures is None else dict(figures)
    return {**figures, "confusion": np.array(figures["confusion"], np.int64)}


def fields(state: Mapping[str, Any]) -> dict[str, Any]:
    """The inverse of `to_state`: what SpamModel is made of."""
    features, scoring = _settings(state)
    store = countstate.from_state(require(state, "counts", dict))
    correction = require(state, "correction", dict) if "correction" in state else None
    return {
        "features": features,
        "scoring": scoring,
        "store": store,
        "decision": Decision.from_dict(require(state, "decision", dict)),
        "calibration": calibrations.from_dict(require(state, "calibration", dict)),
        "positive": require(state, "positive", str),
        "figures": checked_figures(state.get("figures")),
        "known": Known.from_state(state.get("known"), state.get("faded")),
        "since": Since.from_dict(state.get("since")),
        "generation": require(state, "generation", int) if "generation" in state else 0,
        "doubt": _share(state),
        "aged": _day(state),
        "correction": None if correction is None else corrections.from_state(correction, store),
    }


def _share(state: Mapping[str, Any]) -> float | None:
    """The share of known words below which ham is not said; models of version 0.1.0 have none."""
    if "doubt" not in state:
        return None
    share = require(state, "doubt", float)
    if not 0 < share <= 1:
        raise ModelError(f"the model's doubt must be a share, got {share:g}", "train the model again")
    return share


def _day(state: Mapping[str, Any]) -> str | None:
    """The day up to which the model was aged; most never were."""
    if "aged" not in state:
        return None
    from datetime import date

    day = require(state, "aged", str)
    try:
        return date.fromisoformat(day).isoformat()
    except ValueError:
        raise ModelError(
            f"the model's aged must be a day, got {day!r:.40}", "train the model again"
        ) from None


def _settings(state: Mapping[str, Any]) -> tuple[FeatureConfig, ScorerConfig]:
    try:
        features = FeatureConfig.from_dict(require(state, "features", dict))
        return features, ScorerConfig.from_dict(require(state, "scorer", dict))
    except (TypeError, ValueError, ConfigError) as error:
        raise damaged(error) from None


def damaged(error: Exception) -> ModelError:
    return ModelError(f"the settings in the model are damaged: {error}", "train the model again")
