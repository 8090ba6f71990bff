"""Merging, pruning, ageing: whole numbers that add up, and figures that say they are from before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from spamnb.counts.count_store import CountStore, canonical
from spamnb.counts.store_merge import merge_stores
from spamnb.errors import ConfigError, DataError, InputError, ModelError
from spamnb.model import model_merge
from spamnb.model.change_history import ChangeHistory
from spamnb.model.decision import Decision
from spamnb.model.model_merge import mark_outdated, merge_models
from spamnb.model.prune_model import age, information, prune
from spamnb.model.spam_model import SpamModel
from spamnb.settings import FeatureConfig, ScorerConfig
from spamnb.training.trainer import train
from tests.helpers.count_stores import corpora, counted, identical

TEXTS = [f"win prize {i % 7} call {i}" for i in range(20)] + [
    f"see you at {i % 5} mum {i}" for i in range(20)
]
LABELS = ["spam"] * 20 + ["ham"] * 20


@pytest.fixture(scope="module")
def model() -> SpamModel:
    return train(TEXTS, LABELS)


@given(st.lists(corpora, max_size=5))
def test_merged_stores_are_the_store_of_everything(parts: list[list[object]]) -> None:
    together = [row for part in parts for row in part]
    identical(merge_stores([counted(part) for part in parts]), counted(together))  # type: ignore[arg-type]


@pytest.mark.parametrize("section", [1, 2, 5])
def test_sections_of_keys_of_any_size_give_the_same(section: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = list(zip(TEXTS, LABELS, strict=True))
    parts = [rows[:7], rows[25:], rows[7:9], rows[9:25]]
    monkeypatch.setattr("spamnb.counts.store_merge._SECTION", section)
    identical(merge_stores([_store(part) for part in parts]), _store(rows))


def test_without_threads_the_sum_is_the_same(model: SpamModel, monkeypatch: pytest.MonkeyPatch) -> None:
    stores = [model.store, model.learn(["win at five"], ["ham"]).store]
    expected = merge_stores(stores)
    monkeypatch.setattr("threading.Thread.start", no_thread)
    identical(merge_stores(stores), expected)


def no_thread(_: object) -> None:
    raise RuntimeError("can't start new thread")


def test_counts_beyond_32_bits_are_added_in_64() -> None:
    store = _store(list(zip(TEXTS, LABELS, strict=True)))
    large = merge_stores([store], [1 << 25])
    both = merge_stores([large, large])
    assert both.tokens.dtype == np.int64
    assert (both.tokens == store.tokens.astype(np.int64) * (1 << 26)).all()
    assert merge_stores([store, store]).tokens.dtype == np.uint32


def _store(rows: list[tuple[str, str]]) -> CountStore:
    return SpamModel().learn([text for text, _ in rows], [label for _, label in rows]).store


@given(corpora, st.integers(1, 4))
def test_a_weight_is_seeing_the_messages_again(rows: list[object], times: int) -> None:
    identical(merge_stores([counted(rows)], [times]), counted(rows * times))  # type: ignore[arg-type]


def test_merging_models_adds_their_counts(model: SpamModel) -> None:
    half, rest = train(TEXTS[::2], LABELS[::2]), train(TEXTS[1::2], LABELS[1::2])
    merged = merge_models([half, rest])
    identical(merged.store, model.store)
    assert merged.calibration == half.calibration
    assert merged.metrics is not None
    assert merged.metrics["before"] == ["merge"]


def test_the_largest_model_lends_its_calibration(model: SpamModel) -> None:
    small = train(TEXTS[5:35], LABELS[5:35])
    assert merge_models([small, model]).calibration == model.calibration
    assert merge_models([small, model], [9, 1]).calibration == small.calibration


def test_new_classes_have_no_calibration_yet(model: SpamModel) -> None:
    news = replace(model, store=SpamModel().learn(["daily news"], ["news"]).store)
    merged = merge_models([model, news])
    assert merged.labels == ("ham", "news", "spam")
    assert merged.metrics is None
    assert merged.predict(["win prize"]) == ["spam"]


def test_models_of_other_settings_are_refused_with_what_differs(model: SpamModel) -> None:
    other = SpamModel(
        FeatureConfig(ngrams=1),
        ScorerConfig(alpha=1.0, max_evidence=8),
        model.store,
        Decision(threshold=0.9),
        positive="ham",
    )
    with pytest.raises(ModelError) as refused:
        merge_models([model, other], names=["a", "b"])
    assert refused.value.message == (
        "b does not fit a: spam label is 'ham', expected 'spam'; ngrams is 1, expected 2; "
        "alpha is 1.0, expected 0.1; threshold is 0.9, expected 0.5"
    )
    assert refused.value.hint == "merge models that were trained with the same options"


def test_lines_drawn_in_training_may_differ(model: SpamModel) -> None:
    """Each model of mail has a line of its own; that of the model with most messages is kept."""
    small = replace(model, decision=Decision.from_cutoff(2.0, 0.001))
    large = replace(model.learn(["win"] * 5, ["spam"] * 5), decision=Decision.from_cutoff(3.0, 0.001))
    for pair in ([small, large], [large, small]):
        assert merge_models(pair).decision == large.decision
    more = merge_models([small.learn(["neither"], ["other"], new_classes=True), large])
    assert more.decision == Decision()
    loose = replace(model, decision=Decision.from_cutoff(2.0, 0.01))
    with pytest.raises(ModelError, match=r"model 2 does not fit model 1: max_fpr is 0.01, expected 0.001"):
        merge_models([small, loose])
    stated = replace(model, decision=Decision(0.9))
    for pair in ([small, stated], [stated, model]):
        with pytest.raises(
            ModelError, match=r"model 2 does not fit model 1: threshold is 0.[59], expected 0."
        ):
            merge_models(pair)
    few = replace(model, decision=Decision())  # too few messages to draw a line
    assert merge_models([few, large]).decision == merge_models([large, few]).decision == large.decision


def test_a_given_prior_needs_its_classes(model: SpamModel) -> None:
    fixed = replace(model, scoring=ScorerConfig(prior=(0.5, 0.5)))
    news = replace(fixed, store=SpamModel().learn(["daily news"], ["news"]).store)
    with pytest.raises(ModelError, match="a prior for 2 classes, together they have 3: ham, news, spam"):
        merge_models([fixed, news])


@pytest.mark.parametrize(
    ("models", "message"),
    [
        (SpamModel(), "expected a list of models, got a SpamModel"),
        ("a.spamnb", "expected a list of models, got a str"),
        ([], "there are no models to merge"),
        ([SpamModel(), "a.spamnb"], "models[1] is a str; expected a SpamModel"),
    ],
)
def test_what_cannot_be_merged(models: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        merge_models(models)
    assert caught.value.message == message


def test_weights_out_of_range(model: SpamModel) -> None:
    with pytest.raises(ConfigError, match="whole number from 1 on, got 0"):
        merge_models([model], [0])
    with pytest.raises(ConfigError, match=r"larger than 2\^63"):
        merge_models([model], [1 << 60])


def test_a_huge_weight_keeps_as_many_digests_as_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_merge, "_MAX_DUPLICATES", 10)
    one = SpamModel().learn(["win a prize", "see you"], ["spam", "ham"])
    merged = merge_models([one, one], [50_000_000, 1])
    assert merged.store.message_totals.tolist() == [50_000_001, 50_000_001]
    assert merged.seen_messages is not None
    assert {label: len(each) for label, each in merged.seen_messages.exact.items()} == {"ham": 4, "spam": 4}
    learned = merged.learn(["win cash"], ["spam"])
    assert learned.store.message_totals.tolist() == [50_000_001, 50_000_002]
    assert learned.forget(["win a prize"], ["spam"]).store.message_totals.tolist() == [50_000_001] * 2


def test_figures_list_each_change_once() -> None:
    assert mark_outdated(None, "age") is None
    assert mark_outdated(mark_outdated(mark_outdated({}, "age"), "merge"), "age") == {
        "before": ["age", "merge"]
    }


# --- prune


def test_the_rarest_go_first_then_those_that_say_least() -> None:
    texts = ["win win and", "win and", "see and", "see mum and", "and"]
    store = SpamModel(FeatureConfig.plain()).learn(texts, ["spam", "spam", "ham", "ham", "ham"])
    token_sets = [set(prune(store, max_tokens=n).store.spellings.tolist()) for n in (1, 2, 3, 4)]
    assert token_sets == [{"and"}, {"and", "win"}, {"and", "win", "see"}, {"and", "win", "see", "mum"}]


def test_information_by_hand() -> None:
    store = SpamModel(FeatureConfig.plain()).learn(["a b", "a", "a", "a"], ["x", "x", "y", "y"]).store
    values = dict(zip(store.spellings.tolist(), information(store).tolist(), strict=True))
    # b: 1 of 2 in x, 0 of 2 in y: 2 (log 2 + log(2/3) + 2 log(4/3))
    assert values["a"] == pytest.approx(0)
    assert values["b"] == pytest.approx(2 * (np.log(2) + np.log(2 / 3) + 2 * np.log(4 / 3)))


def test_min_count_is_of_messages(model: SpamModel) -> None:
    small = prune(model, min_count=3)
    assert int(small.store.messages.sum(axis=1).min()) >= 3
    assert small.metrics is not None
    assert small.metrics["before"] == ["prune"]
    assert small.calibration == model.calibration


@pytest.mark.parametrize("limit", [6_000, 10_000, 20_000])
def test_max_bytes_is_kept_and_used(limit: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("x") / "m"
    large = train([f"{t} {i:040}" for i, t in enumerate(TEXTS * 5)], LABELS * 5)
    size = prune(large, max_bytes=limit).save(path)
    assert 0.6 * limit < size <= limit


def test_too_few_bytes_for_any_model(model: SpamModel) -> None:
    with pytest.raises(DataError, match=r"without any token takes [0-9,]+ bytes, more than 100"):
        prune(model, max_bytes=100)


def test_nothing_to_prune_changes_nothing(model: SpamModel) -> None:
    assert prune(model, min_count=1, max_tokens=10**6, max_bytes=1 << 30) is model


# --- age


@given(corpora, st.integers(1, 5))
def test_an_aged_store_is_one_that_messages_can_have(rows: list[object], halvings: int) -> None:
    model = SpamModel(store=counted(rows))  # type: ignore[arg-type]
    store = age(model, halvings).store
    identical(canonical(store), store)
    assert (store.message_totals <= (model.store.message_totals >> halvings) + 1).all()


def test_halving_rounds_half_of_the_odd_counts_up() -> None:
    words = [f"w{i}" for i in range(2000)]
    store = SpamModel(FeatureConfig.plain()).learn([" ".join(words), "see"], ["spam", "ham"])
    left = age(store).store.vocabulary
    assert 900 < left < 1100
    identical(age(store).store, age(store).store)
    assert 400 < age(store, 2).store.vocabulary < 600


def test_even_counts_are_halved_exactly_and_classes_alike(model: SpamModel) -> None:
    twice = replace(model, store=merge_stores([model.store], [2]))
    identical(age(twice).store, model.store)
    same = SpamModel().learn(["a b c d e f g", "a b c d e f g"], ["ham", "spam"])
    table = age(same).store.messages
    np.testing.assert_array_equal(table[:, 0], table[:, 1])


def test_numbers_keep_mean_and_variance() -> None:
    numbers = np.array([1.0, -2.5, 4.0, 8.0, 1e300, 3.0, -7.0])
    model = SpamModel(FeatureConfig(numeric=("n",))).learn([""] * 7, ["a"] * 7, {}, {"n": numbers})
    (old,), (new,) = model.store.numbers["n"], age(model).store.numbers["n"]
    assert (old.count, new.count) == (7, 3)
    assert (new.mean, new.variance()) == (old.mean, old.variance())


def test_old_evidence_fades(model: SpamModel) -> None:
    changed = ["see mum"] * 10, ["spam"] * 10
    assert (
        model.learn(*changed).log_odds(["see mum"])[0]
        < age(model, 3).learn(*changed).log_odds(["see mum"])[0]
    )


def test_ageing_at_regular_times_keeps_the_size_bounded() -> None:
    model, sizes = SpamModel(), []
    for step in range(12):
        texts = [f"word{step}x{i} common prize" for i in range(200)]
        model = age(model.learn(texts, ["spam", "ham"] * 100))
        sizes.append(model.store.vocabulary)
    assert max(sizes[6:]) < 1.2 * min(sizes[6:])


def test_no_halving_changes_nothing(model: SpamModel) -> None:
    assert age(model, 0) is model
    assert isinstance(age(model).store, CountStore)


def test_figures_and_what_happened_since_are_of_the_same_model() -> None:
    """Those of the largest; what the others have seen is new to its figures."""
    small, large = (SpamModel().learn(TEXTS[15:n], LABELS[15:n]) for n in (23, 30))
    small = replace(small, change_history=ChangeHistory(classified=60, wrong=60), metrics={"of": 8})
    large = replace(large, change_history=ChangeHistory(classified=9), metrics={"of": 15})
    for models in ([small, large], [large, small]):
        expected = ChangeHistory(classified=9, learned=8)
        assert merge_models(models).change_history.to_state() == expected.to_state()


def test_counts_that_nobody_can_add_are_refused() -> None:
    store = merge_stores([SpamModel().learn(TEXTS, LABELS).store], [1 << 47])
    with pytest.raises(ConfigError, match="together the counts are larger than"):
        merge_stores([store] * 400)
