"""Computes the data of the slider: labels, counts and coordinates at every threshold."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spamnb.evaluation import Panels
from spamnb.metrics import Confusion, Floats, expected_cost
from spamnb.report.html.number_format import decimal, format_probability, share
from spamnb.report.plots.axes import Axes
from spamnb.report.plots.evaluation_plots import EvaluationPlots


class ThresholdSlider(NamedTuple):
    """The slider, its data for report.js, and the metrics that follow it, as (id, name, value).

    `margins` are the distances in percent from the sides of the plot to the ends of its x axis.
    """

    label: str
    reset_label: str
    position: int
    last: int
    margins: tuple[float, float]
    metrics: tuple[tuple[str, str, str], ...]
    data: dict[str, Any]


def threshold_slider(plots: EvaluationPlots, c: Confusion, external_decisions: bool) -> ThresholdSlider:
    """Places the slider at the threshold in use, or at the one that comes nearest to external decisions."""
    panels, sweep = plots.panels, plots.panels.sweep
    label = "as decided" if external_decisions else threshold_label(panels, sweep.used)
    metrics = (
        ("v-recall", "recall", share(c.tp, c.tp + c.fn)),
        ("v-fpr", "false positive rate", share(c.fp, c.fp + c.tn)),
        ("v-precision", "precision", share(c.tp, c.tp + c.fp)),
        ("v-f1", "F1", decimal(c.f1)),
        ("v-cost", "cost per message", decimal(expected_cost(c, *panels.costs))),
    )
    return ThresholdSlider(
        label=label,
        reset_label="Reset" if external_decisions else f"Reset to {label}",
        position=sweep.at,
        last=len(sweep.thresholds) - 1,
        margins=_margins(plots),
        metrics=metrics,
        data=_slider_data(plots, label),
    )


def threshold_label(panels: Panels, threshold: float) -> str:
    """Formats a threshold: a probability, or a score."""
    if panels.probabilities:
        return format_probability(float(1 / (1 + np.exp(-threshold))))
    return f"{threshold:.4g}"


def cheapest_label(panels: Panels) -> str:
    """Formats the threshold of the lowest cost with all its digits, if it is another than the one in use."""
    sweep = panels.sweep
    if sweep.best == sweep.at:
        return threshold_label(panels, sweep.used)
    threshold = float(sweep.thresholds[sweep.best])
    return f"{100 / (1 + np.exp(-threshold)):.12g}%" if panels.probabilities else f"{threshold:.12g}"


def _slider_data(plots: EvaluationPlots, current: str) -> dict[str, Any]:
    """Returns what report.js needs; `current` is the label of the threshold in use.

    A row is: label, true positives, false positives, x in the plot of thresholds, x in the score
    distribution, then x and y of the dots in the ROC plot and in the precision-recall plot.
    """
    panels, sweep = plots.panels, plots.panels.sweep
    labels = [threshold_label(panels, t) for t in sweep.thresholds.tolist()]
    labels[sweep.best] = cheapest_label(panels)
    labels[sweep.at] = current
    flagged = sweep.tp + sweep.fp
    precision = np.where(flagged > 0, sweep.tp / np.maximum(flagged, 1), 1.0)
    recall = sweep.tp / max(panels.positives, 1)
    unit = Axes.of((0.0, 1.0))
    shown = np.clip(sweep.thresholds, panels.low, panels.high)
    columns = [
        labels,
        sweep.tp.tolist(),
        sweep.fp.tolist(),
        _tenths(plots.cost_axes().x(shown)),
        _tenths(plots.threshold_axes().x(shown)),
        _tenths(plots.roc_x(sweep.fp / max(panels.negatives, 1))),
        _tenths(unit.y(recall)),
        _tenths(unit.x(recall)),
        _tenths(unit.y(precision)),
    ]
    return {
        "at": sweep.at,
        "positives": panels.positives,
        "negatives": panels.negatives,
        "costs": panels.costs,
        "rows": [list(row) for row in zip(*columns, strict=True)],
    }


def _margins(plots: EvaluationPlots) -> tuple[float, float]:
    scale, width = plots.cost_axes().x, plots.thresholds().width
    return 100 * scale.start / width, 100 * (1 - scale.end / width)


def _tenths(values: Floats) -> list[float]:
    rounded: list[float] = np.round(values, 1).tolist()
    return rounded
