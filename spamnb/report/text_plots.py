"""Draws curves as text: of braille characters with 2 x 4 dots each, or of stars in ASCII."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spamnb.metrics import Floats, precision_recall_curve, roc_curve

_BITS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
_MARGIN = 6  # "100% " and the axis
_LINES = {"corner": "└", "bar": "─", "tick": "┬", "side": "│", "mark": "┤"}
_ASCII_LINES = {"corner": "+", "bar": "-", "tick": "+", "side": "|", "mark": "+"}


@dataclass(frozen=True, slots=True)
class Curves:
    """The points of the ROC and the precision-recall curve."""

    fpr: Floats
    tpr: Floats
    precision: Floats
    recall: Floats

    @classmethod
    def of(cls, y: ArrayLike, score: ArrayLike) -> Curves:
        """Computes both curves from the truth (True = positive) and the log-odds or probabilities."""
        return cls(*roc_curve(y, score)[:2], *precision_recall_curve(y, score)[:2])


def _path(x: Floats, y: Floats, columns: int, rows: int) -> NDArray[np.bool_]:
    """Returns the dots on the line through the points (x, y in 0..1), top row first."""
    across, down = x * (columns - 1), (1 - y) * (rows - 1)
    steps = np.ceil(np.maximum(np.abs(np.diff(across)), np.abs(np.diff(down)))).astype(np.int64)
    dots = np.zeros((rows, columns), bool)
    dots[_walk(down, steps), _walk(across, steps)] = True
    return dots


def _walk(points: Floats, steps: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns the dots from each point to the next, `steps[i]` of them after point i."""
    done = np.arange(steps.sum()) - np.repeat(np.cumsum(steps) - steps, steps)
    part = done / np.repeat(steps, steps)
    between = np.repeat(points[:-1], steps) + part * np.repeat(np.diff(points), steps)
    return np.asarray(np.rint(np.append(between, points[-1])), np.int64)


def _canvas(x: Floats, y: Floats, width: int, height: int, ascii_only: bool) -> list[str]:
    if ascii_only:
        return ["".join("* "[not dot] for dot in row) for row in _path(x, y, width, height).tolist()]
    cells = _path(x, y, width * 2, height * 4).reshape(height, 4, width, 2)
    codes = (cells * _BITS[None, :, None, :]).sum(axis=(1, 3))
    return ["".join(chr(0x2800 + code) if code else " " for code in row) for row in codes.tolist()]


def _percent(value: float) -> str:
    return f"{100 * value:g}%"


def _ticks(log_from: float | None) -> list[tuple[float, str]]:
    """Returns positions in 0..1 with their labels: every decade of a log axis, else quarters."""
    if log_from is None:
        return [(part / 4, _percent(part / 4)) for part in range(5)]
    decades = round(-math.log10(log_from))
    return [(i / decades, _percent(10.0 ** (i - decades))) for i in range(decades + 1)]


def _axis(ticks: list[tuple[float, str]], width: int, lines: dict[str, str]) -> list[str]:
    """Draws the x axis and its labels, both ends first; a label that would touch another one is left out."""
    bar, labels = [lines["bar"]] * width, [" "] * (width + _MARGIN)
    for place, label in (ticks[0], ticks[-1], *ticks[1:-1]):
        at = round(place * (width - 1))
        bar[at] = lines["tick"]
        start = min(at + _MARGIN - len(label) // 2, width + _MARGIN - len(label))
        if not "".join(labels[start - 1 : start + len(label) + 1]).strip():
            labels[start : start + len(label)] = label
    return [" " * (_MARGIN - 1) + lines["corner"] + "".join(bar), "".join(labels).rstrip()]


def _log_position(x: Floats, log_from: float) -> Floats:
    return 1 - np.log10(np.clip(x, log_from, 1)) / math.log10(log_from)


def log_start(x: ArrayLike) -> float | None:
    """Finds where a log axis has to begin to show the smallest positive x; None if a linear axis shows it.

    >>> log_start([0, 0.002, 0.4]), log_start([0, 1e-6, 1]), log_start([0, 0.5, 1])
    (0.001, 0.0001, None)
    """
    values = np.asarray(x, np.float64)
    smallest = values[values > 0].min(initial=1.0)
    return None if smallest > 0.1 else max(10.0 ** math.floor(math.log10(smallest) + 1e-9), 1e-4)


@dataclass(frozen=True, slots=True)
class TextPlot:
    """A line through points in 0..1, with its labels; `log_from` is the start of a log x axis."""

    x: ArrayLike
    y: ArrayLike
    title: str
    xlabel: str
    ylabel: str
    log_from: float | None = None

    def draw(self, width: int, height: int, ascii_only: bool = False) -> str:
        """Draws the line `width` characters wide and `height` rows high, plus axes and labels."""
        x, y = np.asarray(self.x, np.float64), np.asarray(self.y, np.float64)
        if not x.size or np.isnan(x).any() or np.isnan(y).any():
            return f"{self.title}\n(not defined: needs messages of both classes)"
        lines = _ASCII_LINES if ascii_only else _LINES
        inner = width - _MARGIN
        place = x if self.log_from is None else _log_position(x, self.log_from)
        marks = {0: "100%", (height - 1) // 2: " 50%", height - 1: "  0%"}
        body = [
            f"{marks.get(i, ''):>4} {lines['mark' if i in marks else 'side']}{row}".rstrip()
            for i, row in enumerate(_canvas(place, y, inner, height, ascii_only))
        ]
        axis = _axis(_ticks(self.log_from), inner, lines)
        head = [self.title.center(width).rstrip(), self.ylabel]
        return "\n".join([*head, *body, *axis, self.xlabel.rjust(width)])


def roc_plot(curves: Curves) -> TextPlot:
    """Makes the ROC plot, on a log axis if data allow: a good filter's curve lies in the leftmost percent."""
    start = log_start(curves.fpr)
    scale = "" if start is None else ", log scale"
    return TextPlot(curves.fpr, curves.tpr, "ROC curve", f"false positive rate{scale}", "recall", start)


def precision_recall_plot(curves: Curves) -> TextPlot:
    """Makes the precision-recall plot."""
    return TextPlot(curves.recall, curves.precision, "Precision-recall curve", "recall", "precision")
