"""Help, version, `spamnb models`, completion: what a newcomer meets first."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from clitools import PATIENCE, ROOT, TINY, Cli

from spamnb import __version__
from spamnb.cli import COMMANDS, cli as group


def command(name: str) -> click.Command:
    found = group.get_command(click.Context(group), name)
    assert found is not None
    return found


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
    _, found, examples = done.text.partition("  Example")
    assert found
    assert "\n    " in examples.partition("Options:")[0]
    assert f"spamnb {name}" in examples
    assert "\\b" not in done.text
    assert max(map(len, done.text.splitlines())) <= 80


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_described(name: str) -> None:
    for option in command(name).params:
        if isinstance(option, click.Option):
            assert option.help, f"{name} {option.opts}"
            assert option.help.endswith("."), f"{name} {option.opts}: {option.help}"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_the_command_says(name: str) -> None:
    assert command(name).short_help == COMMANDS[name]
    assert (command(name).help or "").startswith(COMMANDS[name])


OWN = ("--format", "--input-format", "--output")  # each command has its own formats and its own default


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
    said = cli.fails(*args, code=2)
    assert said[0].startswith("Usage: spamnb ")
    assert said[1].startswith("Try 'spamnb ")
    assert said[-1].startswith(last)


# --- models ----------------------------------------------------------------------------------------


def test_models_names_all_places(cli: Cli) -> None:
    lines = cli("models").text.splitlines()
    assert [line[3:20].strip() for line in lines] == [
        "given with -m",
        "$SPAMNB_MODEL",
        "your own model",
        "ready-made, sms",
        "ready-made, mail",
    ]
    assert lines[0] == "   given with -m     (not set)"
    assert lines[2] == f"   your own model    {cli.own_model} (not there)"


def test_models_marks_the_one_that_would_be_used(cli: Cli) -> None:
    def used(*args: str, **env: str) -> str:
        marked = [line for line in cli("models", *args, env=env).text.splitlines() if line.startswith("->")]
        assert len(marked) == 1
        return marked[0]

    cli.write("tiny.csv", TINY)
    cli("train", "tiny.csv")
    assert used().startswith(f"-> your own model    {cli.own_model} (")
    assert used().endswith(" kB)")
    assert used(SPAMNB_MODEL="/nowhere/x") == "-> $SPAMNB_MODEL     /nowhere/x (not there)"
    given = used("-m", str(cli.own_model), SPAMNB_MODEL="/nowhere/x")
    assert given.startswith(f"-> given with -m     {cli.own_model} (")
    assert "\\x1b" in used("-m", "evil\x1b[2J")


# --- completion ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shell", "part"),
    [
        ("bash", "complete -o nosort -F _spamnb_completion spamnb"),
        ("zsh", "#compdef spamnb"),
        ("fish", "complete --no-files --command spamnb"),
    ],
)
def test_completion_prints_a_script(cli: Cli, shell: str, part: str) -> None:
    done = cli("completion", shell)
    assert part in done.text
    assert f"_SPAMNB_COMPLETE={shell}_complete" in done.text


def completed(cli: Cli, *words: str) -> list[str]:
    asked = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    return cli(env=asked | {"_SPAMNB_COMPLETE": "bash_complete"}).text.split()


def test_completion_of_commands_options_choices_and_files(cli: Cli) -> None:
    assert completed(cli, "spamnb", "pre") == ["plain,predict"]
    assert completed(cli, "spamnb", "") == [f"plain,{name}" for name in COMMANDS]
    assert completed(cli, "spamnb", "train", "--bal") == ["plain,--balance"]
    assert completed(cli, "spamnb", "predict", "--format", "t") == ["plain,tsv", "plain,table", "plain,terse"]
    for words in (("train", "my"), ("predict", "my"), ("evaluate", "-m", "my"), ("train", "-o", "my")):
        assert completed(cli, "spamnb", *words) == ["file,my"]


def test_bash_completes(cli: Cli, tmp_path: Path) -> None:
    if shutil.which("bash") is None:
        pytest.skip("there is no bash")
    script = tmp_path / "spamnb"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m spamnb "$@"\n')
    script.chmod(0o755)
    ask = 'COMP_WORDS=(spamnb pre); COMP_CWORD=1; _spamnb_completion spamnb; echo "${COMPREPLY[@]}"'
    done = subprocess.run(
        ["bash", "--norc", "-c", f'eval "$(spamnb completion bash)"; {ask}'],
        capture_output=True,
        env=cli.env | {"PATH": f"{tmp_path}:{cli.env['PATH']}"},
        timeout=PATIENCE,
        check=True,
    )
    assert done.stdout == b"predict\n", done.stderr


def test_help_is_a_word_too(cli: Cli) -> None:
    assert cli("help").out == cli("--help").out
    assert cli("help", "train").out == cli("train", "--help").out
    assert cli.fails("help", "xyz", code=2)[-1] == "Error: No such command 'xyz'."


def test_a_misspelt_command_is_guessed(cli: Cli) -> None:
    assert cli.fails("trian", code=2)[-1] == "Error: No such command 'trian'. Did you mean train?"
    assert cli.fails("xyz", code=2)[-1] == "Error: No such command 'xyz'."


def test_a_model_of_short_messages_says_so_when_it_meets_mail(cli: Cli, tiny: Path) -> None:
    mail = next(iter(sorted((ROOT / "data/mail/ham").iterdir())))
    note = "note: this model has learned no mail: what it says about mail means little\n"
    assert note in cli("predict", "-m", tiny, mail).err
    assert note not in cli("predict", "-m", tiny, mail, "-q").err
    assert note in cli("filter", "-m", tiny, stdin=mail.read_bytes()).err
    assert note not in cli("predict", mail).err


def test_a_model_without_a_class_spam_lets_mail_pass(cli: Cli) -> None:
    words = {"work": "report office", "home": "dinner milk", "ads": "sale offer"}
    rows = [f"{label},{text} {i}" for label, text in words.items() for i in range(12)]
    cli.write("three.csv", "label,text\n" + "\n".join(rows) + "\n")
    cli("train", "three.csv", "-o", "m.spamnb")
    done = cli("filter", "-m", "m.spamnb", stdin=b"Subject: sale\n\noffer\n")
    assert done.out == b"Subject: sale\n\noffer\n"
    assert "no class of the model is spam: ads, home, work; the mail passes unchanged" in done.err


def test_a_mail_on_stdin_that_is_read_as_lines_is_noticed(cli: Cli, tiny: Path) -> None:
    note = "note: this looks like mail, and each line is judged; --input-format eml reads mail\n"
    mail = b"From: a@b.example\nSubject: hi\n\nsee you\n"
    assert note in cli("predict", "-m", tiny, stdin=mail).err
    assert note not in cli("predict", "-m", tiny, "--input-format", "eml", stdin=mail).err
    assert note not in cli("predict", "-m", tiny, stdin=b"note: see you\nhome by seven\n").err


@pytest.mark.parametrize(
    ("lines", "format"),
    [
        (b"label,text\nham,see you\n", "csv"),
        (b"label,text\n", "csv"),
        (b"id;message\r\n1;see you\r\n", "csv"),
        (b'"id","text"\n1,see\n', "csv"),
        (b"label\ttext\nham\tsee you\n", "tsv"),
        (b"ham\tsee you\n", "tsv"),
        (b'{"text": "see you"}\n', "jsonl"),
        (b'{"from": 7, "said": "see you"}\n', "jsonl"),
        (b"text,me\nsee you\n", ""),
        (b"Hi, text me\nsee you, then\n", ""),
        (b"{see you}\n", ""),
        (b"message\nsee you\n", ""),
    ],
)
def test_a_table_on_stdin_that_is_read_as_lines_is_noticed(
    cli: Cli, tiny: Path, lines: bytes, format: str
) -> None:
    seen = f"this looks like {format.upper()}, and each line is judged"
    note = f"note: {seen}; --input-format {format} reads columns\n"
    done = cli("predict", "-m", tiny, stdin=lines)
    assert done.err == (note if format else "")
    assert len(done.lines) == lines.count(b"\n")
    assert cli("predict", "-m", tiny, "-q", stdin=lines).err == ""


def test_texts_of_a_table_are_not_taken_for_one(cli: Cli, tiny: Path) -> None:
    flags = ("predict", "-m", tiny, "--input-format", "csv")
    assert cli(*flags, stdin=b'id,text\n1,"{""a"": 1}"\n2,"ham\tsee"\n').err == ""
