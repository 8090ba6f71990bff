"""Settings side by side on the same folds: figures, intervals, and a paired test against the best.

The test is a paired bootstrap over distinct texts. A draw takes as many texts as there are, with
replacement, copies of a text together; the same draws serve all contenders. With v(b) the measure of a
contender in draw b, v*(b) that of the best one, and d(b) = v(b) - v*(b):

    interval of the measure      2.5 % and 97.5 % quantiles of v(b)
    interval of the difference   2.5 % and 97.5 % quantiles of d(b)
    p = min(1, 2 (1 + min(#{d(b) <= 0}, #{d(b) >= 0})) / (1 + B))

It says how much the choice of test messages matters, with the models of the folds as they are.
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
from spamnb.tuning.setting_grid import Setting, SettingGrid

DRAWS = 1000
_AT_ONCE = 50  # draws held in memory at a time


@dataclass(frozen=True)
class CandidateResult:
    """What one contender said, with its figures and the processor time that took."""

    name: str
    scores: Scores | MultiScores
    answers: Answers
    seconds: float
    setting: Setting | None = None


@dataclass(frozen=True)
class Row:
    """A contender with its measure, the interval of it, and how it differs from the best."""

    judged: CandidateResult
    value: float
    low: float
    high: float
    difference: float
    difference_low: float
    difference_high: float
    p_value: float | None  # None for the best itself

    def to_dict(self) -> dict[str, Any]:
        names = ("value", "low", "high", "difference", "difference_low", "difference_high", "p_value")
        known = {name: getattr(self, name) for name in names}
        setting, seconds = self.judged.setting, self.judged.seconds
        told = None if setting is None else " ".join(flags(setting.features, setting.scoring, setting.mail))
        head = {"name": self.judged.name, "flags": told, **known, "seconds": seconds}
        return head | self.judged.scores.to_dict()


def evaluate_setting(bench: SettingGrid, setting: Setting) -> CandidateResult:
    """One setting on all folds."""
    started = time.process_time()
    model, held = bench.judged(setting)
    answers = Answers.of(model, held)
    return CandidateResult(
        setting.name, metrics_of(model, held), answers, time.process_time() - started, setting
    )


def ranked(
    contenders: Sequence[CandidateResult],
    objective: Objective,
    digests: Digests,
    draws: int = DRAWS,
    tick: Callable[[int], None] = lambda _: None,
) -> list[Row]:
    """The contenders, the best first, each with its test against that one."""
    contenders = sorted(contenders, key=lambda c: -objective.merit(c.answers))  # stable: ties as they came
    drawn: list[list[FloatArray]] = [[] for _ in contenders]
    for done, weights in enumerate(resampled(digests, draws)):
        for values, contender in zip(drawn, contenders, strict=True):
            values.append(objective.measure(contender.answers, weights))
        tick(done * _AT_ONCE)
    table = [np.concatenate(values) for values in drawn]
    value = [objective.value(c.answers) for c in contenders]
    return [
        _row(c, v, value[0], t, table[0], i > 0)
        for i, (c, v, t) in enumerate(zip(contenders, value, table, strict=True))
    ]


def _row(
    judged: CandidateResult, value: float, best: float, mine: FloatArray, its: FloatArray, tested: bool
) -> Row:
    mine, differences = mine[~np.isnan(mine)], (mine - its)[~np.isnan(mine - its)]
    low, high = _quantiles(mine)
    return Row(
        judged,
        value,
        low,
        high,
        value - best,
        *_quantiles(differences),
        paired_p(differences) if tested else None,
    )


def paired_p(differences: FloatArray) -> float:
    """Two-sided p of the bootstrap: how rarely the sign of the difference turns.

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
    """How often each message is drawn, some draws at a time; copies of a text are drawn together."""
    texts, text = np.unique(digests, return_inverse=True)
    random = np.random.default_rng(seed)
    for begin in range(0, draws, _AT_ONCE):
        size = min(_AT_ONCE, draws - begin)
        taken = random.integers(0, len(texts), (size, len(texts))) + np.arange(size)[:, None] * len(texts)
        times = np.bincount(taken.reshape(-1), minlength=size * len(texts)).reshape(size, len(texts))
        yield times.astype(np.int32)[:, text]
