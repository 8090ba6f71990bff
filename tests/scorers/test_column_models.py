"""Categorical and numeric columns: their formulas, what is missing, and their sum with the text."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from spamnb.core.arrays import FloatArray
from spamnb.counts.moments import Moments
from spamnb.messages import Texts
from spamnb.model.spam_model import SpamModel
from spamnb.scorers.column_models import gaussian_log_p, gaussian_parameters, m_estimate
from spamnb.settings import FeatureConfig, ScorerConfig, TrainingConfig
from spamnb.training.trainer import Trainer

FEATURES = FeatureConfig(ngrams=1, shapes=False, categorical=("sender",), numeric=("size",))
LABELS = ["ham", "ham", "ham", "spam", "spam", "ham"]
SENDERS = ["a", "a", "b", "c", "", "c"]
SIZES = [1.0, 2.0, 4.0, 10.0, 14.0, math.nan]


def model_of(**settings: object) -> SpamModel:
    scoring = ScorerConfig.of("categorical", **settings)
    messages = [""] * len(LABELS)
    return SpamModel(FEATURES, scoring).learn(
        messages, LABELS, {"sender": SENDERS}, {"size": np.array(SIZES)}
    )


def joint(model: SpamModel, sender: str, size: float, message: str = "") -> FloatArray:
    result = model.score([message], {"sender": [sender]}, {"size": np.array([size])})
    return np.asarray(result.scored.joint[0])


def normal(x: float, values: list[float], ddof: int = 0) -> float:
    mean = sum(values) / len(values)
    variance = sum((v - mean) ** 2 for v in values) / (len(values) - ddof)
    return -((x - mean) ** 2) / (2 * variance) - 0.5 * math.log(2 * math.pi * variance)


PRIOR = [math.log(4 / 6), math.log(2 / 6)]


@pytest.mark.parametrize("alpha", [1.0, 0.5])
@pytest.mark.parametrize(("sender", "seen"), [("a", (2, 0)), ("b", (1, 0)), ("c", (1, 1))])
def test_a_category(alpha: float, sender: str, seen: tuple[int, int]) -> None:
    """(n + l) / (n_c + l K): 4 ham and 1 spam have a value, of 3 values in all."""
    expected = [
        PRIOR[c] + math.log((seen[c] + alpha) / (total + 3 * alpha)) for c, total in enumerate((4, 1))
    ]
    assert joint(model_of(alpha=alpha), sender, math.nan).tolist() == pytest.approx(expected, abs=1e-12)


def test_an_unsmoothed_category() -> None:
    actual = joint(model_of(alpha=0.0), "a", math.nan)
    assert actual.tolist() == pytest.approx([PRIOR[0] + math.log(2 / 4), -math.inf])


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("size", [0.0, 3.0, 12.5])
def test_a_number(size: float, ddof: int) -> None:
    expected = [
        PRIOR[0] + normal(size, [1.0, 2.0, 4.0], ddof),
        PRIOR[1] + normal(size, [10.0, 14.0], ddof),
    ]
    assert joint(model_of(ddof=ddof), "", size).tolist() == pytest.approx(expected, abs=1e-12)


def test_evidence_of_every_kind_is_added() -> None:
    model = model_of().learn(["win"], ["spam"]).learn(["see"], ["ham"])
    bare = joint(model, "", math.nan)
    parts = [
        joint(model, "a", math.nan) - bare,
        joint(model, "", 3.0) - bare,
        joint(model, "", math.nan, "win") - bare,
    ]
    assert joint(model, "a", 3.0, "win").tolist() == pytest.approx((bare + sum(parts)).tolist(), abs=1e-12)


@pytest.mark.parametrize("sender", ["", "never seen"])
def test_what_is_missing_or_new_says_nothing(sender: str) -> None:
    result = model_of().score([""], {"sender": [sender]}, {"size": np.array([math.nan])})
    assert result.scored.joint[0].tolist() == pytest.approx(PRIOR)
    assert result.known.tolist() == [0]
    assert result.labels == ["unsure"]


@pytest.mark.parametrize("size", [math.inf, -math.inf])
def test_an_infinite_number_is_a_missing_one(size: float) -> None:
    np.testing.assert_array_equal(joint(model_of(), "a", size), joint(model_of(), "a", math.nan))


def test_a_number_far_away_overflows_nothing() -> None:
    assert joint(model_of(), "", 1e300)[0] < -1e100


def test_numbers_too_large_for_a_variance() -> None:
    model = model_of().learn(["", ""], ["ham", "spam"], None, {"size": np.array([1e308, -1e308])})
    assert not np.isnan(joint(model, "a", 3.0)).any()


def test_a_column_that_one_class_never_had_says_nothing() -> None:
    model = SpamModel(FEATURES).learn(["a", "b"], ["ham", "spam"], None, {"size": np.array([1.0, math.nan])})
    assert model.score(["a"], None, {"size": np.array([5.0])}).known.tolist() == [1]


def test_a_column_that_never_varies() -> None:
    mean, sd = gaussian_parameters([Moments.of([2.0, 2.0]), Moments.of([1.0, 3.0])], 0)
    assert mean.tolist() == [2.0, 2.0]
    assert sd.tolist() == pytest.approx([1e-6, 1.0])
    _, all_flat = gaussian_parameters([Moments.of([2.0]), Moments.of([3.0])], 1)
    assert all_flat.tolist() == pytest.approx([1e-6, 1e-6])


def test_columns_that_the_model_was_not_told_of_are_passed_over() -> None:
    model = SpamModel(FeatureConfig.plain()).learn(["a", "b"], ["ham", "spam"], {"sender": ["x", "y"]})
    with_column = model.score(["a"], {"sender": ["y"]})
    assert with_column.scored.joint.tolist() == model.score(["a"]).scored.joint.tolist()


def test_explanations_name_columns() -> None:
    model = model_of().learn(["win"], ["spam"])
    why = model.explain("win", {"sender": ["a"]}, {"size": np.array([3.0])})
    assert {part.token for part in why.evidence} == {"win", "column:sender", "column:size"}
    total = why.bias + math.fsum(part.log_odds for part in why.evidence)
    assert total == pytest.approx(why.log_odds, abs=1e-9)
    assert (why.basis.known, why.basis.unknown) == (3, 0)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=6, unique=True), st.floats(-1e6, 1e6))
def test_the_normal_density(values: list[float], x: float) -> None:
    if max(values) - min(values) < 1e-3:
        return
    mean, sd = gaussian_parameters([Moments.of(values)], 0)
    actual = float(gaussian_log_p(np.array([x]), mean, sd)[0, 0])
    assert actual == pytest.approx(normal(x, values), rel=1e-6, abs=1e-6)


def test_the_m_estimate_is_smoothing_by_m_over_k() -> None:
    assert [m_estimate(n, 5, 1, 1 / 3) for n in (0, 2.5, 5 / 3)] == pytest.approx(
        [(n + 1 / 3) / (5 + 1) for n in (0, 2.5, 5 / 3)]
    )


@pytest.mark.parametrize("price", [1e20, 1e300])
def test_numbers_without_measure_give_no_warnings(price: float) -> None:
    """A correction that 32 bits do not hold is none."""
    trainer, days = (
        Trainer(FeatureConfig(numeric=("price",)), training=TrainingConfig(refine="yes")),
        range(60),
    )
    texts = [f"win prize {i} now" for i in days] + [f"see you at {i}" for i in days]
    prices = np.array([price] * 60 + [2.0] * 60)
    trainer.add(Texts.of(texts), ["spam"] * 60 + ["ham"] * 60, {}, {"price": prices})
    model = trainer.finish()
    assert model.score(Texts.of(["win prize 3 now"]), {}, {"price": np.array([price])}).codes.tolist() == [1]


def test_rows_without_any_text_are_forgotten() -> None:
    model, extra = model_of(), ([""], ["ham"], {"sender": ["a"]}, {"size": np.array([7.0])})
    back = model.learn(*extra).forget(*extra)
    assert (back.store.categories, back.store.numbers) == (model.store.categories, model.store.numbers)
