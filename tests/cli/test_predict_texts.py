"""`spamnb predict -t TEXT`, and arguments that are messages in place of files."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from spamnb.cli.text_messages import looks_like_message, shell_quote
from tests.helpers.command_line import Cli, Tennis, imported


def test_texts_on_the_command_line(cli: Cli, tiny: Path) -> None:
    done = cli("predict", "-m", tiny, "-t", "win", "--text", "see you", "-t", "")
    assert done.text == "spam\t0.7500\twin\nham\t0.1429\tsee you\nunsure\t0.5000\t\n"
    assert done.err == ""


def test_a_text_of_two_lines_is_one_message(cli: Cli, tiny: Path) -> None:
    assert cli("predict", "-m", tiny, "-t", "see\nyou").text == "ham\t0.1429\tsee\\nyou\n"


def test_a_text_that_is_not_utf8(cli: Cli, tiny: Path) -> None:
    assert (
        cli.shell('"$@" -t "$(printf "win \\377")"', "predict", "-m", tiny).text
        == "spam\t0.7500\twin \u00ff\n"
    )


def test_a_model_with_columns_classifies_a_text_without_them(cli: Cli, tennis: Tennis) -> None:
    record = cli("predict", "-m", tennis.model, "--format", "jsonl", "-t", "hello").records[0]
    assert (record["verdict"], record["known"], record["message"]) == ("unsure", 0, "hello")


def test_texts_use_the_ready_made_model(cli: Cli) -> None:
    note = "no model of your own for text yet: using the ready-made model for {}\n"
    assert cli("predict", "-t", "hi").err == note.format("SMS")
    long = "Dear all, " * 50
    assert cli("predict", "-t", long).err == note.format("mail")


def test_texts_and_files_do_not_go_together(cli: Cli, tiny: Path) -> None:
    errors = cli.fails("predict", "-m", tiny, "-t", "win", "x.csv", code=2)
    assert errors[-1] == "Error: -t cannot be combined with FILES: give texts or files."


@pytest.mark.parametrize("args", [("-t", "WIN a FREE prize"), ("-t", "win", "--explain")])
def test_a_text_imports_little(cli: Cli, tiny: Path, args: tuple[str, ...]) -> None:
    packages = imported(cli, "predict", "-m", tiny, *args)
    assert not packages & {"pandas", "joblib", "rich", "jinja2", "sklearn", "scipy", "json", "csv", "email"}


# --- a message in place of a file -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "name", "command"),
    [
        (["free money"], "free money", 'spamnb predict -t "free money"'),
        (["free", "money", "now"], "free", 'spamnb predict -t "free money now"'),
        (["free money", "see you"], "free money", 'spamnb predict -t "free money" -t "see you"'),
        (["hello"], "hello", "spamnb predict -t hello"),
        (["win $5 now"], "win $5 now", "spamnb predict -t 'win $5 now'"),
        (["it's free!"], "it's free!", "spamnb predict -t 'it'\"'\"'s free!'"),
        (["free money?"], "free money?", 'spamnb predict -t "free money?"'),
        (["-m", "my model", "free money"], "free money", 'spamnb predict -m "my model" -t "free money"'),
    ],
)
def test_a_message_gets_the_command_that_classifies_it(
    cli: Cli, args: list[str], name: str, command: str
) -> None:
    assert cli.fails("predict", *args) == [
        f"Error: no such file: {name}",
        f"Hint: to classify a text: {command}",
    ]


def test_a_missing_file_is_no_message(cli: Cli) -> None:
    cli.write("messages.csv", "text\nwin\n")
    assert cli.fails("predict", "mesages.csv")[1] == "Hint: did you mean messages.csv?"
    assert cli.fails("predict", "new messages.csv")[1] == "Hint: did you mean messages.csv?"
    assert cli.fails("predict", "in/box")[1] == "Hint: there is no folder in either: check the path"
    assert cli.fails("predict", "part-*")[0] == "Error: no file matches part-*"
    assert cli.fails("predict", "gone.csv", "free money")[0] == "Error: no such file: gone.csv"


def test_one_missing_word_beside_a_file(cli: Cli) -> None:
    cli.write("messages.csv", "text\nwin\n")
    errors = cli.fails("predict", "messages.csv", "free money")
    assert errors[1] == 'Hint: to classify a text: spamnb predict -t "free money"'


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1))
def test_a_shell_reads_back_what_is_quoted(text: str) -> None:
    assert shlex.split(shell_quote(text)) == [text]


def test_blank_arguments_are_no_messages() -> None:
    assert not looks_like_message("  ")


def test_bytes_that_are_not_utf8_are_read_as_on_stdin(cli: Cli, tiny: Path) -> None:
    flags = ("-m", tiny, "--format", "jsonl")
    piped = cli("predict", *flags, stdin=b"win caf\xe9\n").out
    assert cli("predict", *flags, "-t", os.fsdecode(b"win caf\xe9")).out == piped
    word = os.fsdecode(b"caf\xe9")
    assert cli("explain", "-m", tiny, word).out == cli("explain", "-m", tiny, stdin=b"caf\xe9").out
