"""`--set NAME=VALUE`: settings without a flag of their own, and their other origins."""

from __future__ import annotations

import pytest

from spamnb.model.spam_model import SpamModel
from tests.helpers.command_line import TINY, Cli


def scoring(cli: Cli, *words: str, env: dict[str, str] | None = None) -> SpamModel:
    cli.write("tiny.csv", TINY)
    cli("train", "tiny.csv", *words, "-o", "m.spamnb", "-q", env=env or {})
    return SpamModel.load(cli.here / "m.spamnb")


def test_settings_reach_the_model(cli: Cli) -> None:
    words = ("--set", "counts=all", "--set", "class-weight=spam=3", "--set", "class-weight=ham=2")
    model = scoring(cli, *words, "--set", "damping=0.5", "--set", "damping=0.25")
    assert (model.scoring.once, model.scoring.damping) == (False, 0.25)
    assert model.scoring.class_weights == (("spam", 3.0), ("ham", 2.0))


def test_the_command_line_comes_before_the_environment_and_that_before_a_file(cli: Cli) -> None:
    file = cli.write("my.toml", '[train]\ndamping = 0.25\ncounts = "all"\n')
    env = {"SPAMNB_CONFIG": str(file)}
    assert scoring(cli, env=env).scoring.damping == 0.25
    env["SPAMNB_TRAIN_DAMPING"] = "0.5"
    assert scoring(cli, env=env).scoring.damping == 0.5
    model = scoring(cli, "--set", "damping=0.75", env=env)
    assert (model.scoring.damping, model.scoring.once) == (0.75, False)


def test_set_itself_is_no_key(cli: Cli) -> None:
    file = cli.write("my.toml", '[train]\nset = ["damping=0"]\n')
    errors = cli.fails("--config", file, "train", cli.write("tiny.csv", TINY), code=2)
    assert errors[0] == f"Error: {file}: [train] has an unknown key 'set'"
    assert scoring(cli, env={"SPAMNB_TRAIN_SET": "damping=0.5"}).scoring.damping == 1.0


@pytest.mark.parametrize(
    ("word", "error", "hint"),
    [
        ("dampin=0", "--set dampin: no setting is called 'dampin'", "did you mean damping?"),
        ("alpha=1", "--set alpha: alpha has a flag of its own", "write --alpha 1"),
        ("damping=2", "--set damping must be between 0 and 1, got 2.0", "see `spamnb train --help`"),
    ],
)
def test_wrong_settings_are_refused(cli: Cli, word: str, error: str, hint: str) -> None:
    expected = [f"Error: {error}", f"Hint: {hint}"]
    assert cli.fails("train", cli.write("tiny.csv", TINY), "--set", word, code=2) == expected


def test_an_unknown_name_lists_all_names(cli: Cli) -> None:
    names = "Hint: names: max-size, authserv-id"
    assert cli.fails("predict", "--set", "xyz=1", code=2)[1] == names
    assert cli.fails("predict", "--set", "max-size", code=2) == [
        "Error: --set must be NAME=VALUE, got 'max-size'",
        names,
    ]


def test_wrong_values_name_the_setting(cli: Cli) -> None:
    cli.write("tiny.csv", TINY)
    errors = cli.fails("train", "tiny.csv", "--set", "damping=x", code=2)
    assert errors[-1] == "Error: Invalid value for '--set damping': 'x' is not a valid float."
    errors = cli.fails("train", "tiny.csv", "--set", "counts=twice", code=2)
    assert errors[-1] == "Error: Invalid value for '--set counts': 'twice' is not one of 'all', 'once'."


def test_a_setting_written_as_a_flag_gets_the_right_form(cli: Cli) -> None:
    errors = cli.fails("train", "tiny.csv", "--damping", "0", code=2)
    assert errors[-1] == "Error: No such option '--damping'. Write --set damping=X."


def test_settings_are_not_completed_as_flags(cli: Cli) -> None:
    environment = {"COMP_WORDS": "spamnb train --", "COMP_CWORD": "2", "_SPAMNB_COMPLETE": "bash_complete"}
    flags = cli(env=environment).text.split()
    assert "plain,--set" in flags
    assert not [flag for flag in flags if "damping" in flag]
