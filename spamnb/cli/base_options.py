"""`--prior ready-made` and `--prior FILE`: the model that a new one starts from."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spamnb.cli.output import print_status
from spamnb.errors import ConfigError

if TYPE_CHECKING:
    from spamnb.model import BaseModel
    from spamnb.settings import FeatureConfig, ScorerConfig

READY_MADE = "ready-made"
Sources = Callable[[], list[Any]]  # the inputs of the command
NAMES = {"sms": "ready-made model for SMS", "mail": "ready-made model for mail"}


def names_model(text: str | None) -> bool:
    """Does --prior name a model, and no prior of the classes?"""
    return text is not None and (text == READY_MADE or os.path.isfile(text))


def refuse(given: dict[str, Any], what: str, hint: str = "use --cv or `spamnb train`") -> None:
    """For what cannot start from a model."""
    if names_model(given["prior"]):
        raise ConfigError(f"--prior {given['prior']} does not go together with {what}", hint=hint)


def start_of(
    given: dict[str, Any], sources: Sources, features: FeatureConfig, scoring: ScorerConfig, quiet: bool
) -> tuple[FeatureConfig, dict[str, Any]]:
    """The features, and what tells a Trainer what to start from; nothing unless --prior names a model.

    N-grams that were not stated and signs are those of the start: it has to know the new model's tokens.
    """
    weight = _weight(given)
    if not names_model(given["prior"]):
        return features, {}
    start = _named(given, sources, quiet)
    if given["ngrams"] is None and features.shapes:
        features = replace(features, ngrams=start.model.features.ngrams)
    features = replace(features, signs=start.model.features.signs)
    start.check(features, scoring)
    start = start if weight is None else start.replace(weight=weight)
    return features, {"start": start, "choose": weight is None, "stated": given["max_fpr"] is not None}


def _weight(given: dict[str, Any]) -> float | None:
    weight: float | None = given["prior_weight"]
    if weight is None:
        return None
    if not names_model(given["prior"]):
        raise ConfigError(
            "--prior-weight says how much the model of --prior ready-made counts, got none",
            hint="add --prior ready-made, or leave out --prior-weight",
        )
    if not 0 < weight < math.inf:
        raise ConfigError(
            f"--prior-weight must be a number above 0, got {weight:g}",
            hint="leave it out: cross-validation chooses it",
        )
    return weight


def _named(given: dict[str, Any], sources: Sources, quiet: bool) -> BaseModel:
    from spamnb.cli.message_kind import kind_of_data
    from spamnb.cli.model_choice import shipped_model
    from spamnb.model import BaseModel, SpamModel

    if given["prior"] != READY_MADE:
        name = f"model {os.path.basename(given['prior'])}"
        return BaseModel.of(name, SpamModel.load(given["prior"]))
    # A list of paths that comes from stdin cannot be read twice; such lists name mails.
    kind = "mail" if given["files_from"] == "-" else kind_of_data(sources(), given)
    name = NAMES[kind]
    print_status(f"starting from the {name}", quiet)
    return BaseModel.of(name, SpamModel.load(shipped_model(kind)))
