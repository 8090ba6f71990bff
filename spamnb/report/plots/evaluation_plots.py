"""Draws the plots of an evaluation: ROC, precision-recall, scores, calibration, and metrics by threshold."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from spamnb.core import visible
from spamnb.evaluation import Panels, logit
from spamnb.metrics import Floats
from spamnb.report.plots.axes import BOTTOM, LEFT, PERCENTS, RIGHT, TOP, Axes, Ticks
from spamnb.report.plots.drawing import Box, Dot, Drawing, Line, Shape, TextShape, path, segment
from spamnb.report.text_plots import log_start

_PROBABILITIES = (0.0001, 0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999)
_LOW_TOP = 43.0  # of plots without text above the axes
_COST_RIGHT = 396.0  # of the axes that have a second scale at their right


def short(label: str) -> str:
    """Shortens a label so that it fits into a plot."""
    text = visible(label)
    return text if len(text) <= 12 else text[:11] + "…"


@dataclass(frozen=True, slots=True)
class EvaluationPlots:
    """Draws panels; `positive` and `negative` are the labels."""

    panels: Panels
    positive: str
    negative: str

    def all(self) -> dict[str, Drawing]:
        """Draws every plot that the data allow, by file name."""
        plots: dict[str, Drawing] = {}
        if self.panels.roc is not None:
            plots |= {"roc": self.roc(), "precision-recall": self.precision_recall()}
        plots["scores"] = self.scores()
        if self.panels.reliability:
            plots["calibration"] = self.calibration()
        return plots | {"thresholds": self.thresholds()}

    @property
    def rates(self) -> tuple[float, float, float]:
        """False positive rate, recall and precision of the decisions."""
        tp, fp = self.panels.flagged
        fpr = fp / self.panels.negatives if self.panels.negatives else 0.0
        recall = tp / self.panels.positives if self.panels.positives else 0.0
        return fpr, recall, tp / (tp + fp) if tp + fp else 1.0

    def roc_start(self) -> float | None:
        """Returns the lowest false positive rate of a log axis, None for a linear one."""
        return None if self.panels.roc is None else log_start(self.panels.roc[0])

    def roc_axes(self) -> Axes:
        start = self.roc_start()
        return Axes.of((0.0, 1.0) if start is None else (math.log10(start), 0.0))

    def roc_x(self, fpr: Floats) -> Floats:
        """Maps false positive rates to coordinates; on a log axis 0 goes to its left end."""
        start, axes = self.roc_start(), self.roc_axes()
        return axes.x(fpr) if start is None else axes.x(np.log10(np.maximum(fpr, start)))

    def roc(self) -> Drawing:
        """Draws recall against the false positive rate, on a log axis where there is enough data."""
        assert self.panels.roc is not None
        fpr, tpr = self.panels.roc
        start, axes = self.roc_start(), self.roc_axes()
        ticks, label = PERCENTS, "false positive rate"
        if start is not None:
            ticks = [(float(d), f"{100 * 10.0**d:g}%") for d in range(round(math.log10(start)), 1)]
            label += " (log scale)"
        shapes = axes.draw(ticks, PERCENTS, label, "recall")
        guess = np.linspace(0.0, 1.0, 2) if start is None else np.geomspace(start, 1.0, 60)
        shapes.append(Line(path(self.roc_x(guess), axes.y(guess)), "axis", 1.2, dashed=True))
        shapes.append(Line(path(self.roc_x(fpr), axes.y(tpr)), "curve", 2.2))
        rate, recall, _ = self.rates
        x = float(self.roc_x(np.array([rate]))[0])
        shapes.append(Dot(x, axes.y.one(recall), 6, "mark", "roc-dot"))
        description = f"At the threshold recall is {recall:.1%} and the false positive rate {rate:.2%}. "
        description += "The dashed line is random guessing."
        return Drawing("ROC curve", description, tuple(shapes), top=_LOW_TOP)

    def precision_recall(self) -> Drawing:
        """Draws precision against recall; the dashed line is random guessing."""
        assert self.panels.pr is not None
        recalls, precisions = self.panels.pr
        axes = Axes.of((0.0, 1.0))
        shapes = axes.draw(PERCENTS, PERCENTS, "recall", "precision")
        y = axes.y.one(self.panels.positives / (self.panels.positives + self.panels.negatives))
        shapes.append(segment((LEFT, y), (RIGHT, y), "axis", 1.2, dashed=True))
        shapes.append(Line(path(axes.x(recalls), axes.y(precisions)), "curve", 2.2))
        _, recall, precision = self.rates
        shapes.append(Dot(axes.x.one(recall), axes.y.one(precision), 6, "mark", "pr-dot"))
        description = f"At the threshold recall is {recall:.1%} and precision {precision:.1%}."
        return Drawing("Precision-recall curve", description, tuple(shapes), top=_LOW_TOP)

    def threshold_axes(self, right: float = RIGHT) -> Axes:
        return Axes.of((self.panels.low, self.panels.high), right=right)

    def cost_axes(self) -> Axes:
        """Returns the axes of the plot of thresholds, which leave room for a scale of costs."""
        return self.threshold_axes(_COST_RIGHT)

    def threshold_ticks(self) -> Ticks:
        """Returns probabilities, or round scores."""
        low, high = self.panels.low, self.panels.high
        if self.panels.probabilities:
            inside = [p for p in _PROBABILITIES if low <= logit(p) <= high]
            return [(logit(p), f"{100 * p:g}%") for p in inside]
        return [(value, f"{value:g}") for value in round_values(low, high)]

    def _score_label(self) -> str:
        if self.panels.probabilities:
            return f"predicted probability of {short(self.positive)}"
        return "score"

    def scores(self) -> Drawing:
        """Draws the score distribution of both classes: the positive above the axis, the other below."""
        histogram = self.panels.histogram
        tallest = max(float(histogram.positive.max()), float(histogram.negative.max()), 1e-9)
        axes = Axes.of((self.panels.low, self.panels.high), (-tallest, tallest))
        steps = [v for v in round_values(0.0, tallest, 3) if v]
        ticks = [(sign * v, f"{100 * v:g}%") for v in steps for sign in (1, -1)] + [(0.0, "0")]
        shapes = axes.draw(self.threshold_ticks(), ticks, self._score_label(), "share of the class")
        middle = axes.y.one(0)
        shapes += [*self._bars(axes, 1), *self._bars(axes, -1)]
        shapes += [
            segment((LEFT, middle), (RIGHT, middle), "axis"),
            TextShape(LEFT + 8, TOP - 4, short(self.positive), "spam", "start", bold=True),
            TextShape(LEFT + 8, BOTTOM - 6, short(self.negative), "ham", "start", bold=True),
            self._threshold_line(axes, "scores-cut"),
        ]
        description = f"Scores of {short(self.positive)} above the axis, of {short(self.negative)} below it."
        return Drawing("Score distribution", description, tuple(shapes))

    def _bars(self, axes: Axes, sign: int) -> list[Shape]:
        """Draws the histogram of the positive class (sign 1, upwards) or of the other (-1, downwards)."""
        histogram = self.panels.histogram
        role, shares = ("spam", histogram.positive) if sign > 0 else ("ham", histogram.negative)
        edges, middle, boxes = axes.x(histogram.edges), axes.y.one(0), list[Shape]()
        for left, right, share in zip(edges, edges[1:], shares, strict=False):
            height = abs(axes.y.one(sign * share) - middle)
            if height > 0.05:
                top = middle - height if sign > 0 else middle
                boxes.append(Box(float(left) + 0.5, top, float(right - left) - 1, height, role))
        return boxes

    def _threshold_line(self, axes: Axes, name: str) -> Line:
        x = axes.x.one(float(self.panels.sweep.thresholds[self.panels.sweep.at]))
        return segment((x, TOP), (x, BOTTOM), "mark", 1.6, name=name)

    def calibration(self) -> Drawing:
        """Draws the actual share of the positive class against the predicted probability."""
        axes = Axes.of((0.0, 1.0))
        shapes = axes.draw(PERCENTS, PERCENTS, self._score_label(), f"actual share of {short(self.positive)}")
        shapes.append(segment((LEFT, BOTTOM), (RIGHT, TOP), "axis", 1.2, dashed=True))
        buckets = self.panels.reliability
        xs = axes.x([b.predicted for b in buckets])
        for x, bucket in zip(xs.tolist(), buckets, strict=True):
            shapes.append(segment((x, axes.y.one(bucket.low)), (x, axes.y.one(bucket.high)), "curve", 1.4))
        shapes.append(Line(path(xs, axes.y([b.observed for b in buckets])), "curve", 2.2))
        largest = max(b.count for b in buckets)
        for x, bucket in zip(xs.tolist(), buckets, strict=True):
            radius = 3 + 4 * math.sqrt(bucket.count / largest)
            shapes.append(Dot(x, axes.y.one(bucket.observed), radius, "curve"))
        description = "Points on the dashed line are perfectly calibrated. "
        description += "Bars are 95% confidence intervals; larger dots stand for more messages."
        return Drawing("Calibration", description, tuple(shapes), top=_LOW_TOP)

    def thresholds(self) -> Drawing:
        """Draws recall, false positive rate and cost against the threshold."""
        axes, sweep = self.cost_axes(), self.panels.sweep
        positives, negatives = self.panels.positives, self.panels.negatives
        shapes = axes.draw(self.threshold_ticks(), PERCENTS, "threshold", "share of the class")
        cost = sweep.cost(positives, negatives, self.panels.costs)
        highest = max(float(cost.max()), 1e-9)
        shapes += _cost_scale(highest)
        x = axes.x(np.clip(sweep.thresholds, self.panels.low, self.panels.high))
        shapes.append(Line(path(x, axes.y(cost / highest)), "cost", 1.8, dashed=True))
        legend = [("cost", "cost")]
        for role, name, counts, total in (
            ("ham", "false positive rate", sweep.fp, negatives),
            ("spam", "recall", sweep.tp, positives),
        ):
            if total:
                shapes.append(Line(path(x, axes.y(counts / total)), role, 2.2))
                legend.insert(0, (role, name))
        shapes += [*_legend(legend), self._threshold_line(axes, "thresholds-cut")]
        description = "Recall, false positive rate and cost per message at every threshold."
        return Drawing("Metrics by threshold", description, tuple(shapes))


def _cost_scale(highest: float) -> list[Shape]:
    """Draws a second scale at the right, from 0 to the highest cost."""
    axes = Axes.of((0.0, 1.0), (0.0, highest))
    marks: list[Shape] = [
        TextShape(_COST_RIGHT + 8, axes.y.one(v) + 4, f"{v:g}", "cost", "start")
        for v in round_values(0.0, highest, 5)
    ]
    return [*marks, TextShape(452, (TOP + BOTTOM) / 2, "cost per message", "cost", vertical=True)]


def _legend(entries: list[tuple[str, str]]) -> list[Shape]:
    """Draws roles and names of lines in a row above the plot."""
    shapes: list[Shape] = []
    x = LEFT
    for role, name in entries:
        shapes.append(segment((x, TOP - 12), (x + 16, TOP - 12), role, 2.4, dashed=role == "cost"))
        shapes.append(TextShape(x + 21, TOP - 8, name, "text", "start"))
        x += 34 + 8.2 * len(name)
    return shapes


def round_values(low: float, high: float, most: int = 6) -> list[float]:
    """Returns at most so many round numbers from low to high.

    >>> round_values(0, 0.37, 4), round_values(-3, 18)
    ([0.0, 0.1, 0.2, 0.3], [0.0, 5.0, 10.0, 15.0])
    """
    span = high - low
    if span <= 0 or not math.isfinite(span):
        return [low]
    power = 10.0 ** math.floor(math.log10(span / most))
    step = next(m * power for m in (1, 2, 5, 10, 20) if span / (m * power) <= most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(i * step, 12) + 0.0 for i in range(first, last + 1)]
