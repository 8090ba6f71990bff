"""`--base ready-made` and `--base FILE`: a model that starts from another one, on the command line."""

from __future__ import annotations

import re

import pytest

from spamnb.model import shipped_model
from spamnb.model.spam_model import SpamModel
from tests.helpers.command_line import Cli
from tests.helpers.paths import ROOT, SMALL_SMS

FEW = "label,text\nspam,pay the parcel fee\nspam,parcel fee due\nham,lunch on monday\nham,lunch today\n"
MAIL = ROOT / "data" / "mail"


def test_four_messages_make_a_model_that_knows_much_more(cli: Cli) -> None:
    cli.write("few.csv", FEW)
    status = cli("train", "few.csv", "--base", "ready-made", "-o", "m.spamnb").err
    assert "starting from the ready-made model for SMS\n" in status
    assert re.search(r"base model +from the ready-made model for SMS, weight 0\.\d+\n", status)
    assert (
        "no metrics: folds need 10 messages of a class, got 2 ham; probabilities are scaled like those of"
        in status
    )
    messages = b"WIN a FREE prize\nhi mum, home by seven\nparcel fee\n"
    records = cli("predict", "-m", "m.spamnb", "--format", "jsonl", stdin=messages).records
    assert [row["verdict"] for row in records[:2]] == ["spam", "ham"]
    ready = cli("predict", "--format", "jsonl", stdin=messages).records
    assert records[2]["log_odds"] > ready[2]["log_odds"] + 0.5
    shown = cli("inspect", "m.spamnb").text
    assert re.search(r"base model +ready-made model for SMS, weight 0\.\d+ \(", shown)
    assert re.search(r" \+ 0\.\d+ \* base\n", shown)
    result = cli("inspect", "m.spamnb", "--json", "-").json
    assert result["base"]["name"] == "ready-made model for SMS"
    assert result["formula"]["base"]["calibration"]["slope"] > 0


def test_few_messages_start_from_the_ready_made_model(cli: Cli) -> None:
    cli.write("few.csv", FEW)
    note = "fewer than 200 messages: starting from the ready-made model for SMS; --base none does not\n"
    del cli.env["SPAMNB_TRAIN_BASE"]
    assert note in cli("train", "few.csv", "-o", "default.spamnb").err
    cli("train", "few.csv", "--base", "ready-made", "-o", "stated.spamnb")
    assert (cli.here / "default.spamnb").read_bytes() == (cli.here / "stated.spamnb").read_bytes()
    cli("train", "few.csv", "-o", "jobs.spamnb", "--jobs", "2!")
    assert (cli.here / "jobs.spamnb").read_bytes() == (cli.here / "stated.spamnb").read_bytes()
    others = (
        ("few.csv", "--base", "none"),
        ("few.csv", "--tokens", "plain"),
        ("few.csv", "--alpha", "1"),
        ("few.csv", "--folds", "0"),
        (SMALL_SMS,),
    )
    for args in others:
        assert note not in cli("train", *args, "-o", "own.spamnb", "--force").err
        assert SpamModel.load(cli.here / "own.spamnb").base is None
    piped = cli("train", "-", "-o", "own.spamnb", "--force", stdin=FEW.encode()).err
    assert note not in piped  # read once
    advice = "from a pipe: not starting from the ready-made model; --base ready-made does\n"
    assert advice in piped
    cli("train", "-", "--base", "ready-made", "-o", "own.spamnb", "--force", stdin=FEW.encode())
    assert (cli.here / "own.spamnb").read_bytes() == (cli.here / "stated.spamnb").read_bytes()
    assert advice not in cli("train", "-", "--base", "none", "-o", "n.spamnb", stdin=FEW.encode()).err


def test_few_mails_start_from_the_model_for_mail(cli: Cli) -> None:
    del cli.env["SPAMNB_TRAIN_BASE"]
    status = cli("train", MAIL, "-o", "m.spamnb").err
    assert "starting from the ready-made model for mail; --base none does not\n" in status
    model = SpamModel.load(cli.here / "m.spamnb")
    assert model.decision.max_fpr == 0.001
    assert model.decision.threshold > 0.8


