"""What every scorer must do, whatever its formula: one list of checks that runs over the whole registry."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest

from spamnb.features import extract
from spamnb.messages import Texts
from spamnb.model.calibration import Platt, Temperature
from spamnb.model.model_merge import merge_models
from spamnb.model.predictions import Predictions
from spamnb.model.scoring_engine import Engine
from spamnb.model.spam_model import SpamModel
from spamnb.settings import FeatureConfig, ScorerConfig
from tests.reference import scorers as twin
from tests.reference.counts import Counts
from tests.reference.tokens import tokens

LABELS = ("ham", "news", "spam")
SOME_TOKENS = "weights depend on which tokens `stats` holds: see `needs_full_vocabulary`"
WORDS = [f"w{i}" for i in range(24)] + ["WIN", "é", "£500", "call", "0800555010"]


@dataclass(frozen=True)
class Case:
    """A scorer's settings, and messages to learn and to score."""

    features: FeatureConfig
    scoring: ScorerConfig
    classes: int

    @cached_property
    def labels(self) -> list[str]:
        names = LABELS if self.classes == 3 else (LABELS[0], LABELS[2])
        return [names[i % 5 % self.classes] for i in range(60)]  # the classes differ in size

    @cached_property
    def messages(self) -> list[str]:
        """Words by chance, each class with its favourites; some messages are copies, two have no word."""
        rng = np.random.default_rng(7)
        messages = [_message(rng, LABELS.index(label)) for label in self.labels]
        return [*messages[:50], *messages[:8], "?", "?"]

    @cached_property
    def others(self) -> list[str]:
        """Messages that were not learned: known words, unknown words, copies, very long ones, none."""
        rng = np.random.default_rng(8)
        messages = [_message(rng, i % 3) + " never seen" * (i % 2) for i in range(12)]
        return [*messages, "", "nothing known here", self.messages[0], " ".join(WORDS * 3), "w1 " * 200]

    @cached_property
    def model(self) -> SpamModel:
        return self.fresh().learn(self.messages, self.labels)

    def fresh(self) -> SpamModel:
        return SpamModel(self.features, self.scoring)

    @cached_property
    def counts(self) -> Counts:
        return Counts(self.messages, self.labels, self.features)


def _message(rng: np.random.Generator, favourite: int) -> str:
    size = int(rng.integers(1, 12))
    shifted = rng.zipf(1.5, size) + favourite * 5
    return " ".join(WORDS[int(i) % len(WORDS)] for i in shifted)


Check = Callable[[Case, Path], None]


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > 0 else math.exp(x) / (1 + math.exp(x))


def same_bits(a: Predictions, b: Predictions) -> None:
    assert a.scored.joint.tobytes() == b.scored.joint.tobytes()
    assert a.scored.scale.tobytes() == b.scored.scale.tobytes()
    assert a.log_odds.tobytes() == b.log_odds.tobytes()
    assert a.probability.tobytes() == b.probability.tobytes()
    assert a.known.tolist() == b.known.tolist()
    assert a.labels == b.labels


def agrees_with_the_twin(case: Case, _: Path) -> None:
    engine = Engine(case.model.store, case.scoring)  # a model damps only calibrated scores
    scored = engine.score(extract(Texts.of(case.others), case.features))
    for i, message in enumerate(case.others):
        expected = np.array(twin.joint(case.counts, case.scoring, message))
        np.testing.assert_allclose(scored.joint[i], expected, rtol=1e-9, atol=1e-9, err_msg=message)
        assert scored.scale[i] == pytest.approx(twin.damping(case.counts, case.scoring, message), rel=1e-12)
        known = [t for t in case.counts.known(message) if not t.startswith("shape:")]
        assert scored.known[i] == len(set(known) if case.model.engine.scorer.once else known)


def merge_is_training_together(case: Case, _: Path) -> None:
    for cut in (1, 20, 59):
        first = case.fresh().learn(case.messages[:cut], case.labels[:cut])
        second = case.fresh().learn(case.messages[cut:], case.labels[cut:])
        expected = case.model.score(case.others)
        same_bits(merge_models([first, second]).score(case.others), expected)
        same_bits(merge_models([second, first]).score(case.others), expected)
        same_bits(first.learn(case.messages[cut:], case.labels[cut:]).score(case.others), expected)


def forget_is_never_learned(case: Case, _: Path) -> None:
    extra = ["new words w1 w2", *case.messages[:5], "?"]
    labels = ["ham", *case.labels[:5], "spam"]
    back = case.model.learn(extra, labels).forget(extra, labels)
    same_bits(back.score(case.others), case.model.score(case.others))


