"""`spamnb learn -t TEXT` and `forget -t TEXT`, and arguments that are messages in place of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from spamnb import SpamModel
from tests.helpers.command_line import Cli

BOTH = "Error: -t cannot be combined with FILES: give texts or files."


def test_texts_are_learned_and_forgotten(cli: Cli, tiny: Path) -> None:
    model = cli.write("m.spamnb", tiny.read_bytes())
    before = SpamModel.load(model).store.message_totals.tolist()
    done = cli("learn", "-m", model, "--spam", "-t", "cheap meds", "--text", "more meds")
    assert done.err.startswith("learned    2 messages (2 spam)\n")
    assert cli("predict", "-m", model, "-t", "cheap meds").text.startswith("spam\t")
    forgotten = cli("forget", "-m", model, "-t", "cheap meds", "-t", "more meds")
    assert forgotten.err == f"forgot     2 messages (2 spam)\nundo       spamnb model undo 2 -m {model}\n"
    assert SpamModel.load(model).store.message_totals.tolist() == before


@pytest.mark.parametrize("texts", [[""], ["win", " "]])
def test_an_empty_text_is_not_learned(cli: Cli, tiny: Path, texts: list[str]) -> None:
    """Every record that cannot be read would have its label."""
    flags = [word for text in texts for word in ("-t", text)]
    assert cli.fails("learn", "-m", cli.write("m.spamnb", tiny.read_bytes()), "--ham", *flags) == [
        "Error: a message is empty",
        'Hint: give a text: spamnb learn --ham -t "WIN a FREE prize"',
    ]


def test_a_long_text_starts_the_model_for_texts(cli: Cli) -> None:
    line = cli("learn", "--ham", "-t", "Dear all, " * 50).err.splitlines()[0]
    assert line.endswith("from the ready-made model for SMS")


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
        (["learn", "--compact", "-t", "win"], "Error: --compact takes no messages: leave them out."),
    ],
)
def test_texts_that_do_not_go_with_other_inputs(cli: Cli, tiny: Path, args: list[str], error: str) -> None:
    assert cli.fails(*args, "-m", tiny, code=2)[-1] == error


def test_learn_prints_how_to_take_the_lesson_back(cli: Cli, tiny: Path) -> None:
    cli.write("my model.spamnb", tiny.read_bytes())
    model, command = "./my model.spamnb", 'spamnb model undo {} -m "./my model.spamnb"'
    done = cli("learn", "-m", model, "--spam", "-t", "cheap meds")
    assert done.err.splitlines()[-1] == f"undo       {command.format(1)}"
    undone = cli("model", "undo", "1", "-m", model).err.splitlines()
    assert undone == [
        "undone            lesson 1: 1 spam message taken back",
        f"redo              {command.format(2)}",
    ]
    assert cli("learn", "-m", model, "--spam", "-t", "cheap", "-q").err == ""
    unkept = cli("learn", "-m", model, "--spam", "-t", "more", "--set", "history-days=0").err
    assert "undo" not in unkept


def test_forget_reports_the_copies_that_remain(cli: Cli, tiny: Path) -> None:
    model = cli.write("m.spamnb", tiny.read_bytes())
    texts = ["-t", "cheap meds"] * 4
    cli("learn", "-m", model, "--spam", "--mode", "again", *texts, "-q")
    removes = "`spamnb forget` again removes one, `spamnb model undo` the lesson that added it"
    assert cli("forget", "-m", model, *texts[:4]).err.splitlines() == [
        "forgot     2 messages (2 spam)",
        f"still learned  2 copies: {removes}",
        f"undo       spamnb model undo 2 -m {model}",
    ]
    assert cli("forget", "-m", model, *texts[:2]).err.splitlines()[1] == f"still learned  1 copy: {removes}"
    forgotten = cli("forget", "-m", model, *texts[:2]).err
    assert forgotten == f"forgot     1 message (1 spam)\nundo       spamnb model undo 4 -m {model}\n"


def test_words_count_with_lessons_of_both_classes(cli: Cli) -> None:
    note = (
        "note: words count once there are lessons of both spam and ham; "
        "until then a lesson changes only the verdict on the same text "
        "(capitals and punctuation matter, white space does not)"
    )
    assert note in cli("learn", "--spam", "-t", "lunch at noon?").err.splitlines()
    assert note not in cli("learn", "--ham", "-t", "see you at six").err.splitlines()
    assert note not in cli("learn", "--spam", "-t", "dinner at noon?").err.splitlines()


def test_forget_has_a_help_of_its_own_for_classes(cli: Cli) -> None:
    text = cli("forget", "--help").text
    assert "--spam               Remove only what was learned as spam.\n" in text
    assert "--ham                Remove only what was learned as ham.\n" in text
