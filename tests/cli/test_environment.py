"""Typing errors in the names of variables: a warning, and the command runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.command_line import Cli

PREDICT = "`spamnb predict` has no such option"


@pytest.mark.parametrize(
    ("variable", "warning"),
    [
        ("PREDICT_THRESHHOLD", f"{PREDICT}; did you mean SPAMNB_PREDICT_THRESHOLD?"),
        ("PREDICT_COLOUR", f"{PREDICT}; see `spamnb config predict`"),
        ("PREDCIT_FORMAT", "did you mean SPAMNB_PREDICT_FORMAT?"),
        ("THRESHOLD", "did you mean SPAMNB_PREDICT_THRESHOLD?"),
        ("MODLE", "did you mean SPAMNB_MODEL?"),
    ],
)
def test_a_variable_that_nothing_reads(cli: Cli, tiny: Path, variable: str, warning: str) -> None:
    env = {f"SPAMNB_{variable}": "0.9"}
    done = cli("predict", "-m", tiny, stdin=b"win prize\n", env=env)
    joint = ": " if PREDICT in warning else "; "
    assert done.err.splitlines()[0] == f"warning: SPAMNB_{variable} is ignored{joint}{warning}"
    assert done.text.startswith("spam")
    assert "warning" not in cli("predict", "-q", "-m", tiny, stdin=b"win prize\n", env=env).err


@pytest.mark.parametrize(
    "variable",
    [
        "PREDICT_THRESHOLD",
        "TRAIN_THRESHHOLD",
        "TOKEN",
        "QUEUE",
        "TEST_BROWSER",
        "TRACEBACK",
        "MODEL_PRUNE_X",
        "SERVER_URL",
    ],
)
def test_other_variables_are_left_alone(cli: Cli, tiny: Path, variable: str) -> None:
    assert "warning" not in cli("predict", "-m", tiny, "-t", "win", env={f"SPAMNB_{variable}": "0.9"}).err


def test_inner_commands(cli: Cli) -> None:
    cli.env["SPAMNB_MODEL_LSIT_JSON"] = "-"
    expected = "warning: SPAMNB_MODEL_LSIT_JSON is ignored; did you mean SPAMNB_MODEL_LIST_JSON?"
    assert cli("model", "list").err.splitlines()[0] == expected


def test_config_warns_of_the_variables_of_all_commands(cli: Cli) -> None:
    env = {"SPAMNB_TRAIN_NUMERICS": "c", "SPAMNB_MODEL_PRUNE_MINCOUNT": "2", "SPAMNB_CONFIG_ALL": "1"}
    assert cli("config", env=env).err.splitlines() == [
        "warning: SPAMNB_CONFIG_ALL is ignored: `spamnb config` has no such option; "
        "see `spamnb config config`",
        "warning: SPAMNB_TRAIN_NUMERICS is ignored: `spamnb train` has no such option; "
        "did you mean SPAMNB_TRAIN_NUMERIC?",
        "warning: SPAMNB_MODEL_PRUNE_MINCOUNT is ignored: `spamnb model prune` has no such option; "
        "did you mean SPAMNB_MODEL_PRUNE_MIN_COUNT?",
    ]
