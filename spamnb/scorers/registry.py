"""Finds a scorer by name; its module is imported only when the scorer is used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from spamnb.errors import ConfigError
from spamnb.settings import FeatureConfig, ScorerConfig

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
MAX_PAIRED = 32  # columns whose pairs are counted: 500 pairs fit into a model file


def make(config: ScorerConfig) -> Scorer:
    """Returns the scorer that a configuration names.

    >>> make(ScorerConfig()).name
    'multinomial'
    """
    if config.name not in REGISTRY:
        from difflib import get_close_matches

        near = get_close_matches(str(config.name), REGISTRY, 1)
        meant = f"did you mean {near[0]}? " if near else ""
        raise ConfigError(
            f"unknown scorer {config.name!r}", hint=f"{meant}choose one of: {', '.join(REGISTRY)}"
        )
    module, name = REGISTRY[config.name]
    scorer: Scorer = getattr(import_module(f"spamnb.scorers.{module}"), name)(config)
    return scorer


def check_scorer(config: ScorerConfig, features: FeatureConfig) -> None:
    """Refuses an unknown scorer, and settings or features that a scorer cannot work with."""
    scorer = make(config)
    if scorer.order is not None and features.ngrams <= scorer.order:
        needed = scorer.order + 1
        raise ConfigError(
            f"less-naive of order {scorer.order} needs --ngrams {needed}, got {features.ngrams}",
            hint=f"use --ngrams {needed}",
        )
    _check_pairs(config, features)
    if (config.max_evidence or config.max_token_weight) and not scorer.supports_limits:
        raise ConfigError(
            f"--max-evidence and --set max-token-weight need a scorer that sums weights, got {config.name}",
            hint="use multinomial, categorical or binary",
        )


def _check_pairs(config: ScorerConfig, features: FeatureConfig) -> None:
    """Refuses columns of which there are too many pairs."""
    for is_set, flag, kind, columns in (
        (config.column_tree, "--set dependence=tree", "categorical", features.categorical),
        (
            config.covariance != "diagonal",
            f"--set covariance={config.covariance}",
            "numeric",
            features.numeric,
        ),
    ):
        if is_set and len(columns) > MAX_PAIRED:
            raise ConfigError(
                f"{flag} takes at most {MAX_PAIRED} {kind} columns, got {len(columns)}",
                hint=f"leave out {flag}, or name fewer columns",
            )
