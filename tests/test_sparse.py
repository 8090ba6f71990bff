"""Batches, entries and the key table against counters and dictionaries."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.strategies import DrawFn

from spamnb.core.arrays import IntArray, group_values, row_sums
from spamnb.core.strings import StringArray
from spamnb.counts import key_table
from spamnb.counts.entries import NO_GRAM, Entries, repeated_pairs
from spamnb.counts.key_table import KeyTable
from spamnb.features import extract
from spamnb.features.batch import SHAPE, Batch, Stream
from spamnb.messages import Texts
from spamnb.settings import FeatureConfig

INVERSE = pow(0x9E3779B97F4A7C15, -1, 1 << 64)  # of the multiplier that spreads keys over the first level
ODD_WORDS = ["ok", "c4sh", "freeee", "c@sh", "f r e e e", "fr\u0435e", "\u0e01\u0e02", "soooo", "v1agra", "b"]
texts = st.lists(st.lists(st.sampled_from("abcde"), max_size=6).map(" ".join), max_size=6)
keys = st.integers(1, (1 << 64) - 1)


def array(values: list[int]) -> np.ndarray:
    return np.array(values, np.uint64)


def table_of(keys: np.ndarray) -> KeyTable:
    table = KeyTable()
    table.add(keys)
    return table


def rivals(slot: int, count: int) -> list[int]:
    """Keys that all want the same slot, given as the topmost 12 bits, in a table of any size up to 2**52."""
    return [((slot << 52) + i) * INVERSE % (1 << 64) for i in range(1, count + 1)]


def entries_of(given_texts: list[str], order: int = 0) -> Entries:
    """Entries with ids 0 .. for the sorted keys."""
    batch = extract(Texts.of(given_texts), FeatureConfig.plain(order + 1))
    table = table_of(np.unique(batch.keys))
    return Entries.of(batch, [table.find(s.keys) for s in batch.streams], order)


def same(a: Entries, b: Entries) -> None:
    assert a.size == b.size
    for name in ("rows", "ids", "counts", "lengths", "sequence", "sequence_rows"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), name)


class TestKeyTable:
    @given(st.lists(st.lists(keys, unique=True), max_size=4), st.lists(keys, max_size=20))
    def test_like_a_dict(self, batches: list[list[int]], others: list[int]) -> None:
        table, expected = KeyTable(), dict[int, int]()
        for batch in batches:
            new = [k for k in batch if k not in expected]
            table.add(array(new))
            expected |= {k: len(expected) + i for i, k in enumerate(new)}
        asked = [*expected, *others]
        assert table.find(array(asked)).tolist() == [expected.get(k, -1) for k in asked]
        assert table.size == len(expected)

    @given(st.lists(keys, unique=True, min_size=1), st.data())
    def test_ranked_keys_keep_their_numbers(self, mine: list[int], data: st.DataObject) -> None:
        weights = data.draw(st.lists(st.integers(0, 1 << 40), min_size=len(mine), max_size=len(mine)))
        table = KeyTable.ranked(array(mine), np.array(weights))
        assert table.find(array(mine)).tolist() == list(range(len(mine)))
        assert table.find(array([k ^ 1 for k in mine if k ^ 1 not in mine and k ^ 1])).max(initial=-1) == -1

    def test_growth(self) -> None:
        rng = np.random.default_rng(0)
        every = np.unique(rng.integers(1, 1 << 63, 50_000, dtype=np.uint64))
        rng.shuffle(every)
        table = table_of(every[:10])
        for start in range(10, len(every), 7_001):
            table.add(every[start : start + 7_001])
        assert table.find(every).tolist() == list(range(len(every)))
        assert (table.find(every + np.uint64(1 << 63)) == -1).all()

    @pytest.mark.parametrize("slot", [0, 77, 4095], ids=["first", "middle", "last wraps round"])
    def test_keys_that_share_a_slot(self, slot: int) -> None:
        mine, others = rivals(slot, 600)[:400], rivals(slot, 600)[400:]
        table = table_of(array(mine))
        assert table.find(array(mine)).tolist() == list(range(400))
        assert (table.find(array(others)) == -1).all()
        table.add(array(others))
        assert table.find(array(mine + others)).tolist() == list(range(600))

    def test_growth_with_keys_that_share_a_slot(self) -> None:
        mine = rivals(4095, 300) + rivals(0, 300) + rivals(1, 1200)
        table = KeyTable()
        for start in range(0, len(mine), 97):
            table.add(array(mine[start : start + 97]))
        assert table.find(array(mine)).tolist() == list(range(len(mine)))

    def test_keys_that_share_a_slot_of_both_parts(self) -> None:
        rng = np.random.default_rng(3)
        some = np.unique(rng.integers(1, 1 << 63, 1 << 21, dtype=np.uint64))
        both = np.array([0x9E3779B97F4A7C15, 0xD1B54A32D192ED03], np.uint64)
        met = some[((some[:, None] * both >> np.uint64(58)) == 5).all(axis=1)]
        # The same slot of the first part; of the second they want every 64th, so some walk far.
        table = table_of(met[:300])
        assert table.find(met[:300]).tolist() == list(range(300))
        assert (table.find(met[300:]) == -1).all()

    def test_keys_that_find_no_slot_are_sorted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(key_table, "_PROBES", 1)
        monkeypatch.setattr(
            key_table, "_MOST_BITS", 4
        )  # ids soon do not fit into the cells of the first part
        monkeypatch.setattr(key_table, "_LEAST_BITS", 4)
        rng = np.random.default_rng(4)
        every = np.unique(rng.integers(1, 1 << 63, 3_000, dtype=np.uint64))
        rng.shuffle(every)
        table = KeyTable()
        for start in range(0, 2_000, 130):
            table.add(every[start : min(start + 130, 2_000)])
        assert len(table._rest_keys) > 100
        assert table.find(every).tolist() == [*range(2_000), *[-1] * (len(every) - 2_000)]

    def test_nothing(self) -> None:
        assert KeyTable().find(array([])).tolist() == []
        assert KeyTable().find(array([1, 2])).tolist() == [-1, -1]
        assert table_of(array([5, 6])).find(array([6, 5])).tolist() == [1, 0]


class TestEntries:
    @given(texts)
    def test_counts_repeats(self, given_texts: list[str]) -> None:
        entries = entries_of(given_texts)
        expected = Counter((row, word) for row, text in enumerate(given_texts) for word in text.split())
        vocabulary = sorted({word for _, word in expected})
        pairs = zip(entries.rows.tolist(), entries.ids.tolist(), strict=True)
        found = {(row, vocabulary[i]): n for (row, i), n in zip(pairs, entries.counts.tolist(), strict=True)}
        assert found == expected
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
        found = zip(*(part.tolist() for part in repeated_pairs(rows, ids, 4)), strict=True)
        expected = Counter((row, i + high) for row, i in pairs)
        expected.subtract(set(expected))
        assert sorted(found) == sorted(expected.elements())

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


@st.composite
def valued_rows(draw: DrawFn) -> tuple[list[int], list[float]]:
    rows = sorted(draw(st.lists(st.integers(0, 6), max_size=60)))
    finite = st.floats(-1e6, 1e6)
    return rows, draw(st.lists(finite, min_size=len(rows), max_size=len(rows)))


@given(valued_rows())
def test_row_sums_are_the_same_bits_alone_and_in_a_crowd(drawn: tuple[list[int], list[float]]) -> None:
    rows: IntArray = np.array(drawn[0], np.int64)
    values = np.array(drawn[1], np.float64)
    sums = row_sums(rows, values, 8)
    for row in range(8):
        mine = values[rows == row]
        alone = row_sums(np.zeros(len(mine), np.int64), mine, 1)[0]
        assert sums[row].tobytes() == alone.tobytes()
        assert sums[row] == pytest.approx(sum(mine.tolist()), rel=1e-9, abs=1e-6)


def test_row_sums_of_long_rows_are_the_same_bits() -> None:
    rng = np.random.default_rng(3)
    sizes = [1000, 1, 7, 8, 9, 127, 128, 129, 5000]
    rows, values = np.repeat(np.arange(len(sizes)), sizes), rng.normal(size=sum(sizes))
    sums = row_sums(rows, values, len(sizes))
    for row in range(len(sizes)):
        mine = values[rows == row].copy()
        assert sums[row] == row_sums(np.zeros(len(mine), np.int64), mine, 1)[0]


def test_row_sums_of_nothing() -> None:
    assert row_sums(np.zeros(0, np.int64), np.zeros(0), 3).tolist() == [0.0, 0.0, 0.0]


@given(st.lists(st.integers(0, 9)))
def test_values_are_grouped_as_numpy_does_it(values: list[int]) -> None:
    array = np.array(values, np.int64)
    expected = np.unique(array, return_inverse=True)
    assert [found.tolist() for found in group_values(array)] == [wanted.tolist() for wanted in expected]
