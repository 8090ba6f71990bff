"""Counting, merging and forgetting: the same integers whatever the way there."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from spamnb.counts import tally as counting
from spamnb.counts.count_state import from_state, to_state
from spamnb.counts.count_store import CountStore
from spamnb.counts.moments import Moments
from spamnb.counts.store_merge import merge_stores, subtract_store
from spamnb.counts.tally import Tally
from spamnb.errors import DataError
from spamnb.features import extract
from spamnb.messages import Texts
from spamnb.settings import FeatureConfig
from tests.helpers.count_stores import FEATURES, LEARNED, Row, corpora, counted, frozen, identical
from tests.reference.counts import Counts
from tests.reference.keys import token_key

REFUSAL = "cannot forget what was never learned: the counts would not add up; nothing was changed"
HINT = "check that the messages and their labels are exactly those that were learned"


@given(corpora)
def test_counting_against_the_twin(given_rows: list[Row]) -> None:
    store = counted(given_rows)
    texts, labels = [r.text for r in given_rows], [r.label for r in given_rows]
    twin = Counts(texts, labels, FEATURES)
    assert list(store.labels) == twin.labels
    assert store.message_totals.tolist() == [twin.messages[c] for c in twin.labels]
    keys = {token_key(t): t for t in twin.vocabulary}
    assert store.keys.tolist() == sorted(keys)
    for i, key in enumerate(sorted(keys)):
        token = keys[key]
        assert store.spellings[i] == token
        assert store.tokens[i].tolist() == [twin.occurrences[c][token] for c in twin.labels]
        assert store.messages[i].tolist() == [twin.holding[c][token] for c in twin.labels]
        assert int(store.kinds[i]) == (255 if token.startswith("shape:") else len(token.split()))


@given(corpora)
def test_totals(given_rows: list[Row]) -> None:
    store = counted(given_rows)
    twin = Counts([r.text for r in given_rows], [r.label for r in given_rows], FEATURES)
    assert store.vocabulary == len(twin.vocabulary)
    assert store.word_vocabulary == len(twin.words)
    assert store.token_totals.tolist() == [sum(twin.occurrences[c].values()) for c in twin.labels]
    assert store.presence_totals.tolist() == [sum(twin.holding[c].values()) for c in twin.labels]
    words = [sum(n for t, n in twin.occurrences[c].items() if t in twin.words) for c in twin.labels]
    assert store.word_totals.tolist() == words


@given(corpora)
def test_columns(given_rows: list[Row]) -> None:
    store = counted(given_rows)
    labels = sorted({r.label for r in given_rows})
    seen = Counter((r.category, r.label) for r in given_rows if r.category)
    expected = {v: tuple(seen[v, c] for c in labels) for v in sorted({v for v, _ in seen})}
    assert store.categories == ({"kind": expected} if expected else {})
    moments = tuple(Moments.of([r.number for r in given_rows if r.label == c]) for c in labels)
    assert store.numbers == ({"number": moments} if any(m.count for m in moments) else {})


@given(corpora, corpora, corpora)
@example([], [], [])
def test_plus_is_counting_together(a: list[Row], b: list[Row], c: list[Row]) -> None:
    together = counted(a + b + c)
    one, two, three = counted(a), counted(b), counted(c)
    identical(merge_stores([one, two, three]), together)
    identical(merge_stores([merge_stores([one, two]), three]), together)
    identical(merge_stores([three, merge_stores([one, two])]), together)
    identical(counted([*reversed(c), *b, *reversed(a)]), together)


@given(corpora, corpora)
@example([Row("a", "ham", "x", 1.0)], [Row("a b", "spam", "y", 2.0)])
def test_minus_is_never_learned(kept: list[Row], gone: list[Row]) -> None:
    identical(subtract_store(merge_stores([counted(kept), counted(gone)]), counted(gone)), counted(kept))
    rest = subtract_store(counted(kept + gone), counted(kept))
    identical(subtract_store(rest, counted(gone)), CountStore.empty())


@given(corpora, corpora)
def test_stores_that_come_from_a_file(first: list[Row], second: list[Row]) -> None:
    a, b = (from_state(to_state(counted(part))) for part in (first, second))
    identical(a, counted(first))
    both = merge_stores([a, b])
    identical(both, counted(first + second))
    identical(subtract_store(both, b), counted(first))
    identical(subtract_store(from_state(to_state(both)), a), counted(second))


@pytest.mark.parametrize("times", [100, 300, 70_000])
def test_small_types_do_not_overflow(times: int) -> None:
    store = counted([Row("a " * times, "ham"), Row("b", "spam")], FeatureConfig.plain())
    loaded = from_state(to_state(store))
    assert loaded.tokens.max() == times
    identical(merge_stores([loaded, loaded]), merge_stores([store, store]))
    assert merge_stores([loaded, loaded]).tokens.max() == 2 * times
    assert loaded.token_totals.tolist() == [times, 1]
    identical(subtract_store(loaded, loaded), CountStore.empty())


@given(st.lists(corpora, max_size=4))
def test_a_tally_of_many_batches(parts: list[list[Row]]) -> None:
    tally = Tally()
    for part in parts:
        batch = extract(Texts.of([r.text for r in part]), FEATURES)
        numbers = {"number": np.array([r.number for r in part], np.float64)}
        tally.add(batch, [r.label for r in part], {"kind": [r.category for r in part]}, numbers)
    store, _ = tally.finish()
    identical(store, counted([row for part in parts for row in part]))


def test_a_tally_whose_tokens_and_labels_grow_as_it_goes() -> None:
    given_rows = [Row(f"w{i % 7} w{i % 3} a a", f"class{i % (1 + i // 5)}") for i in range(40)]
    expected = counted(given_rows)
    tally = Tally()
    for row in given_rows:
        tally.add(extract(Texts.of([row.text]), FEATURES), [row.label])
    identical(tally.finish()[0], expected)


def test_ids_of_a_tally_point_at_rows_of_the_store() -> None:
    tally = Tally()
    ids = [tally.add(extract(Texts.of([t]), FeatureConfig.plain()), ["ham"])[0] for t in ("b a", "c a a")]
    store, at = tally.finish()
    spelled = [[store.spellings[i] for i in at[every].tolist()] for every in ids]
    assert spelled == [["b", "a"], ["c", "a", "a"]]


def test_find() -> None:
    store = counted([Row("b a", "ham"), Row("c", "spam")], FeatureConfig.plain())
    keys = np.array([token_key(t) for t in ("c", "zzz", "a", "b")], np.uint64)
    spelled = [store.spellings[i] if i >= 0 else None for i in store.find(keys).tolist()]
    assert spelled == ["c", None, "a", "b"]
    assert CountStore.empty().find(keys).tolist() == [-1] * 4


def refused(store: CountStore, wrong: list[Row], features: FeatureConfig = FEATURES) -> str:
    before = frozen(store)
    with pytest.raises(DataError) as caught:
        subtract_store(store, counted(wrong, features))
    assert caught.value.hint == HINT
    assert frozen(store) == before
    return caught.value.message


@pytest.mark.parametrize(
    "wrong",
    [
        [Row("never seen", "ham")],
        [Row("c c", "ham")],
        [Row("a b", "news")],
        [Row("a", "ham")] * 3,
        [Row("c c", "spam", "y", 3.0)],
    ],
    ids=["words", "label", "class", "too often", "category"],
)
def test_forgetting_what_was_not_learned_is_refused(wrong: list[Row]) -> None:
    assert refused(counted(LEARNED), wrong) == REFUSAL


@pytest.mark.parametrize(
    ("learned", "wrong"),
    [
        ([Row("a a", "ham"), Row("b", "spam")], [Row("a", "ham")]),
        ([Row("a b", "ham"), Row("a c", "ham")], [Row("a a", "ham")]),
        ([Row("a b", "ham"), Row("a", "ham"), Row("c", "spam")], [Row("b", "ham")]),
        ([Row("", "ham", "", 1.0), Row("", "spam", "", 2.0)], [Row("", "ham", "", 7.0)]),
        ([Row("", "ham", "", 1.0), Row("", "ham", "", 2.0)], [Row("", "ham", "", 7.0)]),
        ([Row("", "ham", "x"), Row("", "ham", "x")], [Row("", "ham")]),
    ],
    ids=[
        "fewer times than learned",
        "more times than learned",
        "more messages with a word than messages",
        "another number, the last one",
        "another number, one of two",
        "a message with a category as one without",
    ],
)
def test_forgetting_what_leaves_impossible_counts_is_refused(learned: list[Row], wrong: list[Row]) -> None:
    message = refused(counted(learned, FeatureConfig.plain()), wrong, FeatureConfig.plain())
    assert message.startswith("cannot forget what was never learned: ")


@given(corpora, st.integers(0, 4))
def test_prune(given_rows: list[Row], least: int) -> None:
    store = counted(given_rows)
    pruned = store.prune(least)
    frequent = [i for i in range(store.vocabulary) if int(store.messages[i].sum()) >= least]
    assert pruned.keys.tolist() == store.keys[frequent].tolist()
    assert pruned.tokens.tolist() == store.tokens[frequent].tolist()
    assert pruned.spellings.tolist() == [store.spellings[i] for i in frequent]
    assert pruned.message_totals.tolist() == store.message_totals.tolist()
    assert (pruned.categories, pruned.numbers) == (store.categories, store.numbers)
    identical(store.prune(1), store)


def test_pruned_words_cannot_be_forgotten() -> None:
    assert refused(counted(LEARNED).prune(2), LEARNED[:1]) == REFUSAL


def test_counts_beyond_32_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables are widened on the way, and nothing that was counted before is lost."""
    batches = [extract(Texts.of([f"a a b w{i}", "b c"]), FeatureConfig()) for i in range(6)]
    stores = []
    for large in (1 << 32, 70):
        monkeypatch.setattr(counting, "_LARGE", large)
        tally = Tally()
        for batch in batches:
            tally.add(batch, ["spam", "ham"])
        stores.append(tally.finish()[0])
    assert [store.tokens.itemsize for store in stores] == [4, 8]
    identical(*stores)
