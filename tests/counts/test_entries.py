"""Checks the entries of batches against counters."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, strategies as st

from spamnb.core.strings import StringArray
from spamnb.counts.entries import NO_GRAM, Entries, repeated_pairs
from spamnb.counts.key_table import KeyTable
from spamnb.features import extract
from spamnb.features.batch import SHAPE, Batch, Stream
from spamnb.messages import Texts
from spamnb.settings import FeatureConfig

ODD_WORDS = ["ok", "c4sh", "freeee", "c@sh", "f r e e e", "fr\u0435e", "\u0e01\u0e02", "soooo", "v1agra", "b"]


texts = st.lists(st.lists(st.sampled_from("abcde"), max_size=6).map(" ".join), max_size=6)


def array(values: list[int]) -> np.ndarray:
    return np.array(values, np.uint64)


def table_of(keys: np.ndarray) -> KeyTable:
    table = KeyTable()
    table.add(keys)
    return table


def entries_of(given_texts: list[str], order: int = 0) -> Entries:
    """Entries with ids 0 .. for the sorted keys."""
    batch = extract(Texts.of(given_texts), FeatureConfig.plain(order + 1))
    table = table_of(np.unique(batch.keys))
    return Entries.of(batch, [table.find(s.keys) for s in batch.streams], order)


def same(a: Entries, b: Entries) -> None:
    assert a.size == b.size
    for name in ("rows", "ids", "counts", "lengths", "sequence", "sequence_rows"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), name)


class TestEntries:
    @given(texts)
    def test_counts_repeats(self, given_texts: list[str]) -> None:
        entries = entries_of(given_texts)
        expected = Counter((row, word) for row, text in enumerate(given_texts) for word in text.split())
        vocabulary = sorted({word for _, word in expected})
        pairs = zip(entries.rows.tolist(), entries.ids.tolist(), strict=True)
        counted = {
            (row, vocabulary[i]): n for (row, i), n in zip(pairs, entries.counts.tolist(), strict=True)
        }
        assert counted == expected
        assert entries.lengths.tolist() == [len(text.split()) for text in given_texts]
        codes = (entries.rows << 32) | entries.ids
        assert (np.diff(codes) > 0).all()

    def test_unknown_tokens_are_dropped_but_counted_in_the_length(self) -> None:
        stream = Stream(
            1, np.array([0, 0, 2, 2]), array([1, 2, 2, 1]), lambda where: StringArray.of([b""] * len(where))
        )
        entries = Entries.of(Batch(3, (stream,)), [np.array([-1, 7, 7, -1])])
        assert entries.rows.tolist() == [0, 2]
        assert entries.ids.tolist() == [7, 7]
        assert entries.lengths.tolist() == [2, 0, 2]

    @given(texts, st.booleans(), st.sets(st.integers(0, 5)))
    def test_selected_before_or_after_merging(
        self, given_texts: list[str], mixed: bool, some: set[int]
    ) -> None:
        batch = extract(Texts.of(given_texts), FeatureConfig.plain(2))
        if mixed:  # only the rows of shapes need not ascend
            batch = Batch(
                batch.size, tuple(Stream(SHAPE, s.rows[::-1], s.keys[::-1], s.spell) for s in batch.streams)
            )
        table = table_of(np.unique(batch.keys))
        ids = [table.find(s.keys) for s in batch.streams]
        rows = np.array(sorted(i for i in some if i < batch.size), np.int64)
        same(Entries.of(*batch.select(rows, ids)), Entries.of(batch, ids).select(rows))

    @given(
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), max_size=30), st.sampled_from([0, 1 << 30])
    )
    def test_repeats(self, pairs: list[tuple[int, int]], high: int) -> None:
        rows, ids = (
            np.array([p[0] for p in pairs], np.int64),
            np.array([p[1] + high for p in pairs], np.int64),
        )
        repeats = zip(*(part.tolist() for part in repeated_pairs(rows, ids, 4)), strict=True)
        expected = Counter((row, i + high) for row, i in pairs)
        expected.subtract(set(expected))
        assert sorted(repeats) == sorted(expected.elements())

    @given(st.lists(st.lists(st.sampled_from(ODD_WORDS), max_size=4).map(" ".join), max_size=6))
    def test_rows_ascend_but_for_shapes(self, given_texts: list[str]) -> None:
        for features in (FeatureConfig(patterns=(("b", "b"),), chars=2), FeatureConfig(3)):
            for stream in extract(Texts.of(given_texts), features).streams:
                assert stream.kind == SHAPE or (np.diff(stream.rows) >= 0).all()

    def test_no_streams(self) -> None:
        entries = Entries.of(Batch(2, ()), [])
        assert (entries.size, len(entries.ids), entries.lengths.tolist()) == (2, 0, [0, 0])

    @given(texts, st.integers(0, 2), st.sets(st.integers(0, 5)))
    def test_select(self, given_texts: list[str], order: int, chosen: set[int]) -> None:
        rows = [i for i in sorted(chosen) if i < len(given_texts)]
        whole = entries_of(given_texts, order)
        part = whole.select(np.array(rows, np.int64))
        assert part.size == len(rows)
        for new, old in enumerate(rows):
            assert part.ids[part.rows == new].tolist() == whole.ids[whole.rows == old].tolist()
            assert part.counts[part.rows == new].tolist() == whole.counts[whole.rows == old].tolist()
        assert part.lengths.tolist() == whole.lengths[np.array(rows, np.int64)].tolist()
        if order:
            self.check_selected_words(part, whole, rows)

    def check_selected_words(self, part: Entries, whole: Entries, rows: list[int]) -> None:
        assert part.sequence is not None
        assert whole.sequence is not None
        for new, old in enumerate(rows):
            mine, theirs = part.sequence_rows == new, whole.sequence_rows == old
            assert part.sequence[:, mine].tolist() == whole.sequence[:, theirs].tolist()

    @given(texts, texts, st.integers(0, 2))
    def test_concat(self, first: list[str], second: list[str], order: int) -> None:
        vocabulary = extract(Texts.of(first + second), FeatureConfig.plain(order + 1))
        table = table_of(np.unique(vocabulary.keys))

        def look_up(given_texts: list[str]) -> Entries:
            batch = extract(Texts.of(given_texts), FeatureConfig.plain(order + 1))
            return Entries.of(batch, [table.find(s.keys) for s in batch.streams], order)

        same(Entries.concat([look_up(first), look_up(second)]), look_up(first + second))
        same(Entries.concat([look_up(first)]), look_up(first))

    @given(texts, st.integers(0, 1), st.randoms(use_true_random=False))
    def test_renumbered(self, given_texts: list[str], order: int, random: object) -> None:
        entries = entries_of(given_texts, order)
        size = int(entries.ids.max()) + 1 if len(entries.ids) else 0
        new = list(range(10, 10 + size))
        random.shuffle(new)  # type: ignore[attr-defined]
        there = np.array(new, np.int64)
        changed = entries.remap_ids(there)
        codes = (changed.rows << 32) | changed.ids
        assert (np.diff(codes) > 0).all()
        back = np.zeros(10 + size, np.int64)
        back[there] = np.arange(size)
        same(changed.remap_ids(back), entries)

    @given(texts, st.integers(0, 1))
    def test_compact(self, given_texts: list[str], order: int) -> None:
        entries = entries_of(given_texts, order)
        size = int(entries.ids.max()) + 1 if len(entries.ids) else 0
        spread = np.arange(size) * 3 + 1
        same(entries.remap_ids(spread).compact(spread), entries)

    def test_the_sequence_holds_the_ngram_that_ends_at_each_word(self) -> None:
        given_texts = ["a b a", "", "b", "a b"]
        batch = extract(Texts.of(given_texts), FeatureConfig.plain(3))
        table = table_of(np.unique(batch.keys))
        entries = Entries.of(batch, [table.find(s.keys) for s in batch.streams], 2)
        assert entries.sequence is not None
        assert entries.sequence_rows is not None
        assert entries.sequence_rows.tolist() == [0, 0, 0, 2, 3, 3]
        one, two, three = entries.sequence.tolist()
        assert one == [one[0], one[1], one[0], one[1], one[0], one[1]]
        assert two == [NO_GRAM, two[1], two[2], NO_GRAM, NO_GRAM, two[1]]
        assert three == [NO_GRAM, NO_GRAM, three[2], NO_GRAM, NO_GRAM, NO_GRAM]
        assert min(two[1], two[2], three[2]) >= 0

    def test_an_unknown_ngram_is_not_a_missing_one(self) -> None:
        batch = extract(Texts.of(["a b"]), FeatureConfig.plain(2))
        entries = Entries.of(batch, [np.array([0, 1]), np.array([-1])], 1)
        assert entries.sequence is not None
        assert entries.sequence.tolist() == [[0, 1], [NO_GRAM, -1]]
