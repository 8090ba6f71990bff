"""What a plot is made of: lines, boxes, dots and words, each with a role that gives it its colour."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from spamnb.metrics import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A line through points (n, 2); `name` lets a page move it."""

    points: Floats
    role: str
    width: float = 1.0
    dashed: bool = False
    name: str = ""


@dataclass(frozen=True, slots=True)
class Box:
    """A filled rectangle."""

    x: float
    y: float
    width: float
    height: float
    role: str


@dataclass(frozen=True, slots=True)
class Dot:
    """A filled circle with a rim in the colour of the ground."""

    x: float
    y: float
    radius: float
    role: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """Text on a baseline; `side` is the end that stands at x, `upright` turns it by a quarter.

    A page leaves out what is `spare` where letters are larger beside the plot: on a phone.
    """

    x: float
    y: float
    text: str
    role: str = "muted"
    side: str = "middle"  # start, middle or end
    upright: bool = False
    bold: bool = False
    spare: bool = False


Shape = Line | Box | Dot | Words


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """A plot: its size, its title above `top`, one sentence for who cannot see it, and its shapes."""

    title: str
    about: str
    shapes: tuple[Shape, ...]
    width: float = 460.0
    height: float = 330.0
    top: float = 30.0


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to places: `low` lies at `start`, `high` at `end`; what is outside goes to the border."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, values: ArrayLike) -> Floats:
        part = (np.clip(np.asarray(values, np.float64), self.low, self.high) - self.low) / (
            self.high - self.low
        )
        return np.asarray(self.start + part * (self.end - self.start), np.float64)

    def one(self, value: float) -> float:
        return float(self(value))


def path(x: ArrayLike, y: ArrayLike) -> Floats:
    """Points (n, 2) of a line."""
    return np.column_stack((np.asarray(x, np.float64), np.asarray(y, np.float64)))
