"""A cache has a limit in bytes, whatever its keys are."""

from __future__ import annotations

import numpy as np
import pytest

from spamnb.core.bounded_cache import BoundedCache
from spamnb.features import extract, hidden_letters, lowercase, unspaced_scripts
from spamnb.messages import Texts
from spamnb.settings import FeatureConfig


def test_results_are_computed_once_and_long_keys_are_not_kept() -> None:
    query: list[bytes] = []
    cache = BoundedCache(lambda key: query.append(key) or len(key), longest=4)  # type: ignore[func-returns-value]
    assert [cache[key] for key in (b"a", b"abcde", b"a", b"abcde")] == [1, 5, 1, 5]
    assert query == [b"a", b"abcde", b"abcde"]


@pytest.mark.parametrize(("size", "entries"), [(10, 9), (100, 5), (700, 1), (1000, 0)])
def test_the_limit_counts_keys_and_values_in_bytes(size: int, entries: int) -> None:
    """200 bytes an entry, and the letters of its key and value, within 2,000."""
    cache = BoundedCache(lambda key: key[::-1], limit=2000, longest=1 << 20)
    most = 0
    for i in range(100):
        key = b"%0*d" % (size, i)
        assert cache[key] == key[::-1]
        most = max(most, len(cache))
    assert most == entries


@pytest.mark.parametrize(
    "cache",
    [hidden_letters._suspect, unspaced_scripts._with_two_letters, lowercase._lower_words],
    ids=["hidden letters", "unspaced scripts", "lower case"],
)
def test_long_runs_of_letters_do_not_stay(cache: BoundedCache[object]) -> None:
    """16,384 runs of any length were kept: 200 MB of long lines took 400 MB."""
    letters = np.random.default_rng(1).integers(0x430, 0x450, (3000, 100))
    cache.clear()
    extract(Texts.of(["".join(map(chr, row)) for row in letters.tolist()]), FeatureConfig())
    extract(Texts.of(["".join(map(chr, row)) * 20 for row in letters.tolist()]), FeatureConfig())
    assert max(map(len, cache), default=0) <= 256
    assert sum(map(len, cache)) < cache.limit
