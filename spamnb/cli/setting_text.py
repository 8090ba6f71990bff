"""Reads settings written in one word: `--with alpha=1,tokens=plain` is a candidate with those flags."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import click

from spamnb.cli.command_base import command
from spamnb.cli.options import Params, feature_config, setting_options
from spamnb.cli.set_option import near_name
from spamnb.errors import ConfigError
from spamnb.scorers import REGISTRY
from spamnb.settings import (
    FeatureConfig,
    ScorerConfig,
    Setting,
    TrainingConfig,
    check_used,
    is_stated,
    settings_of,
)
from spamnb.tuning import Candidate

# Columns and patterns are repeatable, and the same for all candidates.
_SETTINGS = {
    one.key: one
    for config in (ScorerConfig, FeatureConfig)
    for _, one in settings_of(config)
    if not one.repeatable
}
_OF_TRAINING = {one.key: one for _, one in settings_of(TrainingConfig)}


@command(add_help_option=False)
@setting_options(FeatureConfig)
@setting_options(ScorerConfig)
def _parser(**params: Any) -> Params:
    """Parses flags: it has their types and choices."""
    return params


def candidate(text: str, base: Params, mail: bool = False) -> Candidate:
    """Reads a candidate from a word like `alpha=1,ngrams=1`; `base` has the settings it leaves out."""
    pairs = [_pair(part, text) for part in re.split(r",(?=\s*[a-z-]+=)", text)]
    words = [word for name, value in pairs for word in _written(_SETTINGS[name], value)]
    try:
        stated = _parser.make_context("with", words).params
    except click.ClickException as error:
        raise ConfigError(f"--with {text!r}: {error.format_message()}") from None
    params = {**stated, **base, **{name: value for name, value in stated.items() if is_stated(value)}}
    check_used(params)
    return Candidate(text, feature_config(params, mail), ScorerConfig.from_options(params), mail)


def _written(setting: Setting, value: str) -> tuple[str, str]:
    """Returns the words of the command line that state a setting."""
    return (setting.flag, value) if setting.has_own_flag else ("--set", f"{setting.key}={value}")


def _pair(part: str, text: str) -> tuple[str, str]:
    name, equals, value = part.strip().partition("=")
    if equals and name in _OF_TRAINING:
        setting = _OF_TRAINING[name]
        raise ConfigError(
            f"--with {text!r}: {setting.flag} cannot differ between candidates",
            hint=f"measure it with `spamnb evaluate DATA --folds 5 {' '.join(_written(setting, value))}`",
        )
    if not equals or name not in _SETTINGS:
        wrong = "no setting is called" if equals else "expected NAME=VALUE with commas between, got"
        raise ConfigError(
            f"--with {text!r}: {wrong} {name if equals else part.strip()!r}",
            hint=near_name(name, [*_SETTINGS]) + "; for example --with alpha=1,tokens=plain",
        )
    return name, value


def every_scorer(base: Params, mail: bool = False) -> list[Candidate]:
    """Returns all scorers with their own defaults; one that needs more n-grams than `base` has takes them."""
    candidates = []
    for name in REGISTRY:
        more = {"ngrams": None} if name == "less-naive" and base["ngrams"] == 1 else {}
        candidates.append(replace(candidate(f"scorer={name}", {**base, **more}, mail), name=name))
    return candidates
