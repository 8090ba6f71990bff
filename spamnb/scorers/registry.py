"""Finds a scorer by name; its module is imported only when the scorer is used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from spamnb.errors import ConfigError
from spamnb.settings import ScorerConfig

if TYPE_CHECKING:
    from spamnb.scorers.base import Scorer

# name -> (module, class), alphabetical
REGISTRY = {
    "bernoulli": ("bernoulli", "Bernoulli"),
    "binary": ("binary", "Binary"),
    "categorical": ("categorical", "Categorical"),
    "complement": ("complement", "Complement"),
    "less-naive": ("less_naive", "LessNaive"),
    "multinomial": ("multinomial", "Multinomial"),
    "poisson": ("poisson", "Poisson"),
}


def make(config: ScorerConfig) -> Scorer:
    """Returns the scorer that a configuration names.

    >>> make(ScorerConfig()).name
    'multinomial'
    """
    if config.name not in REGISTRY:
        raise ConfigError(f"unknown scorer {config.name!r}", hint=f"choose one of: {', '.join(REGISTRY)}")
    module, name = REGISTRY[config.name]
    scorer: Scorer = getattr(import_module(f"spamnb.scorers.{module}"), name)(config)
    return scorer
