"""Messages drawn from a model have its frequencies; where there is no distribution, none are drawn."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from spamnb.errors import ConfigError
from spamnb.model.spam_model import SpamModel
from spamnb.scorers import REGISTRY, make
from spamnb.scorers.less_naive import BACK_OFF
from spamnb.settings import FeatureConfig, ScorerConfig
from tests.helpers.column_checks import CATEGORICAL, NUMERIC, Table
from tests.helpers.command_line import TINY, TINY_FLAGS, Cli

TEXTS = ["win cash now", "win win prize", "see you now", "lunch now", "see mum"]
LABELS = ["spam", "spam", "ham", "ham", "ham"]
DRAWN = [name for name in REGISTRY if make(ScorerConfig.of(name)).generative]


def model_of(name: str, ngrams: int = 1, **settings: Any) -> SpamModel:
    return SpamModel(FeatureConfig.plain(ngrams), ScorerConfig.of(name, **settings)).learn(TEXTS, LABELS)


def words_of(model: SpamModel, n: int = 4000) -> list[list[str]]:
    return [message.text.split() for message in model.sample("spam", n, seed=1)]


def near(share: float, expected: float, n: int) -> bool:
    """Within five standard errors: it fails once in two million draws, and the seed is fixed."""
    return abs(share - expected) < 5 * math.sqrt(expected * (1 - expected) / n)


@pytest.mark.parametrize("name", ["multinomial", "categorical", "poisson"])
def test_words_come_as_often_as_the_model_says(name: str) -> None:
    """N in spam: win 3, cash 1, now 1, prize 1; four other words of the vocabulary have none."""
    drawn = words_of(model_of(name, alpha=1.0, once=False))
    words = Counter(word for message in drawn for word in message)
    total = sum(words.values())
    assert set(words) == set(" ".join(TEXTS).split())
    for word, count in {"win": 3, "cash": 1, "now": 1, "see": 0, "mum": 0}.items():
        assert near(words[word] / total, (count + 1) / (6 + 8), total)
    assert total / len(drawn) == pytest.approx(3, abs=5 * math.sqrt(3 / len(drawn)))  # 6 words in 2 messages


def test_without_smoothing_only_words_of_the_class_come() -> None:
    assert {word for message in words_of(model_of("multinomial", alpha=0.0), 200) for word in message} == {
        *("win", "cash", "now", "prize")
    }


def test_bernoulli_tosses_a_coin_for_each_word() -> None:
    """p = (D + 1) / (2 + 2): win is in both messages of spam, cash in one, mum in none."""
    drawn = words_of(model_of("bernoulli"))
    for word, p in {"win": 3 / 4, "cash": 2 / 4, "mum": 1 / 4}.items():
        assert near(sum(word in message for message in drawn) / len(drawn), p, len(drawn))
    assert all(len(set(message)) == len(message) for message in drawn)


def test_less_naive_is_a_chain() -> None:
    """After win: cash 1, win 1, prize 1 of N = 3, and s times the words alone, (N + 1) / (6 + 8)."""
    drawn = words_of(model_of("less-naive", ngrams=2))
    after = Counter(b for message in drawn for a, b in pairwise(message) if a == "win")
    total = sum(after.values())
    for word, together, alone in [("cash", 1, 1), ("win", 1, 3), ("now", 0, 1), ("mum", 0, 0)]:
        expected = (together + BACK_OFF * (alone + 1) / 14) / (3 + BACK_OFF)
        assert near(after[word] / total, expected, total)


def test_a_long_chain_repeats_what_it_has_read() -> None:
    text = "one two three four five six"
    scoring = ScorerConfig.of("less-naive", order=4, alpha=0.0)
    model = SpamModel(FeatureConfig.plain(5), scoring).learn(
        [text] * 500 + ["other"], ["spam"] * 500 + ["ham"]
    )
    after = [pair for message in words_of(model, 200) for pair in pairwise(message) if pair[0] != "six"]
    assert sum(f"{a} {b}" in text for a, b in after) > 0.95 * len(after)


@pytest.mark.parametrize("name", DRAWN)
def test_the_seed_decides(name: str) -> None:
    model = model_of(name, ngrams=2)
    texts = [message.text for message in model.sample("spam", 5, seed=7)]
    assert [message.text for message in model.sample("spam", 5, seed=7)] == texts
    assert [message.text for message in model.sample("spam", 5, seed=8)] != texts
    assert [message.text for message in model.sample("spam", 2, seed=7)] == texts[:2]


@pytest.mark.parametrize("name", DRAWN)
def test_pseudo_messages_are_of_their_class(name: str) -> None:
    """The model recognizes most of its own messages; unsmoothed classes of different words would be all."""
    model = model_of(name, ngrams=2, alpha=0.1)
    for label in ("ham", "spam"):
        texts = [message.text for message in model.sample(label, 300) if message.text]
        assert model.predict(texts).count(label) > 0.7 * len(texts)


@pytest.mark.parametrize(("covariance", "tree"), [("diagonal", False), ("full", True), ("shared", True)])
def test_columns(covariance: str, tree: bool) -> None:
    """Learned again, the drawn columns give the model back: means, covariances and shares of values."""
    table = Table(2, 300, gaps=False)
    scoring = ScorerConfig.of("multinomial", covariance=covariance, column_tree=tree, alpha=0.0)
    features = FeatureConfig(1, False, categorical=CATEGORICAL, numeric=NUMERIC)
    model = SpamModel(features, scoring).learn(**table.part(slice(None)))
    drawn = model.sample("spam", 3000)
    rows = [i for i, label in enumerate(table.labels) if label == "spam"]
    points = np.array([table.numbers[name][rows] for name in NUMERIC])
    new = np.array([[message.numbers[name] for message in drawn] for name in NUMERIC])
    np.testing.assert_allclose(new.mean(axis=1), points.mean(axis=1), atol=0.1)
    if covariance == "full":
        np.testing.assert_allclose(np.cov(new, ddof=0), np.cov(points, ddof=0), atol=0.12)
    for name in CATEGORICAL:
        values, again = ([table.categories[name][i] for i in rows], [m.categories[name] for m in drawn])
        for value in set(values):
            share = values.count(value) / len(rows)
            assert share == 1 or near(again.count(value) / len(drawn), share, len(drawn))


def test_a_tree_draws_a_value_given_its_parent() -> None:
    features = FeatureConfig(1, False, categorical=("a", "b"))
    scoring = ScorerConfig.of("multinomial", column_tree=True, alpha=0.0)
    values = {"a": ["x", "y"] * 4, "b": ["X", "Y"] * 4}
    model = SpamModel(features, scoring).learn([""] * 8, ["ham"] * 4 + ["spam"] * 4, values)
    drawn = {(m.categories["a"], m.categories["b"]) for m in model.sample("ham", 100)}
    assert drawn == {("x", "X"), ("y", "Y")}


def test_a_column_that_a_class_never_had() -> None:
    features = FeatureConfig(1, False, categorical=("a",), numeric=("n",))
    model = SpamModel(features, ScorerConfig.of("multinomial", alpha=0.0)).learn(
        ["", ""], ["ham", "spam"], {"a": ["x", ""]}, {"n": np.array([1.0, math.nan])}
    )
    (message,) = model.sample("spam")
    assert (message.text, message.categories) == ("", {"a": ""})
    assert math.isnan(message.numbers["n"])


@pytest.mark.parametrize("name", ["binary", "complement"])
def test_a_scorer_without_a_distribution(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        model_of(name).sample("spam")
    assert caught.value.message == f"the scorer {name} does not model whole messages"
    assert caught.value.hint == "draw from a model of another scorer, such as multinomial"


def test_on_the_command_line(cli: Cli) -> None:
    cli("train", cli.write("tiny.csv", TINY), "-o", "m", "-q", *TINY_FLAGS)
    lines = cli("inspect", "-m", "m", "--sample", "spam", "3").lines
    assert len(lines) == 3
    assert cli("inspect", "-m", "m", "--sample", "spam", "3", "--seed", "0").lines == lines
    assert cli("inspect", "-m", "m", "--sample", "spam", "3", "--seed", "1").lines != lines
    result = cli("inspect", "-m", "m", "--sample", "spam", "3", "--json", "-").json
    assert (result["label"], result["seed"]) == ("spam", 0)
    assert [message["text"].encode() for message in result["messages"]] == lines
    assert cli.fails("inspect", "-m", "m", "--sample", "junk", "3", code=2) == [
        "Error: the model has no class 'junk'",
        "Hint: choose one of: ham, spam",
    ]


@pytest.mark.parametrize(
    ("flags", "error"),
    [
        (
            ("win", "--sample", "spam", "1"),
            "--sample takes no words: leave them out.",
        ),
        (("--seed", "1"), "--seed needs --sample."),
        (("--sample", "spam", "0"), "Invalid value for '--sample': 0 is not in the range x>=1."),
    ],
)
def test_wrong_options(cli: Cli, flags: tuple[str, ...], error: str) -> None:
    assert cli.fails("inspect", *flags, code=2)[-1] == f"Error: {error}"
