"""Every figure of an evaluation equals scikit-learn's to 1e-9: any scores, ties and extremes too."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from spamnb import metrics
from spamnb.evaluation.other_filter import ExternalPredictions, evaluate_predictions
from spamnb.metrics import Confusion, evaluate_binary, evaluate_multi

sk = pytest.importorskip("sklearn.metrics")

# Few distinct values give ties; the ends 0 and 1, neighbours of 1 and tiny numbers are the extremes.
probabilities = st.one_of(
    st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0, 1e-12, 1 - 1e-12, 1e-300, math.nextafter(1.0, 0.0)]),
    st.floats(0, 1, allow_nan=False),
)
rows = st.lists(st.tuples(st.booleans(), probabilities), min_size=2, max_size=60).filter(
    lambda pairs: len({spam for spam, _ in pairs}) == 2
)
scored = st.lists(st.tuples(st.booleans(), st.integers(-5, 5)), min_size=2, max_size=60).filter(
    lambda pairs: len({spam for spam, _ in pairs}) == 2
)


def close(ours: float, theirs: float) -> None:
    assert ours == pytest.approx(theirs, abs=1e-9, rel=0)


@given(rows, st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_two_classes(pairs: list[tuple[bool, float]], threshold: float) -> None:
    y, p = (np.array(column) for column in zip(*pairs, strict=True))
    flagged = p >= threshold
    ours = evaluate_binary(y, p, flagged)
    tn, fp, fn, tp = sk.confusion_matrix(y, flagged, labels=[False, True]).ravel().tolist()
    counted = ours.true_negatives, ours.false_positives, ours.false_negatives, ours.true_positives
    assert counted == (tn, fp, fn, tp)
    close(ours.accuracy, sk.accuracy_score(y, flagged))
    close(ours.recall, sk.recall_score(y, flagged))
    if flagged.any():
        close(ours.precision, sk.precision_score(y, flagged))
    else:
        assert math.isnan(ours.precision)
    close(ours.f1, sk.f1_score(y, flagged, zero_division=0.0))
    close(ours.jaccard, sk.jaccard_score(y, flagged))
    close(ours.roc_auc, sk.roc_auc_score(y, p))
    close(ours.pr_auc, sk.average_precision_score(y, p))
    close(ours.log_loss, sk.log_loss(y, p))
    close(ours.brier, sk.brier_score_loss(y, p))


@given(rows, st.sampled_from([0.5, 1.0, 2.0]))
def test_f_beta(pairs: list[tuple[bool, float]], beta: float) -> None:
    y, p = (np.array(column) for column in zip(*pairs, strict=True))
    flagged = p > 0.5
    close(Confusion.of(y, flagged).f_beta(beta), sk.fbeta_score(y, flagged, beta=beta, zero_division=0.0))


@given(scored)
def test_scores_of_any_kind_with_ties(pairs: list[tuple[bool, int]]) -> None:
    y, s = (np.array(column) for column in zip(*pairs, strict=True))
    close(metrics.roc_auc(y, s), sk.roc_auc_score(y, s))
    close(metrics.average_precision(y, s), sk.average_precision_score(y, s))
    for ours, theirs in zip(
        metrics.roc_curve(y, s), sk.roc_curve(y, s, drop_intermediate=False), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)
    for ours, theirs in zip(
        metrics.precision_recall_curve(y, s), sk.precision_recall_curve(y, s), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)


@given(rows)
def test_predictions_of_a_file(pairs: list[tuple[bool, float]]) -> None:
    y, p = (np.array(column) for column in zip(*pairs, strict=True))
    ours = evaluate_predictions(
        ExternalPredictions(["spam" if spam else "ham" for spam in y], None, p), {}
    ).scores
    assert isinstance(ours, metrics.Scores)
    close(ours.roc_auc, sk.roc_auc_score(y, p))
    close(ours.pr_auc, sk.average_precision_score(y, p))
    close(ours.log_loss, sk.log_loss(y, p))
    close(ours.brier, sk.brier_score_loss(y, p))
    assert ours.true_positives == int(sk.confusion_matrix(y, p > 0.5, labels=[False, True])[1, 1])


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=40))
def test_several_classes(pairs: list[tuple[int, int]]) -> None:
    y, predicted = (np.array(column) for column in zip(*pairs, strict=True))
    proba = np.full((len(y), 3), 0.2) + 0.4 * np.eye(3)[predicted]
    ours = evaluate_multi(y, predicted, proba, ["a", "b", "c"])
    assert np.array(ours.confusion).tolist() == sk.confusion_matrix(y, predicted, labels=[0, 1, 2]).tolist()
    close(ours.accuracy, sk.accuracy_score(y, predicted))
    close(ours.log_loss, sk.log_loss(y, proba, labels=[0, 1, 2]))
    theirs = sk.precision_recall_fscore_support(y, predicted, labels=[0, 1, 2], zero_division=np.nan)
    for i, c in enumerate(ours.classes):
        for mine, column in ((c.precision, theirs[0]), (c.recall, theirs[1])):
            assert mine == pytest.approx(column[i], abs=1e-9, nan_ok=True)
