"""The command that `compare` and `tune` print trains with exactly the settings of the best candidate."""

from __future__ import annotations

import shlex
from typing import Any

import click
import pytest

from spamnb.cli.commands.compare import compare
from spamnb.cli.commands.train import train
from spamnb.cli.options import feature_config
from spamnb.cli.setting_text import candidate, every_scorer
from spamnb.cli.train_command import train_command
from spamnb.scorers import REGISTRY
from spamnb.settings import FeatureConfig, ScorerConfig, settings_of
from tests.helpers.command_line import Cli, Sms


def parsed(command: click.Command, words: list[str]) -> click.Context:
    return command.make_context(command.name, words)


def base_of(params: dict[str, Any]) -> dict[str, Any]:
    return {setting.name: params[setting.name] for _, setting in settings_of(FeatureConfig)}


@pytest.mark.parametrize("mail", [False, True], ids=["text", "mail"])
@pytest.mark.parametrize("stated", [[], ["--ngrams", "1"], ["--tokens", "plain"], ["--set", "chars=3"]])
@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_the_command_has_the_settings_of_every_scorer(name: str, stated: list[str], mail: bool) -> None:
    asked = ["my data.csv", "--text-column", "sms", "--folds", "3", *stated]
    ctx = parsed(compare, [*asked])
    [one] = [c for c in every_scorer(base_of(ctx.params), mail) if c.name == name]
    words = shlex.split(train_command(ctx, one))
    assert words[:7] == ["spamnb", "train", "my data.csv", "--folds", "3", "--text-column", "sms"]
    params = parsed(train, words[2:]).params
    assert feature_config(params, mail) == one.features
    assert ScorerConfig.from_options(params) == one.scoring


def test_settings_of_reading_are_copied() -> None:
    words = ("d.csv", "--set", "max-size=1M", "--set", "chars=3", "--text-column", "a b")
    for more in ((), ("--unsure", "0.1", "0.9")):
        ctx = parsed(compare, [*words, *more])
        command = shlex.split(train_command(ctx, every_scorer(base_of(ctx.params))[0]))
        again, asked = parsed(train, command[2:]).params, ctx.params
        assert [again[name] for name in ("max_size", "text_column", "unsure", "chars")] == [
            asked[name] for name in ("max_size", "text_column", "unsure", "chars")
        ]


@pytest.mark.parametrize(
    "text",
    ["ngrams=1", "alpha=1,tokens=plain", "textbook=bernoulli", "scorer=less-naive,order=3", "counts=all"],
)
def test_the_command_has_the_settings_of_with(text: str) -> None:
    ctx = parsed(compare, ["d.csv", "--with", text])
    one = candidate(text, base_of(ctx.params))
    params = parsed(train, shlex.split(train_command(ctx, one))[2:]).params
    assert feature_config(params, False) == one.features
    assert ScorerConfig.from_options(params) == one.scoring


def test_compare_prints_the_command_of_the_best(cli: Cli, sms: Sms) -> None:
    more = ("--with", "alpha=1,tokens=plain", "--folds", "2", "--json", "table.json")
    done = cli("compare", sms.train, *more, "-q")
    best = done.text.splitlines()[-2].split(" is ")[0]
    settings = " --tokens plain --alpha 1" if best == "alpha=1,tokens=plain" else ""
    command = f"spamnb train {shlex.quote(str(sms.train))} --folds 2{settings}"
    assert done.text.splitlines()[-1] == f"train     {command}"
    assert cli("compare", sms.train, *more[:4], "-q", "--json", "-").json["command"] == command
