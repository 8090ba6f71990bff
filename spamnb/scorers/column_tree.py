"""Scores categorical columns by tree-augmented naive Bayes (Friedman, Geiger and Goldszmidt, 1997).

    log P(x_a | x_p, c)              p is the parent of column a, none for the root of a tree
    P(x | u, c) = (n_xuc + l) / (n_uc + l K_a)           n_xuc messages of class c with x in column a, u in p
    I(a; b | c) = sum over x, u, c of (n_xuc / n) log[ n_xuc n_c / (n_xc n_uc) ]

The tree is the one with the largest sum of I, the conditional mutual information of two columns given the
class. n_xc, n_uc, n_c and n are sums of n_xuc: only messages with a value in both columns count. Columns that
tell nothing of each other are not joined. Where the value of the parent is missing or new, P(x | c) serves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from spamnb.core import FloatArray
from spamnb.counts import CountStore, pair_name, split_values
from spamnb.scorers.base import log_ratio
from spamnb.settings import ScorerConfig

Edge = tuple[str, str]
_DIGITS = 12  # of I that count: the choice among equal ones must not depend on the last bit of a logarithm


class PairTable(NamedTuple):
    """n_xuc (X, U, K) of columns a and b, with the values x of a and u of b."""

    first: list[str]
    second: list[str]
    counts: FloatArray


def pair_table(store: CountStore, a: str, b: str, weights: FloatArray) -> PairTable:
    """Reads the counts of a pair of columns; a comes before b."""
    pairs = {split_values(v): row for v, row in store.categories.get(pair_name(a, b), {}).items()}
    first, second = (sorted({pair[i] for pair in pairs}) for i in (0, 1))
    counts = np.zeros((len(first), len(second), len(store.labels)))
    for (x, u), row in pairs.items():
        counts[first.index(x), second.index(u)] = row
    return PairTable(first, second, counts * weights)


def mutual_information(n: FloatArray) -> float:
    """Computes I(a; b | c) of counts n_xuc.

    >>> round(mutual_information(np.array([[[2.0], [0.0]], [[0.0], [2.0]]])), 6)  # log 2
    0.693147
    """
    alone = n.sum(axis=1, keepdims=True) * n.sum(axis=0, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(n > 0, n * np.log(n * n.sum(axis=(0, 1)) / alone), 0.0)
    return float(each.sum() / max(n.sum(), 1e-300))


def spanning_tree(columns: Sequence[str], information: Mapping[Edge, float]) -> dict[str, str]:
    """Returns the parent of each column but the roots: Prim's algorithm from the first column.

    >>> spanning_tree(["a", "b", "c"], {("a", "b"): 0.1, ("a", "c"): 0.3, ("b", "c"): 0.2})
    {'c': 'a', 'b': 'c'}
    """
    parents: dict[str, str] = {}
    reached, left = list(columns[:1]), list(columns[1:])
    while left:
        gains = {(p, a): round(information[min(p, a), max(p, a)], _DIGITS) for p in reached for a in left}
        parent, column = max(gains, key=lambda edge: gains[edge])  # of equal ones the first
        if gains[parent, column] > 0:
            parents[column] = parent
        reached.append(column)
        left.remove(column)
    return parents


class ColumnTree:
    """The parents of columns, and log P(x | u, c) of each column with a parent."""

    def __init__(
        self, store: CountStore, columns: Sequence[str], config: ScorerConfig, weights: FloatArray
    ) -> None:
        tables = {(a, b): pair_table(store, a, b, weights) for a, b in combinations(sorted(columns), 2)}
        information = {edge: mutual_information(table.counts) for edge, table in tables.items()}
        self.parents = spanning_tree(sorted(columns), information)
        self._log_p = {
            a: _conditional(tables[min(a, p), max(a, p)], a < p, list(store.categories.get(a, ())), config)
            for a, p in self.parents.items()
        }

    def conditional_log_p(self, column: str) -> dict[tuple[str, str], FloatArray]:
        """Returns log P(value | the parent's value, c), (K,) each, by both values."""
        return self._log_p.get(column, {})

    def log_p(self, column: str, value: str, parent_value: str, alone: FloatArray) -> FloatArray:
        """Returns (K,): log P(value | the parent's value, c); `alone` if the parent says nothing of it."""
        return self._log_p[column].get((value, parent_value), alone)


def _conditional(
    table: PairTable, is_first: bool, values: list[str], config: ScorerConfig
) -> dict[tuple[str, str], FloatArray]:
    """Computes log P(x | u, c) of all `values` x of a column, the first or second, and u of the other."""
    seen, parent_values, n = (
        table if is_first else (table.second, table.first, table.counts.transpose(1, 0, 2))
    )
    place = {x: i for i, x in enumerate(values)}
    counts = np.zeros((len(values), len(parent_values), n.shape[2]))
    for x, rows in zip(seen, n, strict=True):
        if x in place:  # not in a file that contradicts itself
            counts[place[x]] = rows
    alpha = config.smoothing(len(values))
    log_p = log_ratio(counts + alpha, counts.sum(axis=0) + alpha * len(values))
    return {(x, u): log_p[i, j] for i, x in enumerate(values) for j, u in enumerate(parent_values)}
