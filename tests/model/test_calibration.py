"""Calibration recovers what it should, helps on new messages, and never produces nonsense."""

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from spamnb import metrics
from spamnb.core import FloatArray, IntArray
from spamnb.errors import ModelError
from spamnb.model import calibration
from spamnb.model.calibration import Beta, Platt, Temperature, identity
from spamnb.training import fit_calibration
from spamnb.training.fit_calibration import ONE_CLASS, WRONG_WAY, fit_linear, fit_platt


def binary(n: int, slope: float, offset: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Scores whose true log-odds are slope * score + offset, and labels drawn from them."""
    rng = np.random.default_rng(seed)
    s = rng.normal(size=n) * 10
    return s, (rng.random(n) < calibration.probability(slope * s + offset)).astype(int)


def several(n: int, overconfidence: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Log scores of four classes, blown up, and labels drawn from the scores before that."""
    rng = np.random.default_rng(seed)
    honest = rng.normal(size=(n, 4)) * 2
    y = (calibration.probabilities(honest).cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
    return honest * overconfidence, y


def test_recovers_slope_and_offset() -> None:
    fitted = fit_linear(*binary(20_000, 0.3, -1.0), 2)
    assert isinstance(fitted, Platt)
    assert fitted.slope == pytest.approx(0.3, rel=0.05)
    assert fitted.offset == pytest.approx(-1.0, abs=0.08)


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
def test_the_scale_of_the_scores_does_not_matter(scale: float) -> None:
    s, y = binary(2_000, 0.3, -1.0)
    one, other = fit_linear(s, y, 2), fit_linear(s * scale, y, 2)
    np.testing.assert_allclose(other.apply(s * scale), one.apply(s), rtol=1e-6, atol=1e-6)


def test_many_messages_without_evidence_do_not_disturb_the_slope() -> None:
    s, y = binary(2_000, 0.3, 0.0)
    nothing, coin = np.zeros(6_000), np.arange(6_000) % 2
    fitted = fit_linear(np.concatenate((s, nothing)), np.concatenate((y, coin)), 2)
    assert isinstance(fitted, Platt)
    assert fitted.slope == pytest.approx(0.3, rel=0.1)
    assert fitted.offset == pytest.approx(0.0, abs=0.05)


def test_agrees_with_unpenalised_logistic_regression() -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    s, y = binary(5_000, 0.3, -1.0)
    theirs = linear_model.LogisticRegression(C=1e9, tol=1e-10, max_iter=1000).fit(s[:, None], y)
    ours = fit_platt(s, y == 1, smooth=False)
    assert isinstance(ours, Platt)
    assert ours.slope == pytest.approx(float(theirs.coef_[0, 0]), abs=1e-4)
    assert ours.offset == pytest.approx(float(theirs.intercept_[0]), abs=1e-4)


def test_helps_overconfident_scores_on_new_messages() -> None:
    fitted = fit_linear(*binary(1_000, 0.1, 0.5, seed=1), 2)
    s, y = binary(5_000, 0.1, 0.5, seed=2)
    before = metrics.log_loss(y, calibration.probability(s))
    after = metrics.log_loss(y, calibration.probability(fitted.apply(s)))
    best = metrics.log_loss(y, calibration.probability(0.1 * s + 0.5))
    assert after < 0.5 * before
    assert after == pytest.approx(best, rel=0.01)


@pytest.mark.parametrize("size", [0.001, 1.0, 5000.0])
@pytest.mark.parametrize("n", [1, 10, 1000])
def test_separable_scores_stay_modest(size: float, n: int) -> None:
    fitted = fit_linear([-size] * n + [size] * n, [0] * n + [1] * n, 2)
    top = float(fitted.apply([size])[0])
    # Platt's targets say n + 1 against 1: nobody who saw n messages may be surer than that.
    assert 0 < top <= math.log(n + 1) + 1e-6


def test_unsmoothed_separable_scores_stay_finite() -> None:
    fitted = fit_platt(np.array([-1.0, 1.0]), np.array([False, True]), smooth=False)
    assert isinstance(fitted, Platt)
    assert 0 < fitted.slope < 100


@pytest.mark.parametrize("k", [2, 3])
def test_one_class_is_left_alone(k: int) -> None:
    scores = np.ones(4) if k == 2 else np.ones((4, k))
    assert fit_linear(scores, [1, 1, 1, 1], k) == identity(k, ONE_CLASS)
    assert fit_linear(scores[:0], [], k) == identity(k, ONE_CLASS)


def test_scores_that_point_the_wrong_way_are_left_alone() -> None:
    s, y = binary(500, -0.3, 0.0)
    assert fit_linear(s, y, 2) == Platt(1.0, 0.0, WRONG_WAY)
    scores, labels = several(500, 1.0)
    assert fit_linear(-scores, labels, 4) == Temperature(1.0, WRONG_WAY)


def test_infinite_scores_are_left_out_of_the_fit() -> None:
    s, y = binary(200, 0.3, 0.0)
    odd = np.array([math.inf, -math.inf, math.nan])
    fitted = fit_linear(np.concatenate((s, odd)), np.concatenate((y, [0, 1, 1])), 2)
    assert fitted == fit_linear(s, y, 2)
    np.testing.assert_array_equal(calibration.probability(fitted.apply(odd)), [1.0, 0.0, math.nan])


@settings(max_examples=60)
@given(st.lists(st.tuples(st.floats(-1e6, 1e6, allow_nan=False), st.integers(0, 1)), min_size=1, max_size=30))
@example([(0.0, 0), (1.0, 0), (2e-208, 1)])
def test_any_scores_give_a_usable_calibration(rows: list[tuple[float, int]]) -> None:
    scores, labels = zip(*rows, strict=True)
    fitted = fit_linear(scores, labels, 2)
    assert isinstance(fitted, Platt)
    assert fitted.slope > 0
    assert math.isfinite(fitted.slope)
    assert math.isfinite(fitted.offset)
    assert fit_linear(scores, labels, 2) == fitted


def test_one_wildly_wrong_message_does_not_overflow() -> None:
    scores = [[-4.0, 1403.0, -3.5], [0.0, -0.7, 0.7], [1.6, -2.1, 0.2]]
    assert fit_linear(scores, [2, 0, 1], 3) == Temperature(1.0, WRONG_WAY)


@pytest.mark.parametrize("overconfidence", [0.2, 1.0, 300.0])
def test_temperature_undoes_overconfidence(overconfidence: float) -> None:
    fitted = fit_linear(*several(5_000, overconfidence), 4)
    assert isinstance(fitted, Temperature)
    assert fitted.scale * overconfidence == pytest.approx(1.0, rel=0.05)


def test_temperature_is_where_the_loss_is_least() -> None:
    scores, y = several(2_000, 5.0)
    fitted = fit_linear(scores, y, 4)
    assert isinstance(fitted, Temperature)
    at, less, more = (
        metrics.log_loss(y, calibration.probabilities(scores * fitted.scale * factor))
        for factor in (1, 0.98, 1.02)
    )
    assert at < min(less, more)


def test_temperature_of_separable_scores_is_finite() -> None:
    fitted = fit_linear(np.eye(3) * 50, [0, 1, 2], 3)
    assert isinstance(fitted, Temperature)
    assert 0 < fitted.scale < 10


def test_probability_is_exact_in_both_tails() -> None:
    assert calibration.probability([-700.0])[0] == pytest.approx(math.exp(-700), rel=1e-12)
    assert calibration.probability([-1e9, math.inf, -math.inf]).tolist() == [0.0, 1.0, 0.0]


def test_probabilities_of_an_impossible_message_are_nan() -> None:
    rows = calibration.probabilities([[-math.inf, -math.inf], [-math.inf, -3.0]])
    np.testing.assert_array_equal(rows, [[math.nan, math.nan], [0.0, 1.0]])


def test_identity_changes_nothing() -> None:
    s = np.array([-3.0, 0.0, 2.5])
    assert identity(2).apply(s).tolist() == s.tolist()
    assert identity(3).apply([s]).tolist() == [s.tolist()]


@pytest.mark.parametrize("fitted", [Platt(0.25, -3.0), Temperature(0.1, "why"), identity(2)], ids=repr)
def test_there_and_back(fitted: calibration.Calibration) -> None:
    assert calibration.from_state(json.loads(json.dumps(fitted.to_state()))) == fitted


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"kind": "isotonic", "note": ""},
        {"kind": "platt", "slope": 1.0, "note": ""},
        {"kind": "platt", "slope": -1.0, "offset": 0.0, "note": ""},
        {"kind": "platt", "slope": 1.0, "offset": math.nan, "note": ""},
        {"kind": "temperature", "scale": "warm", "note": ""},
        {"kind": "temperature", "scale": 0.0, "note": ""},
    ],
)
def test_damaged_state(state: dict[str, object]) -> None:
    with pytest.raises(ModelError) as caught:
        calibration.from_state(state)
    assert caught.value.message == f"the calibration in the model is damaged: got {state!r}"
    assert caught.value.hint == "train the model again"


