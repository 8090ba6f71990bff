"""Compares candidates on the same folds: metrics, intervals, and a paired test against the best.

The test is a paired bootstrap over distinct texts. A draw takes as many texts as there are, with
replacement, duplicates of a text together; the same draws serve all candidates. With v(b) the measure of a
candidate in draw b, v*(b) that of the best one, and d(b) = v(b) - v*(b):

    interval of the measure      2.5 % and 97.5 % quantiles of v(b)
    interval of the difference   2.5 % and 97.5 % quantiles of d(b)
    p = min(1, 2 (1 + min(#{d(b) <= 0}, #{d(b) >= 0})) / (1 + B))

It measures how much the choice of test messages matters, with the models of the folds as they are.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spamnb.core import FloatArray
from spamnb.metrics import MultiScores, Scores
from spamnb.settings import flags
from spamnb.training import Digests, metrics_of
from spamnb.tuning.objectives import Answers, Objective, Weights
from spamnb.tuning.setting_grid import Candidate, SettingGrid

DRAWS = 1000
_BLOCK = 50  # draws in memory at a time


@dataclass(frozen=True)
class CandidateResult:
    """The answers of a candidate, with their metrics and the processor time that they took."""

    name: str
    scores: Scores | MultiScores
    answers: Answers
    seconds: float
    candidate: Candidate | None = None


@dataclass(frozen=True)
class Row:
    """A candidate with its measure, the interval of it, and how it differs from the best."""

    result: CandidateResult
    value: float
    low: float
    high: float
    difference: float
    difference_low: float
    difference_high: float
    p_value: float | None  # None for the best itself

    def to_dict(self) -> dict[str, Any]:
        names = ("value", "low", "high", "difference", "difference_low", "difference_high", "p_value")
        measures = {name: getattr(self, name) for name in names}
        c = self.result.candidate
        settings = None if c is None else " ".join(flags(c.features, c.scoring, c.mail))
        head = {"name": self.result.name, "flags": settings, **measures, "seconds": self.result.seconds}
        return head | self.result.scores.to_dict()


def evaluate_candidate(grid: SettingGrid, candidate: Candidate) -> CandidateResult:
    """Evaluates a candidate on all folds."""
    started = time.process_time()
    model, held_out = grid.evaluate(candidate)
    answers = Answers.of(model, held_out)
    return CandidateResult(
        candidate.name, metrics_of(model, held_out), answers, time.process_time() - started, candidate
    )


def rank(
    results: Sequence[CandidateResult],
    objective: Objective,
    digests: Digests,
    draws: int = DRAWS,
    tick: Callable[[int], None] = lambda _: None,
) -> list[Row]:
    """Sorts results, the best first, and tests each of them against that one."""
    results = sorted(results, key=lambda r: -objective.merit(r.answers))  # stable: ties stay in order
    drawn: list[list[FloatArray]] = [[] for _ in results]
    for done, weights in enumerate(resampled(digests, draws)):
        for values, result in zip(drawn, results, strict=True):
            values.append(objective.measure(result.answers, weights))
        tick(done * _BLOCK)
    table = [np.concatenate(values) for values in drawn]
    best = objective.value(results[0].answers)
    return [
        _row(r, objective.value(r.answers), best, t, table[0]) for r, t in zip(results, table, strict=True)
    ]


def _row(
    result: CandidateResult, value: float, best: float, drawn: FloatArray, best_drawn: FloatArray
) -> Row:
    values, differences = drawn[~np.isnan(drawn)], (drawn - best_drawn)[~np.isnan(drawn - best_drawn)]
    p_value = None if drawn is best_drawn else paired_p(differences)
    return Row(result, value, *_quantiles(values), value - best, *_quantiles(differences), p_value)


def paired_p(differences: FloatArray) -> float:
    """Computes the two-sided p of the bootstrap: how rarely the difference changes its sign.

    >>> paired_p(np.array([0.1] * 99)), paired_p(np.array([0.1, -0.1] * 50))
    (0.02, 1.0)
    """
    rarer = min(np.count_nonzero(differences <= 0), np.count_nonzero(differences >= 0))
    return min(1.0, 2 * (1 + int(rarer)) / (1 + len(differences)))


def _quantiles(values: FloatArray) -> tuple[float, float]:
    if not len(values):
        return float("nan"), float("nan")
    low, high = np.quantile(values, [0.025, 0.975]).tolist()
    return low, high


def resampled(digests: Digests, draws: int, seed: int = 0) -> Iterator[Weights]:
    """Yields how often each message is drawn, in blocks of draws; duplicates of a text are drawn together."""
    texts, text = np.unique(digests, return_inverse=True)
    random = np.random.default_rng(seed)
    for begin in range(0, draws, _BLOCK):
        size = min(_BLOCK, draws - begin)
        drawn = random.integers(0, len(texts), (size, len(texts))) + np.arange(size)[:, None] * len(texts)
        times = np.bincount(drawn.reshape(-1), minlength=size * len(texts)).reshape(size, len(texts))
        yield times.astype(np.int32)[:, text]
