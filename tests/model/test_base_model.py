"""A model that starts from another one: exact, explained, and kept by whatever is done with it."""

from __future__ import annotations

import io
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from spamnb.errors import ConfigError, DataError, ModelError
from spamnb.features import extract
from spamnb.messages import Texts
from spamnb.model.base_model import BaseModel
from spamnb.model.calibration import Platt
from spamnb.model.decision import Decision
from spamnb.model.inspection import Inspector, card
from spamnb.model.message_numbers import verify
from spamnb.model.model_merge import merge_models
from spamnb.model.prune_model import age, prune
from spamnb.model.scoring_engine import log_odds_of
from spamnb.model.spam_model import SpamModel
from spamnb.model.text_export import export_lines
from spamnb.model.text_import import import_lines
from spamnb.report import explanation_row, model_card
from spamnb.settings import FeatureConfig, ScorerConfig, TrainingConfig
from spamnb.training.cross_validation import folds
from spamnb.training.fit_base_weight import base_log_odds, best_weight, start_model, usual_share
from spamnb.training.fit_calibration import USUAL_SLOPE, fit_near
from spamnb.training.fit_weight_correction import log_losses
from spamnb.training.incremental import Learner
from spamnb.training.trainer import Trainer, train

THERE = ["free prize now", "win cash", "claim your prize", "cash prize"] * 5
HERE = ["see you at noon", "mum is home", "call me at noon", "home by noon"] * 5
LABELS = ["spam"] * 20 + ["ham"] * 20
OWN = [f"parcel fee {i}" for i in range(12)] + [f"lunch on {i}" for i in range(12)]
OWN_LABELS = ["spam"] * 12 + ["ham"] * 12
NEW = ["win the parcel now", "lunch at noon", "free prize", "qwrtz", ""]


@pytest.fixture(scope="module")
def ready() -> SpamModel:
    texts = [f"{text} {i}" for i, text in enumerate(THERE + HERE)]
    return train(texts, LABELS, training=TrainingConfig(refine="yes"))


@pytest.fixture(scope="module")
def model(ready: SpamModel) -> SpamModel:
    return train(OWN, OWN_LABELS, base=ready, training=TrainingConfig(base_weight=0.25))


def test_the_log_odds_of_both_add_up(ready: SpamModel, model: SpamModel) -> None:
    alone = replace(model, base=None, calibration=Platt(1.0, 1.0))  # calibrated, and therefore damped
    expected = model.calibration.apply(alone.log_odds(NEW) - 1.0 + 0.25 * ready.log_odds(NEW))
    np.testing.assert_allclose(model.log_odds(NEW), expected, rtol=1e-12)
    assert model.predict(["free prize", "qwrtz"]) == ["spam", "unsure"]  # the first only the start knows


@pytest.mark.parametrize("text", NEW)
def test_parts_and_bias_sum_to_the_log_odds(model: SpamModel, text: str) -> None:
    explanation = model.explain(text)
    total = explanation.bias + sum(part.log_odds for part in explanation.evidence)
    assert total == pytest.approx(explanation.log_odds, abs=1e-9)
    assert explanation.log_odds == model.log_odds([text])[0]
    assert len({part.token for part in explanation.evidence}) == len(explanation.evidence)


def test_what_only_the_start_knows_is_explained_too(model: SpamModel) -> None:
    evidence = {part.token: part for part in model.explain("free prize").evidence}
    assert evidence["prize"].log_odds > 0
    assert evidence["prize"].own_counts == (0, 0)
    alone = replace(model, base=None)
    assert (
        model.explain("free prize").basis.unknown == alone.explain("free prize").basis.unknown - 3
    )  # both, and the pair