def bent(n: int, seed: int = 3) -> tuple[FloatArray, IntArray, IntArray]:
    """Scores whose log-odds have about slope 3 below 0 and 0.5 above."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n) * 2
    log_odds = Beta(1.0, 0.0, 3.0, 0.5, 0.0).apply(scores)
    labels = (rng.random(n) < 1 / (1 + np.exp(-log_odds))).astype(np.int64)
    return scores, labels, np.arange(n) % 5


def test_a_curve_is_chosen_where_it_fits_better() -> None:
    scores, labels, fold = bent(4000)
    fitted, held_out = fit_calibration.fit_binary(scores, labels, fold)
    assert isinstance(fitted, Beta)
    line = fit_linear(scores, labels, 2)
    z = {"curve": held_out, "line": line.apply(scores)}
    loss = {name: np.logaddexp(0, np.where(labels == 1, -v, v)).mean() for name, v in z.items()}
    assert loss["curve"] < loss["line"] - 0.004


def test_two_slopes_are_found() -> None:
    scores, labels, _ = bent(40_000)
    fitted = fit_calibration.fit_beta(scores, labels == 1, Platt(1.0, 0.0))
    assert fitted is not None
    assert fitted.a == pytest.approx(3, abs=0.4)
    assert fitted.b == pytest.approx(0.5, abs=0.15)


def straight(n: int) -> tuple[FloatArray, IntArray, IntArray]:
    """Scores that are log-odds already."""
    rng = np.random.default_rng(1)
    scores = rng.normal(size=n) * 3
    return scores, (rng.random(n) < 1 / (1 + np.exp(-scores))).astype(np.int64), np.arange(n) % 5


def test_few_messages_get_a_line() -> None:
    scores, labels, fold = straight(300)
    fitted, held_out = fit_calibration.fit_binary(scores, labels, fold)
    assert isinstance(fitted, Platt)
    assert held_out.tolist() == fitted.apply(scores).tolist()


def test_a_curve_is_nearly_a_line_where_that_is_right() -> None:
    scores, labels, fold = straight(4000)
    fitted, _ = fit_calibration.fit_binary(scores, labels, fold)
    assert isinstance(fitted, Beta)
    grid = np.linspace(-6, 6, 25)
    np.testing.assert_allclose(fitted.apply(grid), fit_linear(scores, labels, 2).apply(grid), atol=0.6)


@given(st.integers(0, 10**6))
def test_curves_keep_the_order_of_scores(seed: int) -> None:
    scores, labels, _ = bent(200, seed)
    line = fit_linear(scores, labels, 2)
    assert isinstance(line, Platt)
    grid = np.unique(np.concatenate((scores, np.linspace(-50, 50, 301))))
    curve = fit_calibration.fit_beta(scores, labels == 1, line)
    if curve is not None:
        assert (np.diff(curve.apply(grid)) > 0).all()
        assert calibration.from_state(curve.to_state()) == curve


@pytest.mark.parametrize(
    "change",
    [
        {"a": 0.0},
        {"a": "x"},
        {"kind": "isotonic"},
    ],
)
def test_damaged_curves_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match="the calibration in the model is damaged"):
        calibration.from_state(Beta(1.0, 0.0, 1.0, 1.0, 0.0).to_state() | change)
