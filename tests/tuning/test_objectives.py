"""Objectives: for any weights they give what the plain measures give of messages repeated so often."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from spamnb import metrics
from spamnb.core.arrays import FloatArray, IntArray
from spamnb.errors import ConfigError
from spamnb.tuning.objectives import CHOICES, Answers, objective, objective_for

rows = st.lists(
    st.tuples(st.booleans(), st.integers(-4, 4), st.integers(0, 3)), min_size=2, max_size=40
)  # is it spam, its score with many ties, how often it is drawn


def answers(truth: IntArray, scores: FloatArray) -> Answers:
    p = 1 / (1 + np.exp(-scores))
    surprise = -np.log(np.where(truth == 1, p, 1 - p))
    return Answers(truth, (scores > 0).astype(np.int64), surprise, scores, 2, (9.0, 1.0))


def plain(name: str, truth: IntArray, scores: FloatArray) -> float:
    """The same measure, from `metrics`."""
    p = 1 / (1 + np.exp(-scores))
    confusion = metrics.Confusion.of(truth, scores > 0)
    return {
        "auc": lambda: metrics.roc_auc(truth, scores),
        "recall@0.1%": lambda: metrics.recall_at_fpr(truth, scores, 0.001),
        "recall@20%": lambda: metrics.recall_at_fpr(truth, scores, 0.2),
        "f1": lambda: confusion.f1,
        "accuracy": lambda: confusion.accuracy,
        "log-loss": lambda: metrics.log_loss(truth, p),
        "cost": lambda: metrics.expected_cost(confusion, 9.0, 1.0),
    }[name]()


@pytest.mark.parametrize("name", [*CHOICES, "recall@20%"])
@given(drawn=rows)
def test_weights_are_repetitions(name: str, drawn: list[tuple[bool, int, int]]) -> None:
    truth = np.array([spam for spam, _, _ in drawn], np.int64)
    scores = np.array([float(score) for _, score, _ in drawn])
    times = np.array([n for _, _, n in drawn], np.int32)
    again = np.repeat(truth, times)
    assume(0 < again.sum() < len(again))
    actual = objective(name).measure(answers(truth, scores), np.stack([times, np.ones_like(times)]))
    assert actual[0] == pytest.approx(plain(name, again, np.repeat(scores, times)), abs=1e-12, nan_ok=True)
    if 0 < truth.sum() < len(truth):
        assert actual[1] == pytest.approx(plain(name, truth, scores), abs=1e-12, nan_ok=True)


def test_more_is_better_whatever_the_measure() -> None:
    truth = np.array([0, 0, 1, 1])
    good = answers(truth, np.array([-2.0, -1.0, 1.0, 2.0]))
    bad = answers(truth, np.array([2.0, -1.0, 1.0, -2.0]))
    for name in CHOICES:
        assert objective(name).merit(good) > objective(name).merit(bad), name


def test_what_cannot_be_measured_is_worst() -> None:
    assert objective("auc").merit(answers(np.array([1, 1]), np.array([0.0, 1.0]))) == -math.inf


def test_more_than_two_classes() -> None:
    truth, predicted = np.array([0, 0, 1, 2]), np.array([0, 1, 1, 2])
    three = Answers(truth, predicted, np.array([0.1, 2.0, 0.3, 0.2]), np.zeros(0), 3)
    assert objective("accuracy").value(three) == 0.75
    assert objective("f1").value(three) == pytest.approx((2 / 3 + 2 / 3 + 1) / 3)
    assert objective("log-loss").value(three) == pytest.approx(0.65)
    with pytest.raises(ConfigError, match="--objective auc needs two classes, the data has 3"):
        objective_for("auc", 3)
    assert (objective_for(None, 2).name, objective_for(None, 3).name) == ("auc", "f1")


@pytest.mark.parametrize("name", ["", "AUC", "recall@", "recall@100%", "recall@-1%", "recall@x%"])
def test_unknown_objectives_are_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="unknown objective") as error:
        objective(name)
    assert error.value.hint == "choose one of: recall@0.1%, auc, f1, accuracy, log-loss, cost"
