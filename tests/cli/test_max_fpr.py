"""`--max-fpr`: what train stores, what evaluate finds, and how it is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from spamnb import SpamModel
from tests.helpers.command_line import Cli, Sms, Three


@pytest.mark.parametrize("written", ["1%", "0.01"])
def test_train_draws_the_line_and_says_so(written: str, cli: Cli, sms: Sms) -> None:
    err = cli("train", sms.train, "--max-fpr", written, "-o", "m.spamnb").err
    line = r"spam above P = 0\.\d+ \(log-odds \+\d\.\d\d, aim: at most 1% of ham\), unsure above 0\.5"
    assert re.search(rf"threshold         {line}\n", err)
    assert re.search(
        r"cross-validation  .* of spam caught, \d of \d+ ham misclassified, \d+ unsure \(5 folds", err
    )
    shown = " ".join(cli("inspect", "-m", "m.spamnb", "--top", "0").text.split())
    assert re.search(line, shown)
    decision = cli("inspect", "-m", "m.spamnb", "--top", "0", "--json", "-").json["decision"]
    assert decision["max_fpr"] == 0.01
    assert decision["unsure_from"] == 0.5 < decision["threshold"]


def test_text_messages_keep_even_odds(cli: Cli, sms: Sms) -> None:
    decision = cli("inspect", sms.model, "--top", "0", "--json", "-").json["decision"]
    assert (decision["threshold"], decision["log_odds_threshold"], decision["max_fpr"]) == (0.5, None, None)


def test_mail_has_a_strict_line_by_default(cli: Cli, mails: Path) -> None:
    err = cli("train", mails, "-o", "m.spamnb").err
    assert re.search(r"threshold         spam above P = \S+ \(log-odds \S+, aim: at most 0.1% of ham\)", err)
    cli("train", mails, "--threshold", "0.5", "-o", "m.spamnb")
    decision = cli("inspect", "-m", "m.spamnb", "--top", "0", "--json", "-").json["decision"]
    assert (decision["threshold"], decision["max_fpr"]) == (0.5, None)
    err = cli("train", mails, "--folds", "0", "-o", "m.spamnb").err
    assert "threshold " not in err


def test_cross_validation_decides_as_training_does(cli: Cli, mails: Path) -> None:
    done = cli("evaluate", mails, "--folds", "3")
    assert "threshold chosen on the same out-of-fold" in " ".join(done.text.split())


def test_evaluate_finds_the_point_on_the_data(cli: Cli, sms: Sms) -> None:
    done = cli("evaluate", sms.test, "-m", sms.model, "--max-fpr", "1%", "--json", "-").json
    point = done["operating_point"]
    assert point["max_fpr"] == 0.01
    assert point["false_positives"] <= 0.01 * point["ham"] == 0.01 * done["ham"]
    assert 0 < point["recall"] <= 1
    text = "for at most 1% of ham misclassified, the threshold on this data is P = "
    assert done["notes"][-3].startswith(text)
    assert done["notes"][-2].startswith("with it: ")
    assert done["notes"][-1] == (
        "the metrics below use the model's own threshold, P = 0.5; to use this one, write "
        f"--threshold {point['threshold']} in place of --max-fpr"
    )
    plain = cli("evaluate", sms.test, "-m", sms.model, "--json", "-").json
    assert {**plain, "notes": done["notes"]} == {k: v for k, v in done.items() if k != "operating_point"}
    shown = cli("evaluate", sms.test, "-m", sms.model, "--max-fpr", "1%", env={"COLUMNS": "200"}).text
    assert done["notes"][-3:] == shown.split("\n\n")[0].splitlines()[-3:]


@pytest.mark.parametrize("rate", ["0.1%", "1%", "2%", "5%", "20%", "60%"])
def test_the_threshold_that_evaluate_prints_gives_the_result_that_it_states(
    cli: Cli, sms: Sms, rate: str
) -> None:
    done = cli("evaluate", sms.test, "-m", sms.model, "--max-fpr", rate, "--json", "-").json
    point, note = done["operating_point"], "\n".join(done["notes"])
    printed = re.search(r"threshold on this data is P = (\S+) \(log-odds", note)
    assert printed is not None
    assert float(printed[1]) == point["threshold"]
    again = cli("evaluate", sms.test, "-m", sms.model, "--threshold", printed[1], "--json", "-").json
    assert again["false_positives"] == point["false_positives"]
    assert again["recall"] == point["recall"]
    assert f"{again['recall']:.1%} of spam caught, {again['false_positives']:,} of " in note


@pytest.mark.parametrize("text", ["0", "1", "-1%", "100%", "many", "", "nan", "%"])
def test_a_rate_that_is_none(text: str, cli: Cli, sms: Sms) -> None:
    err = cli("train", sms.train, "--max-fpr", text, "-o", "m.spamnb", code=2).err
    assert f"Error: --max-fpr must be a share above 0 and below 1, got {text!r}\n" in err
    assert "Hint: for example 0.1% or 0.001\n" in err
    assert not (cli.here / "m.spamnb").exists()


def test_two_ways_to_set_the_threshold(cli: Cli, sms: Sms) -> None:
    for flag in (("--threshold", "0.9"), ("--unsure", "0.1", "0.9"), ("--cost", "ham:spam=9")):
        err = cli("train", sms.train, "--max-fpr", "1%", *flag, "-o", "m.spamnb", code=2).err
        assert f"Error: --max-fpr and {flag[0]} cannot be combined: each of them sets the threshold\n" in err


def test_no_scores_to_find_a_threshold_by(cli: Cli, sms: Sms, three: Three) -> None:
    err = cli("train", sms.train, "--max-fpr", "1%", "--folds", "0", "-o", "m.spamnb", code=2).err
    assert err.endswith(
        "Error: --max-fpr needs cross-validation to find the threshold, got --folds 0\n"
        "Hint: leave out --folds 0, or give a --threshold yourself\n"
    )
    cli.write("tiny.csv", "label,text\nspam,win\nham,see\n")
    err = cli("train", "tiny.csv", "--max-fpr", "1%", "-o", "m.spamnb", code=1).err
    assert "Error: too few messages to find a threshold for --max-fpr: every class needs at least 10\n" in err
    err = cli("train", three.data, "--max-fpr", "1%", "-o", "m.spamnb", code=2).err
    assert "Error: --max-fpr needs a model of two classes, got 3: home, spam, work\n" in err
    assert not (cli.here / "m.spamnb").exists()
    err = cli("evaluate", "-m", sms.model, "--max-fpr", "1%", code=2).err
    assert "--max-fpr needs DATA" in err


PROTOCOLS = [("--folds", "5"), ("--holdout", "30%"), ("--learning-curve",), ("--online",)]


def _mails(cli: Cli) -> None:
    """120 mails of which a few ham look like spam."""
    for i in range(120):
        spam = i % 3 == 0
        words = "win a prize" if spam or i % 29 == 1 else "see you at lunch"
        folder = cli.here / ("spam" if spam else "ham")
        folder.mkdir(exist_ok=True)
        mail = f"From: a{i}@b.example\nSubject: {words}\n\n{words} {i} {i * 7}\n"
        (folder / f"{i}.eml").write_text(mail)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_protocol_decides_as_train_does(cli: Cli, protocol: tuple[str, ...]) -> None:
    """Mail is spam where at most 0.1% of ham is, unless options set a threshold."""
    _mails(cli)
    data = "--label", "spam=spam", "--label", "ham=ham", "-q"
    rule = "of ham), unsure above 0.5"
    assert rule in cli("train", *data[:4], "-o", "m.spamnb").err
    assert f"at most 0.1% {rule}" in cli("evaluate", *data, *protocol, "--report", "-").text
    assert "at most 5% of ham)" in cli("evaluate", *data, *protocol, "--max-fpr", "5%", "--report", "-").text
    assert rule not in cli("evaluate", *data, *protocol, "--threshold", "0.9", "--report", "-").text


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_text_messages_keep_their_threshold(cli: Cli, sms: Sms, protocol: tuple[str, ...]) -> None:
    page = cli("evaluate", sms.train, "-q", *protocol, "--report", "-").text
    assert "spam above P = 0.5<" in page


def test_a_rate_sets_an_unsure_band_and_a_stated_threshold_none(cli: Cli, sms: Sms) -> None:
    shown = " ".join(cli("train", "--help").text.split())
    assert "for example 0.1%. Messages between 50% and the threshold are unsure." in shown
    cli("train", sms.train, "--max-fpr", "1%", "-o", "rate.spamnb", "-q")
    cli("train", sms.train, "--threshold", "0.9", "-o", "stated.spamnb", "-q")
    assert SpamModel.load(cli.here / "rate.spamnb").decision.unsure_from == 0.5
    assert SpamModel.load(cli.here / "stated.spamnb").decision.unsure_from is None
