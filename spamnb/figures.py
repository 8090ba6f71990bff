"""The figures that training stores in a model, checked when it is read: who shows them may trust them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from spamnb.errors import ModelError

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
