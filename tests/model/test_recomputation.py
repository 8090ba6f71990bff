"""The numbers that `inspect` shows are those of the model: every score comes out of them by hand."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest

from spamnb.core import FloatArray
from spamnb.features.token_keys import token_key
from spamnb.model import Beta, Platt, Temperature, numbers_of, recompute
from spamnb.model.base_model import BaseModel
from spamnb.model.calibration import Calibration
from spamnb.model.inspection import Inspector
from spamnb.model.spam_model import SpamModel
from spamnb.model.weight_correction import Correction
from spamnb.report import json_output
from spamnb.scorers.registry import REGISTRY
from spamnb.settings import FeatureConfig, ScorerConfig
from tests.helpers.column_checks import CATEGORICAL, NUMERIC, ColumnCase
from tests.helpers.scorer_checks import Case

pytestmark = pytest.mark.filterwarnings("ignore:.* skipped .*no text")  # they are left out alike

FEATURES = FeatureConfig.plain()
PAIRS = FeatureConfig(ngrams=2)  # words, bigrams, shapes, punctuation
STRAIGHT, BENT = Platt(0.7, -0.3), Beta(0.8, 0.2, 0.6, 1.4, -0.1)
SETTINGS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "once": {"once": True},
    "all": {"once": False},
    "damped": {"damping": 0.7},
    "m-estimate": {"m_estimate": 2.0},
    "no smoothing": {"alpha": 0.0},
    "uniform prior": {"prior": "uniform"},
    "balanced": {"balance": "weight"},
    "class weights": {"class_weights": (("spam", 7.5),)},
}
FRACTIONS = ["bernoulli", "binary", "categorical", "complement", "less-naive", "multinomial", "poisson"]
LIMITS: dict[str, dict[str, Any]] = {
    "max token weight": {"max_token_weight": 0.4},
    "max evidence": {"max_evidence": 2},
    "both, damped": {"max_evidence": 3, "max_token_weight": 0.9, "damping": 1.0},
}


def shown(model: SpamModel, message: str, *columns: Any) -> dict[str, Any]:
    """The numbers as a reader of the JSON gets them."""
    read: dict[str, Any] = json.loads(json_output.dumps(numbers_of(model, message, *columns)))
    return read


def check(model: SpamModel, messages: list[str]) -> None:
    scores = model.score(messages)
    for i, message in enumerate(messages):
        _check_one(model, message, (), scores, i)


def _check_one(model: SpamModel, message: str, columns: tuple[Any, ...], scores: Any, i: int) -> None:
    result = recompute(shown(model, message, *columns))
    if model.pair is not None:
        assert result.log_odds == pytest.approx(scores.log_odds[i], rel=1e-9, abs=1e-8), message
    if not scores.lacks_evidence[i]:
        expected = dict(zip(model.labels, model.proba(scores)[i].tolist(), strict=True))
        assert result.probabilities == pytest.approx(expected, rel=1e-7, abs=1e-12), message


def corrected(model: SpamModel) -> SpamModel:
    keys = model.store.keys
    weights = np.random.default_rng(4).normal(size=len(keys)).astype(np.float32)
    return replace(model, correction=Correction(keys, weights, -0.6, "ham", 60))


def case(name: str, classes: int = 2, features: FeatureConfig = FEATURES, **settings: Any) -> Case:
    order = settings.get("order", 1) if name == "less-naive" else 0
    return Case(
        replace(features, ngrams=max(features.ngrams, order + 1)), ScorerConfig.of(name, **settings), classes
    )


@pytest.mark.parametrize("features", [FEATURES, PAIRS], ids=["words", "shapes and bigrams"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("name", REGISTRY)
def test_every_scorer(name: str, settings: str, classes: int, features: FeatureConfig) -> None:
    tried = case(name, classes, features, **SETTINGS[settings])
    check(tried.model, tried.others)


@pytest.mark.parametrize("calibration", [STRAIGHT, BENT, Temperature(0.4)], ids=["straight", "bent", "three"])
@pytest.mark.parametrize("name", REGISTRY)
def test_every_calibration(name: str, calibration: Calibration) -> None:
    tried = case(name, 3 if isinstance(calibration, Temperature) else 2, damping=0.5)
    check(replace(tried.model, calibration=calibration), tried.others)


@pytest.mark.parametrize(
    ("classes", "calibration"), [(2, Temperature(0.4)), (3, STRAIGHT), (3, BENT)], ids=["2", "3", "3 bent"]
)
def test_a_calibration_for_another_number_of_classes(classes: int, calibration: Calibration) -> None:
    """A model that learns a third class keeps its calibration."""
    tried = case("multinomial", classes)
    check(replace(tried.model, calibration=calibration), tried.others)


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("name", ["multinomial", "categorical", "binary"])
def test_limits(name: str, limits: str) -> None:
    tried = case(name, **LIMITS[limits])
    check(tried.model, tried.others)
    check(corrected(tried.model), tried.others)


@pytest.mark.parametrize("order", range(5))
def test_less_naive_of_every_order(order: int) -> None:
    tried = case("less-naive", order=order)
    check(tried.model, [*tried.others, *tried.messages[:10], "w1 never w2 w3 seen w1 w2"])


@pytest.mark.parametrize("calibration", [STRAIGHT, BENT], ids=["straight", "bent"])
@pytest.mark.parametrize("settings", ["once", "all", "damped"])
@pytest.mark.parametrize("name", ["multinomial", "complement", "binary", "categorical", "bernoulli"])
def test_corrections(name: str, settings: str, calibration: Calibration) -> None:
    tried = case(name, **SETTINGS[settings])
    check(replace(corrected(tried.model), calibration=calibration), tried.others)


@pytest.mark.parametrize("calibration", [STRAIGHT, BENT], ids=["straight", "bent"])
def test_a_base_model(calibration: Calibration) -> None:
    own, other = case("multinomial"), Case(FEATURES, ScorerConfig(), 2)
    base = replace(
        corrected(other.fresh().learn(other.others, other.labels[: len(other.others)])), calibration=BENT
    )
    model = replace(own.model, base=BaseModel.of("office", base, 0.3), calibration=calibration)
    check(model, own.others)
    check(corrected(model), own.others)


COLUMNS: dict[str, dict[str, Any]] = {
    "alone": {},
    "tree": {"column_tree": True},
    "full": {"covariance": "full"},
    "shared": {"covariance": "shared", "ddof": 1},
    "all": {"column_tree": True, "covariance": "full", "damping": 1.0, "balance": "weight"},
    "m-estimate": {"m_estimate": 1.0, "column_tree": True},
}


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("settings", COLUMNS)
@pytest.mark.parametrize("name", REGISTRY)
def test_columns(name: str, settings: str, classes: int) -> None:
    order = 1 if name == "less-naive" else 0
    features = FeatureConfig(order + 1, False, categorical=CATEGORICAL, numeric=NUMERIC)
    tried = ColumnCase(ScorerConfig.of(name, **COLUMNS[settings]), classes)
    model = SpamModel(features, tried.scoring).learn(**tried.table.part(slice(None)))
    scores, rows = model.score(**tried.others), tried.others
    for i, message in enumerate(rows["messages"]):
        categories = {column: values[i : i + 1] for column, values in rows["categories"].items()}
        numbers: dict[str, FloatArray] = {
            column: values[i : i + 1] for column, values in rows["numbers"].items()
        }
        _check_one(model, message, (categories, numbers), scores, i)


def test_a_changed_number_changes_the_result() -> None:
    """The check compares something: each kind of number counts."""
    tried = case("multinomial", damping=1.0)
    numbers = shown(corrected(tried.model), tried.others[0])
    before = recompute(numbers).log_odds
    for path in (["tokens", 0, "probabilities", 0], ["tokens", 0, "correction"], ["formula", "bias", 1]):
        changed = json.loads(json.dumps(numbers))
        at = changed
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] *= 1.5
        assert recompute(changed).log_odds != pytest.approx(before, rel=1e-6), path


def test_impossible_in_both_classes_is_no_evidence() -> None:
    model = SpamModel(FEATURES, ScorerConfig.of("multinomial", alpha=0.0))
    model = model.learn(["win", "see"], ["spam", "ham"])
    result = recompute(shown(model, "win see"))
    assert (result.log_odds, result.probabilities) == (0.0, {"spam": 0.5, "ham": 0.5})
    assert recompute(shown(model, "win")).log_odds == 1e6
    assert math.isclose(recompute(shown(model, "win")).probabilities["spam"], 1.0)


# --- the linear view and the weights


def by_line(model: SpamModel, message: str) -> float:
    """slope * (w.x + b) / m^damping + offset, with the base model's line where there is one."""
    line, numbers = Inspector(model).linear(), shown(model, message)
    assert line is not None
    return _line(asdict(line), numbers)


