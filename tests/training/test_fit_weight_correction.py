"""Refinement: a correction helps where words depend on each other, and all else keeps its promises."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spamnb.errors import ConfigError, ModelError
from spamnb.features import LACKING_KEYS
from spamnb.messages import Texts
from spamnb.model.inspection import Inspector, card
from spamnb.model.model_merge import merge_models
from spamnb.model.scoring_engine import log_odds_of
from spamnb.model.spam_model import SpamModel
from spamnb.model.weight_correction import Correction
from spamnb.scorers import Stats, make
from spamnb.settings import FeatureConfig, ScorerConfig, TrainingConfig
from spamnb.training import fit_weight_correction as refinement
from spamnb.training.cross_validation import cross_validated_scores, folds
from spamnb.training.trainer import Trainer, train
from tests.helpers.paths import DATA


def corpus(n: int = 400, seed: int = 1) -> tuple[list[str], list[str]]:
    """Three words that always come together mislead naive Bayes; one other word tells the truth."""
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for i in range(n):
        spam = bool(rng.random() < 0.4)
        words = ["alpha", "beta", "gamma"] if rng.random() < (0.7 if spam else 0.3) else ["delta"]
        words += ["truth"] if rng.random() < (0.75 if spam else 0.02) else []
        words += [f"w{int(rng.integers(0, 40))}" for _ in range(3)] + [f"only{i}"]
        texts.append(" ".join(words))
        labels.append("spam" if spam else "ham")
    return texts, labels


TEXTS, LABELS = corpus()


@pytest.fixture(scope="module")
def model() -> SpamModel:
    return train(TEXTS, LABELS, training=TrainingConfig(refine="yes"))


def test_beside_a_start_few_tokens_are_not_corrected_unless_asked_for() -> None:
    start = train(TEXTS, LABELS)
    few = train(TEXTS, LABELS, base=start)
    assert few.metrics is not None
    assert few.metrics["refined"] == (
        "no: left out with a base model and fewer than 10,000 tokens in all messages "
        "(--set refine=yes does it)"
    )
    assert few.correction is None
    assert train(TEXTS, LABELS, base=start, training=TrainingConfig(refine="yes")).correction is not None
    assert train(TEXTS, LABELS).correction is not None


def test_auto_keeps_what_helps_and_says_so() -> None:
    metrics = train(TEXTS, LABELS).metrics
    plain = train(TEXTS, LABELS, training=TrainingConfig(refine="no")).metrics
    assert metrics is not None
    assert plain is not None
    assert re.match(r"yes(, at \d\d% strength)?: out-of-fold log loss ", str(metrics["refined"]))
    assert metrics["log_loss"] < plain["log_loss"]
    assert "refined" not in plain


def test_the_part_is_kept_that_gives_the_least_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {}
    for part in (0.25, 0.5, 0.75):
        monkeypatch.setattr(refinement, "SHARES", (part,))
        rows[part] = train(TEXTS, LABELS, training=TrainingConfig(refine="yes"))
    monkeypatch.undo()
    best = train(TEXTS, LABELS, training=TrainingConfig(refine="yes"))
    losses = {part: _loss(model) for part, model in rows.items()}
    assert _loss(best) == min(losses.values())
    assert best.metrics is not None
    assert ", at 75% strength: " in str(best.metrics["refined"])
    assert best.correction is not None
    most = rows[0.75].correction
    assert most is not None
    assert (best.correction.weights == most.weights).all()
    assert best.correction.bias == most.bias
    monkeypatch.setattr(refinement, "SHARES", ())
    whole = train(TEXTS, LABELS, training=TrainingConfig(refine="yes")).correction
    assert whole is not None
    np.testing.assert_allclose(most.weights, whole.weights * 0.75, rtol=1e-6)


def _loss(model: SpamModel) -> float:
    """Out of fold, before the calibration that is chosen."""
    assert model.metrics is not None
    match = re.search(r"without, ([\d.]+) with", str(model.metrics["refined"]))
    assert match is not None
    return float(match[1])


def test_auto_leaves_out_what_does_not_help() -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(f"x{int(w)}" for w in rng.integers(0, 50, 4)) for _ in range(200)]
    labels = ["spam" if rng.random() < 0.5 else "ham" for _ in texts]
    trained = train(texts, labels)
    assert trained.correction is None
    assert trained.metrics is not None
    assert str(trained.metrics["refined"]).startswith("no: ")


def test_held_out_labels_do_not_matter_to_their_scores() -> None:
    """With labels of one fold swapped, the corrected scores of that fold come out the same."""
    trainer = Trainer()
    trainer.add(Texts.of(TEXTS), LABELS)
    model, sample = trainer.counted()
    assert sample is not None
    fold = folds(sample, 5)
    in_fold = fold == 2
    swap = {"ham": "spam", "spam": "ham"}
    some = in_fold & (np.arange(len(in_fold)) % 4 == 0)
    other = [swap[label] if s else label for s, label in zip(some, LABELS, strict=True)]
    again = Trainer()
    again.add(Texts.of(TEXTS), other)
    changed, swapped = again.counted()
    assert swapped is not None
    scores = [
        refinement._Folds.of(m, s, out_of_fold_with(m, s, fold)).fit(1)
        for m, s in ((model, sample), (changed, swapped))
    ]
    assert scores[0] is not None
    assert scores[1] is not None
    assert scores[0][0][in_fold] == pytest.approx(scores[1][0][in_fold], abs=1e-9)
    assert scores[0][0][~in_fold] != pytest.approx(scores[1][0][~in_fold], abs=1e-3)


def test_several_processes_find_the_same() -> None:
    models = [train_in(jobs) for jobs in (1, 3)]
    assert models[0].metrics == models[1].metrics
    assert models[0].correction is not None
    assert models[1].correction is not None
    assert (models[0].correction.weights == models[1].correction.weights).all()


def train_in(jobs: int) -> SpamModel:
    trainer = Trainer(training=TrainingConfig(jobs=jobs, refine="yes"))
    trainer.add(Texts.of(TEXTS), LABELS)
    return trainer.finish()


def out_of_fold_with(model: SpamModel, sample: Any, fold: Any) -> Any:
    """The scores by given folds: those that labels would give differ once labels are swapped."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spamnb.training.cross_validation.folds", lambda *_: fold)
        return cross_validated_scores(model.store, model.scoring, sample, 5)


