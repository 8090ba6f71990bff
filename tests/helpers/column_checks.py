"""What every model of columns must do, whatever its formula: merge, forget, save, explain, batch."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spamnb.core.arrays import FloatArray
from spamnb.model.model_merge import merge_models
from spamnb.model.predictions import Predictions
from spamnb.model.prune_model import age
from spamnb.model.spam_model import SpamModel
from spamnb.settings import FeatureConfig, ScorerConfig
from spamnb.training.incremental import Learner
from tests.helpers.count_stores import identical
from tests.helpers.scorer_checks import same_bits

CATEGORICAL = ("colour", "place", "sender")
NUMERIC = ("age", "length", "size")
LABELS = ("ham", "news", "spam")


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of three categorical and three numeric columns that hang together, with gaps."""

    classes: int
    size: int = 60
    seed: int = 3
    gaps: bool = True

    @cached_property
    def labels(self) -> list[str]:
        names = LABELS if self.classes == 3 else (LABELS[0], LABELS[2])
        return [names[i % 7 % self.classes] for i in range(self.size)]

    @cached_property
    def categories(self) -> dict[str, list[str]]:
        rng = np.random.default_rng(self.seed)
        colour = rng.integers(0, 3, self.size)
        place = (colour + (rng.random(self.size) < 0.3)) % 3
        sender = (place + [len(label) % 2 for label in self.labels] + (rng.random(self.size) < 0.4)) % 4
        gaps = rng.random((3, self.size)) < (0.1 if self.gaps else 0.0)
        named = zip(CATEGORICAL, (colour, place, sender), gaps, strict=True)
        return {
            n: ["" if gap else f"{n[0]}{v}" for v, gap in zip(vs, gs, strict=True)] for n, vs, gs in named
        }

    @cached_property
    def numbers(self) -> dict[str, FloatArray]:
        rng = np.random.default_rng(self.seed + 1)
        mix = np.array([[1.0, 0.0, 0.0], [0.8, 0.5, 0.0], [-0.6, 0.3, 0.7]])
        centre = np.array([LABELS.index(label) for label in self.labels])[:, None]
        points = rng.normal(size=(self.size, 3)) @ mix.T + centre * [1.0, -0.5, 0.3] + [40.0, 3.0, -7.0]
        points[rng.random(points.shape) < (0.1 if self.gaps else 0.0)] = math.nan
        return {name: points[:, i].copy() for i, name in enumerate(NUMERIC)}

    def part(self, rows: slice) -> dict[str, Any]:
        return {
            "messages": [f"w{i % 5}" for i in range(self.size)][rows],
            "labels": self.labels[rows],
            "categories": {name: values[rows] for name, values in self.categories.items()},
            "numbers": {name: values[rows] for name, values in self.numbers.items()},
        }

    def unlabelled(self) -> dict[str, Any]:
        return {name: values for name, values in self.part(slice(None)).items() if name != "labels"}


@dataclass(frozen=True, eq=False)
class ColumnCase:
    """Settings of columns, a table to learn and one to score."""

    scoring: ScorerConfig
    classes: int

    @cached_property
    def table(self) -> Table:
        return Table(self.classes)

    @cached_property
    def others(self) -> dict[str, Any]:
        """Rows that were not learned; the last ones have values far away, new ones and none at all."""
        rows = Table(self.classes, 20, seed=9).unlabelled()
        rows["categories"]["colour"][-3:] = ["never seen", "", ""]
        rows["categories"]["place"][-2:] = ["never seen", ""]
        rows["numbers"]["age"][-4:] = [1e9, math.inf, -math.inf, math.nan]
        for name in ("length", "size"):
            rows["numbers"][name][-1] = math.nan
        return rows

    def fresh(self) -> SpamModel:
        return SpamModel(FeatureConfig(1, False, categorical=CATEGORICAL, numeric=NUMERIC), self.scoring)

    @cached_property
    def model(self) -> SpamModel:
        return self.fresh().learn(**self.table.part(slice(None)))

    def scored(self, model: SpamModel) -> Predictions:
        return model.score(**self.others)