def test_scores_of_the_sample_are_those_of_its_texts(ready: SpamModel) -> None:
    trainer = Trainer(keep_texts=True)
    texts = [*OWN, "prize prize prize at noon"] + [f"zebra {i}" for i in range(9)]
    trainer.add(Texts.of(texts), [*OWN_LABELS, *["ham"] * 10])
    model, sample = trainer.counted()
    assert sample is not None
    assert sample.texts is not None
    base_scores, known = base_log_odds(BaseModel("x", ready), model.store, sample)
    predictions = ready.score(sample.texts)
    np.testing.assert_allclose(base_scores, predictions.log_odds, rtol=1e-6)  # the correction has 32 bits
    np.testing.assert_array_equal(known, predictions.known)


def test_figures_are_those_of_folds_with_the_start(ready: SpamModel) -> None:
    trainer = Trainer(
        keep_texts=True, base=BaseModel.of("x", ready), training=TrainingConfig(refine="no", base_weight=0.25)
    )
    trainer.add(Texts.of(OWN), OWN_LABELS)
    model, sample = trainer.counted()
    assert sample is not None
    assert sample.texts is not None
    settled, held_out = trainer.calibrated(model, sample)
    fold, texts = folds(sample, 5), np.array([t.decode() for t in sample.texts.tolist()])
    labels = [model.labels[i] for i in sample.labels]
    for f in range(5):
        rows = np.flatnonzero(fold == f)
        lean = settled.forget(texts[rows].tolist(), [labels[i] for i in rows])
        np.testing.assert_allclose(lean.log_odds(texts[rows].tolist()), held_out.log_odds[rows], rtol=1e-6)


def test_learning_and_forgetting_undo_each_other(model: SpamModel) -> None:
    wiser = model.learn(["free zebra"], ["ham"])
    assert wiser.log_odds(["zebra"]) < model.log_odds(["zebra"])
    back = wiser.forget(["free zebra"], ["ham"])
    assert back.log_odds(NEW).tolist() == model.log_odds(NEW).tolist()


def test_a_learner_keeps_the_start(model: SpamModel, tmp_path: Path) -> None:
    path = tmp_path / "m"
    model.save(path)
    with Learner(path) as learner:
        learner.learn(["free zebra"], ["ham"])
        learner.learn([OWN[0]], ["ham"])
        learner.forget([OWN[1]])
    journalled = SpamModel.load(path)
    with Learner(path) as learner:
        learner.compact()
    rewritten = SpamModel.load(path)
    assert journalled.log_odds(NEW).tolist() == rewritten.log_odds(NEW).tolist()
    same = model.learn(["free zebra", OWN[0]], ["ham", "ham"]).forget(OWN[:2], ["spam", "spam"])
    assert rewritten.log_odds(NEW).tolist() == same.log_odds(NEW).tolist()


def test_a_saved_model_comes_back(model: SpamModel, tmp_path: Path) -> None:
    model.save(tmp_path / "m")
    back = SpamModel.load(tmp_path / "m")
    assert back.log_odds(NEW).tolist() == model.log_odds(NEW).tolist()
    back.save(tmp_path / "again")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "again").read_bytes()


def test_an_exported_model_comes_back(model: SpamModel) -> None:
    back = import_lines(b"".join(export_lines(model)).split(b"\n"), "x")
    assert back.log_odds(NEW).tolist() == model.log_odds(NEW).tolist()


@pytest.mark.parametrize(
    ("name", "value"), [("weight", 0.0), ("weight", float("nan")), ("weight", 1), ("name", 3), ("model", {})]
)
def test_a_damaged_start_is_refused(model: SpamModel, name: str, value: object) -> None:
    state = model.to_state()
    with pytest.raises(ModelError):
        SpamModel.from_state({**state, "base": {**state["base"], name: value}})


def test_a_start_of_a_start_is_refused(model: SpamModel) -> None:
    state = model.to_state()
    with pytest.raises(ModelError, match="the base model in the model is damaged"):
        SpamModel.from_state({**state, "base": {**state["base"], "model": state}})
    with pytest.raises(ConfigError, match="cannot be a base model: it has one itself"):
        train(OWN, OWN_LABELS, base=model)