def test_parts_and_bias_sum_to_the_log_odds(model: SpamModel) -> None:
    for text in [*TEXTS[:20], "alpha beta gamma", "unknown", ""]:
        explanation = model.explain(text)
        total = explanation.bias + sum(p.log_odds for p in explanation.evidence)
        assert total == pytest.approx(explanation.log_odds, abs=1e-9)
        assert explanation.log_odds == pytest.approx(model.log_odds([text])[0], abs=1e-12)


def test_weights_of_inspect_are_those_that_score() -> None:
    model = train(TEXTS, LABELS, scoring=ScorerConfig(max_evidence=0), training=TrainingConfig(refine="yes"))
    look = Inspector(model)
    line = look.linear()
    assert line is not None
    words = {r.token: r.weight for r in look.look_up(["alpha", "truth"])}
    evidence = {p.token: p.log_odds for p in model.explain("alpha truth").evidence}
    m = len(evidence)
    assert evidence["truth"] == pytest.approx(line.slope * words["truth"] / m, rel=1e-9)
    total = line.slope * line.b / m + line.offset + sum(evidence.values())
    assert total == pytest.approx(model.log_odds(["alpha truth"])[0], abs=1e-9)


def test_one_by_one_is_the_batch(model: SpamModel) -> None:
    fresh = replace(model)
    assert [fresh.log_odds([t])[0] for t in TEXTS[:30]] == model.log_odds(TEXTS)[:30].tolist()


