"""Limits on what tokens can say against spam: good words do not win."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from spamnb.counts.entries import Entries
from spamnb.errors import ConfigError
from spamnb.model.calibration import Platt
from spamnb.model.inspection import Inspector
from spamnb.model.spam_model import SpamModel
from spamnb.model.weight_correction import Correction
from spamnb.scorers.evidence_limits import EvidenceLimits, Shares
from spamnb.settings import FeatureConfig, ScorerConfig, TrainingConfig
from spamnb.training.trainer import train
from tests.helpers.scorer_checks import CHECKS, Case
from tests.reference import limits as twin
from tests.reference.tokens import tokens

SPAM = ["win a free prize now", "free cash call now", "claim your prize cash"] * 5
HAM = ["see you at home", "are you home later", "call me when you are home"] * 5
LABELS = ["spam"] * 15 + ["ham"] * 15

numbers = st.floats(-9, 9).map(lambda x: round(x, 1))  # so that some are equal, and some are 0
LIMITS = [
    {"max_evidence": 2},
    {"max_token_weight": 1.0},
    {"max_evidence": 3, "max_token_weight": 0.5},
    {"max_evidence": 1, "once": False},
]
PLAIN = FeatureConfig.plain()


def entries_of(messages: list[list[int]]) -> Entries:
    rows = np.array([r for r, message in enumerate(messages) for _ in message], np.int64)
    ids = np.array([i for message in messages for i in message], np.int64)
    return Entries(len(messages), rows, ids, np.ones(len(ids), np.int64))


@given(
    st.lists(numbers, min_size=1, max_size=12),
    st.lists(st.lists(st.integers(0, 11), max_size=12), min_size=1, max_size=5),
    st.integers(1, 4),
    st.sampled_from([0.0, 0.5, 3.0]),
)
def test_shares_by_the_slow_twin(
    weights: list[float], messages: list[list[int]], limit: int, cap: float
) -> None:
    listed = [sorted({i for i in message if i < len(weights)}) for message in messages]
    log_p = np.stack((np.zeros(len(weights)), np.array(weights)), axis=1)
    change, against = EvidenceLimits(1, limit, cap).apply(log_p, None)
    assert against is not None
    shares = Shares.of(limit, entries_of(listed), against, once=True)
    for r, message in enumerate(listed):
        expected = twin.raised({str(i): weights[i] for i in message}, cap)
        share, some = twin.share(expected, limit), [u for u in expected.values() if u < -twin.NEUTRAL]
        assert [weights[i] + change[i] for i in message] == pytest.approx(list(expected.values()))
        assert 1 - shares.excess[r] == pytest.approx(share)
        assert shares.raised[r] == pytest.approx((share - 1) * sum(some), abs=1e-9)
        assert shares.missing[r] == pytest.approx((1 - share) * len(some), abs=1e-9)


def test_repeats_count_as_often_as_they_occur() -> None:
    """Three times -2 and once -4 are 10, of which twice the strongest are 8."""
    entries = Entries(1, np.zeros(2, np.int64), np.array([0, 1]), np.array([3, 1]))
    shares = Shares.of(2, entries, np.array([-2.0, -4.0]), once=False)
    assert (shares.excess.tolist(), shares.raised.tolist()) == ([pytest.approx(0.2)], [pytest.approx(2.0)])
    assert shares.missing.tolist() == [pytest.approx(0.4)]
    assert Shares.of(2, entries, np.array([-2.0, -4.0]), once=True).excess.tolist() == [0.0]


def test_without_tokens_nothing_is_limited() -> None:
    shares = Shares.of(2, entries_of([[], []]), np.array([-2.0]), once=True)
    assert (shares.excess.tolist(), shares.raised.tolist(), shares.missing.tolist()) == ([0.0] * 2,) * 3


def test_what_is_impossible_stays_impossible() -> None:
    log_p = np.array([[-1.0, -np.inf], [-np.inf, -np.inf], [-np.inf, -1.0], [-1.0, -9.0]])
    added, _ = EvidenceLimits(1, 2, 3.0).apply(log_p, None)
    assert added.tolist() == [0.0, 0.0, 0.0, 5.0]
    model = SpamModel(PLAIN, ScorerConfig.of("multinomial", alpha=0.0, max_evidence=1, max_token_weight=1.0))
    model = model.learn(["win prize", "see you soon"], ["spam", "ham"])
    assert model.log_odds(["see you soon", "win"]).tolist() == [-1e6, 1e6]


# --- whole models


def damped(model: SpamModel, texts: list[str]) -> list[float]:
    """Log-odds before calibration; they are damped only in a model that has one."""
    return (replace(model, calibration=Platt(2.0)).log_odds(texts) / 2).tolist()


def corrected(model: SpamModel, label: str = "ham") -> SpamModel:
    keys = model.store.keys
    weights = np.random.default_rng(4).normal(size=len(keys)).astype(np.float32)
    return replace(model, correction=Correction(keys, weights, -0.6, label, 60))


@pytest.mark.parametrize("limits", LIMITS[:3], ids=str)  # `recompute` checks repeats that count
@pytest.mark.parametrize("name", ["multinomial", "categorical", "binary"])
def test_log_odds_by_the_slow_twin(name: str, limits: dict[str, Any]) -> None:
    """Of each known token: its log P of both classes and its correction, from the model without limits."""
    scoring = ScorerConfig.of(name, **{"damping": 1.0, "once": True, **limits})
    case = Case(PLAIN, scoring, 2)
    for model in (case.model, corrected(case.model), corrected(case.model, "spam")):
        free = Inspector(replace(model, scoring=replace(scoring, max_evidence=0, max_token_weight=0.0)))
        prior = math.log(model.store.message_totals[1] / model.store.message_totals[0])
        bias = 0.0 if model.correction is None else -0.6 if model.correction.label == "spam" else 0.6
        for message, got in zip(case.others, damped(model, case.others), strict=True):
            known = [row for row in free.look_up(set(tokens(message, PLAIN))) if row.known]
            rows = sorted(known, key=lambda row: free._find(row.token))
            weights = {row.token: row.weight for row in rows}
            stated = scoring.max_evidence or 0, scoring.max_token_weight, scoring.damping, bias
            assert got == pytest.approx(twin.log_odds(prior, weights, *stated), rel=1e-9, abs=1e-9), message


@pytest.mark.parametrize("check", [name for name in CHECKS if name != "agrees with the twin"])
@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_the_checks_of_scorers_hold_with_limits(limits: dict[str, Any], check: str, tmp_path: Path) -> None:
    CHECKS[check](Case(FeatureConfig(), ScorerConfig.of("multinomial", **limits), 2), tmp_path)


def test_exact_values() -> None:
    """Weights of log 2 for prize, -log 2 for see and you, of which half counts."""
    model = SpamModel(PLAIN, ScorerConfig(alpha=1.0, max_evidence=1, max_token_weight=1.0))
    model = model.learn(["win prize", "see you"], ["spam", "ham"])
    weight = math.log(2)  # (1 + 1) / (2 + 4) against (0 + 1) / (2 + 4)
    free = replace(model, scoring=replace(model.scoring, max_evidence=0, max_token_weight=0.0))
    assert damped(free, ["prize see you"])[0] == pytest.approx((weight - 2 * weight) / 3)
    assert damped(model, ["prize see you"])[0] == pytest.approx((weight - weight) / 2, abs=1e-12)
    strict = replace(model, scoring=replace(model.scoring, max_token_weight=0.5))
    assert damped(strict, ["prize see you"])[0] == pytest.approx((weight - 0.5) / 2)
    assert damped(strict, ["prize win"])[0] == pytest.approx(weight)  # no limit on evidence for spam


def test_all_known_tokens_are_known_whether_they_count_or_not() -> None:
    model = SpamModel(PLAIN, ScorerConfig(max_evidence=1)).learn(
        ["win prize", "see you at home"], ["spam", "ham"]
    )
    free = replace(model, scoring=replace(model.scoring, max_evidence=0))
    limited, every = model.score(["see you at home"]), free.score(["see you at home"])
    assert limited.known.tolist() == [4]
    assert limited.scored.log_evidence.tolist() == every.scored.log_evidence.tolist()
    limited_parts, parts = (each.explain("see you at home").evidence for each in (model, free))
    assert [e.token for e in limited_parts] == [e.token for e in parts] == ["at", "home", "see", "you"]
    assert [e.log_odds for e in limited_parts] == pytest.approx([e.log_odds / 4 for e in parts])


def test_three_classes_and_a_missing_positive_class_have_no_limits() -> None:
    config = ScorerConfig(max_evidence=1, max_token_weight=0.1)
    assert EvidenceLimits.of(config, ("ham", "news", "spam"), "spam") is None
    assert EvidenceLimits.of(config, ("books", "music"), "spam") is None
    assert EvidenceLimits.of(ScorerConfig(), ("ham", "spam"), "spam") is None
    limits = EvidenceLimits.of(config, ("ham", "spam"), "ham")
    assert limits is not None
    assert (limits.plus, limits.tokens, limits.weight) == (0, 1, 0.1)


WORDS = [f"friend{i}" for i in range(40)]
GOOD = [*SPAM, *HAM, " ".join(WORDS)]
FILTER = train(GOOD, [*LABELS, "ham"], scoring=ScorerConfig(max_evidence=4), training=TrainingConfig(folds=0))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=40, unique=True))
def test_good_words_say_no_more_than_a_few_of_the_strongest(words: list[str]) -> None:
    """Whatever is appended, a sum that outweighs four of the strongest tokens stays on the side of spam."""
    model = replace(FILTER, features=replace(FILTER.features, ngrams=1, shapes=False))
    free = replace(model, scoring=replace(model.scoring, max_evidence=0))
    spam = "win a free prize cash"
    strongest = min(damped(free, [word])[0] for word in WORDS)
    evidence = damped(free, [spam])[0] * 5
    assert evidence > -4 * strongest
    assert damped(model, [f"{spam} {' '.join(words)}"])[0] > 0


def test_words_of_ham_do_not_wash_spam_clean() -> None:
    good = "see you at home are later me when " + " ".join(WORDS)
    text = f"win a free prize cash {good}"
    once = TrainingConfig(folds=0)
    weak = train(GOOD, [*LABELS, "ham"], scoring=ScorerConfig(max_evidence=0), training=once)
    usual = train(GOOD, [*LABELS, "ham"], training=once)
    assert (weak.scoring.max_evidence, usual.scoring.max_evidence) == (0, 8)
    assert weak.log_odds([text])[0] < -1
    assert usual.log_odds([text])[0] > weak.log_odds([text])[0] + 1


def test_settings_that_make_no_sense() -> None:
    with pytest.raises(ConfigError, match="max_evidence must be 0 or more, got -1"):
        ScorerConfig(max_evidence=-1)
    with pytest.raises(ConfigError, match="max_token_weight must be 0 or more, got -1"):
        ScorerConfig(max_token_weight=-1)
    with pytest.raises(ConfigError, match="need a scorer that sums weights, got bernoulli"):
        SpamModel(scoring=ScorerConfig.of("bernoulli", max_evidence=3))


def test_a_model_file_keeps_them() -> None:
    scoring = ScorerConfig(max_evidence=10, max_token_weight=3.0)
    assert ScorerConfig.from_state(scoring.to_state()) == scoring
