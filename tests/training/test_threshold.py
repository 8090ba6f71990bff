"""The line for a rate of false alarms: it keeps its promise, and works where probabilities saturate."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from spamnb.errors import ModelError
from spamnb.model.calibration import probability
from spamnb.model.decision import HAM, SPAM, UNSURE, Decision
from spamnb.model.decision_text import describe
from spamnb.model.spam_model import SpamModel
from spamnb.settings import FeatureConfig, ScorerConfig, TrainingConfig
from spamnb.training.threshold import cautious_cutoff, cutoff, operating_point
from spamnb.training.trainer import train

scores = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=200)
rates = st.floats(1e-6, 0.9)


@given(scores, rates)
def test_no_more_ham_than_that_is_called_spam(ham: list[float], rate: float) -> None:
    line = cutoff(ham, rate)
    assert np.count_nonzero(np.array(ham) > line) <= round(rate * len(ham))
    assert math.isfinite(line)


@given(scores, rates, rates)
def test_a_lower_rate_never_lowers_the_line(ham: list[float], one: float, other: float) -> None:
    low, high = sorted((one, other))
    if len(ham) * high < 10 or len(ham) * low >= 10:  # by the tail or by counting, both times
        assert cutoff(ham, low) >= cutoff(ham, high)


def test_the_tail_by_hand() -> None:
    """The 10 highest of 100 exceed 0 by 1 on average: t = 0 + 1 log(10 / (100 0.001)) = log 100."""
    ham = [*np.linspace(-9, 0, 90), *([0.5] * 5), *([1.5] * 5)]
    assert cutoff(ham, 0.001) == pytest.approx(math.log(100 / 0.8))
    assert cutoff(ham, 0.1) == pytest.approx(0.0)  # ten may lie above: counted, not estimated


def test_no_ham_is_no_reason_to_move_the_line() -> None:
    assert cutoff([], 0.001) == 0.0
    assert cutoff([3.0], 0.001) == 3.0  # spam lies above


def test_a_default_threshold_moves_without_a_jump() -> None:
    """n of 600 ham count: ham up to 4 alone would set it at 4 or above, none of them at P = 0.9."""
    scores = np.random.default_rng(1).normal(-4, 2, 700)
    steps = [cautious_cutoff(scores[:n], 0.001) for n in range(701)]
    assert steps[0] == pytest.approx(math.log(9))
    assert np.abs(np.diff(steps)).max() < 0.4  # one of the highest scores so far
    assert steps[600:] == [max(cutoff(scores[:n], 0.001), 0.0) for n in range(600, 701)]


def test_lessons_move_the_threshold() -> None:
    """log((lost + 1) / (max_fpr ham + 1)) by hand; where no rate was asked for, it stays."""
    rule = Decision.from_cutoff(1.0, 0.01)
    raised = rule.after_lessons(3, 2)
    assert raised.log_odds_threshold == pytest.approx(1 + math.log(3 / 1.03))
    assert raised.threshold == pytest.approx(1 / (1 + math.exp(-raised.log_odds_threshold)))
    assert raised.after_lessons(100, 1).log_odds_threshold == pytest.approx(1.0)  # from the trained one again
    lowest = raised.after_lessons(10**6, 0)
    assert (lowest.log_odds_threshold, lowest.unsure_from) == (0.0, None)
    assert lowest.after_lessons(3, 2) == raised
    assert Decision.from_state(json.loads(json.dumps(raised.to_state()))) == raised
    assert Decision(0.9).after_lessons(5, 5) == Decision(0.9)
    assert rule.after_lessons(0, 0) == rule


def test_a_line_beyond_what_probabilities_can_tell() -> None:
    """From log-odds 37 on, the probability is 1.0."""
    decision = Decision.from_cutoff(50.0, 0.001)
    assert decision.threshold == 1.0
    assert decision.verdicts([1.0, 1.0], log_odds=[50.0, 50.1]).tolist() == [UNSURE, SPAM]
    again = Decision.from_state(json.loads(json.dumps(decision.to_state())))
    assert again == decision
    assert describe(decision.to_state(), "spam", "ham").startswith(
        "spam above P = 1 (log-odds +50.00, aim: at most"
    )


def test_a_line_below_even_odds_leaves_nothing_unsure() -> None:
    decision = Decision.from_cutoff(-1e5, 0.5)
    assert decision.unsure_from is None
    assert decision.verdicts([0.3], log_odds=[-0.8]).tolist() == [SPAM]
    assert Decision.from_cutoff(0.0, 0.5).verdicts([0.4], log_odds=[-0.4]).tolist() == [HAM]


def test_a_stored_decision_has_all_names() -> None:
    state = Decision(0.7).to_state()
    del state["log_odds_threshold"]
    with pytest.raises(ModelError, match="decision settings in the model are damaged"):
        Decision.from_state(state)


def test_the_point_on_the_data_itself() -> None:
    spam, log_odds = [0, 0, 0, 0, 1, 1, 1], [-3, -2, 0.5, 9, 0, 1, 10]
    point = operating_point(spam, log_odds, 0.25)
    assert point is not None
    assert (point.threshold, point.recall, point.false_positives, point.ham) == (0.6792, 2 / 3, 1, 4)
    assert point.log_odds == pytest.approx(0.75, abs=0.001)  # between 0.5 and 1
    strict = operating_point(spam, log_odds, 0.01)
    assert strict is not None
    assert (strict.threshold, strict.recall, strict.false_positives) == (0.99993, 1 / 3, 0)
    assert operating_point([1, 1], [0, 1], 0.1) is None


def test_where_ham_scores_highest_nothing_is_called_spam() -> None:
    point = operating_point([0, 1], [2, 1], 0.001)
    assert point is not None
    assert (point.threshold, point.recall, point.false_positives) == (0.8808, 0, 0)  # P = 0.880797


def test_messages_without_evidence_are_spam_at_no_threshold() -> None:
    point = operating_point([0, 0, 1, 1], [-1, 3, 1, 4], 0.1, [False, True, False, True])
    assert point is not None
    assert (point.threshold, point.recall, point.false_positives, point.ham) == (0.5, 0.5, 0, 2)


evidence = st.floats(-50, 50) | st.sampled_from([0.0, 1.0, 36.9, 37.0, 745.0, -745.0])


@given(
    st.lists(st.tuples(st.booleans(), evidence, st.booleans()), min_size=2, max_size=30),
    st.sampled_from([0.001, 0.05, 0.1, 0.34, 0.5, 0.9]),
)
def test_the_threshold_as_printed_gives_the_counts(rows: list[tuple[bool, float, bool]], rate: float) -> None:
    spam, log_odds, unknown = (np.array(column) for column in zip(*rows, strict=True))
    point = operating_point(spam, log_odds, rate, unknown)
    if point is None:
        assert spam.all() or not spam.any()
        return
    rule = Decision(float(repr(point.threshold)))
    flagged = rule.verdicts(probability(log_odds), known=~unknown) == 1
    assert np.count_nonzero(flagged & ~spam) == point.false_positives <= rate * point.ham + 1e-9
    assert np.count_nonzero(flagged & spam) == round(point.recall * np.count_nonzero(spam))
    p = probability(log_odds)
    lower = [t for t in (*p.tolist(), 0.0) if t < point.threshold]  # no lower one catches more
    for t in lower:
        more = (p > t) & ~unknown
        keeps = np.count_nonzero(more & ~spam) <= rate * point.ham + 1e-9
        assert not keeps or np.count_nonzero(more & spam) <= np.count_nonzero(flagged & spam)


def messages(n: int) -> tuple[list[str], list[str]]:
    """Words of two kinds, with every tenth message using the other's."""
    rng = np.random.default_rng(7)
    labels = [("ham", "spam")[int(i % 3 == 0)] for i in range(n)]
    kinds = [(label == "spam") ^ (i % 10 == 0) for i, label in enumerate(labels)]
    return [" ".join(f"{'s' if kind else 'h'}{rng.integers(30)}" for _ in range(8)) for kind in kinds], labels


