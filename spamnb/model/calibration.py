"""Turns raw log-odds into calibrated log-odds, whose probabilities match observed frequencies.

Naive Bayes counts dependent words as independent evidence, so its log-odds are too large. Two classes get a
slope and an offset (Platt 1999) or the beta curve (Kull et al. 2017), more classes one common scale (Guo et
al. 2017). `training.fit_calibration` fits them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from spamnb.core import FloatArray
from spamnb.errors import ModelError
from spamnb.storage import finite_number

LIMIT = 1e6  # larger log-odds mean "certain"; JSON has no infinity


def probability(logodds: ArrayLike) -> FloatArray:
    """Computes 1 / (1 + exp(-logodds)) without overflow, exact in both tails.

    >>> probability([-1000, 0, 1000]).tolist()
    [0.0, 0.5, 1.0]
    """
    z = np.asarray(logodds, np.float64)
    e = np.exp(-np.abs(z))
    return np.asarray(np.where(z >= 0, 1.0, e) / (1.0 + e))


def probabilities(logscores: ArrayLike) -> FloatArray:
    """Rows of log scores (n, K) to rows of probabilities; a row that is impossible in every class is NaN.

    >>> probabilities([[-2000, -2000], [0, -2000]]).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    values = np.asarray(logscores, np.float64)
    with np.errstate(invalid="ignore"):  # -inf - -inf
        e = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


@dataclass(frozen=True, slots=True)
class Platt:
    """Two classes: log-odds s become slope * s + offset; `note` says why if nothing was fitted."""

    slope: float = 1.0
    offset: float = 0.0
    note: str = ""

    def apply(self, scores: ArrayLike) -> FloatArray:
        return np.asarray(np.asarray(scores, np.float64) * self.slope + self.offset)

    def to_state(self) -> dict[str, Any]:
        return {"kind": "platt"} | asdict(self)


@dataclass(frozen=True, slots=True)
class Temperature:
    """K classes: log scores (n, K) are multiplied by one scale; `note` says why if nothing was fitted."""

    scale: float = 1.0
    note: str = ""

    def apply(self, scores: ArrayLike) -> FloatArray:
        return np.asarray(np.asarray(scores, np.float64) * self.scale)

    def to_state(self) -> dict[str, Any]:
        return {"kind": "temperature"} | asdict(self)


@dataclass(frozen=True, slots=True)
class Beta:
    """log-odds = -a log(1 + exp(-z)) + b log(1 + exp(z)) + c: about a z far below 0, b z far above."""

    slope: float
    offset: float
    a: float
    b: float
    c: float
    note: str = ""

    def apply(self, scores: ArrayLike) -> FloatArray:
        z = np.asarray(scores, np.float64) * self.slope + self.offset
        return np.asarray(self.b * np.logaddexp(0.0, z) - self.a * np.logaddexp(0.0, -z) + self.c)

    def to_state(self) -> dict[str, Any]:
        return {"kind": "beta"} | asdict(self)


Calibration: TypeAlias = Platt | Temperature | Beta


def identity(k: int, note: str = "") -> Calibration:
    """Returns the calibration that changes nothing."""
    return Platt(note=note) if k <= 2 else Temperature(note=note)


def is_fitted(calibration: Calibration) -> bool:
    """Returns whether a calibration was fitted; else it changes nothing.

    >>> is_fitted(Platt(note="no folds")), is_fitted(Platt(0.5))
    (False, True)
    """
    return replace(calibration, note="") not in (Platt(), Temperature())


_KINDS: dict[str, type[Platt | Temperature | Beta]] = {
    "platt": Platt,
    "temperature": Temperature,
    "beta": Beta,
}
_POSITIVE = ("slope", "scale", "a", "b")
_LARGEST = 1e100  # of a number in a model file: far beyond any that is fitted, and no product overflows


def from_state(state: Mapping[str, Any]) -> Calibration:
    """Reverses `to_state`; refuses a damaged state.

    >>> from_state(Platt(0.5, -1.0).to_state())
    Platt(slope=0.5, offset=-1.0, note='')
    """
    try:
        numbers = {
            name: finite_number(value) for name, value in state.items() if name not in ("kind", "note")
        }
        if not all(abs(n) < _LARGEST and (n > 0 or name not in _POSITIVE) for name, n in numbers.items()):
            raise ValueError("out of range")
        kind = _KINDS[state["kind"]]
        if state.keys() != {"kind", *(field.name for field in fields(kind))}:
            raise ValueError("names")
        if type(state["note"]) is not str:
            raise ValueError("note")
        return kind(**numbers, note=state["note"])
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(
            f"the calibration in the model is damaged: got {state!r:.200}", hint="train the model again"
        ) from error
