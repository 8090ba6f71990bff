"""Numeric columns together: against the slow twin, scikit-learn, and columns that follow from each other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from spamnb.core.arrays import FloatArray
from spamnb.counts.moments import Moments, co_scatter
from spamnb.model.spam_model import SpamModel
from spamnb.scorers.covariance import Gaussian
from spamnb.settings import FeatureConfig, ScorerConfig
from tests.helpers.column_checks import CHECKS, LABELS, NUMERIC, ColumnCase, Table
from tests.reference.columns import covariance, log_normal, pooled

KINDS = ("full", "shared")


def model_of(points: FloatArray, labels: list[str], names: tuple[str, ...], **settings: Any) -> SpamModel:
    scoring = ScorerConfig.of("multinomial", damping=0.0, **settings)
    features = FeatureConfig(1, False, numeric=names)
    return SpamModel(features, scoring).learn([""] * len(labels), labels, None, by_name(points, names))


def by_name(points: FloatArray, names: tuple[str, ...]) -> dict[str, FloatArray]:
    return {name: points[:, i] for i, name in enumerate(names)}


def joint(model: SpamModel, points: FloatArray, names: tuple[str, ...]) -> FloatArray:
    return model.score([""] * len(points), None, by_name(points, names)).scored.joint


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_check(kind: str, classes: int, check: str, tmp_path: Any) -> None:
    CHECKS[check](ColumnCase(ScorerConfig.of("multinomial", covariance=kind), classes), tmp_path)


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_against_the_twin(kind: str, gaps: bool, ddof: int) -> None:
    """Means and covariances are of complete rows; a row with gaps is scored by what it has."""
    table, new = Table(3, gaps=gaps), Table(3, 15, seed=8)
    points, others = (np.array([t.numbers[n] for n in NUMERIC]).T for t in (table, new))
    model = model_of(points, table.labels, NUMERIC, covariance=kind, ddof=ddof)
    rows = list(zip(points.tolist(), table.labels, strict=True))
    groups = {c: [p for p, label in rows if label == c and np.isfinite(p).all()] for c in LABELS}
    for actual, x in zip(joint(model, others, NUMERIC), others.tolist(), strict=True):
        for c, label in enumerate(LABELS):
            mean, matrix = covariance(groups[label], ddof)
            matrix = pooled(groups, ddof) if kind == "shared" else matrix
            prior = math.log(table.labels.count(label) / len(rows))
            assert actual[c] == pytest.approx(prior + log_normal(x, mean, matrix), rel=1e-9, abs=1e-9)


def _log_posterior(scores: FloatArray) -> FloatArray:
    return np.asarray(scores - np.logaddexp.reduce(scores, axis=1)[:, None])


class TestAgainstScikitLearn:
    """Log posteriors; 1.9.1 divides by n, other versions may by n - 1: one of the two has to agree."""

    @pytest.mark.parametrize("classes", [2, 3])
    @pytest.mark.parametrize(
        ("kind", "theirs", "solver"),
        [
            ("full", "QuadraticDiscriminantAnalysis", {}),
            ("shared", "LinearDiscriminantAnalysis", {"solver": "svd"}),
            ("shared", "LinearDiscriminantAnalysis", {"solver": "lsqr"}),
        ],
    )
    def test_agrees(self, kind: str, theirs: str, solver: dict[str, str], classes: int) -> None:
        analysis = pytest.importorskip("sklearn.discriminant_analysis")
        table, new = Table(classes, 80, gaps=False), Table(classes, 30, seed=8, gaps=False)
        points, others = (np.array([t.numbers[n] for n in NUMERIC]).T for t in (table, new))
        reference = getattr(analysis, theirs)(**solver).fit(points, table.labels)
        expected = reference.decision_function(others)  # predict_log_proba loses digits of what is unlikely
        if classes == 2:
            expected = np.stack((np.zeros(len(others)), expected), axis=1)
        models = [model_of(points, table.labels, NUMERIC, covariance=kind, ddof=ddof) for ddof in (0, 1)]
        actual = [_log_posterior(joint(model, others, NUMERIC)) for model in models]
        assert min(np.abs(one - _log_posterior(expected)).max() for one in actual) < 1e-9


def test_a_covariance_by_hand() -> None:
    """x = 0 0 4 4, y = 0 2 2 4: means 2 and 2, variances 4 and 2, covariance 2, determinant 4."""
    points = np.array([[0.0, 0.0], [0.0, 2.0], [4.0, 2.0], [4.0, 4.0]])
    model = model_of(np.tile(points, (2, 1)), ["a"] * 4 + ["b"] * 4, ("x", "y"), covariance="full")
    # (x - mu) = (2, 1): S^-1 = [[2, -2], [-2, 4]] / 4, so the squared distance is (8 - 8 + 4) / 4 = 1
    expected = math.log(1 / 2) - 0.5 * (1 + math.log(4)) - math.log(2 * math.pi)
    assert joint(model, np.array([[4.0, 3.0]]), ("x", "y"))[0].tolist() == pytest.approx([expected] * 2)


def test_one_column_is_the_same_as_alone() -> None:
    points = np.array([[1.0], [2.0], [4.0], [10.0], [14.0]])
    labels = ["ham", "ham", "ham", "spam", "spam"]
    new = np.array([[3.0], [11.0]])
    alone, full = (model_of(points, labels, ("size",), covariance=kind) for kind in ("diagonal", "full"))
    np.testing.assert_allclose(joint(full, new, ("size",)), joint(alone, new, ("size",)), rtol=1e-14)


def test_shared_makes_a_straight_line() -> None:
    """The difference of two classes is linear in x, by the document's argument for one shared variance."""
    points, labels = np.array([[1.0], [2.0], [4.0], [10.0], [14.0]]), ["ham"] * 3 + ["spam"] * 2
    scores = joint(
        model_of(points, labels, ("size",), covariance="shared"), np.array([[0.0], [5.0], [10.0]]), ("size",)
    )
    at_0, at_5, at_10 = scores[:, 1] - scores[:, 0]
    assert at_5 - at_0 == pytest.approx(at_10 - at_5, rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_columns_that_follow_from_each_other(kind: str) -> None:
    """y = 2 x: what x leaves open of y is taken as a millionth of its standard deviation, not as 0."""
    x = np.array([1.0, 2.0, 4.0, 7.0, 8.0, 9.5])
    points, labels = np.stack((x, 2 * x), axis=1), ["ham"] * 3 + ["spam"] * 3
    model = model_of(points, labels, ("x", "y"), covariance=kind)
    scores = joint(model, np.array([[2.0, 4.0], [8.0, 16.0], [8.0, 4.0]]), ("x", "y"))
    assert np.isfinite(scores).all()
    assert scores[0, 0] > scores[0, 1]
    assert scores[1, 1] > scores[1, 0]
    assert scores[2].max() < -1e6


@pytest.mark.parametrize("kind", KINDS)
def test_until_every_class_has_a_complete_row_columns_count_alone(kind: str) -> None:
    points = np.array([[1.0, 5.0], [3.0, 6.0], [7.0, math.nan], [9.0, math.nan]])
    labels, new = ["ham", "ham", "spam", "spam"], np.array([[2.0, 5.0]])
    together, alone = (model_of(points, labels, ("x", "y"), covariance=k) for k in (kind, "diagonal"))
    assert joint(together, new, ("x", "y")).tolist() == joint(alone, new, ("x", "y")).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_without_measure(kind: str) -> None:
    points = np.array([[1e308, 1.0], [-1e308, 2.0], [1e-300, 3.0], [5e-324, 1.0]])
    model = model_of(points, ["ham", "ham", "spam", "spam"], ("x", "y"), covariance=kind)
    scores = joint(model, np.array([[1e300, 1.0], [0.0, 1e300], [3.0, 2.0]]), ("x", "y"))
    assert not np.isnan(scores).any()


def test_a_message_that_lacks_a_column_of_the_model() -> None:
    """Sums of pairs are of messages with every column of the model, not of those that a call names."""
    points = np.array([[1.0, 5.0], [3.0, 6.0], [7.0, 4.0], [9.0, 1.0]])
    model = model_of(points, ["ham", "ham", "spam", "spam"], ("x", "y"), covariance="full")
    more = model.learn([""], ["ham"], None, {"x": np.array([100.0])})
    pairs = {name: row for name, row in model.store.numbers.items() if "\x1f" in name}
    assert sorted(pairs) == ["x\x1fx", "x\x1fy", "y\x1fy"]
    assert {name: more.store.numbers[name] for name in pairs} == pairs


numbers = st.lists(st.tuples(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9)), min_size=1, max_size=6)


