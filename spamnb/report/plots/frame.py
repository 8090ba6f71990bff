"""The frame of a plot: axes, grid, ticks and their labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from spamnb.report.plots.shapes import Line, Scale, Shape, Words

LEFT, RIGHT, TOP, BOTTOM = 60.0, 438.0, 48.0, 278.0
Ticks = Sequence[tuple[float, str]]
_SIZE, _ON_PHONES = 12.0, 14.0  # of letters
_WIDTHS = {".": 0.32, "%": 0.95}  # as parts of that, in a wide font
_DIGIT, _SPACE = 0.64, 0.4
PERCENTS: Ticks = [(part / 4, f"{25 * part}%") for part in range(5)]


@dataclass(frozen=True, slots=True)
class Frame:
    """Where values lie on the paper."""

    x: Scale
    y: Scale

    @classmethod
    def of(cls, x: tuple[float, float], y: tuple[float, float] = (0.0, 1.0), right: float = RIGHT) -> Frame:
        return cls(Scale(*x, LEFT, right), Scale(*y, BOTTOM, TOP))

    def axes(self, xticks: Ticks, yticks: Ticks, xlabel: str, ylabel: str) -> list[Shape]:
        """Grid lines at the ticks of y, small marks at those of x, and what they mean."""
        shapes: list[Shape] = []
        left, right = self.x.start, self.x.end
        for value, label in yticks:
            y = self.y.one(value)
            shapes += [line(left, y, right, y, "grid"), Words(left - 8, y + 4, label, side="end")]
        places = [(self.x.one(value), label) for value, label in xticks]
        shapes += [line(x, BOTTOM, x, BOTTOM + 5, "axis") for x, _ in places]
        labelled = roomy(places, _SIZE)
        phones = roomy(labelled, _ON_PHONES)
        shapes += [Words(x, BOTTOM + 19, text, spare=(x, text) not in phones) for x, text in labelled]
        middle = (left + right) / 2, (TOP + BOTTOM) / 2
        return [
            *shapes,
            line(left, BOTTOM, right, BOTTOM, "axis"),
            Words(middle[0], BOTTOM + 42, xlabel, "text"),
            Words(12, middle[1], ylabel, "text", upright=True),
        ]


def roomy(places: Ticks, size: float) -> Ticks:
    """All labels, or every second or third from the middle on, so that letters of that size do not touch.

    >>> ticks = [(60, "1%"), (94, "10%"), (128, "50%"), (162, "90%"), (196, "99%")]
    >>> [label for _, label in roomy(ticks, 12)], [label for _, label in roomy(ticks, 14)]
    (['1%', '10%', '50%', '90%', '99%'], ['1%', '50%', '99%'])
    """
    kept = places
    for step in range(1, len(places) + 1):
        kept = places[len(places) // 2 % step :: step]
        if all(b[0] - a[0] >= _apart(a[1], b[1]) * size for a, b in pairwise(kept)):
            break
    return kept


def _apart(a: str, b: str) -> float:
    return sum(_WIDTHS.get(letter, _DIGIT) for letter in a + b) / 2 + _SPACE


def line(
    x0: float,
    y0: float,
    x1: float,
    y1: float,
    role: str,
    width: float = 1.0,
    dashed: bool = False,
    name: str = "",
) -> Line:
    return Line(np.array([[x0, y0], [x1, y1]], np.float64), role, width, dashed, name)