@pytest.mark.parametrize("plain", [False, True])
def test_a_saved_model_says_the_same(plain: bool, tmp_path: Path) -> None:
    features, scoring = FeatureConfig.plain(), ScorerConfig(once=False, damping=0.0)
    settings: dict[str, Any] = {"features": features, "scoring": scoring} if plain else {}
    model = train(TEXTS, LABELS, training=TrainingConfig(refine="yes"), **settings)
    model.save(tmp_path / "m.spamnb")
    again = SpamModel.load(tmp_path / "m.spamnb")
    assert again.correction is not None
    assert again.log_odds(TEXTS).tolist() == model.log_odds(TEXTS).tolist()
    assert [again.log_odds([t])[0] for t in TEXTS[:9]] == model.log_odds(TEXTS[:9]).tolist()


def test_learning_moves_the_counts_and_leaves_the_correction(model: SpamModel) -> None:
    more = model.learn(["alpha new words"] * 5, ["ham"] * 5)
    assert more.correction is model.correction
    assert card(more)["refined"]["learned_since"] == 5
    plain = replace(more, correction=None)
    assert model.correction is not None
    weight = Inspector(more).look_up(["alpha"])[0].weight - Inspector(plain).look_up(["alpha"])[0].weight
    before = Inspector(model).look_up(["alpha"])[0].weight
    bare = Inspector(replace(model, correction=None)).look_up(["alpha"])[0].weight
    assert weight == pytest.approx(before - bare, abs=1e-9)
    back = more.forget(["alpha new words"] * 5, ["ham"] * 5)
    assert back.log_odds(TEXTS).tolist() == model.log_odds(TEXTS).tolist()


def test_a_third_class_puts_the_correction_aside(model: SpamModel) -> None:
    third = model.learn(["invoice number"] * 3, ["work"] * 3, new_classes=True)
    assert third.active_correction is None
    assert third.to_state()["correction"] is None
    assert third.forget(["invoice number"] * 3, ["work"] * 3).active_correction is model.correction


def test_merging_keeps_the_correction_of_the_first(model: SpamModel) -> None:
    both = merge_models([model, train(*corpus(50, 3), training=TrainingConfig(refine="no"))])
    assert both.correction is model.correction


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"weights": np.zeros(3, np.float32)}, "do not fit"),
        ({"weights": None}, "NoneType"),
        ({"label": "nothing"}, "do not fit"),
        ({"bias": float("nan")}, "a number is not finite"),
        ({"bias": 10**400}, "a number is not finite"),
        ({"bias": 1e300}, "do not fit"),
        ({"messages": -1}, "do not fit"),
    ],
    ids=["short", "none", "label", "bias", "huge bias", "large bias", "messages"],
)
def test_a_damaged_correction_is_refused(change: dict[str, Any], what: str, model: SpamModel) -> None:
    assert model.correction is not None
    state = model.correction.to_state() | change
    with pytest.raises(ModelError, match=f"the correction in the model is damaged: .*{what}"):
        Correction.from_state(state, model.store)


def test_weights_that_are_not_numbers_are_refused(model: SpamModel) -> None:
    assert model.correction is not None
    state = model.correction.to_state()
    state["weights"][0], state["weights"][1] = np.inf, -np.inf
    with pytest.raises(ModelError, match="a weight is not finite"):
        Correction.from_state(state, model.store)


def test_tokens_that_came_later_have_no_correction() -> None:
    correction = Correction(np.array([3, 7], np.uint64), np.array([0.5, -2], np.float32), 0.0, "spam", 9)
    assert correction.of(np.array([1, 3, 5, 7, 9], np.uint64)).tolist() == [0, 0.5, 0, -2, 0]
    assert Correction(correction.keys[:0], correction.weights[:0], 0.0, "spam", 9).of(
        correction.keys
    ).tolist() == [0, 0]


