"""Tree-augmented naive Bayes: against the slow twin, which tries all trees, and by hand on Play Tennis."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spamnb.counts.pair_columns import join_values, pair_name, split_values
from spamnb.errors import ConfigError
from spamnb.model.inspection import card
from spamnb.model.spam_model import SpamModel
from spamnb.scorers.column_tree import ColumnTree, mutual_information, pair_table, spanning_tree
from spamnb.settings import FeatureConfig, ScorerConfig
from tests.helpers.column_checks import CATEGORICAL, CHECKS, ColumnCase, Table
from tests.reference import columns as twin
from tests.textbook.test_play_tennis import COLUMNS, DAYS, NEW

ROWS = [dict(zip(COLUMNS, day, strict=False)) for day in DAYS]
PLAYED = [day[-1] for day in DAYS]


def model_of(rows: list[twin.Row], labels: list[str], columns: tuple[str, ...], **settings: Any) -> SpamModel:
    scoring = ScorerConfig.of("categorical", column_tree=True, **settings)
    features = FeatureConfig(1, False, categorical=columns)
    values = {name: [row[name] for row in rows] for name in columns}
    return SpamModel(features, scoring, positive=sorted(labels)[-1]).learn([""] * len(rows), labels, values)


def tree_of(model: SpamModel) -> ColumnTree:
    ones = np.ones(len(model.labels))
    return ColumnTree(model.store, model.features.categorical, model.scoring, ones)


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("classes", [2, 3])
def test_check(classes: int, check: str, tmp_path: Path) -> None:
    CHECKS[check](ColumnCase(ScorerConfig.of("multinomial", column_tree=True), classes), tmp_path)


def test_information_of_play_tennis() -> None:
    model = model_of(ROWS, PLAYED, COLUMNS)
    for a, b in [("humidity", "outlook"), ("humidity", "temperature"), ("outlook", "wind")]:
        table = pair_table(model.store, a, b, np.ones(2))
        expected = twin.information(ROWS, PLAYED, a, b)
        assert mutual_information(table.counts) == pytest.approx(expected, rel=1e-12)


def test_information_by_hand() -> None:
    """Wind given Outlook on the 5 days No: Sunny 2 Weak 1 Strong, Rain 2 Strong; on 9 days Yes as counted."""
    no = 2 * math.log(2 * 5 / (3 * 2)) + math.log(1 * 5 / (3 * 3)) + 2 * math.log(2 * 5 / (2 * 3))
    # Yes: Sunny 1 Weak 1 Strong, Overcast 2 Weak 2 Strong, Rain 3 Weak; 6 Weak and 3 Strong in all
    yes = math.log(9 / (2 * 6)) + math.log(9 / (2 * 3)) + 2 * math.log(2 * 9 / (4 * 6))
    yes += 2 * math.log(2 * 9 / (4 * 3)) + 3 * math.log(3 * 9 / (3 * 6))
    table = pair_table(model_of(ROWS, PLAYED, COLUMNS).store, "outlook", "wind", np.ones(2))
    assert mutual_information(table.counts) == pytest.approx((no + yes) / 14, rel=1e-12)


def test_the_tree_of_play_tennis() -> None:
    """Of all 16 trees over 4 columns the best one, with the first column as its root."""
    best = twin.best_tree(ROWS, PLAYED, COLUMNS)
    assert tree_of(model_of(ROWS, PLAYED, COLUMNS)).parents == twin.parents(best, COLUMNS)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_the_score_of_play_tennis(alpha: float) -> None:
    model = model_of(ROWS, PLAYED, COLUMNS, alpha=alpha)
    above = twin.parents(twin.best_tree(ROWS, PLAYED, COLUMNS), COLUMNS)
    new = {name: values[0] for name, values in NEW.items()}
    actual = model.score([""], NEW).scored.joint[0]
    for c, label in enumerate(("No", "Yes")):
        terms = twin.tree_terms(ROWS, PLAYED, new, label, alpha, above)
        expected = math.log(PLAYED.count(label) / 14) + sum(terms.values())
        assert actual[c] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("alpha", [0.0, 0.5])
@pytest.mark.parametrize("gaps", [False, True])
def test_against_the_twin(gaps: bool, alpha: float, seed: int) -> None:
    table, new = Table(3, seed=seed, gaps=gaps), Table(3, 12, seed=seed + 50)
    rows, others = (
        [dict(zip(CATEGORICAL, values, strict=True)) for values in zip(*t.categories.values(), strict=True)]
        for t in (table, new)
    )
    model = model_of(rows, table.labels, CATEGORICAL, alpha=alpha)
    above = twin.parents(twin.best_tree(rows, table.labels, CATEGORICAL), CATEGORICAL)
    assert tree_of(model).parents == above
    scores = model.score([""] * len(others), new.categories).scored.joint
    for row, actual in zip(others, scores, strict=True):
        for c, label in enumerate(model.labels):
            terms = twin.tree_terms(rows, table.labels, row, label, alpha, above)
            expected = math.log(table.labels.count(label) / len(rows)) + sum(terms.values())
            assert actual[c] == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_a_copy_of_a_column_counts_once() -> None:
    """What naive Bayes counts twice: two columns that always say the same are evidence of one."""
    rows = [{"a": v, "b": v.upper()} for v in "xxxyxyyyxy"]
    labels = ["ham"] * 5 + ["spam"] * 5
    once = SpamModel(FeatureConfig(1, False, categorical=("a",)), ScorerConfig.of("categorical", alpha=0.0))
    once = once.learn([""] * 10, labels, {"a": [row["a"] for row in rows]})
    both = model_of(rows, labels, ("a", "b"), alpha=0.0)
    expected = once.score([""], {"a": ["x"]}).scored.joint[0]
    actual = both.score([""], {"a": ["x"], "b": ["X"]}).scored.joint[0]
    assert actual.tolist() == pytest.approx(expected.tolist())


def test_columns_that_tell_nothing_of_each_other_are_not_joined() -> None:
    rows = [{"a": a, "b": b} for a in "xy" for b in "uv"] * 2
    assert tree_of(model_of(rows, ["ham"] * 4 + ["spam"] * 4, ("a", "b"))).parents == {}


def test_equal_gains_go_to_the_first_in_the_alphabet() -> None:
    equal = {("a", "b"): 0.5, ("a", "c"): 0.5 + 1e-15, ("b", "c"): 0.5}
    assert spanning_tree(["a", "b", "c"], equal) == {"b": "a", "c": "a"}


@pytest.mark.parametrize("values", [("", "x"), ("5:", "12:3"), ("é", "\x1f"), ("1", ":")])
def test_values_of_pairs_are_never_confused(values: tuple[str, str]) -> None:
    assert split_values(join_values(*values)) == values


def test_pairs_of_a_file_that_contradicts_itself() -> None:
    """They are no reason to fail: the verdicts of such a model mean nothing anyway."""
    model = model_of(ROWS, PLAYED, COLUMNS)
    odd = {"": (1, 1), "x": (1, 0), "99999999999999:a": (0, 1), "3:ab": (2, 1), "4:HighNever": (2, 3)}
    categories = {**model.store.categories, pair_name("humidity", "wind"): odd, pair_name("no", "such"): odd}
    store = model.store.replace(categories=categories)
    assert not np.isnan(replace(model, store=store).score([""], NEW).scored.joint).any()


def test_pairs_are_no_columns_of_the_card() -> None:
    model = model_of(ROWS, PLAYED, COLUMNS)
    assert pair_name("wind", "outlook") in model.store.categories
    assert sorted(card(model)["columns"]["categorical"]) == sorted(COLUMNS)


def test_no_pairs_are_counted_unless_asked_for() -> None:
    features = FeatureConfig(1, False, categorical=("a", "b"), numeric=("x", "y"))
    columns = {"a": ["u"], "b": ["v"]}, {"x": np.array([1.0]), "y": np.array([2.0])}
    store = SpamModel(features).learn([""], ["ham"], *columns).store
    assert (list(store.categories), list(store.numbers)) == (["a", "b"], ["x", "y"])


@pytest.mark.parametrize(
    ("settings", "kind", "message"),
    [
        (
            {"column_tree": True},
            "categorical",
            "--set dependence=tree takes at most 32 categorical columns, got 33",
        ),
        ({"covariance": "full"}, "numeric", "--set covariance=full takes at most 32 numeric columns, got 33"),
    ],
)
def test_too_many_pairs(settings: dict[str, Any], kind: str, message: str) -> None:
    columns = {kind: tuple(f"c{i}" for i in range(33))}
    with pytest.raises(ConfigError) as caught:
        SpamModel(FeatureConfig(**columns), ScorerConfig(**settings))
    assert caught.value.message == message
    SpamModel(FeatureConfig(**columns))


def test_a_name_that_would_be_a_pair() -> None:
    with pytest.raises(ConfigError) as caught:
        FeatureConfig(categorical=("a\x1fb",))
    assert caught.value.message == "categorical must be names without the character U+001F, got ['a\\x1fb']"
