"""`spamnb completion`: scripts for shells, and what they complete."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from spamnb.cli import COMMANDS
from tests.helpers.command_line import PATIENCE, TINY, Cli

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
    environment = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    return cli(env=environment | {"_SPAMNB_COMPLETE": "bash_complete"}).text.split()


def test_completion_of_commands_options_choices_and_files(cli: Cli) -> None:
    assert completed(cli, "spamnb", "pre") == ["plain,predict"]
    assert completed(cli, "spamnb", "") == [f"plain,{name}" for name in COMMANDS]
    assert completed(cli, "spamnb", "train", "--scor") == ["plain,--scorer"]
    assert completed(cli, "spamnb", "predict", "--format", "t") == ["plain,tsv", "plain,table", "plain,terse"]
    for words in (("train", "my"), ("predict", "my"), ("evaluate", "-m", "my"), ("train", "-o", "my")):
        assert completed(cli, "spamnb", *words) == ["file,my"]


def test_completion_of_models(cli: Cli) -> None:
    cli("train", cli.write("tiny.csv", TINY), "-o", "smart", "-q")
    for words in (("predict", "-m"), ("model", "prune"), ("model", "merge", "other")):
        assert completed(cli, "spamnb", *words, "sm") == ["file,sm", "plain,smart", "plain,sms"]


def test_completion_of_settings_and_of_tables_of_the_configuration(cli: Cli) -> None:
    assert completed(cli, "spamnb", "train", "--set", "di") == ["plain,digests="]
    assert "plain,damping=" in completed(cli, "spamnb", "evaluate", "data.csv", "--set", "")
    assert completed(cli, "spamnb", "config", "p") == ["plain,predict"]
    assert completed(cli, "spamnb", "config", "") == [f"plain,{name}" for name in COMMANDS]
    assert completed(cli, "spamnb", "config", "model", "pr") == ["plain,prune"]


@pytest.mark.parametrize(
    ("words", "replies"), [("pre", b"predict\n"), ("predict -m s", b"sms\n"), ("model use ma", b"mail\n")]
)
def test_bash_completes(cli: Cli, tmp_path: Path, words: str, replies: bytes) -> None:
    if shutil.which("bash") is None:
        pytest.skip("there is no bash")
    script = tmp_path / "spamnb"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m spamnb "$@"\n')
    script.chmod(0o755)
    # outside of a real completion, bash refuses compopt
    ask = (
        f"compopt() {{ :; }}; COMP_WORDS=(spamnb {words}); COMP_CWORD={len(words.split())}; "
        '_spamnb_completion spamnb; echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", f'eval "$(spamnb completion bash)"; {ask}'],
        capture_output=True,
        env=cli.env | {"PATH": f"{tmp_path}:{cli.env['PATH']}"},
        timeout=PATIENCE,
        check=True,
    )
    assert done.stdout == replies, done.stderr
