"""Draws the axes of a plot: grid, ticks and their labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from spamnb.report.plots.drawing import Scale, Shape, TextShape, segment

LEFT, RIGHT, TOP, BOTTOM = 60.0, 438.0, 48.0, 278.0
Ticks = Sequence[tuple[float, str]]
_FONT_SIZE, _PHONE_FONT_SIZE = 12.0, 14.0
_WIDTHS = {".": 0.32, "%": 0.95}  # in units of the font size, in a wide font
_DIGIT, _SPACE = 0.64, 0.4
PERCENTS: Ticks = [(part / 4, f"{25 * part}%") for part in range(5)]


@dataclass(frozen=True, slots=True)
class Axes:
    """The scales of a plot."""

    x: Scale
    y: Scale

    @classmethod
    def of(cls, x: tuple[float, float], y: tuple[float, float] = (0.0, 1.0), right: float = RIGHT) -> Axes:
        return cls(Scale(*x, LEFT, right), Scale(*y, BOTTOM, TOP))

    def draw(self, xticks: Ticks, yticks: Ticks, xlabel: str, ylabel: str) -> list[Shape]:
        """Draws grid lines at the y ticks, small marks at the x ticks, and all labels."""
        shapes: list[Shape] = []
        left, right = self.x.start, self.x.end
        for value, label in yticks:
            y = self.y.one(value)
            shapes += [
                segment((left, y), (right, y), "grid"),
                TextShape(left - 8, y + 4, label, anchor="end"),
            ]
        marks = [(self.x.one(value), label) for value, label in xticks]
        shapes += [segment((x, BOTTOM), (x, BOTTOM + 5), "axis") for x, _ in marks]
        labelled = without_overlap(marks, _FONT_SIZE)
        on_phones = without_overlap(labelled, _PHONE_FONT_SIZE)
        shapes += [
            TextShape(x, BOTTOM + 19, text, wide_only=(x, text) not in on_phones) for x, text in labelled
        ]
        return [
            *shapes,
            segment((left, BOTTOM), (right, BOTTOM), "axis"),
            TextShape((left + right) / 2, BOTTOM + 42, xlabel, "text"),
            TextShape(12, (TOP + BOTTOM) / 2, ylabel, "text", vertical=True),
        ]


def without_overlap(labels: Ticks, font_size: float) -> Ticks:
    """Keeps all labels, or every second or third from the middle on, so that they do not touch.

    >>> ticks = [(60, "1%"), (94, "10%"), (128, "50%"), (162, "90%"), (196, "99%")]
    >>> [label for _, label in without_overlap(ticks, 12)]
    ['1%', '10%', '50%', '90%', '99%']
    >>> [label for _, label in without_overlap(ticks, 14)]
    ['1%', '50%', '99%']
    """
    shown = labels
    for step in range(1, len(labels) + 1):
        shown = labels[len(labels) // 2 % step :: step]
        if all(b[0] - a[0] >= _min_distance(a[1], b[1]) * font_size for a, b in pairwise(shown)):
            break
    return shown


def _min_distance(a: str, b: str) -> float:
    return sum(_WIDTHS.get(letter, _DIGIT) for letter in a + b) / 2 + _SPACE
