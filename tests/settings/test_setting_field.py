"""Tests how a setting converts, writes and checks its values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from spamnb.errors import ConfigError
from spamnb.settings.setting_field import (
    AT_LEAST_1,
    NOT_NEGATIVE,
    OptionHelp,
    Setting,
    changed_words,
    check_settings,
    from_state,
    is_stated,
    setting,
    settings_of,
    stated_fields,
    to_state,
)


@dataclass(frozen=True)
class Config:
    size: float = setting(1.0, "--size", "How large.", metavar="X", rule=NOT_NEGATIVE._replace(hint="try 1"))
    loud: bool = setting(False, "--voice", "How loud.", choices=("soft", "loud"))
    keep: bool = setting(True, "--set keep", "Keep it.", choices=("no", "yes"))
    names: tuple[str, ...] = setting((), "--name", "A name.")
    count: int = setting(1, "--count", "How many.", rule=AT_LEAST_1)
    hidden: int = 3


def test_only_fields_with_a_flag_are_settings() -> None:
    assert [name for name, _ in settings_of(Config)] == ["size", "loud", "keep", "names", "count"]
    assert [one.name for _, one in settings_of(Config)] == ["size", "voice", "keep", "name", "count"]


@pytest.mark.parametrize(
    ("options", "fields"),
    [
        ({}, {}),
        ({"size": None, "voice": None, "keep": None, "name": ()}, {}),
        ({"size": 0.0, "voice": "soft", "keep": "no"}, {"size": 0.0, "loud": False, "keep": False}),
        ({"voice": "loud", "name": ("a", "b"), "other": 1}, {"loud": True, "names": ("a", "b")}),
    ],
)
def test_stated_options_become_fields(options: dict[str, Any], fields: dict[str, Any]) -> None:
    assert stated_fields(Config, options) == fields


def test_zero_is_stated() -> None:
    assert [is_stated(value) for value in (None, False, (), 0, 0.0, "", True)] == [False] * 3 + [True] * 4


def test_changes_are_written_as_flags_and_read_back() -> None:
    config = Config(size=0.25, loud=True, keep=False, names=("a", "b"))
    words = ["--size", "0.25", "--voice", "loud", "--set", "keep=no", "--name", "a", "--name", "b"]
    assert changed_words(config, Config()) == words
    assert changed_words(Config(), Config()) == []


def test_values_are_checked() -> None:
    check_settings(Config(size=0.0))
    with pytest.raises(ConfigError) as caught:
        check_settings(Config(size=-1.0))
    assert (caught.value.message, caught.value.hint) == ("size must be 0 or more, got -1.0", "try 1")
    with pytest.raises(ConfigError, match="--voice must be soft or loud, got 'shrill'"):
        stated_fields(Config, {"voice": "shrill"})
    with pytest.raises(ConfigError, match="--size must be 0 or more, got -1"):
        stated_fields(Config, {"size": -1.0})


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (Config(size="1"), "size must be a number, got the text '1'"),  # type: ignore[arg-type]
        (Config(loud="soft"), "loud must be True or False, got 'soft'"),  # type: ignore[arg-type]
        (Config(names="abc"), "names must be a tuple, got 'abc'"),  # type: ignore[arg-type]
        (Config(count=1.5), "count must be at least 1, got 1.5"),  # type: ignore[arg-type]
    ],
)
def test_values_of_another_type(config: Config, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check_settings(config)
    assert caught.value.message == message


def test_values_become_those_of_python() -> None:
    config = Config(np.float32(0.5), np.bool_(True), names=["a", "b"], count=np.int64(3))  # type: ignore[arg-type]
    check_settings(config)
    assert config == Config(0.5, True, names=("a", "b"), count=3)
    assert [type(value) for value in vars(config).values()] == [float, bool, bool, tuple, int, int]


def test_help_states_the_default() -> None:
    assert [one.full_help for _, one in settings_of(Config)] == [
        "How large. [default: 1]",
        "How loud. [default: soft]",
        "Keep it. [default: yes]",
        "A name.",
        "How many. [default: 1]",
    ]
    assert Setting(1, "--n", OptionHelp("Number. [default: some]")).full_help == "Number. [default: some]"


def test_a_state_is_of_builtins_and_is_read_back() -> None:
    config = Config(names=("a",))
    state = to_state(config)
    assert state == {"size": 1.0, "loud": False, "keep": True, "names": ["a"], "count": 1, "hidden": 3}
    assert Config(**from_state(Config, state)) == config
    assert from_state(Config, {"size": 2})["size"] == 2  # a whole number is a number too


def test_a_missing_setting_has_its_default_and_an_unknown_one_is_refused() -> None:
    assert Config(**from_state(Config, {"hidden": 5})) == Config(hidden=5)
    with pytest.raises(TypeError, match="colour is unknown"):
        from_state(Config, {"colour": 1})


@pytest.mark.parametrize(
    "wrong", [{"size": True}, {"size": "1"}, {"loud": 1}, {"names": "a"}, {"hidden": 1.0}]
)
def test_a_state_of_another_type_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=f"{next(iter(wrong))} is "):
        from_state(Config, wrong)