def test_models_of_the_same_start_are_merged(ready: SpamModel, model: SpamModel) -> None:
    half = train(OWN[::2], OWN_LABELS[::2], base=ready, training=TrainingConfig(base_weight=0.5))
    both = merge_models([half, model])
    assert both.base is not None
    assert both.base.weight == 0.25  # that of the larger one
    assert both.store.message_totals.tolist() == [18, 18]
    assert merge_models([half, model]).base is not None


def test_models_of_other_starts_are_not(ready: SpamModel, model: SpamModel) -> None:
    alone = replace(model, base=None)
    with pytest.raises(ModelError) as refused:
        merge_models([model, alone], names=["a", "b"])
    assert refused.value.message == (
        "the base model of a is the given model, the base model of b is none: they do not add up"
    )
    assert refused.value.hint == "train them with the same --base"
    other = train(OWN, OWN_LABELS, base=ready.learn(["win"], ["spam"]))
    with pytest.raises(ModelError, match="they do not add up"):
        merge_models([model, other])


def test_pruning_and_ageing_leave_the_start_alone(model: SpamModel) -> None:
    for smaller in (prune(model, max_tokens=5), age(model)):
        assert smaller.base is model.base
        assert smaller.predict(["free prize"]) == ["spam"]


def test_two_messages_of_each_class_are_enough(ready: SpamModel) -> None:
    few = ["parcel fee", "pay the fee"], ["lunch on monday", "lunch today"]
    model = train([*few[0], *few[1]], ["spam", "spam", "ham", "ham"], base=ready)
    assert model.base is not None
    assert 0.1 < model.base.weight < 0.4
    assert model.metrics is None
    assert model.predict(["free prize", "noon", "parcel fee", "lunch on"]) == ["spam", "ham", "spam", "ham"]
    strangers = ["zebra", "shape of water"]
    assert np.abs(model.log_odds(strangers) - ready.log_odds(strangers)).max() < 2.0


def test_without_folds_the_decision_is_that_of_the_start(ready: SpamModel) -> None:
    careful = replace(ready, decision=Decision(0.8, unsure_from=0.5))
    assert train(OWN, OWN_LABELS, base=careful, training=TrainingConfig(folds=0)).decision == careful.decision
    own = Decision(0.7)
    assert (
        train(OWN, OWN_LABELS, base=careful, decision=own, training=TrainingConfig(folds=0)).decision == own
    )
    assert train(OWN, OWN_LABELS, base=careful).decision == Decision()


def test_a_start_of_no_use_is_left_out() -> None:
    rng = np.random.default_rng(3)
    texts = [f"{w} x{i % 17} y{i % 13}" for i, w in enumerate(["fee"] * 60 + ["lunch"] * 60)]
    noise = train(texts, rng.permutation(["spam", "ham"] * 60).tolist(), training=TrainingConfig(folds=0))
    misled = replace(noise, calibration=Platt(-30.0))
    model = train(texts, ["spam"] * 60 + ["ham"] * 60, base=misled)
    assert model.base is None
    assert model.metrics is not None
    assert model.metrics["started"].startswith("from your messages alone: the given model")


def test_the_weight_is_that_of_least_loss_out_of_fold() -> None:
    rng = np.random.default_rng(1)
    spam = np.arange(3000) % 2 == 0
    sides = np.where(spam, 1.0, -1.0)
    own, base_scores = sides + rng.normal(0, 1, 3000), 2 * sides + rng.normal(0, 2, 3000)
    weights = np.linspace(0.0, 1.0, 101).tolist()
    losses = [log_losses(own + w * base_scores, spam).sum() for w in weights]
    best = weights[int(np.argmin(losses))]
    assert best_weight(own, base_scores, spam) == pytest.approx(best, abs=0.1)
    assert best_weight(own, -base_scores, spam) == 0.0  # a base model that says the opposite
    few = best_weight(own[:4] / 4, base_scores[:4], spam[:4])
    assert few == pytest.approx(usual_share(4) / USUAL_SLOPE, rel=0.3)  # a few messages hardly move it


