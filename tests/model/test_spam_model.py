"""SpamModel as people use it: any list of messages in, labels out, and mistakes are named."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spamnb
from spamnb.errors import DataError, InputError, ModelError
from spamnb.messages import Texts
from spamnb.model.calibration import Beta, Platt, Temperature
from spamnb.model.decision import Decision
from spamnb.model.explanation import _secant
from spamnb.model.model_delta import Change, ChangedDigests
from spamnb.model.model_merge import merge_models
from spamnb.model.model_update import count_messages
from spamnb.model.spam_model import SpamModel
from spamnb.readers import ReadLabels
from spamnb.settings import FeatureConfig, ScorerConfig
from tests.helpers.count_stores import identical

SPAM, HAM = ["win a prize", "free prize now", "win cash"], ["see you", "are you home", "ok"]
LABELS = ["spam"] * 3 + ["ham"] * 3


@pytest.fixture(scope="module")
def model() -> SpamModel:
    return SpamModel().learn(SPAM + HAM, LABELS)


class TestMessagesOfAnyKind:
    EXPECTED = ("spam", "ham")

    def test_lists_tuples_sets_and_generators(self, model: SpamModel) -> None:
        listed = ["a free prize", "see you home"]
        for messages in (
            listed,
            tuple(listed),
            (m for m in listed),
            dict.fromkeys(listed).keys(),
            np.array(listed),
        ):
            assert tuple(model.predict(messages)) == self.EXPECTED

    def test_series(self, model: SpamModel) -> None:
        pd = pytest.importorskip("pandas")
        series = pd.Series(["a free prize", "see you home"], index=[7, 3])
        assert tuple(model.predict(series)) == self.EXPECTED
        learned = SpamModel().learn(pd.Series(SPAM + HAM), pd.Series(LABELS))
        identical(learned.store, model.store)

    def test_bytes_and_texts(self, model: SpamModel) -> None:
        assert tuple(model.predict([b"a free prize", "see you home"])) == self.EXPECTED
        assert tuple(model.predict(Texts.of(["a free prize", "see you home"]))) == self.EXPECTED

    def test_what_is_missing_is_an_empty_message(self, model: SpamModel) -> None:
        assert model.predict([None, math.nan, np.nan, ""]) == ["unsure"] * 4  # type: ignore[list-item]

    @pytest.mark.parametrize("dtype", ["string", "object", None])
    def test_missing_values_of_pandas(self, model: SpamModel, dtype: str | None) -> None:
        pd = pytest.importorskip("pandas")
        series = pd.Series(["a free prize", pd.NA, None], dtype=dtype)
        assert model.predict(series) == ["spam", "unsure", "unsure"]

    @pytest.mark.parametrize("other", [12, 1.5, True, ["hi"], {"text": "hi"}, bytearray(b"hi")])
    def test_other_types_are_refused(self, model: SpamModel, other: Any) -> None:
        for act in (model.predict, lambda messages: model.learn(messages, ["spam", "spam"])):
            with pytest.raises(InputError) as caught:
                act(["hi", other])
            kind = {int: "an int"}.get(type(other), f"a {type(other).__name__}")
            assert caught.value.message == f"messages[1] is {kind}; expected str or bytes"

    @pytest.mark.parametrize(("messages", "kind"), [(None, "None"), (3, "an int"), ({"a": "b"}, "a dict")])
    def test_no_list_is_refused(self, model: SpamModel, messages: Any, kind: str) -> None:
        with pytest.raises(InputError) as caught:
            model.predict(messages)
        assert caught.value.message == f"expected a list of messages, got {kind}"

    @pytest.mark.parametrize("message", ["win a prize", b"win a prize"])
    def test_one_bare_string_is_refused(self, model: SpamModel, message: Any) -> None:
        for act in (model.predict, model.predict_proba, model.log_odds, model.score):
            with pytest.raises(InputError) as caught:
                act(message)
            assert caught.value.message == "expected a list of messages, got one string"
            assert caught.value.hint == "wrap it: [message]"
        with pytest.raises(InputError):
            model.learn(message, ["spam"])


class TestMistakes:
    def test_labels_of_another_number(self, model: SpamModel) -> None:
        for act in (model.learn, model.forget):
            with pytest.raises(DataError) as caught:
                act(["a", "b"], ["ham"])
            assert caught.value.message == "2 messages but 1 label"

    @pytest.mark.parametrize("rows", [1, 3])
    def test_columns_of_another_number(self, rows: int) -> None:
        features = FeatureConfig(categorical=("c",), numeric=("n",))
        model = SpamModel(features).learn(
            ["a", "b"], ["ham", "spam"], {"c": ["x", "y"]}, {"n": np.array([1.0, 2.0])}
        )
        categories, numbers = {"c": ["x"] * rows}, {"n": np.ones(rows)}
        with pytest.raises(DataError):
            model.learn(["a", "b"], ["ham", "spam"], categories)
        with pytest.raises(DataError):
            model.learn(["a", "b"], ["ham", "spam"], None, numbers)
        with pytest.raises(DataError):
            model.predict(["a", "b"], categories)
        with pytest.raises(DataError):
            model.predict(["a", "b"], None, numbers)

    def test_a_model_of_one_class(self) -> None:
        with pytest.raises(ModelError) as caught:
            SpamModel().learn(["a", "b"], ["ham", "ham"]).predict(["a"])
        assert caught.value.message == (
            "the model has learned only 'ham' messages; it needs at least two classes"
        )
        assert caught.value.hint == "train on data with messages of both classes"

    def test_a_model_of_nothing(self) -> None:
        with pytest.raises(ModelError) as caught:
            SpamModel().predict(["a"])
        assert caught.value.message == "the model has learned no messages; it needs at least two classes"

    def test_merging_models_that_read_differently(self, model: SpamModel) -> None:
        other = SpamModel(FeatureConfig.plain()).learn(["a"], ["ham"])
        with pytest.raises(ModelError) as caught:
            merge_models([model, other])
        assert caught.value.message == (
            "model 2 does not fit model 1: ngrams is 1, expected 2; shapes is False, expected True; "
            "deobfuscate is False, expected True; punctuation is False, expected True"
        )

    def test_forgetting_what_was_not_learned(self, model: SpamModel) -> None:
        with pytest.raises(DataError) as caught:
            model.forget(["never learned"], ["spam"])
        assert caught.value.message == "cannot forget what was never learned: nothing was changed"

    def test_a_damaged_state(self, model: SpamModel) -> None:
        state = model.to_state()
        wrong = ("features", {"ngrams": 9}), ("scorer", {"alpha": -1}), ("features", {"x": 1})
        for name, value in (*wrong, *((name, {**state[name], **value}) for name, value in wrong)):
            with pytest.raises(ModelError) as caught:
                SpamModel.from_state({**state, name: value})
            assert caught.value.message.startswith("the settings in the model are damaged: ")
            assert caught.value.hint == "train the model again"
        for name in state:
            with pytest.raises(ModelError) as caught:
                SpamModel.from_state({k: v for k, v in state.items() if k != name})
            assert caught.value.message == f"the model has no {name}"
        with pytest.raises(ModelError, match="the model has an unknown part: 'clip'"):
            SpamModel.from_state({**state, "clip": 1})


class TestLearning:
    def test_a_model_never_changes(self, model: SpamModel) -> None:
        before = model.log_odds(["a prize"]).tolist()
        more = model.learn(["a prize from home"], ["ham"])
        assert model.log_odds(["a prize"]).tolist() == before != more.log_odds(["a prize"]).tolist()
        with pytest.raises(AttributeError):
            model.positive = "ham"  # type: ignore[misc]

    def test_one_by_one_is_all_at_once(self, model: SpamModel) -> None:
        step = SpamModel()
        for message, label in zip(SPAM + HAM, LABELS, strict=True):
            step = step.learn([message], [label])
        identical(step.store, model.store)

    def test_relabelling_is_forgetting_and_learning(self, model: SpamModel) -> None:
        wrong = SpamModel().learn(SPAM + HAM, ["ham", *LABELS[1:]])
        identical(wrong.forget(SPAM[:1], ["ham"]).learn(SPAM[:1], ["spam"]).store, model.store)

    def test_forgetting_everything_of_a_class(self, model: SpamModel) -> None:
        assert model.forget(SPAM, LABELS[:3]).labels == ("ham",)
        assert model.forget(SPAM + HAM, LABELS).labels == ()

    def test_learning_after_loading(self, model: SpamModel, tmp_path: Path) -> None:
        path = tmp_path / "m.spamnb"
        SpamModel().learn(SPAM, LABELS[:3]).save(path)
        loaded = SpamModel.load(path)
        path.unlink()  # the arrays are mapped: the file may go
        later = loaded.learn(HAM, LABELS[3:])
        identical(later.store, model.store)
        later.save(path)
        identical(SpamModel.load(path).forget(HAM, LABELS[3:]).store, loaded.store)

    def test_labels_that_are_no_text_can_be_saved(self, tmp_path: Path) -> None:
        numbered = SpamModel(positive="1").learn(["a", "b"], [0, 1])  # type: ignore[list-item]
        numbered.save(tmp_path / "m.spamnb")
        assert SpamModel.load(tmp_path / "m.spamnb").labels == ("0", "1")

    def test_no_messages(self, model: SpamModel) -> None:
        identical(model.learn([], []).store, model.store)
        identical(model.forget([], []).store, model.store)

    def test_merging_in_any_order_gives_the_same_counts(self, model: SpamModel) -> None:
        other = SpamModel().learn(["free"], ["spam"])
        identical(merge_models([model, other]).store, merge_models([other, model]).store)


class TestManyClasses:
    MODEL = SpamModel().learn(
        ["bonjour le monde", "guten tag welt", "good day world", "le jour", "der tag", "the day"],
        ["fr", "de", "en"] * 2,
    )

    def test_labels_and_probabilities(self) -> None:
        assert self.MODEL.labels == ("de", "en", "fr")
        assert self.MODEL.predict(["der tag", "the world", "le monde", "???"]) == ["de", "en", "fr", "unsure"]
        proba = self.MODEL.predict_proba(["der tag", "???"])
        assert proba.argmax(axis=1)[0] == 0
        assert proba.sum(axis=1).tolist() == pytest.approx([1.0, 1.0])

    def test_without_a_positive_class_the_best_one_counts(self) -> None:
        result = self.MODEL.score(["der tag"])
        assert result.probability[0] == self.MODEL.predict_proba(["der tag"])[0].max()

    def test_a_third_class_can_come_and_go(self) -> None:
        pair = SpamModel(calibration=Platt(0.5, 1.0)).learn(SPAM + HAM, LABELS)
        three = pair.learn(["newsletter of may"], ["news"], new_classes=True)
        assert three.labels == ("ham", "news", "spam")
        assert three.predict(["newsletter of may"]) == ["news"]
        back = three.forget(["newsletter of may"], ["news"])
        assert back.log_odds(SPAM).tolist() == pair.log_odds(SPAM).tolist()

    def test_from_three_classes_to_two(self) -> None:
        model = replace(self.MODEL, calibration=Temperature(0.5))
        pair = model.forget(["bonjour le monde", "le jour"], ["fr", "fr"])
        assert pair.labels == ("de", "en")
        why = pair.explain("der tag")
        assert why.bias + math.fsum(p.log_odds for p in why.evidence) == pytest.approx(why.log_odds)

    def test_the_explanation_compares_the_two_best(self) -> None:
        why = self.MODEL.explain("der tag")
        assert why.positive == "de"
        assert why.log_odds > 0
        assert why.log_odds == pytest.approx(why.bias + math.fsum(p.log_odds for p in why.evidence))


class TestColumnsOnly:
    FEATURES = FeatureConfig(ngrams=1, shapes=False, categorical=("sky", "wind"), numeric=("heat",))

    def test_a_model_without_text(self) -> None:
        skies, winds = ["sun", "sun", "rain", "rain"], ["weak", "strong", "weak", "strong"]
        heat = np.array([25.0, 22.0, 12.0, 9.0])
        model = SpamModel(self.FEATURES, ScorerConfig.of("categorical"), positive="yes").learn(
            [""] * 4, ["yes", "yes", "no", "no"], {"sky": skies, "wind": winds}, {"heat": heat}
        )
        query = {"sky": ["sun", "rain", ""], "wind": ["weak", "weak", ""]}
        result = model.score([""] * 3, query, {"heat": np.array([24.0, 10.0, math.nan])})
        assert result.labels == ["yes", "no", "unsure"]
        assert result.known.tolist() == [3, 3, 0]


class TestDecisions:
    def test_threshold_and_band(self, model: SpamModel) -> None:
        message = ["free you"]
        p = float(model.score(message).probability[0])
        above, below = min(1.0, p + 1e-6), max(0.0, p - 1e-6)
        assert replace(model, decision=Decision(below)).predict(message) == ["spam"]
        assert replace(model, decision=Decision(above)).predict(message) == ["ham"]
        assert replace(model, decision=Decision(above, unsure_from=below)).predict(message) == ["unsure"]

    def test_the_positive_class_may_be_any(self) -> None:
        spam = SpamModel().learn(SPAM + HAM, LABELS)
        ham = SpamModel(positive="ham").learn(SPAM + HAM, LABELS)
        np.testing.assert_allclose(ham.log_odds(SPAM), -spam.log_odds(SPAM), rtol=1e-12)
        assert ham.predict(SPAM + HAM) == spam.predict(SPAM + HAM)
        assert ham.predict_proba(SPAM)[:, 0].tolist() == pytest.approx(
            spam.predict_proba(SPAM)[:, 0].tolist()
        )

    def test_certainty_is_finite(self) -> None:
        model = SpamModel(FeatureConfig.plain(), ScorerConfig.of("categorical", alpha=0.0))
        model = model.learn(["a b", "c d"], ["spam", "ham"])
        result = model.score(["a", "c", "a c", "zzz"])
        assert result.log_odds.tolist() == [1e6, -1e6, 0.0, 0.0]
        assert [result.labels[i] for i in (0, 1, 3)] == ["spam", "ham", "unsure"]

    def test_calibration_is_applied_to_the_log_odds(self, model: SpamModel) -> None:
        raw = replace(model, calibration=Platt(1.0, 1.0)).log_odds(SPAM) - 1  # damped, as calibrated ones are
        np.testing.assert_allclose(replace(model, calibration=Platt(0.5, 2.0)).log_odds(SPAM), raw * 0.5 + 2)


class TestExplanations:
    def test_tokens_and_counts(self) -> None:
        model = SpamModel(FeatureConfig.plain(2)).learn(SPAM + HAM, LABELS)
        why = model.explain("WIN win a prize, stranger")
        parts = {part.token: part for part in why.evidence}
        assert list(parts) == sorted(parts, key=lambda t: (-abs(parts[t].log_odds), t))
        assert parts["win"].times == 2
        assert parts["win"].counts == (0, 2)
        assert "a prize" in parts
        assert (why.basis.known, why.basis.unknown) == (5, 3)  # win, a, prize, "win a", "a prize"
        assert (why.positive, why.negative, why.verdict) == ("spam", "ham", "spam")

    def test_of_tokens_at_the_limit_the_most_one_sided_come_first(self) -> None:
        model = SpamModel(FeatureConfig.plain(), ScorerConfig(max_token_weight=0.1))
        model = model.learn(["cash alone", "cash bonus", "cash bonus", "see cash"], ["spam"] * 3 + ["ham"])
        evidence = model.explain("bonus cash alone").evidence
        assert [(e.token, e.counts) for e in evidence] == [
            ("bonus", (0, 2)),
            ("alone", (0, 1)),
            ("cash", (1, 3)),
        ]

    def test_less_naive_shows_the_words_before(self) -> None:
        scoring = ScorerConfig.of("less-naive", order=2)
        model = SpamModel(FeatureConfig.plain(3), scoring).learn(SPAM + HAM, LABELS)
        shown = {part.token for part in model.explain("win a prize").evidence}
        assert shown == {"win", "a (after win)", "prize (after win a)"}


@pytest.mark.parametrize("calibration", [Platt(0.7, -0.3), Beta(0.8, 0.2, 0.6, 1.4, -0.1)])
def test_explanations_after_a_third_class_was_learned(calibration: Platt | Beta) -> None:
    model = replace(SpamModel().learn(["win a prize", "see you"], ["spam", "ham"]), calibration=calibration)
    wider = model.learn(["daily news"], ["news"], new_classes=True)
    explanation = wider.explain("daily news for you")
    parts = [explanation.bias, *(e.log_odds for e in explanation.evidence)]
    p = dict(zip(wider.labels, wider.predict_proba(["daily news for you"])[0].tolist(), strict=True))
    first, second = explanation.positive, explanation.negative
    assert sum(parts) == pytest.approx(explanation.log_odds)
    assert explanation.log_odds == pytest.approx(math.log(p[first] / p[second]))


@pytest.mark.parametrize("text", ["win a prize", "see you home", "win a prize now " * 9, "win you", "zzz"])
def test_a_curve_scales_the_evidence_and_leaves_the_bias(text: str) -> None:
    """What a curve adds far from 0 belongs to the evidence that led there."""
    curve = Beta(0.8, 0.2, 0.6, 1.4, -0.1)
    half = replace(SpamModel().learn([*SPAM, *HAM], LABELS), calibration=Platt(0.5))
    model = replace(half, calibration=curve)
    explanation, line = model.explain(text), half.explain(text)
    parts = [explanation.bias, *(e.log_odds for e in explanation.evidence)]
    assert math.fsum(parts) == pytest.approx(explanation.log_odds, abs=1e-9)
    z, start = 2 * line.log_odds, float(curve.apply(0.0))
    factor = 2 * (float(curve.apply(z)) - start) / z if z else 0.0
    assert explanation.bias == pytest.approx(start + factor * line.bias, abs=1e-9)
    assert [e.log_odds for e in explanation.evidence] == pytest.approx(
        [factor * e.log_odds for e in line.evidence], abs=1e-9
    )


@pytest.mark.parametrize("gap", [0.0, 1e-12, 1e-7, 1e-4, 1.0, math.inf])
def test_the_factor_of_a_curve_at_and_near_zero(gap: float) -> None:
    curve = Beta(0.8, 0.2, 0.6, 1.4, -0.1)
    slope = _secant(curve, gap, 0.0)
    assert 0.6 * 0.8 < slope < 1.4 * 0.8 or (gap == math.inf and slope == curve.slope)
    if gap < math.inf:
        assert float(curve.apply(0.0)) + slope * gap == pytest.approx(float(curve.apply(gap)), abs=1e-12)


def test_the_package_offers_its_names() -> None:
    assert spamnb.SpamModel is SpamModel
    for name in ("Decision", "FeatureConfig", "ScorerConfig", "SpamModel", "SpamnbError", "Texts", "train"):
        assert getattr(spamnb, name).__name__ == name
    with pytest.raises(AttributeError, match="module 'spamnb' has no attribute 'nothing'"):
        _ = spamnb.nothing


def test_training_messages_are_no_lessons_and_evaluation_knows_none() -> None:
    """Memory is for what a learner teaches: measures and textbook numbers are of the evidence."""
    texts, labels = ["win a prize", "free prize", "see you", "ok see"], ["spam", "spam", "ham", "ham"]
    model = SpamModel().learn(texts, labels)
    assert model.taught_as(Texts.of(texts)) is None
    counts, digests = count_messages(model, ["see you"], ReadLabels(["spam"]), None, None)
    taught = model.changed(Change(counts, ChangedDigests(learned=digests, taught=digests)))
    assert taught.score(["see you", "see"]).taught_label(0) == "spam"
    assert taught.predict(["see you"]) == ["spam"]
    assert taught.score(["see you"], memory=False).labels == ["ham"]
    proba = taught.predict_proba(["see you"])
    assert proba.sum() == pytest.approx(1.0)
    assert proba[0, 1] == pytest.approx(0.9)
    loaded = SpamModel.from_state(taught.to_state())
    assert loaded.predict(["see you"]) == ["spam"]
    assert "lessons" not in model.to_state()["seen_messages"]


def test_a_lesson_decides_among_three_classes() -> None:
    texts, labels = ["win a prize", "see you", "ten off"] * 3, ["spam", "ham", "promo"] * 3
    model = SpamModel().learn(texts, labels)
    counts, digests = count_messages(model, ["see you"], ReadLabels(["promo"]), None, None)
    taught = model.changed(Change(counts, ChangedDigests(learned=digests, taught=digests)))
    assert taught.predict(["see you"]) == ["promo"]
    proba = taught.predict_proba(["see you"])[0]
    assert proba.sum() == pytest.approx(1.0)
    assert proba[taught.labels.index("promo")] == pytest.approx(0.9)
