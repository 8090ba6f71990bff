"""Tests that options, the estimator and printed commands follow the table of settings."""

from __future__ import annotations

import inspect
from typing import Any

import click
import pytest
from hypothesis import given, strategies as st

from spamnb import SpamClassifier
from spamnb.cli import cli
from spamnb.errors import ConfigError
from spamnb.scorers import REGISTRY
from spamnb.settings import (
    DecisionConfig,
    FeatureConfig,
    MailConfig,
    ScorerConfig,
    TrainingConfig,
    check_used,
    flags,
    settings_of,
    training_settings,
)

CONFIGS = (FeatureConfig, ScorerConfig, TrainingConfig, DecisionConfig, MailConfig)
TABLE = {one.name: one for config in CONFIGS for _, one in settings_of(config)}
# Settings that the estimator has not got: it reads texts alone, cross-validates within itself, and states
# every parameter, so that a preset would override nothing.
NOT_OF_THE_ESTIMATOR = {
    *("textbook", "categorical", "numeric", "ddof", "covariance", "dependence"),
    *("base", "base_weight", "folds", "max_fpr", "digests", "jobs"),
    *("unsure", "cost", "authserv_id", "max_size"),
}
ESTIMATOR_ONLY = {"calibrate"}


def options_of(name: str) -> dict[str, click.Option]:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    return {option.name or "": option for option in command.params if isinstance(option, click.Option)}


def test_names_and_flags_are_unique() -> None:
    every = [one for config in CONFIGS for _, one in settings_of(config)]
    assert len({one.name for one in every}) == len({one.flag for one in every}) == len(every)


@pytest.mark.parametrize(
    ("command", "configs"),
    [
        ("train", CONFIGS),
        ("evaluate", CONFIGS),
        ("compare", (FeatureConfig, DecisionConfig, MailConfig)),
        ("tune", (DecisionConfig, MailConfig)),
        ("predict", (DecisionConfig, MailConfig)),
        ("filter", (DecisionConfig, MailConfig)),
    ],
)
def test_commands_have_the_options_of_the_table(command: str, configs: tuple[type, ...]) -> None:
    options = options_of(command)
    expected = {one.name for config in configs for _, one in settings_of(config)}
    assert expected - set(options) <= ({"digests"} if command == "evaluate" else set())
    for name in set(options) & set(TABLE):
        assert options[name].opts == [TABLE[name].flag]
        if name != "scorer":  # which lists all scorers
            assert options[name].help == TABLE[name].full_help


def test_the_estimator_has_the_parameters_of_the_table() -> None:
    signature = inspect.signature(SpamClassifier).parameters
    parameters = {name.replace("patterns", "pattern"): one for name, one in signature.items()}
    assert set(parameters) - ESTIMATOR_ONLY == set(TABLE) - NOT_OF_THE_ESTIMATOR
    for name in set(parameters) & set(TABLE):
        default, setting = parameters[name].default, TABLE[name]
        if default is None:
            continue  # the scorer's or the reader's own default
        assert default == (
            setting.choices[setting.default]
            if setting.choices and setting.default is True
            else 0.5
            if name == "threshold"
            else setting.default
        ), name


def test_what_training_fixes() -> None:
    fixed = {one.name for one in training_settings()}
    assert set(TABLE) - fixed == {
        *("max_fpr", "jobs", "threshold", "unsure", "cost", "authserv_id", "max_size")
    }


def parsed(words: list[str]) -> dict[str, Any]:
    command = cli.get_command(click.Context(cli), "train")
    assert command is not None
    group = click.Context(cli, **cli.context_settings)  # a command keeps the names of its first --help
    return command.make_context("train", ["data.csv", *words], parent=group).params


@given(
    scorer=st.sampled_from(sorted(REGISTRY)),
    tokens=st.sampled_from([None, "plain", "shaped"]),
    ngrams=st.sampled_from([None, 3]),
    values=st.fixed_dictionaries(
        {},
        optional={
            "alpha": st.sampled_from([0.0, 0.03, 2.0]),
            "counts": st.sampled_from(["once", "all"]),
            "damping": st.sampled_from([0.0, 0.5, 1.0]),
            "class_prior": st.sampled_from(["uniform", "0.25,0.75"]),
            "balance": st.just("weight"),
            "class_weight": st.just(("spam=2.5", "a=b=3")),
            "max_evidence": st.just(3),
            "max_token_weight": st.just(0.5),
            "chars": st.just(3),
            "categorical": st.just(("who", "where")),
            "dependence": st.just("tree"),
            "covariance": st.sampled_from(["full", "shared"]),
        },
    ),
    mail=st.booleans(),
)
def test_printed_flags_give_the_same_settings(
    scorer: str, tokens: str | None, ngrams: int | None, values: dict[str, Any], mail: bool
) -> None:
    options = {"scorer": scorer, "tokens": tokens, "ngrams": ngrams, **values}
    features, scoring = FeatureConfig.from_options(options, mail), ScorerConfig.from_options(options)
    again = parsed(flags(features, scoring, mail))
    assert FeatureConfig.from_options(again, mail) == features
    if tokens != "plain" or scorer != "less-naive":  # its tokens are plain in any case
        assert ScorerConfig.from_options(again) == scoring


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": 2}, "--set order is a setting of --scorer less-naive, got --scorer multinomial"),
        (
            {"order": 1, "scorer": "poisson"},
            "--set order is a setting of --scorer less-naive, got --scorer poisson",
        ),
        ({"ddof": 0}, "--set ddof is a setting of numeric columns, got none"),
        ({"covariance": "full"}, "--set covariance is a setting of numeric columns, got none"),
        (
            {"dependence": "tree", "categorical": ("who",)},
            "--set dependence needs two categorical columns, got 1",
        ),
    ],
)
def test_settings_without_effect_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check_used(options)
    assert caught.value.message == message
    check_used({"order": 2, "scorer": "less-naive"})
    check_used({"ddof": 1, "numeric": ("size",)})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"folds": 1}, "--folds must be 0 or at least 2, got 1"),
        ({"folds": 0, "refine": "yes"}, "--set refine=yes needs cross-validation, got --folds 0"),
        (
            {"folds": 0, "max_fpr": "1%"},
            "--max-fpr needs cross-validation to find the threshold, got --folds 0",
        ),
        ({"max_fpr": "2"}, "--max-fpr must be a share above 0 and below 1, got '2'"),
        ({"base_weight": 0.5}, "--set base-weight is the weight of the model of --base, got none"),
        ({"jobs": 0}, "--jobs must be at least 1, got 0"),
    ],
)
def test_settings_of_training_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        TrainingConfig.from_options(options)
    assert caught.value.message == message