def test_a_line_near_the_known_one_needs_messages_to_move() -> None:
    scores, labels = np.array([2.0, 1.0, -1.0, -2.0]), np.array([1, 1, 0, 0])
    assert fit_near(scores, labels).slope == pytest.approx(USUAL_SLOPE, rel=0.2)
    wrong = fit_near(np.tile(scores, 200), np.tile(1 - labels, 200))
    assert 0 < wrong.slope < 0.5
    assert fit_near(np.tile(scores, 200), np.ones(800)).offset > 1


def test_what_does_not_go_together_is_refused(ready: SpamModel) -> None:
    with pytest.raises(ConfigError, match="ngrams is 3, expected 2"):
        train(OWN, OWN_LABELS, features=FeatureConfig(ngrams=3), base=ready)
    with pytest.raises(ConfigError, match="those of bernoulli here are damped by 0"):
        train(OWN, OWN_LABELS, scoring=ScorerConfig.of("bernoulli"), base=ready)
    with pytest.raises(DataError, match="the given model knows ham and spam, the data has ham, news, spam"):
        train([*OWN, "daily news", "more news"], [*OWN_LABELS, "news", "news"], base=ready)
    three = SpamModel().learn(["a", "b", "c"], ["x", "y", "z"])
    with pytest.raises(ConfigError, match="cannot be a base model: that has two classes and no columns"):
        train(OWN, OWN_LABELS, base=three)


def test_a_third_class_puts_the_start_aside(model: SpamModel) -> None:
    wider = model.learn(["daily news"], ["news"], new_classes=True)
    assert wider.active_base is None
    assert wider.predict(["daily news"]) == ["news"]


def test_it_is_inspected(ready: SpamModel) -> None:
    training, scoring = TrainingConfig(base_weight=0.25, refine="no"), ScorerConfig(max_evidence=0)
    ready = replace(ready, scoring=scoring)
    model = train(OWN, OWN_LABELS, base=ready, training=training, scoring=scoring)
    facts = card(model)["base"]
    assert facts == {
        "name": "given model",
        "weight": 0.25,
        "messages": 40,
        "tokens": ready.store.vocabulary,
    }
    reader = Inspector(model)
    (row,) = reader.look_up(["prize"])
    assert not row.known
    assert row.base_weight == Inspector(ready).look_up(["prize"])[0].weight
    view = reader.linear()
    assert view is not None
    assert view.base is not None
    batch = model.score(["parcel at noon"])
    own = log_odds_of(batch.scored.damped, 1)[0]
    linear = view.slope * (own + view.base_weight * ready.log_odds(["parcel at noon"])[0]) + view.offset
    assert linear == pytest.approx(batch.log_odds[0], abs=1e-6)


def test_the_threshold_moves_from_a_cautious_one_to_ones_own(ready: SpamModel) -> None:
    careful = replace(ready, decision=Decision(0.8, unsure_from=0.4))

    def decision(stated: bool, copies: int = 1) -> Decision:
        trainer = Trainer(
            base=BaseModel.of("x", careful),
            training=TrainingConfig(max_fpr=0.001, max_fpr_is_default=not stated),
        )
        texts = [f"{text} {i}" for i in range(copies) for text in OWN]
        trainer.add(Texts.of(texts), OWN_LABELS * copies)
        return trainer.finish().decision

    few = decision(stated=False)
    assert (few.max_fpr, few.unsure_from) == (0.001, 0.5)
    assert few.threshold == pytest.approx(0.9, abs=0.02)
    assert decision(stated=True).max_fpr == 0.001
    many = [decision(stated=False, copies=n).threshold for n in (5, 6, 49, 52)]
    assert many[0] == pytest.approx(many[1], abs=0.05)
    assert many[2] == pytest.approx(many[3], abs=0.05)
    assert many[3] == decision(stated=True, copies=52).threshold