def test_with_folds_the_figures_count_it_in(cli: Cli) -> None:
    status = cli("train", SMALL_SMS, "--base", "ready-made", "-o", "m.spamnb").err
    assert "base model        from the ready-made model for SMS, weight " in status
    assert "(chosen by folds)" in status
    stated = cli("train", SMALL_SMS, "--base", "ready-made", "--set", "base-weight=0.7", "-o", "n.spamnb").err
    assert "base model        from the ready-made model for SMS, weight 0.7\n" in stated
    measured = cli("evaluate", SMALL_SMS, "--folds", "5", "--base", "ready-made", "--json", "-").json
    assert measured["accuracy"] == cli("evaluate", "-m", "m.spamnb", "--json", "-").json["accuracy"]


def test_mail_starts_from_the_model_for_mail(cli: Cli) -> None:
    status = cli("train", MAIL, "--base", "ready-made", "-o", "m.spamnb", "--jobs", "2").err
    assert "starting from the ready-made model for mail\n" in status
    model = SpamModel.load(cli.here / "m.spamnb")
    assert model.base is not None
    assert model.base.model.store.vocabulary == SpamModel.load(shipped_model("mail")).store.vocabulary
    piped = cli(
        "train", "--files-from", "-", "--base", "ready-made", "-o", "n.spamnb", stdin=bytes(MAIL) + b"\n"
    )
    assert "for mail\n" in piped.err
    assert (cli.here / "n.spamnb").read_bytes() == (cli.here / "m.spamnb").read_bytes()


def test_any_own_model_can_be_started_from(cli: Cli) -> None:
    cli.write("few.csv", FEW)
    cli("train", SMALL_SMS, "-o", "old.spamnb", "-q")
    status = cli("train", "few.csv", "--base", "old.spamnb", "-o", "m.spamnb").err
    assert re.search(r"base model +from the model old.spamnb, weight 0\.\d+\n", status)
    again = cli.fails("train", "few.csv", "--base", "m.spamnb", code=2)
    assert again[0] == "Error: the model m.spamnb cannot be a base model: it has one itself"


def test_a_held_out_part_is_judged_with_the_start(cli: Cli) -> None:
    def log_loss(*more: str) -> float:
        flags = ("--holdout", "90%", "--json", "-", "-q")
        return float(cli("evaluate", SMALL_SMS, *flags, *more).json["log_loss"])

    assert log_loss("--base", "ready-made") < log_loss()


@pytest.mark.parametrize(
    ("args", "error", "hint"),
    [
        (
            ("train", "few.csv", "--base", "ready-made", "--ngrams", "1"),
            "the ready-made model for SMS reads messages in another way: ngrams is 1, expected 2",
            "leave out the settings of tokens and columns, or --base",
        ),
        (
            ("train", "few.csv", "--set", "base-weight=1"),
            "--set base-weight is the weight of the model of --base, got none",
            "add --base ready-made, or leave out --set base-weight",
        ),
        (
            ("train", "few.csv", "--base", "ready-made", "--set", "base-weight=0"),
            "--set base-weight must be a number above 0, got 0.0",
            "leave it out: cross-validation chooses it",
        ),
        (
            ("train", "few.csv", "--base", "nowhere.spamnb"),
            "--base must be ready-made, none, the name of a model or a file, got 'nowhere.spamnb'",
            "for example --base ready-made, or check the path",
        ),
        (
            ("evaluate", "few.csv", "--online", "--base", "ready-made"),
            "--base ready-made cannot be combined with --online",
            "use --folds or `spamnb train`",
        ),
        (
            ("compare", "few.csv", "--with", "base=ready-made"),
            "--with 'base=ready-made': --base cannot differ between candidates",
            "measure it with `spamnb evaluate DATA --folds 5 --base ready-made`",
        ),
    ],
)
def test_what_cannot_be_is_said(cli: Cli, args: tuple[str, ...], error: str, hint: str) -> None:
    cli.write("few.csv", FEW)
    errors = cli.fails(*args, code=2)
    assert errors[-2:] == [f"Error: {error}", f"Hint: {hint}"]


def test_learning_goes_on(cli: Cli) -> None:
    cli.write("few.csv", FEW)
    cli("train", "few.csv", "--base", "ready-made", "-q")
    before = cli("predict", "--format", "terse", stdin=b"zebra crossing\n").text
    cli("learn", "--spam", stdin=b"zebra crossing zebra\n")
    assert cli("predict", "--format", "terse", stdin=b"zebra crossing\n").text != before
    cli("forget", stdin=b"zebra crossing zebra\n")
    assert cli("predict", "--format", "terse", stdin=b"zebra crossing\n").text == before