def _line(line: dict[str, Any], numbers: dict[str, Any]) -> float:
    rows, once = numbers["tokens"], numbers["formula"]["once"]
    score = line["b"] + sum(row["weight"] * (1 if once else row["times"]) for row in rows)
    score /= max(len(rows), 1) ** line["damping"]
    if line["base"] is not None:
        score += line["base_weight"] * _line(line["base"], numbers["base"])
    return float(line["slope"] * score + line["offset"])


@pytest.mark.parametrize("settings", ["defaults", "once", "all", "damped", "class weights"])
@pytest.mark.parametrize("name", ["multinomial", "complement", "binary", "categorical", "bernoulli"])
def test_the_linear_view_is_the_log_odds(name: str, settings: str) -> None:
    tried = case(name, **SETTINGS[settings])
    for model in (tried.model, corrected(tried.model)):
        model = replace(model, calibration=STRAIGHT)
        lines = [by_line(model, message) for message in tried.others]
        assert lines == pytest.approx(model.log_odds(tried.others).tolist(), rel=1e-9, abs=1e-9)


def test_the_linear_view_with_a_base_model_and_a_limit_on_tokens() -> None:
    own = case("multinomial", max_token_weight=0.5)
    base = corrected(replace(case("multinomial", damping=1.0).model, calibration=STRAIGHT))
    model = replace(own.model, base=BaseModel.of("office", base, 0.3))
    lines = [by_line(model, message) for message in own.others]
    assert lines == pytest.approx(model.log_odds(own.others).tolist(), rel=1e-9, abs=1e-9)