Check = Callable[[ColumnCase, Path], None]


def merge_is_training_together(case: ColumnCase, _: Path) -> None:
    for cut in (1, 30, 59):
        first, second = (
            case.fresh().learn(**case.table.part(rows)) for rows in (slice(cut), slice(cut, None))
        )
        for merged in (merge_models([first, second]), merge_models([second, first])):
            identical(merged.store, case.model.store)
            same_bits(case.scored(merged), case.scored(case.model))


def forget_is_never_learned(case: ColumnCase, _: Path) -> None:
    extra = Table(case.classes, 9, seed=21).part(slice(None))
    back = case.model.learn(**extra).forget(**extra)
    identical(back.store, case.model.store)
    same_bits(case.scored(back), case.scored(case.model))


def a_batch_is_one_by_one(case: ColumnCase, _: Path) -> None:
    together = case.scored(case.model)
    for i in range(len(case.others["messages"])):
        row = {
            "messages": case.others["messages"][i : i + 1],
            "categories": {n: v[i : i + 1] for n, v in case.others["categories"].items()},
            "numbers": {n: v[i : i + 1] for n, v in case.others["numbers"].items()},
        }
        alone = replace(case.model).score(**row)
        assert alone.scored.joint[0].tobytes() == together.scored.joint[i].tobytes()


def saved_and_loaded_is_the_same(case: ColumnCase, folder: Path) -> None:
    path = folder / "model.spamnb"
    case.model.save(path)
    loaded = SpamModel.load(path)
    assert loaded.scoring == case.model.scoring
    identical(loaded.store, case.model.store)
    same_bits(case.scored(loaded), case.scored(case.model))


def learned_by_way_of_the_journal_is_the_same(case: ColumnCase, folder: Path) -> None:
    path = folder / "model.spamnb"
    case.fresh().learn(**case.table.part(slice(40))).save(path)
    with Learner(path) as learner:
        learner.learn(**case.table.part(slice(40, None)), again=True)
    identical(SpamModel.load(path).store, case.model.store)


def the_order_of_rows_does_not_matter(case: ColumnCase, _: Path) -> None:
    whole = case.table.part(slice(None))
    order = np.random.default_rng(1).permutation(case.table.size)
    shuffled = case.fresh().learn(
        [whole["messages"][i] for i in order],
        [whole["labels"][i] for i in order],
        {n: [v[i] for i in order] for n, v in whole["categories"].items()},
        {n: v[order] for n, v in whole["numbers"].items()},
    )
    same_bits(case.scored(shuffled), case.scored(case.model))


def explanations_add_up(case: ColumnCase, _: Path) -> None:
    result = case.scored(case.model)
    for i, message in enumerate(case.others["messages"]):
        why = case.model.explain(
            message,
            {n: v[i : i + 1] for n, v in case.others["categories"].items()},
            {n: v[i : i + 1] for n, v in case.others["numbers"].items()},
        )
        total = why.bias + math.fsum(part.log_odds for part in why.evidence)
        if abs(total) < 1e6:  # beyond that log-odds are clipped
            assert total == pytest.approx(why.log_odds, rel=1e-9, abs=1e-9)
        assert why.verdict == result.labels[i]
        assert why.basis.known == result.known[i]


def an_aged_model_goes_on_learning(case: ColumnCase, _: Path) -> None:
    """Halved counts are possible counts."""
    older = age(case.model).learn(**case.table.part(slice(5)))
    assert np.isfinite(case.scored(older).log_odds).all()


CHECKS: dict[str, Check] = {
    check.__name__.replace("_", " "): check
    for check in (
        merge_is_training_together,
        forget_is_never_learned,
        a_batch_is_one_by_one,
        saved_and_loaded_is_the_same,
        learned_by_way_of_the_journal_is_the_same,
        the_order_of_rows_does_not_matter,
        explanations_add_up,
        an_aged_model_goes_on_learning,
    )
}
