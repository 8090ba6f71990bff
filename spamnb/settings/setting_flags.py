"""Writes settings as flags, or for Python as fields, and tells which of them training fixes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from spamnb.errors import ConfigError
from spamnb.settings.feature_config import FeatureConfig
from spamnb.settings.scorer_config import LESS_NAIVE, ScorerConfig
from spamnb.settings.setting_field import Setting, changed_words, is_stated, settings_of
from spamnb.settings.textbook import with_textbook
from spamnb.settings.training_config import TrainingConfig

_FLAG = re.compile(r"--(?:set )?([a-z][a-z-]*)(?: (?=\d)|=)?")
# Settings that have an effect on columns alone: the kind of columns, and how many it takes.
_OF_COLUMNS = (
    ("ddof", "numeric", 1, "is a setting of numeric columns"),
    ("covariance", "numeric", 1, "is a setting of numeric columns"),
    ("dependence", "categorical", 2, "needs two categorical columns"),
)


def training_settings() -> Iterator[Setting]:
    """Yields the settings that training fixes: they mean nothing to a trained model."""
    for config in (FeatureConfig, ScorerConfig, TrainingConfig):
        yield from (one for _, one in settings_of(config) if one.training)


def check_used(options: Mapping[str, Any]) -> None:
    """Refuses settings that would have no effect."""
    options = with_textbook(options)
    scorer = options.get("scorer") or ScorerConfig().name
    for _, one in settings_of(ScorerConfig):
        if one.scorer not in ("", scorer) and is_stated(options.get(one.name)):
            raise ConfigError(
                f"{one.flag} is a setting of --scorer {one.scorer}, got --scorer {scorer}",
                hint=f"add --scorer {one.scorer}, or leave out {one.flag}",
            )
    if options.get("damping") and options.get("folds") == 0:
        raise ConfigError(
            "--set damping needs calibration to restore the scale, got --folds 0",
            hint="leave out --folds 0 or --set damping",
        )
    for name, kind, fewest, needed in _OF_COLUMNS:
        columns = options.get(kind) or ()
        if is_stated(options.get(name)) and len(columns) < fewest:
            named = "a column" if fewest == 1 else "columns"
            raise ConfigError(
                f"--set {name} {needed}, got {len(columns) or 'none'}",
                hint=f"name {named} with --{kind} COLUMN, or leave out --set {name}",
            )


def flags(features: FeatureConfig, scoring: ScorerConfig, mail: bool = False) -> list[str]:
    """Returns the flags that train with these settings, on mail or on other messages.

    >>> flags(FeatureConfig(), ScorerConfig(alpha=0.03))
    ['--alpha', '0.03']
    >>> flags(FeatureConfig.plain(), ScorerConfig.of("bernoulli"))
    ['--tokens', 'plain', '--scorer', 'bernoulli']
    >>> flags(FeatureConfig.plain(), ScorerConfig.from_options({"textbook": "bernoulli", "alpha": 0.5}))
    ['--textbook', 'bernoulli', '--alpha', '0.5']
    >>> flags(FeatureConfig(), ScorerConfig(), mail=True)
    ['--ngrams', '2']
    """
    if scoring.is_textbook:
        preset = {"textbook": scoring.textbook}
        words = changed_words(features, FeatureConfig.from_options(preset, mail))
        words += changed_words(scoring, ScorerConfig.from_options(preset))
        return ["--textbook", scoring.textbook, *words]
    options: dict[str, Any] = {"scorer": scoring.name, "order": scoring.order}
    tokens = [] if features.shapes or scoring.name == LESS_NAIVE else ["--tokens", "plain"]
    if tokens:
        options["tokens"] = "plain"
    scorer = [] if scoring.name == ScorerConfig().name else ["--scorer", scoring.name]
    words = changed_words(features, FeatureConfig.from_options(options, mail))
    return [*tokens, *words, *scorer, *changed_words(scoring, ScorerConfig.of(scoring.name))]


def field_names() -> dict[str, str]:
    """Returns the fields of the settings of training by the keys of their flags."""
    configs = FeatureConfig, ScorerConfig, TrainingConfig
    return {one.key: name for config in configs for name, one in settings_of(config)}


@contextmanager
def named_in_python(names: Mapping[str, str]) -> Iterator[None]:
    """Writes names of Python for flags in errors about settings; `names` has those that differ from the key.

    >>> with named_in_python({"class-prior": "prior"}):
    ...     raise ConfigError("--class-prior gives 3 numbers", hint="leave out --folds 0")
    Traceback (most recent call last):
    spamnb.errors.ConfigError: prior gives 3 numbers
    Hint: leave out folds=0
    """

    def name(flag: re.Match[str]) -> str:
        return names.get(flag[1], flag[1].replace("-", "_")) + "=" * (flag[0][-1] in " =")

    try:
        yield
    except ConfigError as error:
        texts = [_FLAG.sub(name, text) for text in (error.message, error.hint)]
        if texts == [error.message, error.hint]:
            raise
        raise ConfigError(*texts) from None