def test_training_draws_the_line_and_keeps_it() -> None:
    texts, labels = messages(300)
    plain = train(texts, labels, features=FeatureConfig.plain())
    strict = train(texts, labels, features=FeatureConfig.plain(), training=TrainingConfig(max_fpr=0.01))
    assert plain.decision == Decision()
    assert strict.decision.max_fpr == 0.01
    assert strict.decision.unsure_from == 0.5
    assert strict.metrics is not None
    assert plain.metrics is not None
    assert strict.metrics["false_positives"] <= 2 < plain.metrics["false_positives"]
    assert strict.metrics["roc_auc"] == plain.metrics["roc_auc"]
    again = SpamModel.from_state(strict.to_state())
    assert again.decision == strict.decision
    assert again.predict(texts) == strict.predict(texts)


def test_the_line_is_never_below_even_odds() -> None:
    texts = ["win prize"] * 20 + ["see you"] * 20
    model = train(texts, ["spam"] * 20 + ["ham"] * 20, training=TrainingConfig(max_fpr=0.5))
    assert model.decision.threshold >= 0.5


def test_more_than_two_classes_have_no_line() -> None:
    texts, labels = ["a b"] * 12 + ["c d"] * 12 + ["e f"] * 12, ["x"] * 12 + ["y"] * 12 + ["z"] * 12
    assert (
        train(texts, labels, scoring=ScorerConfig(), training=TrainingConfig(max_fpr=0.1)).decision
        == Decision()
    )