def test_no_linear_view_where_the_log_odds_are_not_linear() -> None:
    plain = case("multinomial").model
    bent = replace(plain, calibration=BENT)
    features = FeatureConfig(1, False, categorical=CATEGORICAL, numeric=NUMERIC)
    others = {
        "poisson": case("poisson").model,
        "less-naive": case("less-naive").model,
        "three classes": case("multinomial", 3).model,
        "bent": bent,
        "bent base": replace(plain, base=BaseModel.of("office", bent, 0.3)),
        "limited": case("multinomial", max_evidence=2).model,
        "columns": replace(plain, features=features),
    }
    assert Inspector(plain).linear() is not None
    assert {name: Inspector(model).linear() for name, model in others.items()} == dict.fromkeys(others)


def test_a_refined_weight_is_that_of_naive_bayes_plus_a_correction() -> None:
    plain = case("multinomial").model
    model = corrected(plain)
    words = ["w1", "w2", "w7"]
    for row, bare in zip(Inspector(model).look_up(words), Inspector(plain).look_up(words), strict=True):
        assert row.correction is not None
        assert row.weight == row.bayes_weight + row.correction
        assert (row.bayes_weight, bare.correction) == (bare.weight, None)
        low, high = row.probabilities
        assert row.bayes_weight == pytest.approx(math.log(high / low), rel=1e-9)
        keys = np.array([token_key(row.token)], np.uint64)
        assert model.correction is not None
        assert row.correction == -model.correction.of(keys)[0]  # fitted for ham


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", FRACTIONS)
def test_probabilities_come_from_the_counts_that_are_shown(name: str, classes: int, settings: str) -> None:
    """(count + added) / below, by the numbers of the formula; complement uses the other classes' counts."""
    tried = case(name, classes, PAIRS, **SETTINGS[settings])
    estimate = Inspector(tried.model).formula.estimate
    assert estimate.added is not None
    assert estimate.below is not None
    checked = 0
    for row in shown(tried.model, " ".join(tried.others))["tokens"]:
        if name == "less-naive" and (" " in row["token"] or ":" in row["token"]):
            continue  # these have other formulas
        added = estimate.added_to_ngrams if " " in row["token"] else estimate.added
        counts = [n * w for n, w in zip(row[estimate.counted], estimate.class_weights, strict=True)]
        for c, (p, below) in enumerate(zip(row["probabilities"], estimate.below, strict=True)):
            count = sum(counts) - counts[c] if name == "complement" else counts[c]
            assert p == pytest.approx((count + added) / below, rel=1e-9, abs=1e-300), row
        checked += 1
    assert checked > 10


@pytest.mark.parametrize(
    ("name", "once", "counted"),
    [
        ("multinomial", True, "messages"),
        ("multinomial", False, "occurrences"),
        ("complement", False, "occurrences"),
        ("poisson", True, "messages"),
        ("binary", False, "messages"),
        ("bernoulli", False, "messages"),
        ("less-naive", True, "occurrences"),
    ],
)
def test_which_counts_are_shown(name: str, once: bool, counted: str) -> None:
    model = SpamModel(
        FeatureConfig(ngrams=2, shapes=False, punctuation=False), ScorerConfig.of(name, once=once)
    )
    model = model.learn(["win win", "see"], ["spam", "ham"])
    assert Inspector(model).formula.estimate.counted == counted
    assert model.explain("win").basis.counted == counted
    assert model.explain("win").evidence[0].counts == (0, 2 if counted == "occurrences" else 1)


def test_less_naive_shows_the_probability_of_a_word_after_others() -> None:
    model = SpamModel(FeatureConfig(ngrams=2, shapes=False, punctuation=False), ScorerConfig.of("less-naive"))
    model = model.learn(["win a prize", "win a car a prize", "see a car"], ["spam", "spam", "ham"])
    word, pair = Inspector(model).look_up(["prize", "a prize"])
    assert word.probabilities == pytest.approx(((0 + 1) / (3 + 5), (2 + 1) / (8 + 5)))
    ham, spam = word.probabilities
    assert pair.probabilities == pytest.approx(((0 + 5 * ham) / (1 + 5), (2 + 5 * spam) / (3 + 5)))
    assert pair.weight == pytest.approx(math.log(pair.probabilities[1] / pair.probabilities[0]))
    evidence = {e.token: e.log_odds for e in model.explain("a prize").evidence}
    assert evidence["prize (after a)"] == pytest.approx(pair.weight)
    assert all(" " not in row.token for row in Inspector(model).top("spam", 50))


def test_bernoulli_weighs_a_present_word_against_an_absent_one() -> None:
    model = case("bernoulli").model
    (row,) = Inspector(model).look_up(["w1"])
    ham, spam = row.probabilities
    assert row.weight == pytest.approx(math.log(spam / (1 - spam)) - math.log(ham / (1 - ham)))