def test_few_lessons_say_little_about_a_message_with_one_word_of_theirs(ready: SpamModel) -> None:
    """Their log-odds count by the share of known tokens that are theirs: 1 of 5 in the second message."""
    model = start_model(BaseModel.of("x", ready)).learn(["zebra crossing", "lunch today"], ["spam", "ham"])
    assert model.base is not None
    texts = ["zebra crossing", "zebra prize 3 you at noon"]
    batch = extract(Texts.of(texts), ready.features)
    own = model.engine.score(batch)
    base_known = ready.engine.score(batch).known
    share = own.known / np.maximum(base_known, own.known)
    assert share[0] == 1 > share[1] > 0
    raw = log_odds_of(own.comparable, 1) * own.scale * share + model.base.weight * ready.log_odds(texts)
    assert model.score(texts, memory=False).log_odds == pytest.approx(model.calibration.apply(raw))
    for text in texts:
        verified = verify(model, text)[1]
        assert verified.recomputed_log_odds == pytest.approx(verified.model_log_odds)
        explanation = model.explain(text)
        total = explanation.bias + sum(e.log_odds for e in explanation.evidence)
        assert total == pytest.approx(explanation.log_odds)


def test_lessons_move_the_threshold_of_a_start(ready: SpamModel, tmp_path: Path) -> None:
    """Two of three new ham were called spam: log(3 / 1.003) is added to the start's threshold."""
    careful = replace(ready, decision=Decision(0.8, unsure_from=0.4))
    start_model(BaseModel.of("x", careful), 0.001).save(tmp_path / "m")
    prizes = ["win a free prize now", "free prize, win cash"]
    assert careful.predict([*prizes, "see you at noon"]) == ["spam", "spam", "ham"]
    with Learner(tmp_path / "m") as learner:
        learner.learn([*prizes, "see you at noon"], ["ham"] * 3)
    for model in (learner.model, SpamModel.load(tmp_path / "m")):
        assert (model.change_history.ham, model.change_history.lost_ham) == (3, 2)
        assert model.decision.log_odds_threshold == pytest.approx(math.log(4 * 3 / 1.003))
        assert model.decision.unsure_from == 0.4


def test_evidence_has_the_counts_of_both_models() -> None:
    """A token with more ham than spam of the user's own can be evidence for spam, by the base model."""
    base = SpamModel().learn(["free prize"] * 40 + ["see you"] * 40, ["spam"] * 40 + ["ham"] * 40)
    own = SpamModel().learn(["free lunch"] * 3 + ["win money"] * 3, ["ham"] * 3 + ["spam"] * 3)
    model = replace(own, base=BaseModel.of("model office", base, 1.0))
    evidence = {e.token: e for e in model.explain("free prize lunch").evidence}
    assert evidence["free"].log_odds > 0
    assert (evidence["free"].own_counts, evidence["free"].base_counts) == ((3, 0), (0, 40))
    assert (evidence["prize"].own_counts, evidence["prize"].base_counts) == ((0, 0), (0, 40))
    assert (evidence["lunch"].own_counts, evidence["lunch"].base_counts) == ((3, 0), (0, 0))
    assert {e.base_counts for e in own.explain("free prize lunch").evidence} == {None}
    row = next(row for row in explanation_row(model.explain("free"))["evidence"] if row["token"] == "free")
    assert (row["messages"], row["base_messages"]) == ([3, 0], [0, 40])
    out = Console(file=io.StringIO(), width=100)
    model_card.show_explanation(out, model.explain("free prize lunch"), model.labels, 20)
    assert isinstance(out.file, io.StringIO)
    table = out.file.getvalue()
    assert re.search(r"token +times +in ham / spam +in base model\n", table)
    assert re.search(r"\+\S+ +\S+ +free +1 +3 / 0 +0 / 40\n", table)
