"""Limits on what one token and one message can say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from spamnb.counts.entries import Entries
from spamnb.errors import ConfigError
from spamnb.model.spam_model import SpamModel
from spamnb.scorers.evidence_limits import limit_evidence, limit_token_weights
from spamnb.settings import ScorerConfig, TrainingConfig
from spamnb.training.trainer import train

SPAM = ["win a free prize now", "free cash call now", "claim your prize cash"] * 5
HAM = ["see you at home", "are you home later", "call me when you are home"] * 5
LABELS = ["spam"] * 15 + ["ham"] * 15

numbers = st.floats(-20, 0).map(lambda x: round(x, 1))
leans = st.lists(st.tuples(numbers, numbers), min_size=1, max_size=8)


@given(leans, st.floats(0.1, 5))
def test_clip_limits_the_difference_and_keeps_the_mean(pairs: list[tuple[float, float]], clip: float) -> None:
    weights = np.array(pairs)
    limited = limit_token_weights(weights, clip)
    before, after = weights[:, 1] - weights[:, 0], limited[:, 1] - limited[:, 0]
    assert np.allclose(after, np.clip(before, -clip, clip))
    assert np.allclose(limited.mean(axis=1), weights.mean(axis=1))


def test_what_is_impossible_stays_impossible() -> None:
    weights = np.array([[-np.inf, -1.0], [-np.inf, -np.inf]])
    assert limit_token_weights(weights, 1.0).tolist() == weights.tolist()


@given(leans, st.lists(st.lists(st.integers(0, 7), max_size=8), min_size=1, max_size=4), st.integers(1, 4))
def test_strongest_by_hand(pairs: list[tuple[float, float]], messages: list[list[int]], limit: int) -> None:
    weights = np.array(pairs)
    listed = [sorted({i for i in message if i < len(pairs)}) for message in messages]
    rows = np.array([r for r, message in enumerate(listed) for _ in message], np.int64)
    ids = np.array([i for message in listed for i in message], np.int64)
    limited = limit_evidence(Entries(len(listed), rows, ids, np.ones(len(ids), np.int64)), weights, limit)
    lean = {i: b - a for i, (a, b) in enumerate(pairs)}
    for r, message in enumerate(listed):
        sides = [i for i in message if lean[i] > 0], [i for i in message if lean[i] <= 0]
        best = [i for side in sides for i in sorted(side, key=lambda i: (-abs(lean[i]), i))[:limit]]
        assert limited.ids[limited.rows == r].tolist() == sorted(best)


@pytest.mark.parametrize(
    "limits", [{"max_evidence": 2}, {"max_token_weight": 1.0}, {"max_evidence": 3, "max_token_weight": 0.5}]
)
@pytest.mark.parametrize("name", ["multinomial", "categorical", "binary"])
def test_an_explanation_still_sums_to_the_log_odds(name: str, limits: dict[str, float]) -> None:
    model = train(SPAM + HAM, LABELS, scoring=ScorerConfig.of(name, **limits))
    for text in ("free cash at home now", "see you", "win a free prize and call me when you are home"):
        explanation = model.explain(text)
        assert np.isclose(
            explanation.bias + sum(p.log_odds for p in explanation.evidence), explanation.log_odds
        )
        assert np.isclose(model.log_odds([text, "x"])[0], explanation.log_odds)
        if limits.get("max_evidence"):
            for sign in (1, -1):
                assert sum(p.log_odds * sign > 1e-9 for p in explanation.evidence) <= limits["max_evidence"]


def test_words_of_ham_do_not_wash_spam_clean() -> None:
    good = "see you at home are later me when " + " ".join(f"friend{i}" for i in range(40))
    ham = [*HAM[:-1], good]
    text = f"win a free prize cash {good}"
    once, limited = TrainingConfig(folds=0), ScorerConfig(max_evidence=4, max_token_weight=2.0)
    weak = train(SPAM + ham, LABELS, training=once)
    strong = train(SPAM + ham, LABELS, scoring=limited, training=once)
    assert weak.log_odds([text])[0] < -1
    assert strong.log_odds([text])[0] > -0.1


def test_settings_that_make_no_sense() -> None:
    with pytest.raises(ConfigError, match="--max-evidence must be 0 or more, got -1"):
        ScorerConfig(max_evidence=-1)
    with pytest.raises(ConfigError, match="--max-token-weight must be 0 or more, got -1"):
        ScorerConfig(max_token_weight=-1)
    with pytest.raises(ConfigError, match="go with scorers that add up weights, got bernoulli"):
        SpamModel(scoring=ScorerConfig.of("bernoulli", max_evidence=3))


def test_a_model_file_keeps_them() -> None:
    scoring = ScorerConfig(max_evidence=10, max_token_weight=3.0)
    assert ScorerConfig.from_state(scoring.to_state()) == scoring
