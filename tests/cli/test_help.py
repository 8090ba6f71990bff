"""Help, version and wrong usage: what a newcomer meets first."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import median

import click
import pytest

from spamnb import __version__
from spamnb.cli import COMMANDS, SECTIONS, cli as group
from spamnb.cli.command_base import Command
from spamnb.cli.command_group import LazyGroup
from spamnb.cli.option_groups import GROUPS, Option
from spamnb.cli.set_option import SettingOption
from tests.helpers.command_line import PATIENCE, Cli


def command(name: str) -> click.Command:
    """A command of the top, or one of a group: `model prune`."""
    current: click.Command = group
    for word in name.split():
        assert isinstance(current, click.Group)
        inner = current.get_command(click.Context(current), word)
        assert inner is not None
        current = inner
    return current


def subcommands(name: str) -> dict[str, str]:
    parent = command(name)
    return parent.summaries if isinstance(parent, LazyGroup) else {}


ALL = {
    **COMMANDS,
    **{f"{name} {inner}": text for name in COMMANDS for inner, text in subcommands(name).items()},
}


# --- help ------------------------------------------------------------------------------------------


def test_help_in_all_its_forms_is_the_same(cli: Cli) -> None:
    bare = cli()
    assert bare.err == ""
    assert cli("-h").out == cli("--help").out == bare.out
    for name, summary in COMMANDS.items():
        assert f"  {name:<12}{summary}\n" in bare.text
    assert '  Examples:\n    echo "WIN a FREE prize" | spamnb predict\n' in bare.text


def test_the_help_fits_a_small_terminal(cli: Cli) -> None:
    lines = cli("--help", env={"COLUMNS": "80"}).text.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80


def test_commands_stand_in_groups(cli: Cli) -> None:
    assert {title: [*commands] for title, commands in SECTIONS.items()} == {
        "Start": ["train", "predict", "explain", "evaluate", "inspect"],
        "Teach": ["learn", "forget", "review"],
        "Improve": ["compare", "tune"],
        "Mail and service": ["filter", "imap", "serve", "lists"],
        "Models and settings": ["model", "config", "completion"],
    }
    headings = [line[:-1] for line in cli("--help").text.splitlines() if re.fullmatch(r"[A-Z].*:", line)]
    assert headings == ["Options", *SECTIONS]
    assert list(subcommands("model")) == [
        *("list", "use", "remove", "merge", "prune", "age", "log", "undo", "export", "import", "check")
    ]


@pytest.mark.parametrize("name", ALL)
def test_help_of_a_command_shows_an_example(cli: Cli, name: str) -> None:
    done = cli(*name.split(), "--help", env={"COLUMNS": "80"})
    assert done.err == ""
    assert done.text.startswith(f"Usage: spamnb {name} ")
    _, heading, examples = done.text.partition("  Example")
    assert heading
    assert "\n    " in re.split(r"\n[A-Z][a-z]+:\n", examples)[0]
    assert f"spamnb {name}" in examples
    assert "\\b" not in done.text
    assert max(map(len, done.text.splitlines())) <= 80


@pytest.mark.parametrize("name", ALL)
def test_every_option_is_described(name: str) -> None:
    for option in command(name).params:
        if isinstance(option, click.Option):
            assert option.help, f"{name} {option.opts}"
            text = re.sub(r" \[default: [^]]+\]$", "", option.help)
            assert text.endswith("."), f"{name} {option.opts}: {option.help}"


@pytest.mark.parametrize("name", ALL)
def test_the_list_of_commands_says_what_the_command_says(name: str) -> None:
    assert (command(name).help or "").startswith(f"{ALL[name]}\n")


# Each command has its own formats and its own default; `forget` has classes to remove, `model remove` no file
# to overwrite.
OWN = ("--force", "--format", "--input-format", "--output", "--spam", "--ham")


def test_shared_flags_mean_the_same_everywhere() -> None:
    seen: dict[str, set[str | None]] = {}
    for name in ALL:
        for option in command(name).params:
            if isinstance(option, click.Option) and option.opts[-1] not in OWN:
                seen.setdefault(option.opts[-1], set()).add(option.help)
    assert {flag: helps for flag, helps in seen.items() if len(helps) > 1} == {}


def shown_options(name: str, everything: bool = False) -> list[click.Option]:
    shown = command(name)
    context = click.Context(shown, help_option_names=["-h", "--help"])
    return list(shown.shown_options(context, everything)) if isinstance(shown, Command) else []


SINGLE = [name for name in ALL if isinstance(command(name), Command)]


@pytest.mark.parametrize("name", SINGLE)
def test_the_help_of_a_command_shows_few_options_in_groups(cli: Cli, name: str) -> None:
    shown = shown_options(name)
    assert len(shown) <= 14
    text = cli(*name.split(), "--help", env={"COLUMNS": "80"}).text
    headings = re.findall(r"^([A-Z][a-z]+):$", text, re.MULTILINE)
    assert headings == [group for group in (*GROUPS, "Help") if group in headings]
    assert re.findall(r"^  (?:-\w, )?(--[a-z-]+)", text, re.MULTILINE)  # options there are
    assert {max(one.opts, key=len) for one in shown} == {
        *re.findall(r"^  (?:-\w, )?(--[a-z-]+)", text, re.MULTILINE)
    }


@pytest.mark.parametrize("name", SINGLE)
def test_help_all_shows_every_option(cli: Cli, name: str) -> None:
    text = cli(*name.split(), "--help-all", env={"COLUMNS": "80"}).text
    assert max(map(len, text.splitlines())) <= 80
    for one in command(name).params:
        if isinstance(one, click.Option):
            flag = f"{one.key}=" if isinstance(one, SettingOption) else max(one.opts, key=len)
            assert re.search(rf"^  (-\w, )?{flag}", text, re.MULTILINE), one.opts


@pytest.mark.parametrize("name", SINGLE)
def test_every_option_has_a_group(name: str) -> None:
    """Declare options with spamnb.cli.option_groups.option: only those can be configured."""
    for one in command(name).params:
        if isinstance(one, click.Option):
            assert isinstance(one, Option), one.opts
            assert one.group in GROUPS, one.opts


def test_few_options_are_shown_altogether() -> None:
    flags = [{max(one.opts, key=len) for one in shown_options(name)} for name in SINGLE]
    assert median(map(len, flags)) <= 9


def test_few_flags_are_there_altogether() -> None:
    """Settings that few users change share one flag, --set. Services and history have others."""
    others = ("serve", "imap", "review", "model log", "model undo")
    commands = [name for name in SINGLE if not name.startswith(others)]
    options = [one for name in commands for one in shown_options(name, everything=True)]
    assert len({flag for one in options for flag in one.opts if flag.startswith("--")}) <= 60


def test_one_word_for_one_thing() -> None:
    """--format is an output, --input-format an input; one flag sets the threshold where beginners look."""
    for name in SINGLE:
        options = {max(one.opts, key=len): one for one in shown_options(name, everything=True)}
        groups = {flag: one.group for flag, one in options.items() if isinstance(one, Option)}
        assert groups.get("--format", "Output") == "Output"
        assert groups.get("--input-format", "Input") == "Input"
        decisions = [one.opts[0] for one in shown_options(name) if groups.get(one.opts[0]) == "Decision"]
        assert decisions in ([], ["--threshold"], ["--max-fpr"]), name


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
    assert cli("help", "model", "prune").out == cli("model", "prune", "--help").out
    assert cli("model").out == cli("help", "model").out
    assert cli.fails("help", "xyz", code=2)[-1] == "Error: No such command 'xyz'."


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("trian", "train"),
        ("why", "explain"),
        ("classify", "predict"),
        ("clasify", "predict"),
        ("eval", "evaluate"),
        ("models", "model list"),
        ("merge", "model merge"),
        ("pruen", "model prune"),
        ("import", "model import"),
    ],
)
def test_a_wrong_word_suggests_the_right_one(cli: Cli, word: str, meant: str) -> None:
    expected = f"Error: No such command '{word}'. Did you mean {meant}?"
    assert cli.fails(word, code=2)[-1] == expected


def test_a_misspelt_command_of_a_group_is_guessed(cli: Cli) -> None:
    assert cli.fails("model", "prun", code=2)[-1] == "Error: No such command 'prun'. Did you mean prune?"
    assert cli.fails("xyz", code=2)[-1] == "Error: No such command 'xyz'."
