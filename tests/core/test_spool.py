"""Arrays that grow keep what they have."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from spamnb.core.arrays import GrowableArray


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
