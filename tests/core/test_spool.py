"""Numbers that wait in memory or in a file come back sorted, all of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from spamnb.core.arrays import GrowableArray
from spamnb.training import spool as module
from spamnb.training.spool import Spool

numbers = st.lists(st.lists(st.integers(0, (1 << 64) - 1), max_size=9), min_size=1, max_size=6)


@pytest.mark.parametrize("most", [0, 3, 10, 1000])
@given(parts=numbers)
def test_all_come_back_in_order(most: int, parts: list[list[int]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST", most)
        spool = Spool()
        for part in parts:
            spool.add(np.array(part, np.uint64))
        found = spool.ascending()
        del spool  # what was found does not need it any more
        assert found.tolist() == sorted(n for part in parts for n in part)


@given(st.lists(st.lists(st.integers(0, 255), max_size=40), max_size=30))
def test_growing_keeps_what_it_has(parts: list[list[int]]) -> None:
    table = GrowableArray(np.dtype(np.uint8))
    for part in parts:
        table.extend(np.array(part, np.uint8))
    assert table.array.tolist() == [n for part in parts for n in part]
    table.room(table.size + 5)
    assert table.array[-5:].tolist() == [0] * 5


def test_growing_beyond_small() -> None:
    table = GrowableArray(np.dtype(np.int64), 2)
    for i in range(40):
        table.extend(np.full(20_000, i))
    assert table.size == 400_000
    assert (table.array.reshape(-1, 20_000) == np.arange(40)[:, None]).all()
