"""The plots of an evaluation: ROC, precision-recall, scores, reliability, and what each threshold gives."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from spamnb.core import visible
from spamnb.evaluation import Panels, logit
from spamnb.metrics import Floats
from spamnb.report.plots.frame import BOTTOM, LEFT, PERCENTS, RIGHT, TOP, Frame, Ticks, line
from spamnb.report.plots.shapes import Box, Dot, Drawing, Line, Shape, Words, path
from spamnb.report.text_plots import log_start

_PROBABILITIES = (0.0001, 0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999)
_LOW_TOP = 43.0  # where nothing is written above the plot
_COST_RIGHT = 396.0  # where a second scale stands at the right


def short(label: str) -> str:
    """A label that fits into a plot."""
    text = visible(label)
    return text if len(text) <= 12 else text[:11] + "…"


@dataclass(frozen=True, slots=True)
class Figures:
    """Draws panels; `positive` and `negative` are the labels."""

    panels: Panels
    positive: str
    negative: str

    def all(self) -> dict[str, Drawing]:
        """Those that can be drawn, by file name."""
        found: dict[str, Drawing] = {}
        if self.panels.roc is not None:
            found |= {"roc": self.roc(), "precision-recall": self.precision_recall()}
        found["scores"] = self.scores()
        if self.panels.reliability:
            found["reliability"] = self.reliability()
        return found | {"thresholds": self.thresholds()}

    @property
    def rates(self) -> tuple[float, float, float]:
        """False positive rate, recall and precision of the decisions that were taken."""
        tp, fp = self.panels.called
        rate = fp / self.panels.negatives if self.panels.negatives else 0.0
        recall = tp / self.panels.positives if self.panels.positives else 0.0
        return rate, recall, tp / (tp + fp) if tp + fp else 1.0

    def roc_start(self) -> float | None:
        return None if self.panels.roc is None else log_start(self.panels.roc[0])

    def roc_frame(self) -> Frame:
        start = self.roc_start()
        return Frame.of((0.0, 1.0) if start is None else (math.log10(start), 0.0))

    def roc_x(self, fpr: Floats) -> Floats:
        """Where a false positive rate lies; on a log axis 0 stands at its left end."""
        start, frame = self.roc_start(), self.roc_frame()
        return frame.x(fpr) if start is None else frame.x(np.log10(np.maximum(fpr, start)))

    def roc(self) -> Drawing:
        """Recall against the false positive rate, on a log axis where the data reach that far."""
        assert self.panels.roc is not None
        fpr, tpr = self.panels.roc
        start, frame = self.roc_start(), self.roc_frame()
        ticks: Ticks = PERCENTS
        if start is not None:
            ticks = [(float(d), f"{100 * 10.0**d:g}%") for d in range(round(math.log10(start)), 1)]
        label = f"{short(self.negative)} called {short(self.positive)}"
        shapes = frame.axes(
            ticks, PERCENTS, label if start is None else f"{label} (log scale)", self._caught()
        )
        guess = np.linspace(0.0, 1.0, 2) if start is None else np.geomspace(start, 1.0, 60)
        shapes.append(Line(path(self.roc_x(guess), frame.y(guess)), "axis", 1.2, dashed=True))
        shapes.append(Line(path(self.roc_x(fpr), frame.y(tpr)), "curve", 2.2))
        rate, recall, _ = self.rates
        at = float(self.roc_x(np.array([rate]))[0])
        shapes.append(Dot(at, frame.y.one(recall), 6, "mark", "roc-dot"))
        said = f"At the operating point {recall:.1%} of {short(self.positive)} is caught "
        said += f"and {rate:.2%} of {short(self.negative)} is lost; the dashed line is guessing."
        return Drawing("ROC curve", said, tuple(shapes), top=_LOW_TOP)

    def precision_recall(self) -> Drawing:
        """Precision against recall; the dashed line is what guessing gives."""
        assert self.panels.pr is not None
        recall, precision = self.panels.pr
        frame = Frame.of((0.0, 1.0))
        shapes = frame.axes(PERCENTS, PERCENTS, self._caught(), f"really {short(self.positive)}")
        share = self.panels.positives / (self.panels.positives + self.panels.negatives)
        y = frame.y.one(share)
        shapes.append(line(LEFT, y, RIGHT, y, "axis", 1.2, dashed=True))
        shapes.append(Line(path(frame.x(recall), frame.y(precision)), "curve", 2.2))
        _, at, hit = self.rates
        shapes.append(Dot(frame.x.one(at), frame.y.one(hit), 6, "mark", "pr-dot"))
        said = f"At the operating point {at:.1%} of {short(self.positive)} is caught "
        said += f"and {hit:.1%} of what is called so is so."
        return Drawing("Precision and recall", said, tuple(shapes), top=_LOW_TOP)

    def _caught(self) -> str:
        return f"{short(self.positive)} caught"

    def threshold_frame(self, right: float = RIGHT) -> Frame:
        return Frame.of((self.panels.low, self.panels.high), right=right)

    def threshold_ticks(self) -> Ticks:
        """Probabilities, or round scores."""
        low, high = self.panels.low, self.panels.high
        if self.panels.probabilities:
            shown = [p for p in _PROBABILITIES if low <= logit(p) <= high]
            return [(logit(p), f"{100 * p:g}%") for p in shown]
        return [(value, f"{value:g}") for value in round_values(low, high)]

    def _threshold_label(self) -> str:
        return f"probability of {short(self.positive)}" if self.panels.probabilities else "score"

    def scores(self) -> Drawing:
        """How the scores of both classes are spread: one class above the line, the other below."""
        tallest = max(float(self.panels.bars[0].max()), float(self.panels.bars[1].max()), 1e-9)
        frame = Frame.of((self.panels.low, self.panels.high), (-tallest, tallest))
        steps = [v for v in round_values(0.0, tallest, 3) if v]
        ticks = [(sign * v, f"{100 * v:g}%") for v in steps for sign in (1, -1)] + [(0.0, "0")]
        shapes = frame.axes(self.threshold_ticks(), ticks, self._threshold_label(), "share of the class")
        middle = frame.y.one(0)
        edges = frame.x(self.panels.edges)
        for sign, role, bars in ((1, "spam", self.panels.bars[0]), (-1, "ham", self.panels.bars[1])):
            for left, right, share in zip(edges, edges[1:], bars, strict=False):
                height = abs(frame.y.one(sign * share) - middle)
                if height > 0.05:
                    top = middle - height if sign > 0 else middle
                    shapes.append(Box(float(left) + 0.5, top, float(right - left) - 1, height, role))
        shapes.append(line(LEFT, middle, RIGHT, middle, "axis"))
        shapes += [
            Words(LEFT + 8, TOP - 4, short(self.positive), "spam", "start", bold=True),
            Words(LEFT + 8, BOTTOM - 6, short(self.negative), "ham", "start", bold=True),
            self._cut(frame, "scores-cut"),
        ]
        said = f"Scores of {short(self.positive)} above the line and of {short(self.negative)} below it."
        return Drawing("Scores of both classes", said, tuple(shapes))

    def _cut(self, frame: Frame, name: str) -> Line:
        x = frame.x.one(float(self.panels.sweep.thresholds[self.panels.sweep.at]))
        return line(x, TOP, x, BOTTOM, "mark", 1.6, name=name)

    def reliability(self) -> Drawing:
        """How often a message is positive, against how probable it was thought."""
        frame = Frame.of((0.0, 1.0))
        ylabel = f"really {short(self.positive)}"
        shapes = frame.axes(PERCENTS, PERCENTS, self._threshold_label(), ylabel)
        shapes.append(line(LEFT, BOTTOM, RIGHT, TOP, "axis", 1.2, dashed=True))
        found = self.panels.reliability
        x = frame.x([b.predicted for b in found])
        for at, bucket in zip(x.tolist(), found, strict=True):
            shapes.append(line(at, frame.y.one(bucket.low), at, frame.y.one(bucket.high), "curve", 1.4))
        shapes.append(Line(path(x, frame.y([b.observed for b in found])), "curve", 2.2))
        most = max(b.count for b in found)
        for at, bucket in zip(x.tolist(), found, strict=True):
            radius = 3 + 4 * math.sqrt(bucket.count / most)
            shapes.append(Dot(at, frame.y.one(bucket.observed), radius, "curve"))
        said = "On the dashed line probabilities are what happens. "
        said += "Bars are 95% intervals; larger dots stand for more messages."
        return Drawing("Are the probabilities true?", said, tuple(shapes), top=_LOW_TOP)

    def thresholds(self) -> Drawing:
        """Recall, false positive rate and cost if the threshold were another one."""
        frame, sweep = self.threshold_frame(_COST_RIGHT), self.panels.sweep
        positives, negatives = self.panels.positives, self.panels.negatives
        shapes = frame.axes(self.threshold_ticks(), PERCENTS, "threshold", "share of the class")
        cost = sweep.cost(positives, negatives, self.panels.costs)
        lines = [(sweep.fp, negatives, "ham", f"{short(self.negative)} lost")]
        lines.append((sweep.tp, positives, "spam", self._caught()))
        top = max(float(cost.max()), 1e-9)
        shapes += _cost_scale(top)
        x = frame.x(sweep.thresholds)
        shapes.append(Line(path(x, frame.y(cost / top)), "cost", 1.8, dashed=True))
        for counts, whole, role, _ in lines:
            if whole:
                shapes.append(Line(path(x, frame.y(counts / whole)), role, 2.2))
        keys = [(role, name) for _, whole, role, name in reversed(lines) if whole]
        shapes += _legend([*keys, ("cost", "cost per message")])
        shapes.append(self._cut(frame, "thresholds-cut"))
        said = "What is caught, what is lost and what mistakes cost, for every threshold."
        return Drawing("Every threshold", said, tuple(shapes))

    def cost_frame(self) -> Frame:
        return self.threshold_frame(_COST_RIGHT)


def _cost_scale(top: float) -> list[Shape]:
    """A second scale at the right, from 0 to the highest cost."""
    frame = Frame.of((0.0, 1.0), (0.0, top))
    words = [(v, f"{v:g}") for v in round_values(0.0, top, 5)]
    marks: list[Shape] = [
        Words(_COST_RIGHT + 8, frame.y.one(v) + 4, text, "cost", "start") for v, text in words
    ]
    return [*marks, Words(452, (TOP + BOTTOM) / 2, "cost", "cost", upright=True)]


def _legend(keys: list[tuple[str, str]]) -> list[Shape]:
    """Names of the lines in a row above the plot."""
    shapes: list[Shape] = []
    x = LEFT
    for role, name in keys:
        shapes.append(line(x, TOP - 12, x + 16, TOP - 12, role, 2.4, dashed=role == "cost"))
        shapes.append(Words(x + 21, TOP - 8, name, "text", "start"))
        x += 34 + 8.2 * len(name)
    return shapes


def round_values(low: float, high: float, most: int = 6) -> list[float]:
    """At most so many round numbers from low to high.

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
