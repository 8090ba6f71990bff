"""Every scorer of the registry under the shared checks, against its slow twin and against scikit-learn."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from spamnb.core import FloatArray
from spamnb.errors import ConfigError
from spamnb.model.spam_model import SpamModel
from spamnb.scorers import REGISTRY, Stats, make
from spamnb.scorers.base import log_ratio
from spamnb.scorers.multinomial import Multinomial
from spamnb.scorers.poisson import log_factorial
from spamnb.settings import FeatureConfig, ScorerConfig
from tests.helpers.scorer_checks import CHECKS, Case, agrees_with_the_twin
from tests.reference import scorers as twin
from tests.reference.counts import Counts

PRIOR = "prior must be learned, uniform or positive numbers with sum 1"

# Each entry changes one thing; the scorer's own defaults are the rest.
VARIANTS: dict[str, dict[str, Any]] = {
    "alpha 0": {"alpha": 0.0},
    "alpha 0.01": {"alpha": 0.01},
    "alpha 2": {"alpha": 2.0},
    "once": {"once": True},
    "often": {"once": False},
    "uniform prior": {"prior": "uniform"},
    "given prior": {"prior": (0.2, 0.3, 0.5)},
    "balanced": {"balance": "weight"},
    "balanced, alpha 0": {"balance": "weight", "alpha": 0.0},
    "m-estimate": {"m_estimate": 3.0},
    "m-estimate 0": {"m_estimate": 0.0},
    "class weight": {"class_weights": (("spam", 2.5),)},
    "balanced, with a class weight": {"balance": "weight", "class_weights": (("ham", 3.0),)},
    "damped": {"damping": 1.0},
    "half damped": {"damping": 0.5},
}


def features_for(scoring: ScorerConfig) -> FeatureConfig:
    return FeatureConfig(ngrams=scoring.order + 1) if scoring.name == "less-naive" else FeatureConfig()


@cache
def case_of(name: str, classes: int, order: int = 1) -> Case:
    scoring = ScorerConfig.of(name, order=order)
    return Case(features_for(scoring), scoring, classes)


def test_every_scorer_has_a_twin() -> None:
    assert sorted(twin.SCORERS) == list(REGISTRY)


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", REGISTRY)
def test_check(name: str, classes: int, check: str, tmp_path: Path) -> None:
    CHECKS[check](case_of(name, classes), tmp_path)


@pytest.mark.parametrize("name", REGISTRY)
def test_one_message_of_plain_words_alone(name: str, tmp_path: Path) -> None:
    """Sums of weights without damping and shapes have a way of their own."""
    scoring = replace(ScorerConfig.of(name), damping=0.0)
    CHECKS["a batch is one by one"](Case(FeatureConfig.plain(scoring.order + 1), scoring, 2), tmp_path)


def test_a_sum_of_weights_may_need_all_tokens(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def estimate(scorer: Multinomial, stats: Stats) -> FloatArray:
        counts, totals = scorer.counts(stats)
        return np.log((counts + 1) / (totals + (counts > 1).sum(axis=0)))

    monkeypatch.setattr(Multinomial, "estimate", estimate)
    monkeypatch.setattr(Multinomial, "needs_full_vocabulary", True)
    case = Case(FeatureConfig.plain(), ScorerConfig(once=False, damping=0.0), 2)
    CHECKS["a batch is one by one"](case, tmp_path)
    assert len(case.model.sample("spam", 1)[0].text.split()) > 2


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("order", [0, 2, 3, 4])
def test_less_naive_of_other_orders(order: int, check: str, tmp_path: Path) -> None:
    CHECKS[check](case_of("less-naive", 2, order), tmp_path)


def test_less_naive_of_order_0_is_multinomial() -> None:
    """P(w | c) = (N_wc + l) / (N_c + l V): a word that depends on no word before it."""
    messages, labels = case_of("multinomial", 3).messages, case_of("multinomial", 3).labels
    settings = {"alpha": 0.5, "once": False, "damping": 0.0}
    multinomial, markov = (
        SpamModel(FeatureConfig.plain(), ScorerConfig.of(name, **settings, order=0)).learn(messages, labels)
        for name in ("multinomial", "less-naive")
    )
    others = case_of("multinomial", 3).others
    np.testing.assert_allclose(
        markov.score(others).scored.joint, multinomial.score(others).scored.joint, rtol=1e-12
    )


def test_an_explanation_names_the_words_before() -> None:
    """The evidence of the last word names the words that it depends on."""
    messages, labels = ["a b c d e"] * 9 + ["b c d x"] * 9, ["ham"] * 9 + ["spam"] * 9
    for order in range(5):
        scoring = ScorerConfig.of("less-naive", order=order)
        model = SpamModel(FeatureConfig.plain(order + 1), scoring).learn(messages, labels)
        weights = [part for part in model.explain("a b c d e").evidence if part.token.startswith("e")]
        before = "abcd"[4 - order :]
        assert weights[0].token == (f"e (after {' '.join(before)})" if order else "e")


@pytest.mark.parametrize("order", range(5))
def test_flags_of_every_order(order: int) -> None:
    options = {"scorer": "less-naive", "order": order}
    assert FeatureConfig.from_options(options).ngrams == order + 1
    assert ScorerConfig.from_options(options).order == order


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", REGISTRY)
def test_settings_against_the_twin(name: str, classes: int, variant: str, tmp_path: Path) -> None:
    settings = dict(VARIANTS[variant])
    if "prior" in settings and classes == 2 and settings["prior"] != "uniform":
        settings["prior"] = (0.3, 0.7)
    scoring = ScorerConfig.of(name, **settings)
    features = FeatureConfig.plain(2 if name == "less-naive" else 1)
    agrees_with_the_twin(Case(features, scoring, classes), tmp_path)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", REGISTRY)
def test_a_class_weight_is_learning_that_often(name: str, classes: int) -> None:
    """To the last bit: the weight multiplies counts, and nothing is rounded."""
    case = case_of(name, classes)
    weighed = replace(case.model, scoring=replace(case.scoring, class_weights=(("spam", 3.0),)))
    spam = [m for m, label in zip(case.messages, case.labels, strict=True) if label == "spam"]
    often = case.model.learn(spam * 2, ["spam"] * (2 * len(spam)))
    expected = often.score(case.others).scored.joint
    assert weighed.score(case.others).scored.joint.tobytes() == expected.tobytes()


small = st.lists(st.sampled_from(["a", "b", "c", "d e"]), max_size=4).map(" ".join)
corpora = st.lists(st.tuples(small, st.sampled_from(["ham", "spam", "x"])), max_size=6)


@given(corpora, small, st.sampled_from(sorted(REGISTRY)), st.sampled_from([0.0, 0.5, 1.0]), st.booleans())
def test_any_corpus_against_the_twin(
    rows: list[tuple[str, str]], message: str, name: str, alpha: float, once: bool
) -> None:
    rows = [*((text if text.strip() else "?", label) for text, label in rows), ("a", "ham"), ("b", "spam")]
    messages, labels = [m for m, _ in rows], [c for _, c in rows]
    scoring = ScorerConfig.of(name, alpha=alpha, once=once)
    features = FeatureConfig.plain(2)
    model = SpamModel(features, scoring).learn(messages, labels)
    expected = twin.joint(Counts(messages, labels, features), scoring, message)
    actual = model.score([message]).scored.joint[0]
    np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-8)


def test_pairs_of_words_are_smoothed_more() -> None:
    """By hand: words get 0.1 / 2, the only pair 0.1 * 2; without pairs in the counts every token gets 0.1."""
    messages, labels = ["a b", "a"], ["ham", "spam"]
    with_pairs = SpamModel(FeatureConfig.plain(2), ScorerConfig(damping=0.0)).learn(messages, labels)
    weights = with_pairs.score(["a b"]).scored.joint[0] - np.log(0.5)
    ham = np.log(1.05 / 3.3) * 2 + np.log(1.2 / 3.3)
    spam = np.log(1.05 / 1.3) + np.log(0.05 / 1.3) + np.log(0.2 / 1.3)
    np.testing.assert_allclose(weights, [ham, spam])
    alone = SpamModel(FeatureConfig.plain(1), ScorerConfig(damping=0.0)).learn(messages, labels)
    np.testing.assert_allclose(
        alone.score(["b"]).scored.joint[0] - np.log(0.5), np.log([1.1 / 2.2, 0.1 / 1.2])
    )


def test_a_model_file_holds_only_settings() -> None:
    state = ScorerConfig().to_state()
    del state["ngram_smoothing_ratio"]
    assert ScorerConfig.from_state(state) == ScorerConfig()
    alike = ScorerConfig.from_state(state | {"ngram_smoothing_ratio": 1.0})
    assert (alike.ngram_smoothing_ratio, alike.ratio) == (1.0, 1.0)
    assert alike != ScorerConfig()
    with pytest.raises(TypeError, match="pairs is unknown"):
        ScorerConfig.from_state(alike.to_state() | {"pairs": 1.0})


def test_only_the_usual_alpha_is_another_one_for_pairs() -> None:
    assert (
        ScorerConfig(ngram_smoothing_ratio=4.0)
        == ScorerConfig()
        == ScorerConfig.from_state(ScorerConfig().to_state())
    )
    assert ScorerConfig().ratio == 4.0
    assert ScorerConfig().to_state()["ngram_smoothing_ratio"] == 4.0
    stated = replace(ScorerConfig(), alpha=1.0)
    assert stated.ratio == 1.0
    assert (
        stated
        == ScorerConfig(alpha=1.0, ngram_smoothing_ratio=1.0)
        == ScorerConfig.from_state(stated.to_state())
    )
    assert ScorerConfig.of("binary", alpha=0.1).ratio == 1.0
    with pytest.raises(ConfigError, match="ngram_smoothing_ratio must be more than 0"):
        ScorerConfig(ngram_smoothing_ratio=0.0)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", REGISTRY)
def test_explanations_without_smoothing(name: str, classes: int) -> None:
    """Words that some class never saw: nothing may warn, and the verdict is the one of `predict`."""
    scoring = ScorerConfig.of(name, alpha=0.0)
    case = Case(features_for(scoring), scoring, classes)
    for message in case.others:
        why = case.model.explain(message)
        assert why.verdict == case.model.predict([message])[0]
        assert 0 <= why.probability <= 1
        assert not any(np.isnan(part.log_odds) for part in why.evidence)


class TestAgainstScikitLearn:
    """The joint log likelihood of random count matrices."""

    ALPHAS = (1.0, 0.1, 1e-3)

    def compare(self, ours: str, theirs: str, alpha: float, classes: int) -> None:
        naive_bayes = pytest.importorskip("sklearn.naive_bayes")
        rng = np.random.default_rng(5)
        x = rng.poisson(0.7, (80, 40))
        x[:, x[:50].sum(axis=0) == 0] = 1  # every word is in the training part
        y = rng.integers(0, classes, 80)
        texts = [" ".join(f"w{j:02d} " * n for j, n in enumerate(row)) for row in x.tolist()]
        reference = getattr(naive_bayes, theirs)(alpha=alpha).fit(x[:50], y[:50])
        scoring = ScorerConfig.of(ours, alpha=alpha, once=False, damping=0.0)
        model = SpamModel(FeatureConfig.plain(), scoring).learn(texts[:50], [f"c{i}" for i in y[:50]])
        joint = model.score(texts[50:]).scored.joint
        seen = x[50:] > 0 if ours == "bernoulli" else x[50:]
        expected = reference._joint_log_likelihood(seen)
        np.testing.assert_allclose(joint, expected, rtol=0, atol=1e-9)

    @pytest.mark.parametrize("alpha", ALPHAS)
    @pytest.mark.parametrize("classes", [2, 4])
    @pytest.mark.parametrize(
        ("ours", "theirs"),
        [("multinomial", "MultinomialNB"), ("bernoulli", "BernoulliNB"), ("complement", "ComplementNB")],
    )
    def test_agrees(self, ours: str, theirs: str, alpha: float, classes: int) -> None:
        self.compare(ours, theirs, alpha, classes)


def test_an_unknown_scorer() -> None:
    with pytest.raises(ConfigError) as caught:
        make(ScorerConfig(name="magic"))
    assert caught.value.message == "unknown scorer 'magic'"
    assert caught.value.hint == f"choose one of: {', '.join(REGISTRY)}"


def test_a_prior_of_the_wrong_length() -> None:
    model = SpamModel(scoring=ScorerConfig(prior=(0.2, 0.3, 0.5))).learn(["a", "b"], ["ham", "spam"])
    with pytest.raises(ConfigError) as caught:
        model.predict(["a"])
    assert caught.value.message == "--class-prior gives 3 numbers, the model has 2 classes"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alpha": -1.0}, "alpha must be 0 or more, got -1.0"),
        ({"m_estimate": -1.0}, "m_estimate must be 0 or more, got -1.0"),
        (
            {"class_weights": (("spam", 0.0),)},
            "class_weights must be positive numbers, got [('spam', 0.0)]",
        ),
        ({"alpha": float("nan")}, "alpha must be 0 or more, got nan"),
        ({"alpha": float("inf")}, "alpha must be 0 or more, got inf"),
        ({"damping": 1.5}, "damping must be between 0 and 1, got 1.5"),
        ({"order": 5}, "order must be between 0 and 4, got 5"),
        ({"order": -1}, "order must be between 0 and 4, got -1"),
        ({"ddof": 2}, "ddof must be 0 or 1, got 2"),
        ({"balance": "x"}, "balance must be none, undersample or weight, got 'x'"),
        ({"prior": "x"}, f"{PRIOR}, got 'x'"),
        ({"prior": (0.5, 0.6)}, f"{PRIOR}, got [0.5, 0.6]"),
        ({"prior": (1.0, 0.0)}, f"{PRIOR}, got [1.0, 0.0]"),
    ],
)
def test_settings_out_of_range(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        ScorerConfig(**settings)
    assert caught.value.message == message


@pytest.mark.parametrize("n", [0, 1, 2, 5, 170, 171, 1000, 10**6])
def test_log_factorial(n: int) -> None:
    import math

    assert float(log_factorial(np.array([n]))[0]) == pytest.approx(math.lgamma(n + 1), rel=1e-13, abs=1e-12)


def test_log_ratio_of_nothing() -> None:
    above, below = np.array([1.0, 0.0, 0.0, 2.0]), np.array([2.0, 2.0, 0.0, 0.0])
    assert log_ratio(above, below).tolist() == [np.log(0.5), -np.inf, -np.inf, -np.inf]
