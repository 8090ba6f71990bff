"""Counts pairs of columns like columns, for models in which columns depend on each other.

    categorical   the pair of a and b is a column whose values are pairs of values
    numeric       the pair of x and y is the column x + y, the pair of x and x is x, both of those messages
                  alone that have every number: 2 cov(x, y) = var(x + y) - var(x) - var(y)

They stand in the count store beside the columns themselves, so that they add, subtract and merge alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

import numpy as np

from spamnb.core import FloatArray, IntArray
from spamnb.counts.count_store import CountStore
from spamnb.counts.moments import Moments, in_units
from spamnb.settings import PAIR_SEPARATOR, FeatureConfig, ScorerConfig


class PairColumns(NamedTuple):
    """The categorical and the numeric columns whose pairs are counted."""

    categorical: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()

    @classmethod
    def needed(cls, features: FeatureConfig, config: ScorerConfig) -> PairColumns:
        """Returns the columns whose pairs a scorer needs."""
        return cls(
            features.categorical if config.column_tree else (),
            features.numeric if config.covariance != "diagonal" else (),
        )

    @classmethod
    def in_store(cls, store: CountStore) -> PairColumns:
        """Returns the columns whose pairs were counted into a store."""
        return cls(_paired(store.categories), _paired(store.numbers))


NO_PAIRS = PairColumns()


def _paired(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({column for name in names if is_pair(name) for column in name.split(PAIR_SEPARATOR)}))


def pair_name(a: str, b: str) -> str:
    """Returns the name of a pair of columns in the count store."""
    return PAIR_SEPARATOR.join(sorted((a, b)))


def is_pair(name: str) -> bool:
    return PAIR_SEPARATOR in name


def join_values(a: str, b: str) -> str:
    """Returns two values as one text.

    >>> join_values("sunny", "weak"), split_values("5:sunnyweak")
    ('5:sunnyweak', ('sunny', 'weak'))
    """
    return f"{len(a)}:{a}{b}"


def split_values(joined: str) -> tuple[str, str]:
    """Reverses `join_values`; a text that is no pair, from a damaged file, has an empty first value."""
    size, _, both = joined.partition(":")
    first = int(size) if size.isdecimal() and len(size) < 10 else 0
    return both[:first], both[first:]


def category_pairs(
    columns: Sequence[str], categories: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, list[str]]]:
    """Yields name and values of each pair of columns; a pair with a missing value is missing."""
    for a, b in combinations(sorted(categories.keys() & set(columns)), 2):
        both = zip(categories[a], categories[b], strict=True)
        yield pair_name(a, b), [join_values(x, y) if x and y else "" for x, y in both]


def number_pairs(
    columns: Sequence[str], numbers: Mapping[str, FloatArray], rows: IntArray
) -> Iterator[tuple[str, Moments]]:
    """Yields name and moments of each pair of columns, of those rows that have every number."""
    if not columns or not numbers.keys() >= set(columns):
        return
    table = {name: np.asarray(numbers[name], np.float64)[rows] for name in sorted(columns)}
    complete = np.flatnonzero(np.all([np.isfinite(values) for values in table.values()], axis=0))
    units = {name: [in_units(x) for x in values[complete].tolist()] for name, values in table.items()}
    for a, b in combinations_with_replacement(units, 2):
        both = units[a] if a == b else map(int.__add__, units[a], units[b])
        yield pair_name(a, b), Moments.of_units(both)