@given(numbers)
def test_products_are_exact(pairs: list[tuple[float, float]]) -> None:
    """By fractions: nothing is rounded before the end."""
    from fractions import Fraction

    xs, ys = ([Fraction(p[i]) for p in pairs] for i in (0, 1))
    n = len(pairs)
    expected = float(sum(x * y for x, y in zip(xs, ys, strict=True)) - sum(xs) * sum(ys) / n)
    both = Moments.of_units(int((x + y) * 2**1074) for x, y in zip(xs, ys, strict=True))
    assert co_scatter(Moments.of(p[0] for p in pairs), Moments.of(p[1] for p in pairs), both) == expected


def test_nothing_was_counted() -> None:
    assert math.isnan(co_scatter(Moments(), Moments(), Moments()))


def test_the_terms_are_each_column_given_those_before_it() -> None:
    density = Gaussian(["x", "y"], np.zeros((1, 2)), np.array([[[1.0, 0.5], [0.5, 1.0]]]))
    terms = density.log_p({"x": np.array([1.0]), "y": np.array([2.0])}, 1)
    # y given x = 1 is normal about 0.5 with variance 0.75
    assert terms["x"][0, 0] == pytest.approx(-0.5 - 0.5 * math.log(2 * math.pi))
    assert terms["y"][0, 0] == pytest.approx(-(1.5**2) / 1.5 - 0.5 * math.log(2 * math.pi * 0.75))
