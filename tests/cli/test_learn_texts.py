"""`spamnb learn -t TEXT` and `forget -t TEXT`, and arguments that are messages in place of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from spamnb import SpamModel
from tests.helpers.command_line import Cli

BOTH = "Error: -t does not go with FILES: give texts or files."


def test_texts_are_learned_and_forgotten(cli: Cli, tiny: Path) -> None:
    model = cli.write("m.spamnb", tiny.read_bytes())
    before = SpamModel.load(model).store.message_totals.tolist()
    done = cli("learn", "-m", model, "--spam", "-t", "cheap meds", "--text", "more meds")
    assert done.err.startswith("learned    2 messages (2 spam)\n")
    assert cli("predict", "-m", model, "-t", "cheap meds").text.startswith("spam\t")
    forgotten = cli("forget", "-m", model, "-t", "cheap meds", "-t", "more meds")
    assert forgotten.err == "forgot     2 messages (2 spam)\n"
    assert SpamModel.load(model).store.message_totals.tolist() == before


def test_a_long_text_starts_a_model_for_mail(cli: Cli) -> None:
    line = cli("learn", "--ham", "-t", "Dear all, " * 50).err.splitlines()[0]
    assert line.endswith("from the ready-made model for mail")


@pytest.mark.parametrize(
    ("args", "hint"),
    [
        (["learn", "--spam", "cheap meds"], 'learn a text as spam: spamnb learn --spam -t "cheap meds"'),
        (["learn", "--ham", "see", "you"], 'learn a text as ham: spamnb learn --ham -t "see you"'),
        (["learn", "cheap meds"], 'learn a text as spam: spamnb learn --spam -t "cheap meds"'),
        (["forget", "cheap meds", "-m", "m"], 'forget a text: spamnb forget -m m -t "cheap meds"'),
        (["forget", "--ham", "cheap meds"], 'forget a text: spamnb forget --ham -t "cheap meds"'),
    ],
)
def test_a_message_in_place_of_a_file_gets_the_command(cli: Cli, args: list[str], hint: str) -> None:
    assert cli.fails(*args)[1] == f"Hint: to {hint}"


@pytest.mark.parametrize(
    ("args", "error"),
    [
        (["learn", "-t", "win"], "Error: -t needs --spam or --ham: say what the text is."),
        (["learn", "--spam", "-t", "win", "x.csv"], BOTH),
        (["learn", "-t", "win", "--spam", "--files-from", "list"], BOTH),
        (["forget", "-t", "win", "x.csv"], BOTH),
        (["learn", "--compact", "-t", "win"], "Error: --compact does nothing else: leave out the messages."),
    ],
)
def test_texts_that_do_not_go_with_other_inputs(cli: Cli, tiny: Path, args: list[str], error: str) -> None:
    assert cli.fails(*args, "-m", tiny, code=2)[-1] == error
