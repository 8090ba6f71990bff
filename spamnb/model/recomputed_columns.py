"""Recomputes the evidence of columns by plain arithmetic, from the numbers of `columns_of`."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, isfinite, log, pi, sqrt
from typing import Any

Scores = list[float]  # one for each class
Shown = Mapping[str, Any]  # a JSON object


def column_terms(numbers: Shown, classes: int) -> list[Scores]:
    """Returns what each column adds to the score of each class."""
    if "column_tables" not in numbers:
        return []
    tables, values = numbers["column_tables"], numbers["values"]
    terms = [_category_term(tables["categorical"], values, name, classes) for name in tables["categorical"]]
    present = {name: values[name] for name in tables["numeric"] if _is_number(values.get(name))}
    if tables["joint"] is not None:
        return terms + _joint_terms(tables["joint"], present, classes)
    return terms + [_normal_term(tables["numeric"][name], x) for name, x in present.items()]


def _category_term(tables: Shown, values: Shown, name: str, classes: int) -> Scores:
    """Returns log P(value|parent's value, c), or log P(value|c) without a parent; 0 for an unknown value."""
    table, value = tables[name], values.get(name)
    probabilities = table["given"].get(values.get(table["parent"]), {}) if table["parent"] is not None else {}
    if value in probabilities:
        return [log_or_inf(p) for p in probabilities[value]]
    return (
        [log_or_inf(p) for p in table["values"][value]["probabilities"]]
        if value in table["values"]
        else [0.0] * classes
    )


def _is_number(value: object) -> bool:
    return isinstance(value, float | int) and isfinite(value)


def _normal_term(table: Shown, x: float) -> Scores:
    """Returns the log density of each class; 0 if a class has no numbers."""
    if not all(map(_is_number, table["mean"])):
        return [0.0] * len(table["mean"])
    return [_log_density((x - mean) / sd, sd) for mean, sd in zip(table["mean"], table["sd"], strict=True)]


def _log_density(z: float, sd: float) -> float:
    z = max(min(z, 1e150), -1e150)
    return -0.5 * z * z - log(sd) - 0.5 * log(2 * pi)


def _joint_terms(joint: Shown, present: Mapping[str, float], classes: int) -> list[Scores]:
    """Returns the log density of each column given those before it, by S = L L' of the columns present."""
    places = [i for i, name in enumerate(joint["columns"]) if name in present]
    terms = [[0.0] * classes for _ in places]
    for c in range(classes):
        lower: list[Scores] = []
        y: Scores = []
        for at, j in enumerate(places):
            row: Scores = []
            for to, i in enumerate(places[:at]):
                dot = sum(a * b for a, b in zip(row, lower[to], strict=False))
                row.append((joint["correlation"][c][j][i] - dot) / lower[to][to])
            left = joint["correlation"][c][j][j] - sum(a * a for a in row)
            sd = joint["sd"][c][j]
            row.append(max(sqrt(max(left, 0.0)), joint["least_sd"][j] / sd))
            lower.append(row)
            z = (present[joint["columns"][j]] - joint["mean"][c][j]) / sd
            y.append((z - sum(a * b for a, b in zip(row, y, strict=False))) / row[at])
            terms[at][c] = _log_density(y[at], row[at] * sd)
    return terms


def log_or_inf(p: float) -> float:
    return log(p) if p > 0 else -inf
