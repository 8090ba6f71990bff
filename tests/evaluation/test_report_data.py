"""What a report draws: small whatever the number of messages, and true at every threshold."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from spamnb.evaluation.report_data import BINS, COLUMNS, STEPS, Panels, ScoredLabels, logit, make_panels, thin
from spamnb.metrics import Confusion, roc_curve

ranks = st.lists(st.tuples(st.booleans(), st.integers(-12, 12)), min_size=1, max_size=40)


def outcome(
    rows: list[tuple[bool, int]], threshold: float | None = 0.0, probabilities: bool = True
) -> ScoredLabels:
    truth = np.array([spam for spam, _ in rows])
    rank = np.array([float(score) for _, score in rows])
    called = rank >= (threshold or 0.0)
    return ScoredLabels(truth, called, rank, probabilities, np.zeros(len(rows), bool), threshold)


@given(ranks, st.sampled_from([0.0, 1.7, -3.0, math.inf, -math.inf]), st.booleans())
def test_every_threshold_of_the_slider_counts_as_the_metrics_do(
    rows: list[tuple[bool, int]], threshold: float, probabilities: bool
) -> None:
    if not probabilities and math.isinf(threshold):
        return
    scored = outcome(rows, threshold, probabilities)
    panels = make_panels(scored)
    sweep = panels.sweep
    assert len(sweep.thresholds) == STEPS + (sweep.best != sweep.at)
    for i, (t, tp, fp) in enumerate(zip(sweep.thresholds, sweep.tp, sweep.fp, strict=True)):
        called = scored.flagged if i == sweep.at else scored.rank > t
        expected = Confusion.of(scored.truth, called)
        assert (tp, fp) == (expected.tp, expected.fp)
    assert (sweep.tp[sweep.at], sweep.fp[sweep.at]) == panels.flagged
    assert (np.diff(sweep.thresholds) > 0).all()


@given(ranks, st.floats(0.01, 0.99), st.sampled_from([(1.0, 1.0), (9.0, 1.0), (1.0, 5.0)]), st.booleans())
def test_no_threshold_costs_less_than_the_best_of_the_slider(
    rows: list[tuple[bool, int]], p: float, costs: tuple[float, float], probabilities: bool
) -> None:
    # Scores that lie far closer together than the positions of the slider.
    scored = outcome([(spam, score) for spam, score in rows], logit(p), probabilities)
    scored = replace(scored, rank=scored.rank / 997, flagged=scored.rank / 997 > logit(p), costs=costs)
    panels = make_panels(scored)
    cost = panels.sweep.cost(panels.positives, panels.negatives, costs)
    every = [*(np.unique(scored.rank) + 1e-6), -50.0]
    called = [Confusion.of(scored.truth, scored.rank > t) for t in every]
    lowest = min((c.fp * costs[0] + c.fn * costs[1]) / len(rows) for c in called)
    assert cost[panels.sweep.best] == pytest.approx(lowest)
    assert cost.min() == pytest.approx(lowest)


def test_a_threshold_between_two_close_scores_is_a_position_of_the_slider() -> None:
    p = np.array([1e-5] * 20 + [0.99999] * 20 + [0.3174] * 3 + [0.3195] * 3 + [0.33])
    truth = np.array([False] * 20 + [True] * 20 + [False] * 3 + [True] * 3 + [False])
    rank = np.log(p / (1 - p))
    sweep = make_panels(ScoredLabels(truth, rank > 0, rank, True, np.zeros(47, bool), 0.0)).sweep
    assert 1 / (1 + math.exp(-sweep.thresholds[sweep.best])) == pytest.approx(0.318)
    assert (sweep.tp[sweep.best], sweep.fp[sweep.best]) == (23, 1)
    assert sweep.cost(23, 24, (1.0, 1.0))[sweep.best] == pytest.approx(1 / 47)


def test_the_slider_knows_the_threshold_that_was_used() -> None:
    panels = make_panels(outcome([(True, 2), (False, -2)], logit(0.9)))
    assert panels.sweep.thresholds[panels.sweep.at] == logit(0.9)


def test_messages_of_which_nothing_is_known_are_never_called_spam() -> None:
    truth, rank = np.array([True, True]), np.array([5.0, 5.0])
    barred = np.array([False, True])
    panels = make_panels(ScoredLabels(truth, ~barred, rank, True, barred, 0.0))
    assert panels.sweep.tp.max() == 1


def test_verdicts_without_threshold_begin_where_the_counts_agree() -> None:
    rows = [(True, 3), (True, 1), (False, 0), (False, -3)]
    scored = outcome(rows, None)
    called = np.array([True, False, False, False])
    panels = make_panels(ScoredLabels(scored.truth, called, scored.rank, True, scored.unflaggable))
    assert panels.flagged == (1, 0)
    assert 1 < panels.sweep.thresholds[panels.sweep.at] <= 3


def test_one_class_alone_has_no_curves() -> None:
    for spam in (True, False):
        panels = make_panels(outcome([(spam, 2), (spam, -1)]))
        assert panels.roc is None
        assert panels.pr is None
        assert sum(panels.histogram.positive) + sum(panels.histogram.negative) == pytest.approx(1.0)


def test_reliability_by_hand() -> None:
    p = [0.82, 0.84, 0.88, 0.81, 0.05]
    truth = np.array([True, True, True, False, False])
    rank = np.array([logit(value) for value in p])
    bins = make_panels(ScoredLabels(truth, rank >= 0, rank, True, np.zeros(5, bool), 0.0)).reliability
    assert [(b.count, b.observed) for b in bins] == [(1, 0.0), (4, 0.75)]
    assert bins[1].predicted == pytest.approx(sum(p[:4]) / 4)


def test_scores_that_are_no_probabilities_have_no_reliability_and_their_own_range() -> None:
    panels = make_panels(outcome([(True, 12), (False, -3)], 5.0, probabilities=False))
    assert panels.reliability == ()
    assert panels.low == pytest.approx(-3.45)
    assert panels.high == pytest.approx(12.45)


def big(size: int = 200_000) -> Panels:
    rng = np.random.default_rng(7)
    truth = rng.random(size) < 0.3
    rank = rng.normal(np.where(truth, 2.0, -2.0), 1.5)
    return make_panels(ScoredLabels(truth, rank >= 0, rank, True, np.zeros(size, bool), 0.0))


def test_size_does_not_grow_with_the_messages() -> None:
    panels = big()
    assert panels.roc is not None
    assert panels.pr is not None
    assert len(panels.roc[0]) <= 8 * COLUMNS
    assert len(panels.pr[0]) <= 4 * COLUMNS
    assert len(panels.histogram.positive) == BINS


def test_a_thinned_curve_stays_within_a_column_of_the_whole_one() -> None:
    rng = np.random.default_rng(3)
    truth = rng.random(50_000) < 0.2
    rank = rng.normal(np.where(truth, 1.0, -1.0), 1.0)
    fpr, tpr, _ = roc_curve(truth, rank)
    x, y = thin(fpr, tpr, fpr)
    assert np.abs(np.interp(fpr, x, y) - tpr).max() < 2 * (np.interp(fpr + 1 / COLUMNS, fpr, tpr) - tpr).max()
    for column in range(COLUMNS):
        inside = (fpr >= column / COLUMNS) & (fpr < (column + 1) / COLUMNS)
        kept = (x >= column / COLUMNS) & (x < (column + 1) / COLUMNS)
        assert y[kept].max() == tpr[inside].max()


def test_short_curves_are_left_alone() -> None:
    x = np.linspace(0, 1, 4 * COLUMNS)
    assert thin(x, x, x)[0] is x
