"""Searches good settings, and measures by nested cross-validation what the search gains.

Each search climbs from the three best scorers with their defaults: one setting after the other is changed
to whatever is best, until no change helps. The winner is taken if it beats the defaults by more than one
standard error of the difference (Breiman et al. 1984), else the defaults stay. One search uses all folds and
makes the choice. To measure what such a choice gains, the same search runs once for each fold f on the other
folds alone, and its choice is tested on fold f:

    choice     by M(scores of s on all folds j, each learned without j)
    metric     M of the answers of s_f on fold f, learned without f, for all f together,
               s_f by M(scores of s on the folds j != f, each learned without j and f)

All searches advance in step, so that the time may end at any moment.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from spamnb.core import IntArray
from spamnb.scorers import REGISTRY, make
from spamnb.settings import FeatureConfig, ScorerConfig, flags
from spamnb.training import FoldScores, HeldOutScores, apply_calibration, metrics_of
from spamnb.tuning.comparison import CandidateResult, resampled
from spamnb.tuning.objectives import Answers, Objective
from spamnb.tuning.setting_grid import Candidate, SettingGrid

ALPHAS = (0.01, 0.03, 0.1, 0.3, 1.0)
DAMPINGS = (0.0, 0.5, 1.0)
NGRAMS = (1, 2, 3)
ORDERS = (1, 2)  # of less-naive
_DRAWS = 200  # of the bootstrap that gives the standard error
CLIMBS = 3  # scorers to climb from: one that starts badly may end well with other smoothing


def named(features: FeatureConfig, scoring: ScorerConfig, mail: bool = False) -> Candidate:
    """Returns a candidate named by its flags."""
    return Candidate(" ".join(flags(features, scoring, mail)) or "defaults", features, scoring, mail)


def start_candidates(base: FeatureConfig, mail: bool = False) -> list[Candidate]:
    """Returns the scorers with their own defaults, the default one first."""
    names = sorted(REGISTRY, key=lambda name: name != ScorerConfig().name)
    return [_of_scorer(base, name, mail) for name in names]


def _of_scorer(base: FeatureConfig, name: str, mail: bool) -> Candidate:
    ngrams = 2 if name == "less-naive" else FeatureConfig.usual(mail).ngrams
    features = replace(base, ngrams=ngrams, shapes=name != "less-naive")
    return named(features, ScorerConfig.of(name), mail)


def neighbours(at: Candidate) -> Iterator[list[Candidate]]:
    """Yields for each setting the candidates that differ from `at` in that alone."""
    features, scoring, mail = at.features, at.scoring, at.mail
    yield [named(features, replace(scoring, alpha=a), mail) for a in ALPHAS if a != scoring.alpha]
    yield [named(features, replace(scoring, damping=d), mail) for d in DAMPINGS if d != scoring.damping]
    if scoring.name == "less-naive":
        orders = [order for order in ORDERS if order != scoring.order]
        yield [named(replace(features, ngrams=k + 1), replace(scoring, order=k), mail) for k in orders]
        return
    yield [named(replace(features, ngrams=n), scoring, mail) for n in NGRAMS if n != features.ngrams]
    yield [named(_other_shapes(features, mail), scoring, mail)]
    other = replace(scoring, once=not scoring.once)
    if make(other).once != make(scoring).once:
        yield [named(features, other, mail)]


def _other_shapes(features: FeatureConfig, mail: bool) -> FeatureConfig:
    """Returns the features with shapes and all that goes with them, or without."""
    shapes = not features.shapes
    punctuation = FeatureConfig.usual(mail).punctuation
    return replace(features, shapes=shapes, deobfuscate=shapes, punctuation=punctuation)


def widest_candidates(base: FeatureConfig, mail: bool = False) -> list[Candidate]:
    """Candidates whose counts contain those of all that a search may try."""
    wide = replace(base, ngrams=max(NGRAMS), shapes=True)
    longest = ScorerConfig(name="less-naive", order=2)
    widest = named(wide, ScorerConfig(), mail), named(replace(wide, shapes=False), longest, mail)
    return [*start_candidates(base, mail), *widest]


@dataclass(frozen=True)
class Trial:
    """How good a candidate is for the objective (more is better), and all its metrics."""

    merit: float
    metrics: Mapping[str, Any]


class Search:
    """Climbs to better settings, one step at a time; `best` is the best candidate so far."""

    def __init__(self, scorers: list[Candidate], trial: Callable[[Candidate], Trial]) -> None:
        self._trial, self._scorers = trial, scorers
        self.tried: dict[Candidate, Trial] = {}
        self._steps = self._climbs()

    @property
    def best(self) -> Candidate:
        """Of equals the one that was tried first."""
        return max(self.tried, key=self._merit)

    def _merit(self, candidate: Candidate) -> float:
        return self.tried[candidate].merit

    def step(self) -> bool:
        """Tries one more candidate; False when the search has come to its end."""
        return next(self._steps, False)

    def _climbs(self) -> Iterator[bool]:
        yield from self._try(self._scorers)
        for start in sorted(self._scorers, key=self._merit, reverse=True)[:CLIMBS]:
            yield from self._climb(start)

    def _climb(self, start: Candidate) -> Iterator[bool]:
        current, before = start, None
        while current != before:
            before = current
            for i in range(len(list(neighbours(current)))):
                group = list(neighbours(current))[i]
                yield from self._try(group)
                current = max([current, *group], key=self._merit)

    def _try(self, candidates: list[Candidate]) -> Iterator[bool]:
        for c in candidates:
            if c not in self.tried:
                self.tried[c] = self._trial(c)
                yield True


@dataclass(frozen=True)
class Tuned:
    """The choice, what was tried for it with its merit, and the answers of the nested search."""

    choice: Candidate
    winner: Candidate  # of the search; not the choice if `trained` shows that the defaults are better refined
    best: Candidate  # of all tried; not the winner if it is ahead by less than one standard error
    trained: tuple[float, float]  # the measure of what `train` makes of the winner, and of the defaults
    tried: dict[Candidate, Trial]
    nested: CandidateResult
    defaults: CandidateResult
    finished: bool
    seconds: float


def tune(
    grid: SettingGrid,
    objective: Objective,
    scorers: list[Candidate],
    seconds: float,
    tick: Callable[[float], None] = lambda _: None,
) -> Tuned:
    """Searches from these scorers, the defaults first, until nothing helps or the time is over."""
    started, defaults = time.monotonic(), scorers[0]
    searches = {f: Search(scorers, _trial(grid, objective, f)) for f in (None, *range(grid.folds))}
    active, steps = list(searches.values()), 0
    while active and (not steps or time.monotonic() - started < seconds):
        active = [search for search in active if search.step()]
        steps += len(active)
        tick(time.monotonic() - started)
    choices = {f: _choice(grid, objective, s.best, defaults, f) for f, s in searches.items()}
    winner, search = choices.pop(None), searches[None]
    merits = {c: objective.merit(Answers.of(*grid.evaluate_refined(c))) for c in {winner, defaults}}
    return Tuned(
        choice=winner if merits[winner] > merits[defaults] else defaults,
        winner=winner,
        best=search.best,
        trained=(objective.sign * merits[winner], objective.sign * merits[defaults]),
        tried=search.tried,
        seconds=time.monotonic() - started,
        nested=_nested(grid, "tuned", {f: c for f, c in choices.items() if f is not None}),
        defaults=_nested(grid, "defaults", dict.fromkeys(range(grid.folds), defaults)),
        finished=not active,
    )


def _choice(
    grid: SettingGrid, objective: Objective, best: Candidate, defaults: Candidate, without: int | None
) -> Candidate:
    """Returns the best if it is ahead of the defaults by more than one standard error, else the defaults."""
    if best == defaults:
        return best
    pair = [Answers.of(*grid.evaluate(c, without)) for c in (best, defaults)]
    digests = grid.digests if without is None else grid.digests[grid.fold != without]
    drawn = [[objective.measure(a, weights) for a in pair] for weights in resampled(digests, _DRAWS)]
    error = np.nanstd(np.concatenate([a - b for a, b in drawn]))
    return best if objective.merit(pair[0]) - objective.merit(pair[1]) > error else defaults


def _trial(grid: SettingGrid, objective: Objective, without: int | None) -> Callable[[Candidate], Trial]:
    def trial(candidate: Candidate) -> Trial:
        model, held_out = grid.evaluate(candidate, without)
        return Trial(objective.merit(Answers.of(model, held_out)), model.metrics or {})

    return trial


def _nested(grid: SettingGrid, name: str, chosen: dict[int, Candidate]) -> CandidateResult:
    """Tests each fold with its candidate, learned and calibrated without that fold."""
    started = time.process_time()
    rows_of, answers_of = list[IntArray](), list[HeldOutScores]()
    for f, candidate in chosen.items():
        rows = np.flatnonzero(grid.fold == f)
        model, _ = grid.evaluate(candidate, f)
        rows_of.append(rows)
        answers_of.append(apply_calibration(model, grid.truth[rows], FoldScores(*grid.score(candidate, f))))
    held_out = _in_order(np.argsort(np.concatenate(rows_of)), answers_of)
    model = grid.plain_model
    answers = Answers.of(model, held_out)
    return CandidateResult(name, metrics_of(model, held_out), answers, time.process_time() - started)


def _in_order(order: IntArray, folds: list[HeldOutScores]) -> HeldOutScores:
    """Returns the answers of all folds in the order of the sample; more than two classes have no log-odds."""
    truth, proba, known = (
        np.concatenate([getattr(fold, name) for fold in folds])[order] for name in ("truth", "proba", "known")
    )
    log_odds = np.concatenate([fold.log_odds for fold in folds])
    return HeldOutScores(truth, log_odds[order] if len(log_odds) else log_odds, proba, known)
