"""What is unsure for lack of evidence has no probability near 0 or 1, in every output and measure."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from spamnb.evaluation import evaluate_chunks
from spamnb.messages import Chunk, Texts
from spamnb.metrics import Scores, log_loss
from spamnb.model import SPAM, UNSURE, Decision, SpamModel, probability
from spamnb.model.unsure_verdicts import LEAST, MOST, Verdicts, decide
from spamnb.settings import FeatureConfig
from tests.helpers.command_line import Cli

LOG_ODDS = st.floats(-60, 60)
SHARES = st.floats(0, 1)


@st.composite
def decisions(draw: st.DrawFn) -> Decision:
    """Any rule: a threshold, a band, costs, or a false positive rate."""
    kind = draw(st.sampled_from(["threshold", "band", "costs", "rate"]))
    if kind == "threshold":
        return Decision(draw(SHARES))
    if kind == "band":
        low, high = draw(SHARES), draw(SHARES)
        assume(low < high)
        return Decision(high, unsure_from=low)
    if kind == "costs":
        return Decision.from_costs(draw(st.floats(0.01, 100)), draw(st.floats(0.01, 100)))
    return Decision.from_cutoff(draw(st.floats(0, 30)), 0.001)


def one(decision: Decision, prior: float, log_odds: float, known: int, few: bool) -> Verdicts:
    return decide(decision, prior, np.array([log_odds]), np.array([known == 0]), np.array([few]))


@given(decisions(), SHARES, LOG_ODDS, st.integers(0, 3), st.booleans())
def test_unsure_for_lack_of_evidence_is_inside_of_the_unsure_band(
    decision: Decision, prior: float, log_odds: float, known: int, few: bool
) -> None:
    verdicts = one(decision, prior, log_odds, known, few)
    (p,), (code,), (lacking,) = verdicts.probability, verdicts.codes, verdicts.lacks_evidence
    if not lacking:
        assert p == probability(log_odds)
        assert code == decision.verdicts([probability(log_odds)], log_odds=[log_odds])[0]
        return
    assert code == UNSURE
    assert (decision.unsure_from or 0.0) <= p <= decision.threshold
    if (decision.unsure_from or 0.0) <= MOST and decision.threshold >= LEAST:
        assert LEAST <= p <= MOST
    assert known == 0 or (few and decision.verdicts([probability(log_odds)], log_odds=[log_odds])[0] != SPAM)


@given(decisions(), SHARES, st.lists(LOG_ODDS, min_size=2, max_size=9), st.integers(0, 3), st.booleans())
def test_more_evidence_for_spam_never_lowers_the_probability(
    decision: Decision, prior: float, log_odds: list[float], known: int, few: bool
) -> None:
    values = np.sort(log_odds)
    size = len(values)
    p = decide(decision, prior, values, np.full(size, known == 0), np.full(size, few)).probability
    assert all(a <= b for a, b in pairwise(p.tolist()))
    each = [one(decision, prior, value, known, few).probability[0] for value in values.tolist()]
    assert p.tolist() == each  # a batch is one by one


TEXTS = [f"WIN a prize now!! {i}" for i in range(30)] + [f"see you at lunch {i % 3}" for i in range(120)]
LABELS = ["spam"] * 30 + ["ham"] * 120
FOREIGN = "you see, hvordan har du det i dag"
NOTHING = "qwrtz"


@pytest.fixture(scope="module")
def model() -> SpamModel:
    """A model to which messages of which less than half of the words are known are not ham."""
    learned = SpamModel(FeatureConfig()).learn(TEXTS, LABELS)
    return replace(learned, min_known_words=0.5)


def test_the_prior_takes_the_place_of_certainty(model: SpamModel) -> None:
    predictions = model.score([FOREIGN, NOTHING, "see you"])
    assert predictions.labels == ["unsure", "unsure", "ham"]
    assert probability(predictions.log_odds[:2]).max() < 0.15  # what the evidence alone would say
    assert predictions.probability[:2].tolist() == pytest.approx([0.2, 0.2])  # 30 of 150
    assert predictions.unsure_reason(0) == "few known words: 2 of 8"
    assert model.predict_proba([NOTHING])[0].tolist() == pytest.approx([0.8, 0.2])
    assert model.explain(FOREIGN).probability == predictions.probability[0]
    assert model.explain(FOREIGN).log_odds == predictions.log_odds[0]


def test_a_stated_prior_counts(model: SpamModel) -> None:
    uniform = replace(model, scoring=replace(model.scoring, prior="uniform"))
    assert uniform.score([NOTHING]).probability.tolist() == pytest.approx([0.5])


def test_the_lower_end_of_a_band_counts_where_the_prior_is_below(model: SpamModel) -> None:
    band = replace(model, decision=Decision(0.8, unsure_from=0.3))
    predictions = band.score([FOREIGN, NOTHING])
    assert predictions.probability.tolist() == [0.3, 0.3]
    assert predictions.unsure_reason(0) == "few known words: 2 of 8"


def test_measures_are_of_the_same_probability(model: SpamModel) -> None:
    texts, truth = [FOREIGN, NOTHING, "see you", "win a prize"], ["ham", "spam", "ham", "spam"]
    chunk = Chunk(Texts.of(texts), np.arange(4), truth)
    scores = evaluate_chunks(model, [chunk]).scores
    assert isinstance(scores, Scores)
    p = model.score(texts).probability
    assert scores.log_loss == pytest.approx(log_loss([0, 1, 0, 1], p))
    assert scores.brier == pytest.approx(float(np.mean((p - [0, 1, 0, 1]) ** 2)))


def test_the_likeliest_of_three_classes_is_no_certainty() -> None:
    texts = [f"le monde {i}" for i in range(97)] + ["der tag", "the world", "the sun"]
    model = SpamModel(FeatureConfig()).learn(texts, ["fr"] * 97 + ["de", "en", "en"])
    predictions = model.score([NOTHING])
    assert predictions.labels == ["unsure"]
    assert predictions.probability[0] == pytest.approx(MOST)
    assert model.proba(predictions)[0].sum() == pytest.approx(1.0)
    assert math.isclose(float(predictions.log_odds[0]), math.log(MOST / (1 - MOST)))


def test_all_outputs_agree(model: SpamModel, cli: Cli, tmp_path: Path) -> None:
    model.save(tmp_path / "m")
    args = "-q", "-m", tmp_path / "m"
    line = cli("predict", *args, stdin=FOREIGN.encode()).text
    assert line == f"unsure\t0.2000\t{FOREIGN}\n"
    by_predict = json.loads(
        cli("predict", *args, "--format", "jsonl", "--explain", stdin=FOREIGN.encode()).text
    )
    by_inspect = json.loads(cli("explain", "-m", tmp_path / "m", FOREIGN, "--json", "-").text)
    assert by_predict["probability"] == pytest.approx(0.2)
    assert by_predict.pop("message") == by_inspect.pop("message") == FOREIGN
    assert by_inspect.pop("made_by").startswith("spamnb ")
    assert by_predict == by_inspect
    shown = cli("explain", "-m", tmp_path / "m", FOREIGN).text
    assert shown.startswith("unsure, few known words: 2 of 8  P(spam) = 0.2000, log-odds of spam against")
    assert "so little is known that P is kept away from 0 and 1" in shown
