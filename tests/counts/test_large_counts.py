"""Counts up to 2^63 - 1 are exact in everything that changes a model; beyond, there is an error."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from spamnb.counts import LARGEST, CountStore, add_delta, merge_stores, sum_of_sizes
from spamnb.counts.count_state import from_state, to_state
from spamnb.errors import ConfigError, ModelError
from spamnb.features import extract
from spamnb.messages import Texts
from spamnb.model.journal_records import decode, encode
from spamnb.model.model_delta import Change
from spamnb.model.prune_model import age, prune
from spamnb.model.spam_model import SpamModel
from spamnb.model.text_export import export_lines
from spamnb.model.text_import import import_lines
from spamnb.training import Learner
from tests.helpers.count_stores import identical

TEXTS, LABELS = ["win a prize", "free prize now", "see you", "at home"], ["spam", "spam", "ham", "ham"]
SMALL = SpamModel(seen_messages=None).learn(TEXTS, LABELS)
SIZE = int(SMALL.store.token_totals.sum() + SMALL.store.message_totals.sum())
TOO_LARGE = "together the counts are larger than 2^63 - 1"
# Over 32 bits, over the 53 bits of a floating-point number, and as many as fit.
TIMES = [1 << 33, (1 << 55) + 1, LARGEST // SIZE]


def large(times: int) -> SpamModel:
    """The model as it comes from a file, where counts are unsigned."""
    store = merge_stores([SMALL.store], [times])
    return SpamModel.from_state(replace(SMALL, store=store).to_state())


def exact(store: CountStore, times: int, plus: int = 0) -> None:
    """Is this the small store, `times` times and its first message `plus` times?"""
    one = SpamModel(seen_messages=None).learn(TEXTS[:1], LABELS[:1]).store
    rows = {key: [n * times for n in row] for key, row in _rows(SMALL.store).items()}
    for key, row in _rows(one).items():
        rows[key] = [rows[key][0], rows[key][1] + plus * row[0]]
    assert _rows(store) == rows
    assert store.message_totals.tolist() == [2 * times, 2 * times + plus]
    assert store.token_totals.tolist() == [sum(row[c] for row in rows.values()) for c in (0, 1)]


def _rows(store: CountStore) -> dict[int, list[int]]:
    return dict(zip(store.keys.tolist(), store.tokens.tolist(), strict=True))


@pytest.mark.parametrize("times", TIMES)
def test_counts_of_a_file_are_signed(times: int) -> None:
    """An int64 and a uint64 add up to a floating-point number, or not at all."""
    store = large(times).store
    assert (store.tokens.dtype, store.messages.dtype) == (np.int64, np.int64)
    exact(store, times)


@pytest.mark.parametrize("times", TIMES[:2])
def test_learn_and_forget(times: int) -> None:
    model = large(times)
    learned = model.learn(TEXTS[:1], LABELS[:1])
    exact(learned.store, times, plus=1)
    identical(learned.forget(TEXTS[:1], LABELS[:1]).store, model.store)
    assert model.predict(TEXTS) == LABELS


@pytest.mark.parametrize("times", TIMES[:2])
def test_learn_a_word_that_is_new(times: int) -> None:
    """Its row is put between rows of large counts."""
    model = large(times)
    learned = model.learn(["win a yacht"], ["spam"])
    assert (learned.store.tokens.dtype, learned.store.messages.dtype) == (np.int64, np.int64)
    assert learned.store.vocabulary > model.store.vocabulary
    assert int(learned.store.tokens[:, 1].max()) == int(model.store.tokens[:, 1].max()) + 1
    imported = import_lines(export_lines(learned), "x")
    identical(imported.store, learned.store)


@pytest.mark.parametrize("times", TIMES[:2])
def test_a_learner_with_its_journal(times: int, tmp_path: Path) -> None:
    large(times).save(path := tmp_path / "m.spamnb")
    with Learner(path) as learner:
        learner.learn(TEXTS[:1], LABELS[:1])
        learner.learn(TEXTS[:1], LABELS[:1])
    exact(SpamModel.load(path).store, times, plus=2)
    with Learner(path) as learner:
        learner.forget(TEXTS[:1], LABELS[:1])
        learner.compact()
    exact(SpamModel.load(path).store, times, plus=1)


@pytest.mark.parametrize("times", TIMES)
def test_age_and_prune(times: int) -> None:
    model = large(times)
    aged = age(model)
    assert aged.store.message_totals.tolist() == [times, times]
    assert abs(int(aged.store.token_totals.sum()) - int(model.store.token_totals.sum()) // 2) < 100
    identical(from_state(to_state(aged.store)), aged.store)
    assert prune(model, max_tokens=9).store.vocabulary == 9
    assert prune(model, min_count=times + 1).store.vocabulary < model.store.vocabulary


@pytest.mark.parametrize("times", TIMES)
def test_export_and_import(times: int) -> None:
    model = large(times)
    identical(import_lines(list(export_lines(model)), "x").store, model.store)


def test_merge() -> None:
    exact(
        merge_stores([large(1 << 33).store, large((1 << 55) + 1).store], [3, 1]),
        3 * (1 << 33) + (1 << 55) + 1,
    )


def test_a_journal_record_holds_large_counts() -> None:
    counts = merge_stores([SMALL.store], [-(1 << 40)])
    back = decode(encode(Change(counts), np.ones(counts.vocabulary, bool))).counts
    assert back.tokens.tolist() == counts.tokens.tolist()


def test_counts_beyond_63_bits_are_refused() -> None:
    full = large(TIMES[-1])
    for change in (
        lambda: merge_stores([full.store, full.store]),
        lambda: merge_stores([full.store], [2]),
        lambda: merge_stores([SMALL.store], [1 << 63]),
        lambda: full.learn(TEXTS * 20, LABELS * 20),
        lambda: add_delta(full.store, SpamModel().learn(["other words"] * 99, ["news"] * 99).store),
    ):
        with pytest.raises(ConfigError) as caught:
            change()
        assert caught.value.message == TOO_LARGE
        assert "spamnb model age MODEL" in caught.value.hint


def test_what_fits_can_be_learned_up_to_the_last_count() -> None:
    """Of the row that a message changes and of all others together."""
    full, one = large(TIMES[-1]), SpamModel(seen_messages=None).learn(TEXTS[:1], LABELS[:1]).store
    left = LARGEST - TIMES[-1] * SIZE
    each = int(one.token_totals.sum() + one.message_totals.sum())
    store = add_delta(full.store, merge_stores([one], [left // each])) if left >= each else full.store
    assert sum(store.token_totals.tolist()) + sum(store.message_totals.tolist()) <= LARGEST
    with pytest.raises(ConfigError, match=r"larger than 2\^63"):
        add_delta(full.store, merge_stores([one], [left // each + 1]))


def test_tallies_of_many_tokens_are_signed(monkeypatch: pytest.MonkeyPatch) -> None:
    from spamnb.counts import tally
    from spamnb.settings import FeatureConfig

    monkeypatch.setattr(tally, "_LARGE", 1)
    store = tally.count(extract(Texts.of(TEXTS), FeatureConfig()), LABELS)
    assert (store.tokens.dtype, store.messages.dtype) == (np.int64, np.int64)


@pytest.mark.parametrize("name", ["tokens", "messages", "message_totals", "totals"])
def test_a_file_with_a_count_of_64_bits_is_refused(name: str) -> None:
    state = to_state(SMALL.store)
    state[name] = state[name].astype("<u8")
    state[name].flat[0] = 1 << 63
    with pytest.raises(ModelError) as caught:
        from_state(state)
    assert caught.value.message == f"the model's {name} are damaged: larger than 2^63 - 1"


def test_counts_whose_sum_wraps_around_are_refused() -> None:
    """Four times 2^62 is 0 in 64 bits."""
    state = to_state(SMALL.store)
    state["message_totals"] = np.array([1 << 62, 2], "<u8")
    tokens = state["tokens"].astype("<u8")
    used = np.flatnonzero(tokens[:, 0])[:4]
    lost = int(tokens[used, 0].sum())
    tokens[used, 0] = 1 << 62
    state["totals"] = state["totals"].astype("<u8")
    state["totals"][0, 0] -= lost
    state["tokens"] = tokens
    with pytest.raises(ModelError) as caught:
        from_state(state)
    assert caught.value.message == "the model's counts are damaged: larger than 2^63 - 1"


def test_sizes_are_exact() -> None:
    table = np.array([[LARGEST, -LARGEST], [-LARGEST - 1, 0]])
    assert sum_of_sizes(table) == 3 * LARGEST + 1
    assert sum_of_sizes(np.zeros((0, 2), np.uint32)) == 0
