"""Checks a textbook exercise on spam, the three cases of features, and naive Bayes as a linear classifier."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from spamnb.counts.tally import count
from spamnb.features import extract
from spamnb.messages import Texts
from spamnb.model.scoring_engine import Engine
from spamnb.model.spam_model import SpamModel
from spamnb.scorers.base import Stats
from spamnb.scorers.column_models import category_log_p
from spamnb.settings import FeatureConfig, ScorerConfig

PLAIN = FeatureConfig.plain()

# --- The activity: P(shipping | spam) = .8, ham .4; P(perceptron | spam) = .01, ham .1; P(spam) = .75

PRIOR = {"spam": 0.75, "ham": 0.25}
SHIPPING = {"spam": 0.8, "ham": 0.4}
PERCEPTRON = {"spam": 0.01, "ham": 0.1}
CASES = [
    # .75 * .8 * .01 against .25 * .4 * .1
    pytest.param("shipping perceptron", True, 0.006, 0.01, id="both words"),
    # .75 * (1 - .8) * .01 against .25 * (1 - .4) * .1
    pytest.param("perceptron", False, 0.0015, 0.015, id="perceptron without shipping"),
]


@pytest.mark.parametrize(("message", "ships", "spam", "ham"), CASES)
def test_the_activity_by_the_formula(message: str, ships: bool, spam: float, ham: float) -> None:
    def side(c: str) -> float:
        return PRIOR[c] * (SHIPPING[c] if ships else 1 - SHIPPING[c]) * PERCEPTRON[c]

    assert (side("spam"), side("ham")) == pytest.approx((spam, ham), rel=1e-14)
    assert side("ham") > side("spam"), f"{message} is not spam"


def activity_messages() -> tuple[list[str], list[str]]:
    """400 e-mails whose counts are those probabilities: 240 of 300 spam have 'shipping' and 3 'perceptron',
    of 100 ham 40 and 10."""
    spam = ["shipping"] * 240 + ["perceptron"] * 3 + ["?"] * 57
    ham = ["shipping"] * 40 + ["perceptron"] * 10 + ["?"] * 50
    return spam + ham, ["spam"] * 300 + ["ham"] * 100


@pytest.mark.parametrize(("message", "_ships", "spam", "ham"), CASES)
def test_the_activity_by_the_bernoulli_scorer(message: str, _ships: bool, spam: float, ham: float) -> None:
    model = SpamModel(PLAIN, ScorerConfig.of("bernoulli", alpha=0.0)).learn(*activity_messages())
    joint = model.score([message]).scored.joint[0]
    assert model.labels == ("ham", "spam")
    assert np.exp(joint) == pytest.approx([ham, spam], rel=1e-13)
    assert model.predict([message]) == ["ham"]
    assert model.predict_proba([message])[0, 1] == pytest.approx(spam / (spam + ham), rel=1e-13)


# --- Case 1: categorical features


@pytest.mark.parametrize("smoothing", [0.0, 1.0, 0.5])
def test_case_1_categorical(smoothing: float) -> None:
    # theta_jc = (messages of class c with value j + l) / (messages of class c + l K), K = 3 values here
    status = ["single", "single", "married", "widowed", "married"]
    labels = ["healthy", "healthy", "healthy", "ill", "ill"]
    features = FeatureConfig(1, False, categorical=("status",))
    store = SpamModel(features).learn([""] * 5, labels, {"status": status}).store
    theta = {value: np.exp(log_p) for value, log_p in category_log_p(store, "status", smoothing).items()}
    counts = {"single": (2, 0), "married": (1, 1), "widowed": (0, 1)}
    for value, (healthy, ill) in counts.items():
        expected = [(healthy + smoothing) / (3 + 3 * smoothing), (ill + smoothing) / (2 + 3 * smoothing)]
        assert theta[value] == pytest.approx(expected, rel=1e-14)
    assert sum(theta.values()) == pytest.approx([1, 1], rel=1e-14)  # sum over j of theta_jc = 1


# --- Case 2: multinomial features


def test_case_2_multinomial_by_hand() -> None:
    # theta = (occurrences in the class + l) / (words of the class + l d), d = 3 words, l = 1:
    # spam has 5 words (cash 3, now 2), ham 2 (now, mum); "cash cash mum".
    store = count(extract(Texts.of(["cash cash now", "cash now", "now mum"]), PLAIN), ["spam", "spam", "ham"])
    engine = Engine(store, ScorerConfig.of("multinomial", alpha=1.0, once=False, damping=0.0))
    joint = engine.score(extract(Texts.of(["cash cash mum"]), PLAIN)).joint[0]
    spam = Fraction(2, 3) * Fraction(4, 8) ** 2 * Fraction(1, 8)
    ham = Fraction(1, 3) * Fraction(1, 5) ** 2 * Fraction(2, 5)
    assert np.exp(joint) == pytest.approx([ham, spam], rel=1e-13)


def test_case_2_a_word_twice_as_often_is_twice_the_evidence() -> None:
    model = SpamModel(PLAIN, ScorerConfig.of("multinomial", once=False, damping=0.0)).learn(
        ["cash now", "now mum"], ["spam", "ham"]
    )
    ten, twenty = model.log_odds(["cash " * 10, "cash " * 20])
    assert twenty == pytest.approx(2 * ten, rel=1e-13)  # the priors are equal: b = 0


# --- Case 3: Gaussian features


@pytest.mark.parametrize("ddof", [0, 1])
def test_case_3_gaussian(ddof: int) -> None:
    # The document divides by n_c (ddof 0); ddof 1 is the sample variance.
    values = {"a": [1.0, 2.0, 4.0], "b": [10.0, 14.0]}
    features = FeatureConfig(1, False, numeric=("x",))
    model = SpamModel(features, ScorerConfig.of("multinomial", ddof=ddof, damping=0.0)).learn(
        [""] * 5, ["a"] * 3 + ["b"] * 2, numbers={"x": np.array(values["a"] + values["b"])}
    )
    joint = model.score(["", ""], numbers={"x": np.array([3.0, math.nan])}).scored.joint
    for column, (label, share) in enumerate({"a": 3 / 5, "b": 2 / 5}.items()):
        mean = math.fsum(values[label]) / len(values[label])
        variance = math.fsum((v - mean) ** 2 for v in values[label]) / (len(values[label]) - ddof)
        density = math.exp(-((3.0 - mean) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)
        assert joint[0, column] == pytest.approx(math.log(share * density), rel=1e-13)
        assert joint[1, column] == pytest.approx(math.log(share), rel=1e-13)  # a missing number says nothing


# --- Naive Bayes is a linear classifier


def random_counts(seed: int) -> tuple[list[str], list[str], list[str]]:
    """Messages of random words of a vocabulary of 30, of both classes, and some to score."""
    rng = np.random.default_rng(seed)

    def texts(n: int, words: int) -> list[str]:
        p = rng.dirichlet(np.full(words, 0.3))
        return [" ".join(f"w{i}" for i in rng.choice(words, rng.integers(1, 40), p=p)) for _ in range(n)]

    spam, ham = texts(int(rng.integers(1, 20)), 30), texts(int(rng.integers(1, 20)), 30)
    return spam + ham, ["spam"] * len(spam) + ["ham"] * len(ham), [*texts(20, 30), *texts(20, 40), ""]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("alpha", [1.0, 0.01])
def test_w_x_plus_b_is_the_difference_of_the_class_scores(seed: int, alpha: float) -> None:
    messages, labels, unseen = random_counts(seed)
    store = count(extract(Texts.of(messages), PLAIN), labels)
    config = ScorerConfig.of("multinomial", alpha=alpha, once=False, damping=0.0)
    model = SpamModel(PLAIN, config, store)
    log_theta = model.engine.scorer.estimate(Stats.of(store))
    words = store.spellings.tolist()
    w = dict(zip(words, (log_theta[:, 1] - log_theta[:, 0]).tolist(), strict=True))
    # Straight from the counts: w_i = log theta_i,spam - log theta_i,ham, b = log pi_spam - log pi_ham.
    ham, spam = store.tokens.T + alpha
    assert list(w.values()) == pytest.approx(np.log(spam / spam.sum()) - np.log(ham / ham.sum()), abs=1e-12)
    b = math.log(labels.count("spam") / len(labels)) - math.log(labels.count("ham") / len(labels))

    joint = model.score(unseen).scored.joint
    linear = np.array([math.fsum(w.get(word, 0.0) for word in text.split()) + b for text in unseen])
    difference = joint[:, 1] - joint[:, 0]
    scale = np.maximum(1.0, np.abs(joint).max(axis=1))
    assert (np.abs(linear - difference) / scale).max() < 1e-12
    clear = np.abs(linear) > 1e-9
    assert clear.sum() >= 30
    verdicts = [label for label, sure in zip(model.predict(unseen), clear, strict=True) if sure]
    expected = ["spam" if value > 0 else "ham" for value in linear[clear]]
    known = model.score(unseen).known[clear] > 0
    assert [s for s, k in zip(verdicts, known, strict=True) if k] == [
        e for e, k in zip(expected, known, strict=True) if k
    ]


def test_gaussian_naive_bayes_of_equal_variances_is_logistic() -> None:
    # P(+ | x) = 1 / (1 + exp(-(w x + b))) with w = (mu+ - mu-) / s^2 and
    # b = log(pi+ / pi-) - (mu+^2 - mu-^2) / (2 s^2), where both classes share the variance s^2.
    minus, plus = np.array([0.0, 1.0, 2.0, 5.0]), np.array([3.0, 4.0, 5.0, 8.0])
    features = FeatureConfig(1, False, numeric=("x",))
    model = SpamModel(features, ScorerConfig.of("multinomial", damping=0.0), positive="+").learn(
        [""] * 8, ["-"] * 4 + ["+"] * 4, numbers={"x": np.concatenate((minus, plus))}
    )
    x = np.linspace(-10, 20, 31)
    variance = minus.var()
    w, b = (plus.mean() - minus.mean()) / variance, (minus.mean() ** 2 - plus.mean() ** 2) / (2 * variance)
    proba = model.predict_proba([""] * 31, numbers={"x": x})
    assert proba[:, model.labels.index("+")] == pytest.approx(1 / (1 + np.exp(-(w * x + b))), rel=1e-11)
