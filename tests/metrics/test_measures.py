"""Measures against their definitions, the printed figures and scikit-learn."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from spamnb import metrics
from spamnb.errors import DataError
from spamnb.metrics import Confusion, evaluate_binary, evaluate_multi

COUNTS = ["messages", "spam", "ham", "true_positives", "false_positives", "false_negatives", "true_negatives"]
RATES = ["accuracy", "precision", "recall", "f1", "jaccard", "roc_auc", "pr_auc"]
CAUGHT = ["recall_at_fpr_0_1_percent", "recall_at_fpr_0_5_percent"]
ERRORS = ["log_loss", "brier", "ece", "expected_cost"]
NAMES = [*COUNTS, "unsure", *RATES, *CAUGHT, *ERRORS]


def sample(n: int = 400, ties: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Labels and probabilities that go together, the latter rounded to one digit for ties."""
    rng = np.random.default_rng(7)
    y = rng.random(n) < 0.3
    p = 1 / (1 + np.exp(-(rng.normal(size=n) + 2 * y - 1)))
    return y, p.round(1) if ties else p


@pytest.mark.parametrize(
    ("precision", "recall", "expected"), [(0.5, 0.4, "0.444"), (0.7, 0.1, "0.175"), (0.02, 1, "0.0392")]
)
def test_f_score_figures(precision: float, recall: float, expected: str) -> None:
    assert f"{metrics.f_score(precision, recall):.3g}" == expected


def test_f_score_beta_and_undefined() -> None:
    assert metrics.f_score(0.5, 1.0, beta=2) == pytest.approx(5 * 0.5 / (4 * 0.5 + 1))
    assert math.isnan(metrics.f_score(0.0, 0.0))


def test_confusion_by_hand() -> None:
    c = Confusion.of([1, 1, 1, 0, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0, 0, 0])
    assert c == Confusion(tp=2, fp=1, fn=1, tn=4)
    assert c.accuracy == 6 / 8
    assert c.precision == c.recall == 2 / 3
    assert c.f1 == pytest.approx(2 / 3)
    assert c.f_beta(2) == pytest.approx(metrics.f_score(c.precision, c.recall, 2))
    assert c.jaccard == 2 / 4
    assert c.false_positive_rate == 1 / 5


def test_zero_by_zero_is_nan_not_zero() -> None:
    nothing_called = Confusion(tp=0, fp=0, fn=3, tn=5)
    assert math.isnan(nothing_called.precision)
    assert nothing_called.recall == 0
    assert nothing_called.f1 == 0
    empty = Confusion(0, 0, 0, 0)
    values = [empty.accuracy, empty.recall, empty.f1, empty.jaccard, empty.false_positive_rate]
    assert all(math.isnan(value) for value in values)


@pytest.mark.parametrize("ties", [False, True], ids=["distinct", "ties"])
def test_against_sklearn(ties: bool) -> None:
    sk = pytest.importorskip("sklearn.metrics")
    y, p = sample(ties=ties)
    pairs = [
        (metrics.roc_auc(y, p), sk.roc_auc_score(y, p)),
        (metrics.average_precision(y, p), sk.average_precision_score(y, p)),
        (metrics.log_loss(y, p), sk.log_loss(y, p)),
        (metrics.brier(y, p), sk.brier_score_loss(y, p)),
        *zip(metrics.roc_curve(y, p), sk.roc_curve(y, p, drop_intermediate=False), strict=True),
        *zip(metrics.precision_recall_curve(y, p), sk.precision_recall_curve(y, p), strict=True),
    ]
    for ours, theirs in pairs:
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)


def test_log_loss_clips_like_sklearn() -> None:
    sk = pytest.importorskip("sklearn.metrics")
    y, p = [1, 0, 1], [0.0, 1.0, 1.0]
    assert metrics.log_loss(y, p) == pytest.approx(sk.log_loss(y, p), abs=1e-9)


@given(st.lists(st.tuples(st.booleans(), st.integers(-3, 3)), min_size=1, max_size=40))
def test_roc_auc_is_the_share_of_ordered_pairs(rows: list[tuple[bool, int]]) -> None:
    positives, negatives = ([s for y, s in rows if y is kind] for kind in (True, False))
    pairs = [(a > b) + 0.5 * (a == b) for a in positives for b in negatives]
    expected = sum(pairs) / len(pairs) if pairs else math.nan
    assert metrics.roc_auc(*zip(*rows, strict=True)) == pytest.approx(expected, nan_ok=True)


@given(
    st.lists(st.tuples(st.booleans(), st.integers(-3, 3)), min_size=1, max_size=40),
    st.sampled_from([0.0, 0.1, 0.25, 0.29, 0.5, 1.0]),
)
def test_recall_at_fpr_is_the_best_allowed_threshold(rows: list[tuple[bool, int]], limit: float) -> None:
    y, s = (np.array(column) for column in zip(*rows, strict=True))
    options = [Confusion.of(y, s >= t) for t in range(-3, 5)]
    allowed = [c.recall for c in options if c.fp <= limit * np.sum(~y) + 1e-9]
    expected = math.nan if y.all() or not y.any() else max(allowed)
    assert metrics.recall_at_fpr(y, s, limit) == pytest.approx(expected, nan_ok=True)


def test_recall_at_fpr_allows_the_exact_number() -> None:
    y = np.array([False] * 100 + [True] * 4)
    s = np.concatenate((np.arange(100), [70.5, 71.5, 5.5, 99.5]))  # 70.5: 29 negatives above, 71.5: 28
    assert metrics.recall_at_fpr(y, s, 0.29) == 0.75
    assert metrics.recall_at_fpr(y, s, 0.28) == 0.5


