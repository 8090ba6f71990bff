"""The score on SpamAssassin's scale: monotone in the log-odds, and at least 5.0 for spam alone."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, strategies as st

from spamnb.model import REQUIRED, spam_level, spam_score

LOG_ODDS = st.floats(allow_nan=False) | st.floats(-20, 20)


@given(LOG_ODDS, LOG_ODDS)
def test_spam_has_the_required_score_and_nothing_else_has(log_odds: float, threshold: float) -> None:
    score = spam_score(log_odds, threshold)
    assert (score >= REQUIRED) == (log_odds > threshold)
    assert (float(f"{score:.1f}") >= 5.0) == (log_odds > threshold)  # as it is printed


@given(LOG_ODDS, LOG_ODDS, LOG_ODDS)
def test_the_score_rises_with_the_log_odds(a: float, b: float, threshold: float) -> None:
    assert spam_score(min(a, b), threshold) <= spam_score(max(a, b), threshold)


@given(st.floats(), st.floats(), st.booleans())
def test_the_verdict_bounds_the_score(log_odds: float, threshold: float, is_spam: bool) -> None:
    score = spam_score(log_odds, threshold, is_spam)
    assert (score >= REQUIRED) == is_spam
    assert -100 <= score <= 100
    assert float(f"{score:.1f}") == score


def test_values_by_hand() -> None:
    """P(spam) = 0.9, 0.5 and 0.01 with a threshold at P = 0.5; e times the odds are one point."""
    assert [spam_score(math.log(p / (1 - p)), 0.0) for p in (0.9, 0.5, 0.01)] == [7.2, 4.9, 0.4]
    assert spam_score(math.nextafter(2.0, 3.0), 2.0) == 5.0
    assert spam_score(math.nan, 2.0) == 4.9  # nothing is known
    assert spam_score(math.inf, math.inf) == 4.9


@pytest.mark.parametrize(
    ("score", "stars"), [(-100.0, 0), (0.9, 0), (1.0, 1), (4.9, 4), (5.0, 5), (100.0, 50)]
)
def test_a_star_is_a_whole_point(score: float, stars: int) -> None:
    assert spam_level(score) == "*" * stars
