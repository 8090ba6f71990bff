"""The frame of a plot: axes, grid, ticks and their labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spamnb.report.plots.shapes import Line, Scale, Shape, Words

LEFT, RIGHT, TOP, BOTTOM = 60.0, 438.0, 48.0, 278.0
Ticks = Sequence[tuple[float, str]]
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
        for value, label in xticks:
            x = self.x.one(value)
            shapes += [line(x, BOTTOM, x, BOTTOM + 5, "axis"), Words(x, BOTTOM + 19, label)]
        middle = (left + right) / 2, (TOP + BOTTOM) / 2
        return [
            *shapes,
            line(left, BOTTOM, right, BOTTOM, "axis"),
            Words(middle[0], BOTTOM + 42, xlabel, "text"),
            Words(12, middle[1], ylabel, "text", upright=True),
        ]


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
