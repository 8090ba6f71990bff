"""Calibrations that bend: two slopes (beta calibration) or a line through measured points (isotonic).

Both start from z = slope * s + offset, Platt's line, and never fall: messages keep their order.

    beta (Kull, Silva Filho and Flach 2017):  log-odds = a log P(z) - b log(1 - P(z)) + c      a, b > 0
    isotonic: log-odds at knots from the share of positives there, straight lines between, slope 1 outside
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
# Between knots and outside of them the curve rises at least at this share of Platt's slope, so that no two
# scores become one: ties would lower the area under the ROC curve.
LEAST_RISE = 0.02


@dataclass(frozen=True, slots=True)
class Beta:
    """log-odds = -a log(1 + exp(-z)) + b log(1 + exp(z)) + c: about a z far below 0, b z far above."""

    slope: float
    offset: float
    a: float
    b: float
    c: float
    note: str = ""

    def apply(self, scores: ArrayLike) -> Floats:
        z = np.asarray(scores, np.float64) * self.slope + self.offset
        return np.asarray(self.b * np.logaddexp(0.0, z) - self.a * np.logaddexp(0.0, -z) + self.c)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "beta"} | asdict(self)


@dataclass(frozen=True, slots=True)
class Isotonic:
    """Knots (at, value) in ascending order, at in units of z; a slope of 1 on both sides of them."""

    slope: float
    offset: float
    at: tuple[float, ...]
    value: tuple[float, ...]
    note: str = ""

    def apply(self, scores: ArrayLike) -> Floats:
        z = np.asarray(scores, np.float64) * self.slope + self.offset
        outside = np.minimum(z - self.at[0], 0.0) + np.maximum(z - self.at[-1], 0.0)
        return np.asarray(np.interp(z, self.at, self.value) + outside)

    def to_dict(self) -> dict[str, Any]:
        state = asdict(self)
        return {"kind": "isotonic"} | state | {"at": list(self.at), "value": list(self.value)}


def pool(values: Floats, sizes: Floats) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Pool adjacent violators: mean, size and first index of each block, the means ascending.

    >>> means, sizes, first = pool(np.array([0.0, 1.0, 0.0, 1.0]), np.ones(4))
    >>> means.tolist(), sizes.tolist(), first.tolist()
    ([0.0, 0.5, 1.0], [1.0, 2.0, 1.0], [0, 1, 3])
    """
    blocks: list[tuple[float, float, int]] = []
    for i, (total, size) in enumerate(zip((values * sizes).tolist(), sizes.tolist(), strict=True)):
        first = i
        while blocks and blocks[-1][0] * size >= total * blocks[-1][1]:
            before = blocks.pop()
            total, size, first = total + before[0], size + before[1], before[2]
        blocks.append((total, size, first))
    totals, sums, firsts = zip(*blocks, strict=True)
    return np.array(totals) / np.array(sums), np.array(sums), np.array(firsts)


def fit_isotonic(z: Floats, positive: NDArray[np.bool_], slope: float, offset: float) -> Isotonic:
    """Knots at the mean score of each block, its share of positives smoothed as (k + 1/2) / (n + 1)."""
    order = np.argsort(z, kind="stable")
    ranked, truth = z[order], positive[order].astype(np.float64)
    runs = np.flatnonzero(np.append(True, truth[1:] != truth[:-1]))  # equal neighbours are pooled anyway
    means, sizes, first = pool(truth[runs], np.diff(runs, append=len(truth)).astype(np.float64))
    at = np.add.reduceat(ranked, runs[first]) / sizes
    share = (means * sizes + 0.5) / (sizes + 1.0)
    value = np.log(share) - np.log1p(-share)
    order = np.argsort(at, kind="stable")
    keep = order[np.append(True, np.diff(at[order]) > 0)]
    at, value = at[keep], _rising(at[keep], value[keep])
    return Isotonic(slope, offset, tuple(at.tolist()), tuple(value.tolist()))


def _rising(at: Floats, value: Floats) -> Floats:
    """The least change upwards that makes every stretch rise by LEAST_RISE of its length."""
    floor = LEAST_RISE * at
    return np.asarray(np.maximum.accumulate(value - floor) + floor)
