"""Columns that depend on each other, straight from the formulas: all trees tried, matrices inverted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from tests.reference.scorers import log_ratio

Row = dict[str, str]
Point = Sequence[float]


def information(rows: list[Row], labels: list[str], a: str, b: str) -> float:
    """I(a; b | c) = sum P(x, u, c) log[ P(x, u | c) / (P(x | c) P(u | c)) ], of rows that have both."""
    both = [(row[a], row[b], c) for row, c in zip(rows, labels, strict=True) if row[a] and row[b]]
    terms = []
    for x, u, c in sorted(set(both)):
        of_class = [t for t in both if t[2] == c]
        p_xu = of_class.count((x, u, c)) / len(of_class)
        p_x = sum(t[0] == x for t in of_class) / len(of_class)
        p_u = sum(t[1] == u for t in of_class) / len(of_class)
        terms.append(both.count((x, u, c)) / len(both) * math.log(p_xu / (p_x * p_u)))
    return math.fsum(terms)


def best_tree(rows: list[Row], labels: list[str], columns: Sequence[str]) -> list[tuple[str, str]]:
    """Of all trees over the columns the one with the largest sum of I."""
    edges = list(combinations(sorted(columns), 2))
    weight = {edge: information(rows, labels, *edge) for edge in edges}
    trees = [tree for tree in combinations(edges, len(columns) - 1) if _joins_all(tree, columns)]
    return list(max(trees, key=lambda tree: math.fsum(weight[edge] for edge in tree)))


def _joins_all(edges: Sequence[tuple[str, str]], columns: Sequence[str]) -> bool:
    reached = {columns[0]}
    for _ in columns:
        reached |= {end for edge in edges if reached & set(edge) for end in edge}
    return reached == set(columns)


def parents(tree: list[tuple[str, str]], columns: Sequence[str]) -> dict[str, str]:
    """The parent of each column; the first in the alphabet is the root."""
    rows, reached = dict[str, str](), [min(columns)]
    for node in reached:
        for edge in tree:
            if node in edge and (other := edge[0] if edge[1] == node else edge[1]) not in reached:
                rows[other] = node
                reached.append(other)
    return rows


def tree_terms(
    rows: list[Row], labels: list[str], new: Row, c: str, alpha: float, above: dict[str, str]
) -> dict[str, float]:
    """log P(x_a | x_parent, c) of each column; P(x_a | c) where the parent says nothing."""
    terms = {}
    for a, x in new.items():
        values = {row[a] for row in rows if row[a]}
        if x not in values:
            continue
        of_class = [row for row, label in zip(rows, labels, strict=True) if label == c and row[a]]
        p = above.get(a)
        if p is not None and any(row[p] == new[p] and row[a] for row in rows) and new[p]:
            of_class = [row for row in of_class if row[p] == new[p]]
        n = sum(row[a] == x for row in of_class)
        terms[a] = log_ratio(n + alpha, len(of_class) + alpha * len(values))
    return terms


def covariance(points: list[Point], ddof: int) -> tuple[list[float], list[list[float]]]:
    """Mean and covariance by the textbook's sums."""
    n, d = len(points), len(points[0])
    mean = [math.fsum(p[i] for p in points) / n for i in range(d)]
    matrix = [
        [math.fsum((p[i] - mean[i]) * (p[j] - mean[j]) for p in points) / (n - ddof) for j in range(d)]
        for i in range(d)
    ]
    return mean, matrix


def pooled(groups: dict[str, list[Point]], ddof: int) -> list[list[float]]:
    """The covariance that classes share: all squares about the class means, over the messages."""
    free = sum(len(points) - ddof for points in groups.values())
    parts = [np.array(covariance(points, 0)[1]) * len(points) for points in groups.values()]
    return [list(row) for row in sum(parts) / free]  # type: ignore[arg-type, union-attr]


def log_normal(x: Point, mean: Point, matrix: list[list[float]]) -> float:
    """log of the normal density of the numbers of x that are there."""
    there = [i for i, value in enumerate(x) if math.isfinite(value)]
    if not there:
        return 0.0
    s = np.array(matrix)[np.ix_(there, there)]
    away = np.array([x[i] - mean[i] for i in there])
    distance = float(away @ np.linalg.inv(s) @ away)
    return -0.5 * (distance + math.log(np.linalg.det(s)) + len(there) * math.log(2 * math.pi))
