"""The part of a page where the threshold can be moved: a plot, a slider, and the matrix that follows it."""

from __future__ import annotations

import json

import numpy as np

from spamnb.evaluation import Panels, Sweep
from spamnb.metrics import Confusion, Floats, expected_cost
from spamnb.report.html.markup import Html, h, join
from spamnb.report.html.numbers import count, number, probability, share
from spamnb.report.plots import svg
from spamnb.report.plots.figures import Figures
from spamnb.report.plots.frame import Frame


def threshold_section(figures: Figures, confusion: Confusion, stated: bool) -> Html:
    """`stated`: the decisions came with the data, not from a threshold."""
    shown = figures.panels
    drawing = figures.thresholds()
    at = "as decided" if stated else label(shown, shown.sweep.used)
    plot = h(
        "figure",
        Html(svg.inline(drawing)),
        h("div", _slider(shown.sweep, at), class_="slider"),
        h("figcaption", _caption(shown)),
    )
    right = h(
        "div",
        _now(at, stated),
        matrix(confusion, figures.positive, figures.negative),
        _live(figures, confusion),
    )
    return h(
        "section",
        h("h2", "Try another threshold", id="try"),
        h(
            "p",
            "Move the slider, or use the arrow keys. The matrix follows, and so do the marks in the curves.",
            class_="screen",
        ),
        h("div", plot, right, class_="two"),
        Html(f'<script type="application/json" id="sweep">{table(figures, at)}</script>'),
        aria_labelledby="try",
    )


def label(panels: Panels, threshold: float) -> str:
    """A threshold as the page names it."""
    if panels.probabilities:
        return probability(float(1 / (1 + np.exp(-threshold))))
    return f"{threshold:.4g}"


def _slider(sweep: Sweep, at: str) -> Html:
    last = len(sweep.thresholds) - 1
    about = {"aria_label": "Threshold", "aria_valuetext": at}
    return h("input", type="range", id="threshold", min=0, max=last, step=1, value=sweep.at, **about)


def _caption(panels: Panels) -> str:
    fp, fn = panels.costs
    cost = panels.sweep.cost(panels.positives, panels.negatives, panels.costs)
    best = int(np.argmin(cost))
    where = label(panels, float(panels.sweep.thresholds[best]))
    return (
        f"A lost message costs {fp:g}, a missed one {fn:g}. Here mistakes would have cost least at {where}; "
        f"a threshold chosen here must be checked on other messages."
    )


def _now(at: str, stated: bool) -> Html:
    words = "Back" if stated else f"Back to {at}"
    back = h("button", words, type="button", id="reset", disabled=True)
    return h("div", h("span", "Threshold ", h("output", at, id="at", for_="threshold")), back, class_="now")


def matrix(c: Confusion, positive: str, negative: str) -> Html:
    """The confusion matrix of two classes; each cell as a number and as a share of its row."""
    head = h(
        "tr", h("td", "", style="visibility:hidden"), _head(f"called {positive}"), _head(f"called {negative}")
    )
    first = h(
        "tr",
        _side(f"really {positive}"),
        _cell("tp", c.tp, c.tp + c.fn, True),
        _cell("fn", c.fn, c.tp + c.fn),
    )
    second = h(
        "tr",
        _side(f"really {negative}"),
        _cell("fp", c.fp, c.fp + c.tn),
        _cell("tn", c.tn, c.fp + c.tn, True),
    )
    table = h(
        "table", h("thead", head), h("tbody", first, second), class_="matrix", aria_label="Confusion matrix"
    )
    return h("div", table, class_="scroll")


def _head(words: str) -> Html:
    return h("th", words, scope="col")


def _side(words: str) -> Html:
    return h("th", words, scope="row")


def _cell(name: str, n: int, whole: int, good: bool = False) -> Html:
    inner = h("b", count(n), id=f"n-{name}"), h("span", share(n, whole), id=f"p-{name}")
    return h("td", *inner, class_="good" if good else "bad" if n else None)


def _live(figures: Figures, c: Confusion) -> Html:
    spam, ham = figures.positive, figures.negative
    cost = expected_cost(c, *figures.panels.costs)
    rows = [
        ("recall", share(c.tp, c.tp + c.fn), f"{spam} caught (recall)"),
        ("lost", share(c.fp, c.fp + c.tn), f"{ham} lost (false positive rate)"),
        ("precision", share(c.tp, c.tp + c.fp), f"really {spam} of what is called so (precision)"),
        ("f1", number(c.f1), "F1"),
        ("cost", number(cost), "cost per message"),
    ]
    body = [
        h("tr", h("th", words, scope="row"), h("td", v, id=f"v-{name}", class_="n"))
        for name, v, words in rows
    ]
    return h("table", h("tbody", join(body)), class_="wide", aria_label="Figures at this threshold")


def table(figures: Figures, at: str) -> str:
    """What the script needs, numbers and thresholds only; ready to stand in a page."""
    shown, sweep = figures.panels, figures.panels.sweep
    positives, negatives = shown.positives, shown.negatives
    labels = [label(shown, t) for t in sweep.thresholds.tolist()]
    labels[sweep.at] = at
    called = np.maximum(sweep.tp + sweep.fp, 1)
    precision = np.where(sweep.tp + sweep.fp > 0, sweep.tp / called, 1.0)
    square = Frame.of((0.0, 1.0))
    recall = sweep.tp / max(positives, 1)
    columns = [
        labels,
        sweep.tp.tolist(),
        sweep.fp.tolist(),
        _tenths(figures.cost_frame().x(sweep.thresholds)),
        _tenths(figures.threshold_frame().x(sweep.thresholds)),
        _tenths(figures.roc_x(sweep.fp / max(negatives, 1))),
        _tenths(square.y(recall)),
        _tenths(square.x(recall)),
        _tenths(square.y(precision)),
    ]
    rows = [list(row) for row in zip(*columns, strict=True)]
    data = {
        "at": sweep.at,
        "positives": positives,
        "negatives": negatives,
        "costs": shown.costs,
        "rows": rows,
    }
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def _tenths(values: Floats) -> list[float]:
    rounded: list[float] = np.round(values, 1).tolist()
    return rounded
