"""Help, version and wrong usage: what a newcomer meets first."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from spamnb import __version__
from spamnb.cli import COMMANDS, cli as group
from tests.helpers.command_line import PATIENCE, Cli


def command(name: str) -> click.Command:
    subcommand = group.get_command(click.Context(group), name)
    assert subcommand is not None
    return subcommand


# --- help ------------------------------------------------------------------------------------------


def test_help_in_all_its_forms_is_the_same(cli: Cli) -> None:
    bare = cli()
    assert bare.err == ""
    assert cli("-h").out == cli("--help").out == bare.out
    for name, summary in COMMANDS.items():
        assert f"  {name:<12}{summary}\n" in bare.text
    assert (
        '  Examples:\n    spamnb train data.csv\n    echo "WIN a FREE prize" | spamnb predict\n' in bare.text
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_shows_an_example(cli: Cli, name: str) -> None:
    done = cli(name, "--help", env={"COLUMNS": "80"})
    assert done.err == ""
    assert done.text.startswith(f"Usage: spamnb {name} ")
    _, title, examples = done.text.partition("  Example")
    assert title
    assert "\n    " in examples.partition("Options:")[0]
    assert f"spamnb {name}" in examples
    assert "\\b" not in done.text
    assert max(map(len, done.text.splitlines())) <= 80


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_described(name: str) -> None:
    for option in command(name).params:
        if isinstance(option, click.Option):
            assert option.help, f"{name} {option.opts}"
            text = re.sub(r" \[default: [^]]+\]$", "", option.help)
            assert text.endswith("."), f"{name} {option.opts}: {option.help}"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_the_command_says(name: str) -> None:
    assert command(name).short_help == COMMANDS[name]
    assert (command(name).help or "").startswith(COMMANDS[name])


# Each command has its own formats and its own default; `forget` has classes to remove, not to learn.
OWN = ("--format", "--input-format", "--output", "--spam", "--ham")


def test_shared_flags_mean_the_same_everywhere() -> None:
    seen: dict[str, set[str | None]] = {}
    for name in COMMANDS:
        for option in command(name).params:
            if isinstance(option, click.Option) and option.opts[-1] not in OWN:
                seen.setdefault(option.opts[-1], set()).add(option.help)
    assert {flag: helps for flag, helps in seen.items() if len(helps) > 1} == {}


def test_version(cli: Cli) -> None:
    assert cli("--version").text == cli("-V").text == f"spamnb {__version__}\n"


def test_the_installed_script_is_the_same_program(cli: Cli) -> None:
    script = shutil.which("spamnb", path=str(Path(sys.executable).parent))
    if script is None:
        pytest.skip("spamnb is not installed beside this Python")
    done = subprocess.run([script, "--help"], capture_output=True, env=cli.env, timeout=PATIENCE, check=True)
    assert done.stdout == cli("--help").out


@pytest.mark.parametrize(
    ("args", "last"),
    [
        (["nonsense"], "Error: No such command 'nonsense'."),
        (["train"], "Error: Missing argument 'DATA...'."),
        (["predict", "--nope"], "Error: No such option '--nope'."),
        (["completion", "ksh"], "Error: Invalid value for '{bash|zsh|fish}': 'ksh' is not one of"),
    ],
)
def test_wrong_usage_names_the_help(cli: Cli, args: list[str], last: str) -> None:
    errors = cli.fails(*args, code=2)
    assert errors[0].startswith("Usage: spamnb ")
    assert errors[1].startswith("Try 'spamnb ")
    assert errors[-1].startswith(last)


def test_help_is_a_word_too(cli: Cli) -> None:
    assert cli("help").out == cli("--help").out
    assert cli("help", "train").out == cli("train", "--help").out
    assert cli.fails("help", "xyz", code=2)[-1] == "Error: No such command 'xyz'."


def test_a_misspelt_command_is_guessed(cli: Cli) -> None:
    assert cli.fails("trian", code=2)[-1] == "Error: No such command 'trian'. Did you mean train?"
    assert cli.fails("xyz", code=2)[-1] == "Error: No such command 'xyz'."
