"""Checks that spam has to be strictly more probable, and that the prior decides what no class can produce."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from spamnb.messages import Texts
from spamnb.model.class_choice import highest, least_cost
from spamnb.model.raw_scores import prior_if_impossible
from spamnb.model.scoring_engine import log_odds_of
from spamnb.model.spam_model import SpamModel
from spamnb.settings import FeatureConfig, ScorerConfig, TrainingConfig
from spamnb.sklearn_classifier import SpamClassifier
from spamnb.training.trainer import Trainer, train
from tests.helpers.command_line import Cli
from tests.helpers.paths import SHARED

PLAIN = FeatureConfig.plain()
FILE = SHARED / "sms" / "sms_spam_collection.csv"
# Every word is as frequent in one class as in the other, in another order.
TEXTS, LABELS = ["one two three four five", "five three one four two"], ["ham", "spam"]
SCORERS = ("bernoulli", "binary", "categorical", "complement", "multinomial", "poisson")


def learned(texts: list[str], labels: list[str], name: str = "categorical", **settings: float) -> SpamModel:
    return SpamModel(PLAIN, ScorerConfig.of(name, **settings)).learn(texts, labels)


@pytest.mark.parametrize("name", SCORERS)
def test_a_tie_is_not_spam(name: str) -> None:
    model = learned(TEXTS, LABELS, name)
    for message in ("one", "two five", "three one two"):
        predictions = model.score([message])
        assert predictions.labels == ["ham"]
        assert predictions.probability.tolist() == [0.5]


def test_rounding_does_not_break_a_tie() -> None:
    # The same factors in another order: their logarithms sum to numbers that differ in the last digit.
    third, fifth, seventh = np.log(1 / 3), np.log(1 / 5), np.log(1 / 7)
    ham, spam = (third + fifth) + seventh, (seventh + fifth) + third
    assert abs(ham - np.nextafter(spam, 0)) < 1e-14
    scores = np.array([[ham, np.nextafter(spam, 0)], [-5.0, -5.0 + 1e-6], [-np.inf, -5.0]])
    assert (log_odds_of(scores, 1) > 0).tolist() == [False, True, True]


def test_a_tie_of_the_estimator_is_the_first_class() -> None:
    estimator = SpamClassifier("binary", tokens="plain", calibrate=False).fit(TEXTS, LABELS)
    assert estimator.predict(["one two"]).tolist() == ["ham"]


def test_a_tie_of_three_classes_goes_to_the_greater_prior() -> None:
    texts, labels = ["a", "a", "a", "a b"], ["home", "spam", "work", "work"]
    model = learned(texts, labels, "binary", alpha=0.0)
    joint = np.exp(model.score(["a"]).scored.joint[0])  # 1/4, 1/4, 2/4
    assert joint == pytest.approx([0.25, 0.25, 0.5])
    # P(home) P(c|home) = 2/5 1/2 and P(work) P(c|work) = 1/5 1/1 are equal.
    texts, labels = ["c", "b", "a", "a", "c"], ["home", "home", "spam", "spam", "work"]
    model = learned(texts, labels, "categorical", alpha=0.0)
    assert np.exp(model.score(["c"]).scored.joint[0]) == pytest.approx([0.2, 0.0, 0.2])
    assert model.predict(["c"]) == ["home"]


def test_equal_classes_with_equal_priors_are_not_spam() -> None:
    model = learned(["a", "a", "a"], ["junk", "spam", "work"], "binary")
    assert model.predict(["a"]) == ["work"]
    assert SpamClassifier("binary", tokens="plain", calibrate=False).fit(
        ["a", "a", "a"], ["junk", "spam", "work"]
    ).predict(["a"]).tolist() == ["work"]


def test_equal_costs_follow_the_preference() -> None:
    assert least_cost([[0.5, 0.5]], [[0, 1], [1, 0]], preference=[1, 0]).tolist() == [1]
    assert highest(np.array([[0.3, 0.3 + 1e-15, 0.4]]), [2, 0, 1]).tolist() == [2]
    assert highest(np.array([[0.3, 0.3 + 1e-15, 0.2]])).tolist() == [0]


# --- Impossible in every class

ODD = ["win cash", "win now", "see you", "see mum", "lunch"], ["spam", "spam", "ham", "ham", "ham"]


@pytest.mark.parametrize("name", ["binary", "categorical", "multinomial", "poisson"])
def test_the_prior_decides_what_both_classes_exclude(name: str) -> None:
    predictions = learned(*ODD, name, alpha=0.0).score(["win lunch"])
    assert np.isneginf(predictions.scored.joint).all()
    assert predictions.labels == ["ham"]
    assert predictions.probability[0] == pytest.approx(2 / 5)
    assert np.isneginf(predictions.scored.log_evidence).all()


def test_the_prior_may_be_for_spam() -> None:
    texts, labels = ODD
    model = learned(texts, ["ham" if label == "spam" else "spam" for label in labels], alpha=0.0)
    assert model.predict(["win lunch"]) == ["spam"]


def test_one_possible_class_is_certain() -> None:
    model = learned(*ODD, alpha=0.0)
    assert model.predict(["win", "see"]) == ["spam", "ham"]


def test_the_prior_of_three_classes() -> None:
    texts, labels = ["a", "b", "c", "c"], ["home", "spam", "work", "work"]
    model = learned(texts, labels, alpha=0.0)
    predictions = model.score(["a b", "a b c"])
    assert predictions.labels == ["work", "work"]
    assert model.proba(predictions)[0] == pytest.approx([0.25, 0.25, 0.5])


def test_complement_has_no_prior_to_decide() -> None:
    # Without smoothing a word of one class alone makes that class certain; here both are: a tie.
    predictions = learned(*ODD, "complement", alpha=0.0).score(["win lunch", "win"])
    assert np.isposinf(predictions.scored.joint[0]).all()
    assert predictions.labels == ["ham", "spam"]
    got = prior_if_impossible(np.array([[np.inf, np.inf, 1.0]]), np.zeros(3))
    assert got.tolist() == [[0.0, 0.0, -np.inf]]


def test_out_of_fold_scores_follow_the_same_rule() -> None:
    texts = [f"{word} {i}" for i in range(20) for word in ("win", "see")]
    labels = ["spam", "ham"] * 20
    texts[::4] = [f"win see {i}" for i in range(10)]
    trainer = Trainer(PLAIN, ScorerConfig.of("categorical", alpha=0.0), TrainingConfig(folds=2))
    trainer.add(Texts.of(texts), labels)
    model = trainer.finish()
    assert model.metrics is not None
    assert np.isfinite(model.log_odds(["win see"])).all()


# --- The lab: trained on the first 300 rows, maximum likelihood


@pytest.fixture(scope="module")
def rows() -> list[str]:
    if not FILE.exists():
        pytest.skip(f"the lab's file is not beside the checkout: no {FILE.name}")
    return FILE.read_text("utf-8").splitlines(keepends=True)


def write(cli: Cli, name: str, lines: list[str]) -> Path:
    return cli.write(name, "".join(lines))


@pytest.mark.parametrize(
    "flags",
    [("--textbook", "categorical"), ("--scorer", "categorical", "--tokens", "plain", "--folds", "0")],
    ids=["textbook", "spelled out"],
)
def test_the_lab_on_the_command_line(cli: Cli, rows: list[str], flags: tuple[str, ...]) -> None:
    cli("train", write(cli, "first.csv", rows[:301]), *flags, "--alpha", "0", "-o", "lab.spamnb")
    five = write(cli, "five.csv", [rows[0], *rows[531:536]])
    printed = cli("predict", five, "-m", "lab.spamnb", "--format", "terse").text
    assert [line.split("\t")[0] for line in printed.splitlines()] == ["ham", "spam", "ham", "ham", "ham"]
    rest = write(cli, "rest.csv", [rows[0], *rows[301:]])
    metrics = cli("evaluate", rest, "-m", "lab.spamnb", "--json", "-").json
    assert (metrics["false_positives"], metrics["ham"]) == (43, 4569)


# --- Damping


def test_an_uncalibrated_model_is_not_damped() -> None:
    model = SpamModel(PLAIN).learn(["win cash", "see mum"], ["spam", "ham"])
    joint = model.score(["win cash"]).scored.joint[0]
    assert model.log_odds(["win cash"])[0] == pytest.approx(joint[1] - joint[0])
    assert model.active_scoring.damping == 0.0
    assert model.scoring.damping == 1.0


def test_a_calibrated_model_is_damped() -> None:
    texts = [f"{word} {i}" for i in range(20) for word in ("win cash", "see mum")]
    model = train(texts, ["spam", "ham"] * 20, features=PLAIN)
    assert model.active_scoring.damping == 1.0
    assert model.score(["win cash"]).scored.scale.tolist() == [0.5]


def test_columns_alone_are_never_damped() -> None:
    features = FeatureConfig(ngrams=1, shapes=False, categorical=("a", "b"))
    trainer = Trainer(features)
    columns = {"a": ["x", "y"] * 20, "b": ["u", "u", "v", "v"] * 10}
    trainer.add(Texts.of([""] * 40), ["spam", "ham"] * 20, columns)
    model = trainer.finish()
    assert model.metrics is not None
    scored = model.score([""], {"a": ["x"], "b": ["u"]}).scored
    assert scored.scale.tolist() == [1.0]
