"""Checks the set-of-words filter: its algorithm by hand on five messages, then by the `binary` scorer.

The document prints formulas and no figures, so the expected numbers are worked out here as fractions.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from spamnb.counts.tally import count
from spamnb.features import extract
from spamnb.messages import Texts
from spamnb.model.decision import Decision
from spamnb.model.raw_scores import RawScores
from spamnb.model.scoring_engine import Engine
from spamnb.model.spam_model import SpamModel
from spamnb.scorers.base import Stats
from spamnb.settings import FeatureConfig, ScorerConfig

SPAM = ["win cash now", "win win prize"]
HAM = ["see you now", "lunch now", "see mum"]
LABELS = ["spam"] * len(SPAM) + ["ham"] * len(HAM)
PLAIN = FeatureConfig.plain()
STORE = count(extract(Texts.of(SPAM + HAM), PLAIN), LABELS)
VOCABULARY = sorted({word for message in SPAM + HAM for word in message.split()})


def estimate(word: str, messages: list[str], smoothing: int = 1) -> Fraction:
    """The document's P(u | S): (1 + e-mails containing u) / (2 + e-mails)."""
    holding = sum(word in message.split() for message in messages)
    return Fraction(smoothing + holding, 2 * smoothing + len(messages))


def products(message: str) -> tuple[Fraction, Fraction]:
    """The two sides of the document's inequality, ham first: P(c) times the product over known words."""
    known = set(message.split()) & set(VOCABULARY)
    sides = []
    for messages in (HAM, SPAM):
        side = Fraction(len(messages), len(LABELS))
        for word in known:
            side *= estimate(word, messages)
        sides.append(side)
    return sides[0], sides[1]


def score(messages: list[str], alpha: float = 1.0) -> RawScores:
    engine = Engine(STORE, ScorerConfig.of("binary", alpha=alpha))
    return engine.score(extract(Texts.of(messages), PLAIN))


def test_the_estimates_of_every_word_of_the_vocabulary() -> None:
    engine = Engine(STORE, ScorerConfig.of("binary"))
    log_p = engine.scorer.estimate(Stats.of(STORE))
    assert STORE.labels == ("ham", "spam")
    actual = dict(zip(STORE.spellings.tolist(), np.exp(log_p).tolist(), strict=True))
    assert sorted(actual) == VOCABULARY
    for word, pair in actual.items():
        assert pair == pytest.approx([estimate(word, HAM), estimate(word, SPAM)], rel=1e-14)


def test_two_estimates_by_hand() -> None:
    # 'win' is in both spam e-mails, three times in all: (1 + 2) / (2 + 2); in no ham: 1 / (2 + 3).
    assert (estimate("win", SPAM), estimate("win", HAM)) == (Fraction(3, 4), Fraction(1, 5))
    # 'now' is in one of two spam and two of three ham e-mails.
    assert (estimate("now", SPAM), estimate("now", HAM)) == (Fraction(1, 2), Fraction(3, 5))


@pytest.mark.parametrize(
    ("message", "ham", "spam", "label"),
    [
        # 3/5 * 1/5 * 3/5 against 2/5 * 3/4 * 1/2
        pytest.param("win now", Fraction(9, 125), Fraction(3, 20), "spam", id="spam"),
        # see: (1 + 2) / 5 and 1 / 4; 3/5 * 3/5 * 3/5 against 2/5 * 1/4 * 1/2
        pytest.param("see now", Fraction(27, 125), Fraction(1, 20), "ham", id="ham"),
        pytest.param("", Fraction(3, 5), Fraction(2, 5), "ham", id="nothing but the prior"),
    ],
)
def test_the_two_sides_of_the_inequality(message: str, ham: Fraction, spam: Fraction, label: str) -> None:
    assert products(message) == (ham, spam)
    joint = score([message]).joint[0]
    assert np.exp(joint) == pytest.approx([ham, spam], rel=1e-14)
    assert STORE.labels[joint.argmax()] == label


def test_the_posterior_is_one_side_over_the_sum_of_both() -> None:
    # P(S | win now) = (3/20) / (3/20 + 9/125) = 25/37
    model = SpamModel(PLAIN, ScorerConfig.of("binary"), STORE)
    assert model.predict_proba(["win now"])[0] == pytest.approx(
        [Fraction(12, 37), Fraction(25, 37)], rel=1e-13
    )


def test_words_not_seen_in_training_are_ignored() -> None:
    joint = score(["win now", "win now zebra quagga"]).joint
    assert joint[0].tolist() == joint[1].tolist()


def test_an_email_is_the_set_of_its_distinct_words() -> None:
    joint = score(["win now", "now win win WIN, now!"]).joint
    assert joint[0].tolist() == joint[1].tolist()


def test_without_smoothing_one_word_decides_alone() -> None:
    # "Discuss how a spam generator might take advantage of it": 'lunch' is in no spam e-mail.
    joint = score(["win cash prize", "win cash prize lunch"], alpha=0.0).joint
    assert joint[0].tolist() == [-math.inf, pytest.approx(math.log(Fraction(2, 5) * 1 * Fraction(1, 2) ** 2))]
    assert joint[1].tolist() == [-math.inf, -math.inf]
    assert np.isfinite(score(["win cash prize lunch"]).joint).all()


@given(st.lists(st.sampled_from([*VOCABULARY, "zebra"]), max_size=12).map(" ".join))
def test_log_space_compares_as_the_product_does(message: str) -> None:
    ham, spam = products(message)
    joint = score([message]).joint[0]
    assert (joint[1] > joint[0]) == (spam > ham) or joint[0] == pytest.approx(joint[1], rel=1e-14)
    assert joint == pytest.approx([math.log(ham), math.log(spam)], rel=1e-13)


def test_log_space_answers_where_the_product_underflows() -> None:
    # 200 spam e-mails of 400 words of their own and one ham e-mail: a product of 400 small factors.
    words = [f"w{i}" for i in range(400)]
    messages = [" ".join(words[i::200]) for i in range(200)] + ["hello"]
    store = count(extract(Texts.of(messages), PLAIN), ["spam"] * 200 + ["ham"])
    engine = Engine(store, ScorerConfig.of("binary"))
    everything = extract(Texts.of([" ".join(words)]), PLAIN)
    assert math.prod([2 / 202] * 400) == 0.0
    # ham: 1/201 * (1/3)^400; spam: 200/201 * (2/202)^400
    expected = [-math.log(201) - 400 * math.log(3), math.log(200 / 201) - 400 * math.log(101)]
    assert engine.score(everything).joint[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("decision", [Decision(), Decision(0.5), Decision.from_costs(1, 1)])
def test_a_tie_is_not_spam(decision: Decision) -> None:
    # Algorithm 1 says spam only if its side is the larger one.
    store = count(extract(Texts.of(["a b", "b a"]), PLAIN), ["ham", "spam"])
    model = SpamModel(PLAIN, ScorerConfig.of("binary"), store, decision)
    assert model.predict(["a"]) == ["ham"]
    assert model.predict_proba(["a"]).tolist() == [[0.5, 0.5]]
