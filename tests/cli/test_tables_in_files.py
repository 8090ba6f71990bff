"""Tables in a file or a pipe have all columns, one line a row and no blanks at the ends of lines."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.helpers.command_line import Cli
from tests.helpers.paths import SMALL_SMS
from tests.helpers.terminal_screen import Terminal

COMMANDS = {
    "compare": ("compare", SMALL_SMS, "-q"),
    "tune": ("tune", SMALL_SMS, "-q", "--time", "1s"),
    "evaluate": ("evaluate", SMALL_SMS, "-q", "-m", "sms.spamnb"),
    "evaluate without data": ("evaluate", "-q", "-m", "sms.spamnb"),
    "learning curve": ("evaluate", SMALL_SMS, "-q", "--learning-curve", "--set", "refine=no"),
    "inspect": ("inspect", "sms.spamnb"),
    "look up": ("inspect", "-m", "sms.spamnb", "prize", "see"),
    "explain": ("explain", "-m", "sms.spamnb", "win a prize, see you"),
    "predict": ("predict", SMALL_SMS, "-q", "-m", "sms.spamnb", "--format", "table", "--explain"),
    "models": ("model", "list"),
}
# What a terminal of 80 columns drops or wraps.
WHOLE = {
    "compare": "setting      ROC AUC         95% CI  to best      p      F1  positives    spam  log loss\n",
    "learning curve": "learned  accuracy  precision  recall      F1  ROC AUC  recall@0.1%  log loss\n",
    "look up": "token  in ham  in spam  P(w|ham)  P(w|spam)  Bayes  correction  weight\n",
    "inspect": "each token once per message, damping 1, prior learned\n",
    "predict": "ur vehicle on the expressway. $6.99 due, late fee $50 after tmrw. pay toll-pay.example/ez",
}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    cli = Cli(tmp_path_factory.mktemp("tables"))
    cli("train", SMALL_SMS, "-q", "-o", "sms.spamnb")
    return cli


def _lines(cli: Cli, script: str, name: str) -> str:
    return cli.shell(f"unset COLUMNS; {script}", *COMMANDS[name]).text


@pytest.mark.parametrize("name", COMMANDS)
def test_a_file_gets_whole_rows(trained: Cli, name: str) -> None:
    text = _lines(trained, '"$@"', name)
    assert [line for line in text.split("\n") if line != line.rstrip()] == []
    assert WHOLE.get(name, "") in text


def test_each_row_of_a_table_of_predictions_is_one_line(trained: Cli) -> None:
    rows = _lines(trained, '"$@"', "predict").splitlines()
    assert rows[0].split() == ["verdict", "P(spam)", "message", "evidence"]
    assert len(rows) == 1 + 813
    assert all(
        row.startswith(("ham       0.", "spam      0.", "spam      1.", "unsure    0.")) for row in rows[1:]
    )


def test_long_messages_do_not_widen_all_rows(trained: Cli) -> None:
    text = b"text\n" + b"word " * 2000 + b"\nsee you\n"
    trained.write("long.csv", text)
    command = "predict", "long.csv", "-q", "-m", "sms.spamnb", "--format", "table", "--explain"
    head, long, short = trained.shell('unset COLUMNS; "$@"', *command).text.splitlines()
    assert head.index("evidence") == short.index("see you") + 80 + 2
    assert "word " * 1999 + "word  " in long


@pytest.mark.parametrize("columns", ["80", "60"])
def test_COLUMNS_limits_tables_in_files_too(trained: Cli, columns: str) -> None:
    *lines, command = trained.shell(f'COLUMNS={columns} "$@"', *COMMANDS["compare"]).text.splitlines()
    assert "to best" not in "".join(lines)
    assert max(map(len, lines[3:])) <= int(columns)
    assert command.startswith("train     spamnb train ")  # to be copied, so never broken


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_a_narrow_terminal_drops_columns(trained: Cli, tmp_path: Path) -> None:
    env = {name: value for name, value in trained.env.items() if name != "COLUMNS"}
    command = trained.command(*COMMANDS["compare"])
    lines = Terminal('cd "$0"; "$@"'.replace("$0", str(trained.here)), command, tmp_path, env, 60).finish()
    assert any(line.startswith("multinomial") for line in lines)
    assert not any("to best" in line for line in lines)