def test_what_cannot_be_refined() -> None:
    texts, labels = corpus(60)
    with pytest.raises(ConfigError, match="refine=yes needs a scorer that adds up weights, got poisson"):
        train(texts, labels, scoring=ScorerConfig.of("poisson"), training=TrainingConfig(refine="yes"))
    three = [("x", "y", "z")[i % 3] for i in range(60)]
    with pytest.raises(ConfigError, match="refine=yes needs two classes, got 3"):
        train(texts, three, training=TrainingConfig(refine="yes"))
    with pytest.raises(ConfigError, match="refine='yes' needs cross-validation, got folds=0"):
        train(texts, labels, training=TrainingConfig(folds=0, refine="yes"))
    with pytest.raises(ConfigError, match="refine must be auto, yes or no, got 'maybe'"):
        train(texts, labels, training=TrainingConfig(refine="maybe"))
    assert train(texts, three).correction is None


def test_many_messages_are_left_alone_by_auto(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refinement, "WHOLE", 100)
    metrics = train(TEXTS, LABELS).metrics
    assert metrics is not None
    assert metrics["refined"] == "no: left out with more than 100 messages (--set refine=yes does it)"
    assert train(TEXTS, LABELS, training=TrainingConfig(refine="yes")).correction is not None


def test_infinite_scores_are_left_alone() -> None:
    trained = train(TEXTS, LABELS, scoring=ScorerConfig(alpha=0.0), training=TrainingConfig(refine="yes"))
    assert trained.correction is None


def test_the_positive_class_may_be_either() -> None:
    training, every = TrainingConfig(refine="yes"), ScorerConfig(max_evidence=0)
    swapped = train(TEXTS, LABELS, positive="ham", training=training, scoring=every)
    explanation = swapped.explain(TEXTS[0])
    assert explanation.positive == "ham"
    assert explanation.bias + sum(p.log_odds for p in explanation.evidence) == pytest.approx(
        explanation.log_odds, abs=1e-9
    )
    one = train(TEXTS, LABELS, training=training, scoring=every).log_odds(TEXTS[:50])
    assert swapped.log_odds(TEXTS[:50]) == pytest.approx(-one, abs=0.05)
    assert log_odds_of(np.array([[0.0, 1.0], [-np.inf, -np.inf]]), 1).tolist() == [1.0, 0.0]


@pytest.mark.parametrize(("ngrams", "size", "times"), [(1, 3, 1.0), (2, 3, 4.0), (2, 100, 1.0)])
def test_shapes_are_freer_beside_pairs_of_words_in_short_messages(
    ngrams: int, size: int, times: float
) -> None:
    texts = [" ".join(f"{word}{i}" for i in range(size)) for word in ("win", "see")]
    store = SpamModel(FeatureConfig(ngrams)).learn(texts, ["spam", "ham"]).store
    shapes, lacking = store.kinds == 255, np.isin(store.keys, LACKING_KEYS)
    spelled = set(np.array(store.spellings.tolist())[lacking])
    assert {"shape:url=0", "shape:money=0"} <= spelled
    assert set(refinement.scale_factors(store)[shapes]) == {times}
    assert set(refinement.scale_factors(store)[~shapes]) == {1.0}
    assert set(refinement.bounds(store)[lacking]) == {3.0 if times > 1 else np.inf}
    assert set(refinement.bounds(store)[~lacking]) == {np.inf}


def test_what_a_message_lacks_does_not_decide_alone() -> None:
    """No spam of the sample has 40 to 59 letters, and 178 ham have."""
    with (DATA / "sms_sample.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    model = train([row["text"] for row in rows], [row["label"] for row in rows])
    assert model.correction is not None
    lacking = np.isin(model.store.keys, LACKING_KEYS)
    naive = log_odds_of(make(model.scoring).estimate(Stats.of(model.store)), 1)
    weights = naive + model.correction.weights  # in part, as only a share of the correction may be kept
    assert (np.abs(weights[lacking]) <= np.maximum(np.abs(naive[lacking]), 3.0) + 1e-5).all()
    assert np.abs(weights[~lacking]).max() > 10.0
    assert model.score(["You won a prize! Call us to claim it now"]).probability[0] > 0.2
