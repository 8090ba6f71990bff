"""Changes add up, survive their encoding, and put into a store give what counting anew gives, bit by bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from spamnb.counts.apply_delta import add_delta
from spamnb.counts.count_store import CountStore
from spamnb.counts.store_merge import merge_stores
from spamnb.errors import DataError
from spamnb.model.change_history import ChangeHistory
from spamnb.model.journal_records import decode, encode
from spamnb.model.model_delta import Change, ChangedDigests, sum_changes
from tests.helpers.count_stores import LEARNED, Row, corpora, counted, identical, rows

plain_rows = st.builds(Row, rows.map(lambda r: r.text), st.sampled_from(["ham", "spam"]))
plain = st.lists(plain_rows, min_size=1, max_size=8)


def bare(given_rows: list[Row]) -> CountStore:
    """Counts without columns: those take the slow way."""
    store = counted(given_rows)
    return CountStore(
        *(store.labels, store.message_totals, store.keys, store.kinds, store.tokens, store.messages),
        store.spellings,
    )


def small(store: CountStore) -> CountStore:
    """With tables of bytes, as they come out of a model file."""
    return CountStore(
        *(store.labels, store.message_totals, store.keys, store.kinds),
        *(store.tokens.astype("u1"), store.messages.astype("u1"), store.spellings),
    )


@given(plain, plain, plain)
def test_a_patch_is_what_counting_anew_gives(stay: list[Row], go: list[Row], come: list[Row]) -> None:
    before = small(bare(stay + go))
    change = merge_stores([bare(come), bare(go)], [1, -1])
    after = add_delta(before, change)
    identical(after, bare(stay + come))
    fresh = bare(stay + come)
    for name in ("token_totals", "presence_totals", "word_totals"):
        np.testing.assert_array_equal(getattr(after, name), getattr(fresh, name), name)
    assert after.word_vocabulary == fresh.word_vocabulary


@given(corpora, corpora, corpora)
def test_columns_and_classes_may_come_and_go(stay: list[Row], go: list[Row], come: list[Row]) -> None:
    change = merge_stores([counted(come), counted(go)], [1, -1])
    identical(add_delta(counted(stay + go), change), counted(stay + come))


@given(corpora, corpora, corpora)
def test_changes_add_up(a: list[Row], b: list[Row], c: list[Row]) -> None:
    changes = [
        Change(counted(a)),
        Change(counted(b)),
        Change(merge_stores([counted(a)], [-1])),
        Change(counted(c)),
    ]
    identical(add_delta(CountStore.empty(), sum_changes(changes).counts), counted(b + c))


@given(corpora, corpora)
def test_encoding_loses_nothing(learned: list[Row], come: list[Row]) -> None:
    store = counted(learned)
    counts = merge_stores([counted(come), counted(come[:2])], [1, -1])
    digests = {"ham": np.array([1, 2**64 - 1], np.uint64)}
    changed = ChangedDigests(digests, {"spam": digests["ham"][:1]})
    change = Change(counts, changed, ChangeHistory(learned=3, loss=0.1))
    again = decode(encode(change, store.find(counts.keys) < 0))
    identical(add_delta(store, again.counts), add_delta(store, counts))
    assert again.digests.learned["ham"].tolist() == [1, 2**64 - 1]
    assert again.digests.forgotten["spam"].tolist() == [1]
    assert again.change_history.to_state() == change.change_history.to_state()


def test_large_counts_survive() -> None:
    counts = bare([Row("win " * 70_000, "ham")])
    assert decode(encode(Change(counts), np.ones(len(counts.keys), bool))).counts.tokens.max() == 70_000
    identical(add_delta(small(bare(LEARNED)), counts), bare([*LEARNED, Row("win " * 70_000, "ham")]))


@pytest.mark.parametrize("rows", [[Row("q", "ham")], [Row("a a", "ham")], [Row("a b", "spam")]])
def test_what_was_never_learned_is_refused(rows: list[Row]) -> None:
    with pytest.raises(DataError, match="cannot forget what was never learned"):
        add_delta(bare(LEARNED), merge_stores([bare(rows)], [-1]))


@given(st.binary(max_size=200))
def test_foreign_bytes_raise_and_nothing_else(data: bytes) -> None:
    with pytest.raises(Exception):  # noqa: B017 - the journal turns any of them into one ModelError
        decode(data)
