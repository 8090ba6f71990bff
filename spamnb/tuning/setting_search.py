"""The search for good settings, and an honest figure of what the search is worth.

Each search climbs from the three best scorers with their defaults: one setting after the other is changed
to whatever is best, until no change helps. The winner is taken if it beats the defaults by more than one
standard error of the difference (Breiman et al. 1984), else the defaults stay. One search sees all folds and
makes the choice. To know what such a choice is worth, the same search runs once for each fold f on the other
folds alone, and what it takes judges fold f:

    choice     by M(scores of s on all folds j, each learned without j)
    figure     M of the answers of s_f on fold f, learned without f, for all f together,
               s_f by M(scores of s on the folds j != f, each learned without j and f)

All searches go on in step, so that the time may end at any moment.
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
from spamnb.tuning.setting_grid import Setting, SettingGrid

ALPHAS = (0.01, 0.03, 0.1, 0.3, 1.0)
DAMPINGS = (0.0, 0.5, 1.0)
NGRAMS = (1, 2, 3)
_DRAWS = 200  # of the bootstrap that gives the standard error
CLIMBS = 3  # so many scorers are climbed from: one that starts badly may end well with other smoothing


def named(features: FeatureConfig, scoring: ScorerConfig, mail: bool = False) -> Setting:
    """A setting called by its flags."""
    return Setting(" ".join(flags(features, scoring, mail)) or "defaults", features, scoring, mail)


def beginnings(base: FeatureConfig, mail: bool = False) -> list[Setting]:
    """The scorers with their own defaults, the default one first."""
    names = sorted(REGISTRY, key=lambda name: name != ScorerConfig().name)
    return [_of_scorer(base, name, mail) for name in names]


def _of_scorer(base: FeatureConfig, name: str, mail: bool) -> Setting:
    ngrams = 2 if name == "less-naive" else FeatureConfig.usual(mail).ngrams
    features = replace(base, ngrams=ngrams, shapes=name != "less-naive")
    return named(features, ScorerConfig.of(name), mail)


def neighbours(at: Setting) -> Iterator[list[Setting]]:
    """For each thing that can be set, the settings that differ from `at` in that alone."""
    features, scoring, mail = at.features, at.scoring, at.mail
    yield [named(features, replace(scoring, alpha=a), mail) for a in ALPHAS if a != scoring.alpha]
    yield [named(features, replace(scoring, damping=d), mail) for d in DAMPINGS if d != scoring.damping]
    if scoring.name == "less-naive":
        order = 3 - scoring.order
        yield [named(replace(features, ngrams=order + 1), replace(scoring, order=order), mail)]
        return
    yield [named(replace(features, ngrams=n), scoring, mail) for n in NGRAMS if n != features.ngrams]
    yield [named(_other_shapes(features, mail), scoring, mail)]
    other = replace(scoring, once=not scoring.once)
    if make(other).once != make(scoring).once:
        yield [named(features, other, mail)]


def _other_shapes(features: FeatureConfig, mail: bool) -> FeatureConfig:
    """The features with shapes and all that goes with them, or without."""
    shapes = not features.shapes
    return replace(features, shapes=shapes, unmask=shapes, signs=FeatureConfig.usual(mail).signs)


def everything(base: FeatureConfig, mail: bool = False) -> list[Setting]:
    """Settings that span all that a search may meet, for the pass that counts."""
    wide = replace(base, ngrams=max(NGRAMS), shapes=True)
    longest = ScorerConfig(name="less-naive", order=2)
    widest = named(wide, ScorerConfig(), mail), named(replace(wide, shapes=False), longest, mail)
    return [*beginnings(base, mail), *widest]


@dataclass(frozen=True)
class Trial:
    """How good a setting is for the objective (more is better), and all its figures."""

    merit: float
    figures: Mapping[str, Any]


class Search:
    """Climbs to better settings, one step at a time; `best` is the best one so far."""

    def __init__(self, scorers: list[Setting], trial: Callable[[Setting], Trial]) -> None:
        self._trial, self._scorers = trial, scorers
        self.tried: dict[Setting, Trial] = {}
        self._steps = self._climbs()

    @property
    def best(self) -> Setting:
        """Of equals the one that was tried first."""
        return max(self.tried, key=self._merit)

    def _merit(self, setting: Setting) -> float:
        return self.tried[setting].merit

    def step(self) -> bool:
        """Try one more setting; False when the search has come to its end."""
        return next(self._steps, False)

    def _climbs(self) -> Iterator[bool]:
        yield from self._try(self._scorers)
        for start in sorted(self._scorers, key=self._merit, reverse=True)[:CLIMBS]:
            yield from self._climb(start)

    def _climb(self, start: Setting) -> Iterator[bool]:
        here, before = start, None
        while here != before:
            before = here
            for i in range(len(list(neighbours(here)))):
                group = list(neighbours(here))[i]
                yield from self._try(group)
                here = max([here, *group], key=self._merit)

    def _try(self, settings: list[Setting]) -> Iterator[bool]:
        for s in settings:
            if s not in self.tried:
                self.tried[s] = self._trial(s)
                yield True


@dataclass(frozen=True)
class Tuned:
    """The choice, what was tried for it with its merit, and the answers of the nested search."""

    choice: Setting
    found: Setting  # by the search; not the choice if `trained` says that the defaults are better refined
    best: Setting  # of all tried; not found if it is ahead by less than one standard error
    trained: tuple[float, float]  # the measure of what `train` makes of what was found, and of the defaults
    tried: dict[Setting, Trial]
    nested: CandidateResult
    defaults: CandidateResult
    finished: bool
    steps: int
    seconds: float


def tune(
    bench: SettingGrid,
    objective: Objective,
    scorers: list[Setting],
    seconds: float,
    tick: Callable[[float], None] = lambda _: None,
) -> Tuned:
    """Search from these scorers, the defaults first, until nothing helps or the time is over."""
    begun = time.monotonic()
    searches = {f: Search(scorers, _trial(bench, objective, f)) for f in (None, *range(bench.folds))}
    alive, steps = list(searches.values()), 0
    while alive and (not steps or time.monotonic() - begun < seconds):
        alive = [search for search in alive if search.step()]
        steps += len(alive)
        tick(time.monotonic() - begun)
    chosen = {f: _choice(bench, objective, s.best, scorers[0], f) for f, s in searches.items()}
    found, whole = chosen.pop(None), searches[None]
    merits = {s: objective.merit(Answers.of(*bench.refined(s))) for s in dict.fromkeys((found, scorers[0]))}
    trained = merits[found], merits[scorers[0]]
    choice = found if trained[0] > trained[1] else scorers[0]
    took = time.monotonic() - begun
    nested = _nested(bench, "tuned", {f: s for f, s in chosen.items() if f is not None})
    defaults = _nested(bench, "defaults", dict.fromkeys(range(bench.folds), scorers[0]))
    told = objective.sign * trained[0], objective.sign * trained[1]
    return Tuned(choice, found, whole.best, told, whole.tried, nested, defaults, not alive, steps, took)


def _choice(
    bench: SettingGrid, objective: Objective, best: Setting, defaults: Setting, without: int | None
) -> Setting:
    """The best if it is ahead of the defaults by more than one standard error, else the defaults."""
    if best == defaults:
        return best
    pair = [Answers.of(*bench.judged(s, without)) for s in (best, defaults)]
    digests = bench.digests if without is None else bench.digests[bench.fold != without]
    drawn = [[objective.measure(a, weights) for a in pair] for weights in resampled(digests, _DRAWS)]
    error = np.nanstd(np.concatenate([a - b for a, b in drawn]))
    return best if objective.merit(pair[0]) - objective.merit(pair[1]) > error else defaults


def _trial(bench: SettingGrid, objective: Objective, without: int | None) -> Callable[[Setting], Trial]:
    def trial(setting: Setting) -> Trial:
        model, held = bench.judged(setting, without)
        return Trial(objective.merit(Answers.of(model, held)), model.metrics or {})

    return trial


def _nested(bench: SettingGrid, name: str, chosen: dict[int, Setting]) -> CandidateResult:
    """Each fold judged by what was chosen, learned and calibrated without it."""
    started = time.process_time()
    parts: list[tuple[IntArray, HeldOutScores]] = []
    for f, setting in chosen.items():
        rows = np.flatnonzero(bench.fold == f)
        model, _ = bench.judged(setting, f)
        parts.append(
            (rows, apply_calibration(model, bench.truth[rows], FoldScores(*bench.score(setting, f))))
        )
    held = _joined(np.argsort(np.concatenate([rows for rows, _ in parts])), [h for _, h in parts])
    model = bench.plain_model
    answers = Answers.of(model, held)
    return CandidateResult(name, metrics_of(model, held), answers, time.process_time() - started)


def _joined(order: IntArray, parts: list[HeldOutScores]) -> HeldOutScores:
    """All parts in the order of the sample; more than two classes have no log-odds."""
    truth, proba, known = (
        np.concatenate([getattr(h, name) for h in parts])[order] for name in ("truth", "proba", "known")
    )
    log_odds = np.concatenate([h.log_odds for h in parts])
    return HeldOutScores(truth, log_odds[order] if len(log_odds) else log_odds, proba, known)
