"""`spamnb tune`: the search, the command that it prints, refusals with the next step."""

from __future__ import annotations

import json
import shlex

import pytest

from spamnb import SpamModel
from tests.helpers.command_line import TINY, Cli, Sms

# --- tune


def test_tune_prints_the_command_that_gives_the_same_model(cli: Cli, sms: Sms) -> None:
    flags = ("--time", "0", "--label-column", "label", "--cost", "ham:spam=9", "-o", "tuned.spamnb")
    done = cli("tune", sms.train, *flags, "--json", "tuned.json")
    result = json.loads((cli.here / "tuned.json").read_text())
    assert list(result) == [
        "made_by",
        "notes",
        "objective",
        "choice",
        "winner",
        "trained",
        "command",
        "finished",
        "seconds",
        "nested",
        "tried",
    ]
    last = done.text.splitlines()[-1]
    assert last == f"train     {result['command']}"
    program, command, *words = shlex.split(result["command"])
    assert (program, command, words[0]) == ("spamnb", "train", str(sms.train))
    assert words[1:] == ["--label-column", "label", "--cost", "ham:spam=9", "-o", "tuned.spamnb"]
    mine = (cli.here / "tuned.spamnb").read_bytes()
    cli("train", *words)
    assert (cli.here / "tuned.spamnb").read_bytes() == mine


def test_what_tune_tells(cli: Cli, sms: Sms) -> None:
    done = cli("tune", sms.train, "--time", "0s", "--objective", "f1")
    lines = done.text.splitlines()
    assert lines[:3] == [
        "1 setting tried",
        "5 folds, duplicates of a text in the same fold; weights are not refined",
        "stopped by the time limit: --time gives it more",
    ]
    assert lines[4].split() == ["setting", "F1", "accuracy", "log", "loss"]
    assert lines[-4] == "winner    defaults"
    assert lines[-3].startswith("held-out  F1 0.")
    assert lines[-3].endswith(", p = 1.000")
    assert lines[-2] == "choice    the default settings are best; nothing to change"
    value, defaults = lines[-3].split()[2], lines[-3].split()[-4].strip(",")
    assert value == defaults
    assert not cli.own_model.exists()
    assert cli("tune", sms.train, "--time", "0", "-o", "my-text", "-q").err == ""
    assert SpamModel.load(cli.own_model).labels == ("ham", "spam")


@pytest.mark.parametrize(
    ("args", "error"),
    [
        (["--time", "soon"], "Error: --time must be a time, got 'soon'"),
        (["--time", "-3"], "Error: --time must be a time, got '-3'"),
        (["--folds", "2"], "Error: --folds must be at least 3 to tune, got 2"),
        (["--objective", "x"], "Error: unknown objective 'x'"),
    ],
)
def test_refusals_of_tune(cli: Cli, args: list[str], error: str) -> None:
    cli.write("data.csv", TINY)
    assert cli.fails("tune", "data.csv", *args, code=2)[0] == error
