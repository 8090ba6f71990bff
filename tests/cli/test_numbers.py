"""People read thousands with commas, everywhere; programs read plain digits."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.helpers.command_line import Cli

# Digits that are no number of things: lines, decimals, dates, names of tokens and files, versions, seeds.
PLAIN = re.compile(r"(?<!line )(?<![\w.,:/#+-])\d{4,}(?![\w.]|,\d{4}|-\d\d)")
WORDS = {"spam": ("prize", "cash", "offer", "claim"), "ham": ("dinner", "home", "train", "mother")}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """3,901 messages with more than a thousand of each kind that is counted."""
    cli = Cli(tmp_path_factory.mktemp("numbers"))
    letters = "abcdefghijklmnopqrstuvwxyz"
    rows = [
        f"{label},{own[i % 4]} {own[i % 3]} word{letters[i % 26]}{letters[i // 26 % 26]} q{letters[i % 25]}"
        for i in range(1200)
        for label, own in WORDS.items()
    ]
    rows += [f"ham,see you {'y' * (i % 40)}" for i in range(1501)]
    cli.write("data.csv", "label,text\n" + "\n".join(rows) + "\n" + "ham,\n" * 1100)
    cli.write("more.csv", "label,text\n" + "\n".join(row + " more" for row in rows) + "\n")
    cli.write("long.txt", " ".join(f"nothing{chr(97 + i % 26) * (1 + i // 26)}" for i in range(1500)) + "\n")
    cli("train", "data.csv", "-o", "m")
    return cli


COMMANDS = (
    "train data.csv -o n",
    "train data.csv -o b --scorer bernoulli",
    "evaluate data.csv -m m",
    "evaluate data.csv --folds 2",
    "evaluate data.csv --holdout 40%",
    "evaluate data.csv --learning-curve",
    "evaluate data.csv --online",
    "evaluate -m m",
    "compare data.csv --with alpha=1 --folds 2",
    "tune data.csv --time 1s --folds 3",
    "inspect -m m",
    "inspect -m m --top 3",
    "inspect -m m dinner",
    "predict -m m long.txt --format table --explain",
    "learn more.csv -m m",
    "learn more.csv -m m",
    "inspect -m m",
    "forget more.csv -m m",
    "model prune m -o small --min-count 2",
    "model merge m n -o both",
    "model list",
    "model export m -o m.jsonl",
    "model import m.jsonl -o again",
)


def test_no_number_of_four_digits_is_without_a_comma(home: Cli) -> None:
    for command in COMMANDS:
        done = home(*command.split(), env={"COLUMNS": "160"})
        text = re.sub(r"\S*[/\\]\S*", "", done.err + done.out.decode())
        assert PLAIN.findall(text) == [], text


def test_programs_read_plain_digits(home: Cli) -> None:
    assert home("evaluate", "data.csv", "-m", "m", "--json", "-").json["messages"] == 3901
    assert b'"3,901"' not in home("evaluate", "data.csv", "-m", "m", "--json", "-").out


def test_the_report_has_commas_too(home: Cli) -> None:
    home("evaluate", "data.csv", "-m", "m", "--report", "report.html")
    page = (Path(home.here) / "report.html").read_text()
    text = re.sub(r"<(script|style|svg).*?</\1>|<[^>]*>", " ", page, flags=re.S)
    assert PLAIN.findall(text) == []
    assert "3,901" in text
