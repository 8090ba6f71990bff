"""`spamnb evaluate`: each class first, the baseline, --mistakes N, and what to do without data."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.helpers.command_line import Cli, Sms, Three
from tests.helpers.terminal_screen import Terminal

# With the tiny model: two ham are flagged, one spam is missed, one is right.
DATA = 'label,text\nham,win\nham,"win\nmoney"\nspam,see you\nspam,win\nham,see\nham,see mum\n'


def test_each_class_stands_first(cli: Cli, tiny: Path) -> None:
    cli.write("d.csv", DATA)
    lines = cli("evaluate", "d.csv", "-m", tiny, "-q").text.splitlines()
    # Of 3 flagged messages 1 is spam, of 2 spam 1 is flagged; of 3 others 2 are ham, of 4 ham 2.
    assert lines[:5] == [
        "tiny.spamnb on d.csv",
        "",
        "class  precision  recall      F1  messages",
        "spam      33.33%  50.00%  0.4000         2",
        "ham       66.67%  50.00%  0.5714         4",
    ]


def test_the_baseline_stands_beside_accuracy(cli: Cli, tiny: Path, three: Three) -> None:
    cli.write("d.csv", DATA)
    lines = cli("evaluate", "d.csv", "-m", tiny, "-q").text.splitlines()
    row = next(i for i, line in enumerate(lines) if line.startswith("accuracy"))
    assert lines[row].split()[1] == "50.00%"
    assert lines[row + 1].split() == [
        "always",
        "ham",
        "66.67%",
        *["baseline:", "always", "the", "most", "frequent", "class"],
    ]
    lines = cli("evaluate", three.data, "-m", three.model, "-q").text.splitlines()
    assert lines[2].split() == ["class", "precision", "recall", "F1", "messages"]
    row = next(i for i, line in enumerate(lines) if line.startswith("accuracy"))
    assert lines[row + 1].split()[:3] == ["always", "work", "33.33%"]


def test_the_worst_mistakes(cli: Cli, tiny: Path) -> None:
    cli.write("d.csv", DATA)
    shown = cli("evaluate", "d.csv", "-m", tiny, "-q", "--mistakes", "1").text
    assert shown.split("\n\n")[-2:] == [
        "ham flagged as spam: 2, the worst 1\n0.8571  win money\n        line 3: win +1.10, money +0.69",
        "spam not flagged: 1\n0.1429  see you\n        line 5: see -1.10, you -0.69\n",
    ]
    shown = cli("evaluate", "d.csv", "-m", tiny, "-q", "--mistakes", "9").text
    assert "ham flagged as spam: 2\n0.8571  win money\n" in shown
    assert "0.7500  win\n        line 2: win +1.10\n" in shown


def test_mistakes_in_json_and_beside_a_report(cli: Cli, tiny: Path) -> None:
    cli.write("d.csv", DATA)
    flags = ("evaluate", "d.csv", "-m", tiny, "-q", "--mistakes", "1", "--json", "-", "--report", "r.html")
    mistakes = cli(*flags).json["mistakes"]
    assert [(m["truth"], m["verdict"], m["message"], m["source"]) for m in mistakes] == [
        ("ham", "spam", "win\nmoney", "line 3"),
        ("spam", "ham", "see you", "line 5"),
    ]
    assert [e["token"] for e in mistakes[0]["evidence"]] == ["win", "money"]
    assert "mistakes" not in cli("evaluate", "d.csv", "-m", tiny, "-q", "--json", "-").json


def test_mistakes_of_a_cross_validation_and_of_three_classes(cli: Cli, sms: Sms, three: Three) -> None:
    shown = cli("evaluate", sms.train, "--folds", "2", "-q", "--mistakes", "2").text
    kinds = [block.splitlines() for block in shown.split("\n\n")[-2:]]
    assert [block[0].split(":")[0] for block in kinds] == ["ham flagged as spam", "spam not flagged"]
    assert [len(block) for block in kinds] == [5, 5]
    cli.write("d.csv", "label,text\nhome,meeting report\n")
    shown = cli("evaluate", "d.csv", "-m", three.model, "-q", "--mistakes", "2").text
    assert "misclassified: 1\n" in shown
    assert "  home as work: meeting report\n" in shown


def test_a_mistake_is_harmless_and_fits_the_terminal(cli: Cli, tiny: Path) -> None:
    cli.write("d.csv", f'label,text\nham,"win \x1b[31m \u202e{"中" * 80}"\nspam,see you\n')
    text = cli("evaluate", "d.csv", "-m", tiny, "-q", "--mistakes", "1").text
    line = next(line for line in text.splitlines() if line.startswith("0.7500"))
    assert line.startswith("0.7500  win \\x1b[31m \\u202e中")
    assert line.endswith("…")
    assert len(line) + line.count("中") <= 100  # COLUMNS


def test_mistakes_of_a_held_out_part(cli: Cli, sms: Sms) -> None:
    flags = ("evaluate", sms.train, "--holdout", "30%", "-q", "--report", "r.html")
    shown = cli(*flags, "--mistakes", "2").text
    kinds = [block.splitlines() for block in shown.split("\n\n")[-2:]]
    assert [block[0].split(":")[0] for block in kinds] == ["ham flagged as spam", "spam not flagged"]
    first = kinds[1][1].split(maxsplit=1)[1]
    assert first[:30] in sms.train.read_text("utf-8")
    assert first[:30] in (cli.here / "r.html").read_text("utf-8")
    assert cli(*flags).text == shown[: shown.index("ham flagged as spam")].rstrip() + "\n"


@pytest.mark.parametrize("flags", [(), ("d.csv", "--online"), ("--predictions", "d.csv")])
def test_mistakes_need_messages(cli: Cli, flags: tuple[str, ...]) -> None:
    errors = cli.fails("evaluate", "--mistakes", "3", *flags, code=2)
    assert errors[-1] == "Error: --mistakes needs DATA, with a model, --folds or --holdout."


# --- without data ----------------------------------------------------------------------------------


def test_a_ready_made_model_is_not_evaluated_but_explained(cli: Cli) -> None:
    done = cli("evaluate")
    assert done.lines[0].startswith(b"model  ")
    assert done.lines[1].split()[0] == b"learned"
    assert done.err == (
        "\n"
        "Nothing was evaluated: a ready-made model needs labelled messages.\n"
        "try               spamnb evaluate DATA            # this model on your messages\n"
        "try               spamnb train DATA               # a model of your own\n"
        "try               spamnb evaluate DATA --folds 5  # how good that would be\n"
    )
    assert cli("evaluate", "-q").err == ""


def test_a_program_that_asks_for_metrics_gets_an_error(cli: Cli) -> None:
    errors = cli.fails("evaluate", "--json", "-")
    assert "has no metrics: it was not cross-validated" in errors[0]
    assert errors[1] == "Hint: evaluate it on labelled messages: spamnb evaluate DATA"


def test_a_model_of_ones_own_shows_its_metrics(cli: Cli, sms: Sms) -> None:
    cli.own_model.parent.mkdir(parents=True)
    cli.own_model.write_bytes(sms.model.read_bytes())
    assert "my-text.spamnb, as measured when it was trained\n" in cli("evaluate", env={"COLUMNS": "500"}).text


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_a_narrow_terminal_shows_the_classes(cli: Cli, tiny: Path) -> None:
    cli.write("d.csv", DATA)
    env = {name: value for name, value in cli.env.items() if name != "COLUMNS"}
    args = cli.command("evaluate", "d.csv", "-m", tiny, "-q", "--mistakes", "1")
    shown = Terminal('"$@"', args, cli.here, env, 40).finish()
    assert shown[2] == "class  precision  recall      F1"
    assert max(map(len, shown)) <= 40


def test_json_stays_as_it_was(cli: Cli, tiny: Path) -> None:
    cli.write("d.csv", DATA)
    cli("evaluate", "d.csv", "-m", tiny, "-q", "--json", "m.json")
    assert json.loads((cli.here / "m.json").read_text())["accuracy"] == 0.5
