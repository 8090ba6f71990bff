"""Figures that were stored in a model, as the dataclasses that the terminal prints."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from spamnb.errors import ModelError
from spamnb.metrics import ClassScores, MultiScores, Scores


def scores(figures: Mapping[str, Any]) -> Scores:
    """The inverse of `Scores.to_dict`, as far as the file can be trusted."""
    return Scores(**_fields(Scores, figures))


def multi_scores(figures: Mapping[str, Any]) -> MultiScores:
    """The inverse of `MultiScores.to_dict`."""
    values = _fields(MultiScores, figures)
    try:
        values["classes"] = tuple(ClassScores(**_fields(ClassScores, c)) for c in values["classes"])
        values["confusion"] = tuple(tuple(int(n) for n in row) for row in values["confusion"])
    except (TypeError, ValueError) as error:
        raise _damaged(error) from None
    return MultiScores(**values)


def _fields(kind: type, figures: Mapping[str, Any]) -> dict[str, Any]:
    try:
        found = {f.name: figures[f.name] for f in fields(kind)}
    except (KeyError, TypeError) as error:
        raise _damaged(error) from None
    return {name: math.nan if value is None else value for name, value in found.items()}


def _damaged(error: Exception) -> ModelError:
    return ModelError(f"the figures in the model are damaged: {error}", hint="train the model again")
