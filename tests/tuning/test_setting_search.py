"""The search for settings: nested so that its figure is honest, and cautious about small gains."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from spamnb.features import extract
from spamnb.messages import Texts
from spamnb.model.scoring_engine import Engine
from spamnb.model.spam_model import SpamModel
from spamnb.settings import FeatureConfig, ScorerConfig, TrainingConfig
from spamnb.training.default_evidence_limit import with_usual_limit
from spamnb.training.fit_out_of_fold import HeldOutScores
from spamnb.training.trainer import train
from spamnb.tuning.objectives import objective
from spamnb.tuning.setting_grid import Candidate, SettingGrid
from spamnb.tuning.setting_search import (
    Search,
    Trial,
    named,
    neighbours,
    start_candidates,
    tune,
    widest_candidates,
)
from tests.helpers.labelled_data import assert_same_scores, grid_of, labelled

BASE = FeatureConfig()


@pytest.fixture(scope="module")
def data() -> tuple[list[str], list[str]]:
    return labelled(150)


@pytest.fixture(scope="module")
def grid(data: tuple[list[str], list[str]]) -> SettingGrid:
    return grid_of(widest_candidates(BASE), data)


def reachable() -> list[Candidate]:
    candidates = start_candidates(BASE)
    for s in candidates:
        candidates += [n for group in neighbours(s) for n in group if n not in candidates]
    return candidates


def test_every_setting_is_valid_and_differs() -> None:
    every = reachable()
    assert len({s.name for s in every}) == len(every) > 500
    for s in every:
        SpamModel(s.features, s.scoring)
    assert start_candidates(BASE)[0].name == "defaults"


@pytest.mark.parametrize(
    "setting", [*start_candidates(BASE), widest_candidates(BASE)[-1]], ids=lambda s: s.name
)
def test_two_folds_out_are_as_if_never_learned(
    setting: Candidate, grid: SettingGrid, data: tuple[list[str], list[str]]
) -> None:
    rest = np.flatnonzero((grid.fold != 1) & (grid.fold != 3)).tolist()
    model = SpamModel(setting.features, setting.scoring).learn(
        [data[0][i] for i in rest], [data[1][i] for i in rest]
    )
    chosen = np.flatnonzero(grid.fold == 1).tolist()
    batch = extract(Texts.of([data[0][i] for i in chosen]), setting.features)
    scoring = with_usual_limit(setting.scoring, setting.features, model.store)
    expected = Engine(model.store, scoring, positive=model.positive).score(batch)
    damped, known = grid.score(setting, 1, without=3)
    assert_same_scores(damped, expected)
    assert known.tolist() == expected.known.tolist()


def test_a_climb_ends_at_the_top() -> None:
    """Merit falls with each difference from one setting; the search must find it."""
    top = named(replace(BASE, ngrams=1), ScorerConfig(alpha=0.01, damping=0.5, once=False))

    def distance(s: Candidate) -> int:
        mine, its = s.scoring, top.scoring
        pairs = [(s.features.ngrams, 1), (s.features.shapes, True), (mine.name, its.name)]
        pairs += [(mine.alpha, its.alpha), (mine.damping, its.damping), (mine.once, its.once)]
        return sum(a != b for a, b in pairs)

    search = Search(start_candidates(BASE), lambda s: Trial(-distance(s), {}))
    while search.step():
        pass
    assert search.best == top
    assert len(search.tried) == len({s.name for s in search.tried})


def test_of_equals_the_first_stays() -> None:
    search = Search(start_candidates(BASE), lambda _: Trial(0.5, {}))
    while search.step():
        pass
    assert search.best.name == "defaults"


def test_a_search_to_its_end_is_the_same_each_time(data: tuple[list[str], list[str]]) -> None:
    grid = grid_of(widest_candidates(BASE), data, folds=3)
    tuned = tune(grid, objective("auc"), start_candidates(BASE), 1e6)
    assert tuned.finished
    assert {s.features for s in tuned.tried} <= {s.features for s in reachable()}
    assert tuned.best in tuned.tried
    defaults = start_candidates(BASE)[0]
    assert tuned.winner in (tuned.best, defaults)
    assert tuned.choice == (tuned.winner if tuned.trained[0] > tuned.trained[1] else defaults)
    assert len(tuned.nested.answers.truth) == len(grid.truth)
    again = tune(grid, objective("auc"), start_candidates(BASE), 1e6)
    assert again.choice == tuned.choice
    assert again.nested.answers.log_odds.tolist() == tuned.nested.answers.log_odds.tolist()


@pytest.mark.parametrize("worse", [True, False])
@pytest.mark.parametrize("name", ["auc", "log-loss"])
def test_what_train_would_make_decides(
    grid: SettingGrid, name: str, worse: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    defaults, other = start_candidates(BASE)[:2]
    monkeypatch.setattr("spamnb.tuning.setting_search._choice", lambda *_: other)
    evaluated = grid.evaluate_refined(defaults)

    def refined(setting: Candidate) -> tuple[SpamModel, HeldOutScores]:
        return blurred(*evaluated) if (setting == other) == worse else evaluated

    monkeypatch.setattr(grid, "evaluate_refined", refined)
    tuned = tune(grid, objective(name), start_candidates(BASE), 0.0)
    assert tuned.winner == other
    assert tuned.choice == (defaults if worse else other)


def blurred(model: SpamModel, scores: HeldOutScores) -> tuple[SpamModel, HeldOutScores]:
    """The same answers for all messages: no measure likes that."""
    none = np.zeros_like(scores.log_odds)
    return model, replace(scores, log_odds=none, proba=np.full_like(scores.proba, 0.5))


def test_refined_is_what_training_measures(data: tuple[list[str], list[str]], grid: SettingGrid) -> None:
    model, _ = grid.evaluate_refined(start_candidates(BASE)[0])
    trained = train(*data, features=BASE, training=TrainingConfig(folds=grid.folds))
    assert model.metrics is not None
    assert trained.metrics is not None
    assert model.metrics["refined"] == trained.metrics["refined"]
    assert model.metrics["log_loss"] == trained.metrics["log_loss"]


def test_without_time_the_defaults_are_still_judged(grid: SettingGrid) -> None:
    tuned = tune(grid, objective("f1"), start_candidates(BASE), 0.0)
    assert not tuned.finished
    assert [s.name for s in tuned.tried] == ["defaults"]
    assert tuned.choice.name == "defaults"
    assert tuned.nested.scores.messages == len(grid.truth)


def test_three_classes() -> None:
    grid = grid_of(widest_candidates(BASE), labelled(150, classes=3))
    tuned = tune(grid, objective("f1"), start_candidates(BASE), 1.0)
    assert 0 <= objective("f1").value(tuned.nested.answers) <= 1


def test_labels_by_chance_are_not_learned() -> None:
    """The best of many settings looks better than chance; the nested figure does not."""
    texts, _ = labelled(200, seed=4)
    random = np.random.default_rng(5)
    texts = [f"{text} n{i}" for i, text in enumerate(texts)]
    labels = random.choice(["ham", "spam"], len(texts)).tolist()
    grid = grid_of(widest_candidates(BASE), (texts, labels))
    tuned = tune(grid, objective("auc"), start_candidates(BASE), 1e6)
    flattering = max(trial.merit for trial in tuned.tried.values())
    honest = objective("auc").value(tuned.nested.answers)
    assert honest < flattering
    assert honest < 0.58
