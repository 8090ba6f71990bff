"""Scores the columns of messages by the model that the settings ask for, which is prepared once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from spamnb.core import FloatArray
from spamnb.counts import CountStore, PairColumns, is_pair
from spamnb.scorers.base import class_weights
from spamnb.scorers.column_models import category_log_p, gaussian_log_p, gaussian_parameters
from spamnb.scorers.column_tree import ColumnTree
from spamnb.scorers.covariance import Gaussian, joint_gaussian
from spamnb.settings import ScorerConfig


class ColumnScores:
    """Turns the values of columns into evidence, each column's given the columns that it depends on."""

    def __init__(self, store: CountStore, config: ScorerConfig) -> None:
        self._store, self._config = store, config
        self._paired = PairColumns.in_store(store)
        self._weights = class_weights(config, store.labels, store.message_totals)
        self._log_p: dict[str, dict[str, FloatArray]] = {}

    def terms(
        self, size: int, categories: Mapping[str, Sequence[str]], numbers: Mapping[str, FloatArray]
    ) -> dict[str, FloatArray]:
        """Returns the (size, K) evidence of each column, by its name as a token (`column:outlook`)."""
        terms = self._category_terms(size, categories) | self._number_terms(size, numbers)
        return {f"column:{name}": values for name, values in terms.items()}

    def _category_terms(self, size: int, categories: Mapping[str, Sequence[str]]) -> dict[str, FloatArray]:
        nothing = np.zeros(len(self._store.labels))
        terms = {}
        for column, values in categories.items():
            log_p, parent = self.category_log_p(column), self.tree.parents.get(column)
            parents = categories.get(parent, ()) if parent is not None else ()
            each = [log_p.get(value, nothing) for value in values]
            for i, u in enumerate(parents):
                each[i] = self.tree.log_p(column, values[i], u, each[i])
            terms[column] = np.array(each).reshape(size, len(nothing))
        return terms

    def category_log_p(self, column: str) -> dict[str, FloatArray]:
        """Returns log P(value | c) of every value of a column, (K,) each."""
        if column not in self._log_p:
            alpha = self._config.smoothing(len(self._store.categories.get(column, ())))
            self._log_p[column] = category_log_p(self._store, column, alpha, self._weights)
        return self._log_p[column]

    def _number_terms(self, size: int, numbers: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
        if self.joint is not None:
            terms = self.joint.log_p(numbers, size)
            return {name: terms[name] for name in numbers if name in terms}
        terms = {}
        for column, array in numbers.items():
            if column in self._store.numbers:
                mean, sd = self.mean_and_sd(column)
                terms[column] = gaussian_log_p(np.asarray(array, np.float64), mean, sd)
        return terms

    def mean_and_sd(self, column: str) -> tuple[FloatArray, FloatArray]:
        """Returns mean and standard deviation of a numeric column in each class."""
        return gaussian_parameters(self._store.numbers[column], self._config.ddof)

    def draw(self, c: int, random: np.random.Generator) -> tuple[dict[str, str], dict[str, float]]:
        """Draws the values of all columns for a message of class c, parents first."""
        values: dict[str, str] = {}
        parents = self.tree.parents
        names = [name for name in self._store.categories if not is_pair(name)]
        for column in [*(name for name in names if name not in parents), *parents]:
            alone, parent = self.category_log_p(column), parents.get(column)
            log_p = (
                alone.items()
                if parent is None
                else [(x, self.tree.log_p(column, x, values[parent], p)) for x, p in alone.items()]
            )
            p = np.exp([each[c] for _, each in log_p])
            values[column] = str(random.choice(list(alone), p=p / p.sum())) if p.sum() > 0 else ""
        return values, self._draw_numbers(c, random)

    def _draw_numbers(self, c: int, random: np.random.Generator) -> dict[str, float]:
        if self.joint is not None:
            return self.joint.draw(c, random)
        numbers = {}
        for column in self._store.numbers:
            if not is_pair(column):
                mean, sd = self.mean_and_sd(column)
                numbers[column] = float(random.normal(mean[c], sd[c]))
        return numbers

    @cached_property
    def tree(self) -> ColumnTree:
        columns = self._paired.categorical if self._config.column_tree else ()
        return ColumnTree(self._store, columns, self._config, self._weights)

    @cached_property
    def joint(self) -> Gaussian | None:
        """The joint density; None without one, and while a class has no message with every number."""
        columns, kind = self._paired.numeric, self._config.covariance
        if not columns or kind == "diagonal":
            return None
        return joint_gaussian(self._store, columns, kind == "shared", self._config.ddof, self._weights)
