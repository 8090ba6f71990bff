"""Checks the preset of `--textbook`: what it sets, what overrides and what contradicts it, what is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spamnb.errors import ConfigError
from spamnb.scorers import REGISTRY
from spamnb.settings import FeatureConfig, ScorerConfig, TrainingConfig, flags
from spamnb.settings.textbook import PRESET, TEXTBOOKS, with_textbook
from tests.helpers.command_line import TINY, Cli, Sms


@pytest.mark.parametrize("name", TEXTBOOKS)
def test_one_word_sets_what_the_document_states(name: str) -> None:
    assert name in REGISTRY
    options = {"textbook": name}
    scoring, training = ScorerConfig.from_options(options), TrainingConfig.from_options(options)
    assert (scoring.name, scoring.alpha, scoring.once, scoring.damping) == (name, 1.0, False, 0.0)
    assert scoring.is_textbook
    assert (scoring.ratio, scoring.prior) == (1.0, "learned")
    assert FeatureConfig.from_options(options) == FeatureConfig.plain()
    assert FeatureConfig.from_options(options, mail=True).shapes is False
    assert (training.folds, training.refine) == (0, "no")
    assert flags(FeatureConfig.plain(), scoring) == ["--textbook", name]


def test_without_it_nothing_changes() -> None:
    for options in ({}, {"textbook": None}, {"textbook": "none"}):
        assert with_textbook(options) is options
    assert not ScorerConfig().is_textbook


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"alpha": 0.0}, ["--alpha", "0"]),
        ({"counts": "once"}, ["--set", "counts=once"]),
        ({"ngrams": 2}, ["--ngrams", "2"]),
        ({"m_estimate": 1.0}, ["--set", "m-estimate=1"]),
        ({"class_prior": "uniform"}, ["--class-prior", "uniform"]),
        ({"scorer": "multinomial", "refine": "no"}, []),
    ],
)
def test_stated_options_override_it(options: dict[str, Any], words: list[str]) -> None:
    options = {"textbook": "multinomial", **options}
    scoring, features = ScorerConfig.from_options(options), FeatureConfig.from_options(options)
    assert flags(features, scoring) == ["--textbook", "multinomial", *words]
    assert TrainingConfig.from_options({**options, "folds": 5}).folds == 5


@pytest.mark.parametrize(
    ("options", "other", "flag"),
    [
        ({"scorer": "binary"}, "--scorer binary", "--scorer"),
        ({"damping": 0.5}, "--set damping=0.5", "--set damping"),
        ({"refine": "yes"}, "--set refine=yes", "--set refine"),
        ({"base": "ready-made"}, "--base ready-made", "--base"),
        ({"max_fpr": "1%"}, "--max-fpr 1%", "--max-fpr"),
    ],
)
def test_contradictions_are_refused(options: dict[str, Any], other: str, flag: str) -> None:
    with pytest.raises(ConfigError) as caught:
        with_textbook({"textbook": "poisson", **options})
    assert str(caught.value) == (
        f"--textbook poisson and {other} cannot be combined: textbook formulas stay as they are"
    )
    assert caught.value.hint == f"leave out --textbook or {flag}"


def test_the_preset_names_options() -> None:
    known = {"tokens", "counts", "alpha", "damping", "folds", "refine", "base"}
    assert set(PRESET) == known


# --- The command line


def test_the_model_keeps_what_was_used(cli: Cli) -> None:
    data = cli.write("tiny.csv", TINY)
    summary = cli("train", data, "--textbook", "bernoulli", "--alpha", "0.5", "-o", "m.spamnb").err
    assert "scorer bernoulli, as in the textbook, alpha 0.5\n" in summary
    card = " ".join(cli("inspect", "m.spamnb").text.split())
    assert "bernoulli, as in the textbook, alpha 0.5" in card
    assert cli("inspect", "m.spamnb", "--json", "-").json["scorer"]["textbook"] == "bernoulli"
    cli("learn", "-m", "m.spamnb", "--spam", stdin=b"win again\n")
    assert cli("inspect", "m.spamnb", "--json", "-").json["scorer"]["textbook"] == "bernoulli"


def test_the_prior_decides_where_nothing_is_known(cli: Cli) -> None:
    data = cli.write("four.csv", TINY + "ham,see me\n")
    cli("train", data, "--textbook", "binary", "-o", "m.spamnb", "-q")
    cli("train", data, "--scorer", "binary", "--tokens", "plain", "-o", "n.spamnb", "-q")
    assert cli("predict", "-m", "m.spamnb", stdin=b"zebra\n").out == b"ham\t0.4000\tzebra\n"
    assert cli("predict", "-m", "n.spamnb", stdin=b"zebra\n").out.startswith(b"unsure\t")


def test_stated_folds_measure_and_calibrate_nothing(cli: Cli, sms: Sms) -> None:
    cli("train", sms.train, "--textbook", "multinomial", "--folds", "3", "-o", "m.spamnb", "-q")
    card = cli("inspect", "m.spamnb", "--json", "-").json
    assert card["metrics"]["folds"] == 3
    assert (card["calibration"]["slope"], card["calibration"]["offset"]) == (1.0, 0.0)
    assert (card["refined"], card["min_known_words"]) == (None, None)
    measured = cli("evaluate", sms.train, "--textbook", "multinomial", "--folds", "3", "--json", "-").json
    assert measured["accuracy"] == card["metrics"]["accuracy"]
    assert measured["unsure"] == 0


def test_mail_gets_no_threshold_of_its_own(cli: Cli, mails: Path) -> None:
    cli("train", mails, "--textbook", "multinomial", "--folds", "3", "-o", "m.spamnb", "-q")
    decision = cli("inspect", "m.spamnb", "--json", "-").json["decision"]
    assert (decision["threshold"], decision["max_fpr"]) == (0.5, None)


def test_compare_takes_it_as_a_candidate(cli: Cli, sms: Sms) -> None:
    flags = "--with", "textbook=bernoulli", "--json", "-", "-q"
    [row] = [
        one
        for one in cli("compare", sms.train, *flags).json["candidates"]
        if one["flags"] == "--textbook bernoulli"
    ]
    assert row["name"] == "textbook=bernoulli"


def test_damping_without_calibration_is_refused(cli: Cli) -> None:
    data = cli.write("tiny.csv", TINY)
    assert cli.fails("train", data, "--set", "damping=0.5", "--folds", "0", code=2) == [
        "Error: --set damping needs calibration to restore the scale, got --folds 0",
        "Hint: leave out --folds 0 or --set damping",
    ]


def test_an_unknown_textbook_is_refused(cli: Cli) -> None:
    error = cli.fails("train", cli.write("tiny.csv", TINY), "--textbook", "less-naive", code=2)
    assert "Invalid value for '--textbook': 'less-naive' is not one of" in " ".join(error)
