"""`spamnb evaluate` with --holdout, --learning-curve and --online."""

from __future__ import annotations

import pytest

from tests.helpers.command_line import Cli, Sms, Tennis, Three


def test_holdout(cli: Cli, sms: Sms) -> None:
    result = cli("evaluate", sms.train, "--holdout", "30%", "--json", "-").json
    assert result["title"] == "held-out part"
    learned, tested = (int(word) for word in result["notes"][0].split() if word.isdecimal())
    assert (learned + tested, result["messages"]) == (407, tested)
    assert tested / 407 == pytest.approx(0.3, abs=0.01)
    assert "steps" not in result
    same = cli("evaluate", sms.train, "--holdout", "0.3", "--seed", "0", "--json", "-").json
    assert same == result
    other = cli("evaluate", sms.train, "--holdout", "30%", "--seed", "1", "--json", "-").json
    assert other["log_loss"] != result["log_loss"]


def test_a_learning_curve(cli: Cli, sms: Sms) -> None:
    done = cli("evaluate", sms.train, "--learning-curve", "--holdout", "20%", "--scorer", "binary")
    lines = done.text.splitlines()
    assert lines[0] == "learning curve"
    at = lines.index("metrics of the test messages by number of training messages")
    assert lines[at + 1].split()[:2] == ["learned", "accuracy"]
    assert len(lines[at + 2 :]) == 10
    assert lines[1].startswith(f"{lines[-1].split()[0]} training messages, ")


def test_online(cli: Cli, sms: Sms, three: Three) -> None:
    result = cli("evaluate", sms.train, "--online", "--json", "-", "--threshold", "0.9").json
    assert result["title"] == "in order, each message classified and then learned"
    assert result["messages"] == 407
    assert [*result["steps"][0]][:2] == ["learned", "accuracy"]
    assert result["steps"][-1]["learned"] == 407
    assert "each line: the messages since the line before" in cli("evaluate", three.data, "--online").text


def test_copies_are_told(cli: Cli, sms: Sms) -> None:
    rows = sms.train.read_text()
    cli.write("twice.csv", rows + rows.partition("\n")[2])
    for flags in (["--folds", "5"], ["--holdout", "30%"], ["--online"]):
        notes = cli("evaluate", "twice.csv", *flags, "--json", "-").json["notes"]
        assert "407 of 814 messages are duplicates (same words)" in notes


def test_columns_can_be_held_out(cli: Cli, tennis: Tennis) -> None:
    columns = ("--label-column", "play", "--categorical", "outlook", "--numeric", "humidity")
    flags = (*columns, "--scorer", "categorical")
    # 2 of 5 days without a game, 3 of 9 with one
    assert cli("evaluate", tennis.data, "--holdout", "30%", *flags, "--json", "-").json["messages"] == 5
    errors = cli.fails("evaluate", tennis.data, "--online", *flags, code=2)
    assert errors[-2:] == [
        "Error: --online reads texts only, got columns",
        "Hint: use --folds or --holdout with columns",
    ]


@pytest.mark.parametrize(
    ("args", "last"),
    [
        (["x.csv", "--holdout", "130%"], "Hint: for example 30% or 0.3"),
        (["x.csv", "--holdout", "some"], "Hint: for example 30% or 0.3"),
        (["x.csv", "--online", "--folds", "5"], "Error: --online and --folds cannot be combined."),
        (["x.csv", "--online", "--holdout", "30%"], "Error: --holdout and --online cannot be combined."),
        (["x.csv", "--seed", "3"], "Error: --seed needs --holdout or --learning-curve."),
        (["x.csv", "--online", "--seed", "3"], "Error: --seed needs --holdout or --learning-curve."),
        (["--online"], "Error: --online needs DATA."),
        (
            ["x.csv", "--online", "-m", "m"],
            "Error: --model cannot be combined with --online, which trains its own models.",
        ),
        (["x.csv", "--holdout", "30%", "--set", "balance=undersample"], "Hint: use --set balance=weight"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_refusals(cli: Cli, args: list[str], last: str) -> None:
    cli.write("x.csv", "label,text\nspam,win\nham,see you\n")
    assert cli.fails("evaluate", *args, code=2)[-1] == last
