"""Stores counted from small labelled rows, and what it means that two of them are identical."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from spamnb.counts.count_state import to_state
from spamnb.counts.count_store import CountStore
from spamnb.counts.tally import count
from spamnb.features import extract
from spamnb.messages import Texts
from spamnb.settings import FeatureConfig

FEATURES = FeatureConfig(ngrams=2, shapes=True)
PLAIN = FeatureConfig.plain()


@dataclass(frozen=True)
class Row:
    """One labelled message with a category and a number."""

    text: str
    label: str
    category: str = ""
    number: float = math.nan


LEARNED = [Row("a b", "ham", "x", 1.0), Row("a", "ham", "y", 2.0), Row("c c", "spam", "x", 3.0)]

rows = st.builds(
    Row,
    st.lists(st.sampled_from(["a", "b", "c", "win", "prizes£9", "é", "WIN!"]), max_size=5).map(" ".join),
    st.sampled_from(["ham", "spam", "news"]),
    st.sampled_from(["", "x", "y", "zürich"]),
    st.sampled_from([math.nan, math.inf, 0.1, 5e-324, 1e308]) | st.floats(),
)
corpora = st.lists(rows, max_size=7)


def counted(given_rows: list[Row], features: FeatureConfig = FEATURES) -> CountStore:
    batch = extract(Texts.of([r.text for r in given_rows]), features)
    numbers = {"number": np.array([r.number for r in given_rows], np.float64)}
    return count(batch, [r.label for r in given_rows], {"kind": [r.category for r in given_rows]}, numbers)


def identical(a: CountStore, b: CountStore) -> None:
    """Equal in every value, and in every byte once written."""
    assert a.labels == b.labels
    for name in ("message_totals", "keys", "kinds", "tokens", "messages"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), name)
    assert a.spellings.tolist() == b.spellings.tolist()
    assert a.categories == b.categories
    assert a.numbers == b.numbers
    assert frozen(a) == frozen(b)


def frozen(store: CountStore) -> dict[str, Any]:
    """The state with arrays as (dtype, shape, bytes) and dictionaries in their order."""
    state = to_state(store)
    frozen_state: dict[str, Any] = _frozen(state)
    return frozen_state | {"order": [list(state["categories"]), list(state["numbers"])]}


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _frozen(inner) for name, inner in value.items()}
    return (value.dtype.str, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value