def test_infinite_scores_rank() -> None:
    assert metrics.roc_auc([1, 1, 0, 0], [math.inf, 0.0, -math.inf, -math.inf]) == 1.0


def test_ece_by_hand() -> None:
    y, p = [1, 0, 1, 0], [0.1, 0.2, 0.9, 1.0]
    low, high = abs(0.15 - 0.5), abs(0.95 - 0.5)
    assert metrics.ece(y, p, bins=2) == pytest.approx((2 * low + 2 * high) / 4)
    assert metrics.ece([0, 1], [0.0, 1.0]) == 0


def test_expected_cost() -> None:
    assert metrics.expected_cost(Confusion(tp=5, fp=2, fn=3, tn=90), cost_fp=100, cost_fn=10) == 2.3


def test_wilson_interval() -> None:
    # Worked by hand: 15 of 50, centre 0.3143, half width 0.1232.
    assert metrics.wilson_interval(15, 50) == pytest.approx((0.1910, 0.4375), abs=5e-5)
    assert metrics.wilson_interval(0, 10) == pytest.approx((0.0, 0.2775), abs=5e-5)
    assert metrics.wilson_interval(0, 10)[0] == 0
    assert metrics.wilson_interval(10, 10)[1] == 1
    assert all(math.isnan(end) for end in metrics.wilson_interval(0, 0))


def test_evaluate_binary_names_and_builtins() -> None:
    y, p = sample()
    result = evaluate_binary(y, p, p >= 0.5).to_dict()
    assert list(result) == NAMES
    assert {type(value) for value in result.values()} == {int, float}
    assert result["messages"] == result["spam"] + result["ham"] == 400
    assert result["roc_auc"] == metrics.roc_auc(y, p)


def test_unsure_is_not_called_spam() -> None:
    y, p = [True, True, False], [0.9, 0.7, 0.7]
    scores = evaluate_binary(y, p, [True, True, True], unsure=[False, True, True], costs=(9, 1))
    assert (scores.true_positives, scores.false_positives, scores.false_negatives) == (1, 0, 1)
    assert scores.unsure == 2
    assert scores.expected_cost == pytest.approx(1 / 3)


def test_ranking_uses_log_odds_where_probabilities_saturate() -> None:
    y, p = [False, True], [1.0, 1.0]
    assert evaluate_binary(y, p, [True, True]).roc_auc == 0.5
    assert evaluate_binary(y, p, [True, True], scores=[50.0, 60.0]).roc_auc == 1.0


def test_nothing_to_evaluate_is_null_everywhere() -> None:
    result = evaluate_binary([], [], []).to_dict()
    assert all(result[name] == 0 for name in NAMES[:8])
    assert all(result[name] is None for name in NAMES[8:])
    one_class = evaluate_binary([True, True], [0.9, 0.8], [True, True]).to_dict()
    assert one_class["recall"] == 1
    assert one_class["roc_auc"] is None
    assert one_class["recall_at_fpr_0_1_percent"] is None


def test_unusable_scores_are_named() -> None:
    with pytest.raises(DataError, match=r"(?m)^expected one score per label, got 1 scores for 2 labels$"):
        metrics.roc_auc([0, 1], [0.5])
    with pytest.raises(DataError, match=r"(?m)^1 of 2 scores are not numbers$") as caught:
        evaluate_binary([0, 1], [0.5, math.nan], [False, True])
    assert "smoothing above 0" in caught.value.hint


def test_evaluate_multi_against_sklearn() -> None:
    sk = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(3)
    y, proba = rng.integers(0, 3, 200), rng.dirichlet([1, 1, 1], 200)
    verdicts = proba.argmax(axis=1)
    scores = evaluate_multi(y, verdicts, proba, ["a", "b", "c"])
    theirs = sk.precision_recall_fscore_support(y, verdicts)
    ours = [(c.precision, c.recall, c.f1, c.support) for c in scores.classes]
    np.testing.assert_allclose(np.array(ours).T, theirs, atol=1e-9)
    macro = (scores.macro_precision, scores.macro_recall, scores.macro_f1)
    np.testing.assert_allclose(macro, sk.precision_recall_fscore_support(y, verdicts, average="macro")[:3])
    assert scores.accuracy == pytest.approx(sk.accuracy_score(y, verdicts), abs=1e-9)
    assert scores.log_loss == pytest.approx(sk.log_loss(y, proba), abs=1e-9)
    assert scores.confusion == tuple(map(tuple, sk.confusion_matrix(y, verdicts).tolist()))


def test_evaluate_multi_undefined_classes() -> None:
    verdicts = [0, 1, 1]
    labels = ["a", "b", "never seen"]
    scores = evaluate_multi([0, 0, 1], verdicts, np.eye(3)[verdicts], labels, unsure=[True, False, False])
    assert scores.unsure == 1
    last = scores.to_dict()["classes"][2]
    assert last == {"label": "never seen", "support": 0, "precision": None, "recall": None, "f1": None}
    assert scores.macro_recall == pytest.approx((0.5 + 1) / 2)
    json.dumps(scores.to_dict(), allow_nan=False)


def test_evaluate_multi_takes_other_answers_than_the_likeliest() -> None:
    proba = np.array([[0.6, 0.3, 0.1], [0.6, 0.3, 0.1]])
    assert evaluate_multi([1, 1], [1, 0], proba, "abc").accuracy == 0.5


def test_evaluate_multi_of_nothing() -> None:
    result = evaluate_multi([], [], [], ["a", "b", "c"]).to_dict()
    assert result["accuracy"] is result["macro_f1"] is result["log_loss"] is None
    assert result["messages"] == 0