def a_batch_is_one_by_one(case: Case, _: Path) -> None:
    together = case.model.score(case.others)
    for i, message in enumerate(case.others):
        alone = replace(case.model).score([message])  # a fresh engine: no table of keys yet
        again = case.model.score([message])
        for one in (alone, again):
            assert one.scored.joint[0].tobytes() == together.scored.joint[i].tobytes(), SOME_TOKENS
            assert one.log_odds[0].tobytes() == together.log_odds[i].tobytes()
            assert one.labels[0] == together.labels[i]


def saved_and_loaded_is_the_same(case: Case, folder: Path) -> None:
    path = folder / "model.spamnb"
    case.model.save(path)
    loaded = SpamModel.load(path)
    assert (loaded.features, loaded.scoring, loaded.labels) == (
        case.model.features,
        case.model.scoring,
        case.model.labels,
    )
    same_bits(loaded.score(case.others), case.model.score(case.others))
    size = path.stat().st_size
    data = path.read_bytes()
    assert loaded.save(path) == size
    assert path.read_bytes() == data


def the_order_of_messages_does_not_matter(case: Case, _: Path) -> None:
    order = np.random.default_rng(1).permutation(len(case.messages)).tolist()
    shuffled = case.fresh().learn([case.messages[i] for i in order], [case.labels[i] for i in order])
    same_bits(shuffled.score(case.others), case.model.score(case.others))


def explanations_add_up(case: Case, _: Path) -> None:
    scale = Platt(0.7, -0.3) if case.classes == 2 else Temperature(0.5)
    model = replace(case.model, calibration=scale)
    result = model.score(case.others)
    for i, message in enumerate(case.others):
        why = model.explain(message)
        total = why.bias + math.fsum(part.log_odds for part in why.evidence)
        assert total == pytest.approx(why.log_odds, rel=1e-9, abs=1e-9)
        assert why.probability == pytest.approx(float(result.probability[i]), rel=1e-12)
        assert why.verdict == result.labels[i]
        assert why.basis.known == result.known[i]
        if case.classes == 2:
            assert why.log_odds == result.log_odds[i]
            if why.basis.known:  # else the evidence is no reason to be certain
                assert why.probability == pytest.approx(sigmoid(why.log_odds), rel=1e-12)
            assert (why.positive, why.negative) == ("spam", "ham")
        strengths = [round(abs(part.log_odds), 6) for part in why.evidence]
        assert strengths == sorted(strengths, reverse=True)


def explanations_count_what_is_unknown(case: Case, _: Path) -> None:
    for message in case.others:
        distinct = {token for token in tokens(message, case.features) if not token.startswith("shape:")}
        expected = len(distinct - set(case.counts.known(message)))
        assert case.model.explain(message).basis.unknown == expected, message


def nothing_known_is_unsure(case: Case, _: Path) -> None:
    result = case.model.score(["", "utterly foreign", "??", "\0"])
    assert result.labels == ["unsure"] * 4
    assert result.known.tolist() == [0] * 4
    assert np.isfinite(result.log_odds).all()


def no_messages_is_no_error(case: Case, _: Path) -> None:
    assert case.model.predict([]) == []
    assert case.model.predict_proba([]).shape == (0, case.classes)


def probabilities_sum_to_one(case: Case, _: Path) -> None:
    result = case.model.score(case.others)
    proba = case.model.predict_proba(case.others)
    assert proba.shape == (len(case.others), case.classes)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)
    best = proba[:, -1] if case.classes == 2 else proba.max(axis=1)
    np.testing.assert_allclose(best, result.probability, rtol=1e-9, atol=1e-15)


def a_given_prior_is_a_learned_one(case: Case, _: Path) -> None:
    if case.scoring.balance == "weight":
        return
    shares = tuple((case.model.store.message_totals / len(case.messages)).tolist())
    with_prior = replace(case.model, scoring=replace(case.scoring, prior=shares))
    learned = replace(case.model, scoring=replace(case.scoring, prior="learned"))
    np.testing.assert_allclose(
        with_prior.score(case.others).scored.joint, learned.score(case.others).scored.joint, rtol=1e-12
    )


def the_evidence_is_the_sum_over_classes(case: Case, _: Path) -> None:
    scored = case.model.score(case.others).scored
    np.testing.assert_allclose(
        scored.log_evidence, np.logaddexp.reduce(scored.joint, axis=1), rtol=1e-12, atol=1e-12
    )


CHECKS: dict[str, Check] = {
    check.__name__.replace("_", " "): check
    for check in (
        agrees_with_the_twin,
        merge_is_training_together,
        forget_is_never_learned,
        a_batch_is_one_by_one,
        saved_and_loaded_is_the_same,
        the_order_of_messages_does_not_matter,
        explanations_add_up,
        explanations_count_what_is_unknown,
        nothing_known_is_unsure,
        no_messages_is_no_error,
        probabilities_sum_to_one,
        a_given_prior_is_a_learned_one,
        the_evidence_is_the_sum_over_classes,
    )
}
