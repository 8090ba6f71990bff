"""Describes a plot as lines, boxes, dots and text; the role of each shape gives it its colour."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from spamnb.metrics import Floats

Point = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A line through points (n, 2); the script of the page moves a line by its `name`."""

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
    """A filled circle with a rim in the background colour."""

    x: float
    y: float
    radius: float
    role: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class TextShape:
    """Text on a baseline; `anchor` is the end of the text at x, `vertical` rotates it by 90 degrees.

    A page hides `wide_only` text on phones, where the letters are larger compared with the plot.
    """

    x: float
    y: float
    text: str
    role: str = "muted"
    anchor: str = "middle"  # start, middle or end
    vertical: bool = False
    bold: bool = False
    wide_only: bool = False


Shape = Line | Box | Dot | TextShape


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """A plot: its title above `top`, a description for screen readers, its shapes and its size."""

    title: str
    description: str
    shapes: tuple[Shape, ...]
    width: float = 460.0
    height: float = 330.0
    top: float = 30.0


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps values to coordinates: `low` to `start`, `high` to `end`; values outside go to the nearer end."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, values: ArrayLike) -> Floats:
        clipped = np.clip(np.asarray(values, np.float64), self.low, self.high)
        part = (clipped - self.low) / (self.high - self.low)
        return np.asarray(self.start + part * (self.end - self.start), np.float64)

    def one(self, value: float) -> float:
        return float(self(value))


def path(x: ArrayLike, y: ArrayLike) -> Floats:
    """Combines coordinates to the points (n, 2) of a line."""
    return np.column_stack((np.asarray(x, np.float64), np.asarray(y, np.float64)))


def segment(
    start: Point, end: Point, role: str, width: float = 1.0, dashed: bool = False, name: str = ""
) -> Line:
    """Draws a straight line between two points."""
    return Line(np.array([start, end], np.float64), role, width, dashed, name)
