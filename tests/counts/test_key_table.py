"""Checks the key table against a dictionary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from spamnb.counts import key_table
from spamnb.counts.key_table import KeyTable

INVERSE = pow(0x9E3779B97F4A7C15, -1, 1 << 64)  # of the multiplier that spreads keys over the first level


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


class TestKeyTable:
    @given(st.lists(st.lists(keys, unique=True), max_size=4), st.lists(keys, max_size=20))
    def test_like_a_dict(self, batches: list[list[int]], others: list[int]) -> None:
        table, expected = KeyTable(), dict[int, int]()
        for batch in batches:
            new = [k for k in batch if k not in expected]
            table.add(array(new))
            expected |= {k: len(expected) + i for i, k in enumerate(new)}
        query = [*expected, *others]
        assert table.find(array(query)).tolist() == [expected.get(k, -1) for k in query]
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
