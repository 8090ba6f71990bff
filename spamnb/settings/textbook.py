"""Declares the presets of `--textbook`: a scorer exactly as its source document states it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spamnb.errors import ConfigError
from spamnb.settings.setting_field import is_stated

NO_TEXTBOOK = "none"
# The scorers that a source document defines by one formula; docs/explanation/formulas.md has them.
TEXTBOOKS = ("bernoulli", "binary", "categorical", "complement", "multinomial", "poisson")
# What all documents have in common: words only, every occurrence, add-one smoothing, sums as they are. There
# is no calibration and no correction, even if folds are stated: they then only measure.
PRESET: Mapping[str, Any] = {
    "tokens": "plain",
    "counts": "all",
    "alpha": 1.0,
    "damping": 0.0,
    "folds": 0,
    "refine": "no",
    "base": "none",
}
# Options that would change the formula after counting, with their flags.
_CONFLICTS = {
    "scorer": "--scorer",
    "damping": "--set damping",
    "refine": "--set refine",
    "base": "--base",
    "base_weight": "--set base-weight",
    "max_fpr": "--max-fpr",
}


def with_textbook(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the options with the preset of `--textbook`, if there is one, where none is stated.

    >>> with_textbook({"textbook": "poisson", "alpha": 0.5})["alpha"]
    0.5
    >>> with_textbook({"textbook": "poisson"})["scorer"]
    'poisson'
    """
    name = options.get("textbook") or NO_TEXTBOOK
    if name == NO_TEXTBOOK:
        return options
    preset = {**PRESET, "scorer": name}
    _check_conflicts(name, preset, options)
    return {**options, **{key: value for key, value in preset.items() if not is_stated(options.get(key))}}


def _check_conflicts(name: str, preset: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    for option, flag in _CONFLICTS.items():
        value = options.get(option)
        if is_stated(value) and value != preset.get(option):
            text = f"{value:g}" if isinstance(value, float) else value
            other = f"{flag}={text}" if " " in flag else f"{flag} {text}"
            raise ConfigError(
                f"--textbook {name} and {other} cannot be combined: textbook formulas stay as they are",
                hint=f"leave out --textbook or {flag}",
            )
