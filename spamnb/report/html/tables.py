"""Tables of a page: measures, classes, the matrix of several classes, tokens."""

from __future__ import annotations

import math
from collections.abc import Sequence

from spamnb.evaluation import EvaluationSummary
from spamnb.metrics import MultiScores, Scores, wilson_interval
from spamnb.model import TokenRow
from spamnb.report.html.markup import Html, h, join
from spamnb.report.html.numbers import count, log_odds, number, percent
from spamnb.report.terminal import MEASURES, MULTI_MEASURES


def measures(found: EvaluationSummary) -> Html:
    """Every measure with its meaning."""
    scores = found.scores
    names = {"spam": found.positive, "ham": found.negative}
    rows = []
    for name, printed, kind, meaning in MEASURES if isinstance(scores, Scores) else MULTI_MEASURES:
        if name:
            value = getattr(scores, name)
            written = percent(value) if kind == "share" else number(value)
            interval = _interval(scores, name) if isinstance(scores, Scores) else ""
            rows.append(_measure(printed, written, interval, meaning.format(**names)))
    interval = "95% interval" if isinstance(scores, Scores) else ""
    head = h("tr", _th("measure"), _th("value", "n"), _th(interval), _th("meaning", "meaning"))
    table = h("table", h("thead", head), h("tbody", join(rows)), class_="wide")
    return h(
        "section", h("h2", "All figures", id="all"), h("div", table, class_="scroll"), aria_labelledby="all"
    )


def _measure(name: str, value: str, interval: str, meaning: str) -> Html:
    cells = h("td", h("b", value), class_="n"), h("td", interval), h("td", meaning, class_="meaning muted")
    return h("tr", h("th", name, scope="row"), *cells)


def _interval(scores: Scores, name: str) -> str:
    hits = scores.true_positives
    counts = {
        "accuracy": (hits + scores.true_negatives, scores.messages),
        "precision": (hits, hits + scores.false_positives),
        "recall": (hits, scores.spam),
    }
    low, high = wilson_interval(*counts.get(name, (0, 0)))
    return "" if math.isnan(low) else f"{100 * low:.1f}–{100 * high:.1f}%"


def _th(words: str, kind: str | None = None) -> Html:
    return h("th", words, scope="col", class_=kind)


def many_matrix(scores: MultiScores) -> Html:
    """The confusion matrix of several classes, darker where more of a class went."""
    labels = [c.label for c in scores.classes]
    head = h("tr", _th("really ↓ called →"), join([_th(label, "n") for label in labels]))
    rows = [
        _matrix_row(label, i, row)
        for i, (label, row) in enumerate(zip(labels, scores.confusion, strict=True))
    ]
    table = h("table", h("thead", head), h("tbody", join(rows)), class_="heat", aria_label="Confusion matrix")
    said = "A row is a class as it really is; the darker a cell, the larger its share of the row."
    title = h("h2", "Which class was taken for which", id="matrix")
    return h("section", title, h("p", said), h("div", table, class_="scroll"), aria_labelledby="matrix")


def _matrix_row(label: str, truth: int, row: Sequence[int]) -> Html:
    whole, cells = sum(row), []
    for said, n in enumerate(row):
        colour = "--ham" if said == truth else "--spam"
        style = f"--part:{n / whole if whole else 0:.3f};--heat:var({colour})"
        cells.append(h("td", count(n), style=style))
    return h("tr", h("th", label, scope="row"), join(cells))


def classes(scores: MultiScores) -> Html:
    """How well each class is recognised."""
    head = h("tr", _th("class"), *(_th(name, "n") for name in ("precision", "recall", "F1", "messages")))
    rows = [
        h(
            "tr",
            h("th", c.label, scope="row"),
            *(
                h("td", value, class_="n")
                for value in (percent(c.precision), percent(c.recall), number(c.f1), count(c.support))
            ),
        )
        for c in scores.classes
    ]
    table = h("table", h("thead", head), h("tbody", join(rows)), class_="wide")
    title = h("h2", "Class by class", id="classes")
    return h("section", title, h("div", table, class_="scroll"), aria_labelledby="classes")


def tokens(found: EvaluationSummary) -> Html | None:
    """What speaks most for each class."""
    if not found.tokens:
        return None
    tables = [_tokens(found, label, rows) for label, rows in found.tokens.items()]
    said = "The weight is what one occurrence adds to the log-odds, before damping and calibration."
    return h(
        "section",
        h("h2", "The strongest tokens", id="tokens"),
        h("p", said),
        h("div", join(tables), class_="two"),
        aria_labelledby="tokens",
    )


def _tokens(found: EvaluationSummary, label: str, rows: Sequence[TokenRow]) -> Html:
    two = len(found.labels) == 2
    strongest = max((abs(r.weight) for r in rows if math.isfinite(r.weight)), default=1.0) or 1.0
    heads = [f"in {name}" for name in found.labels] if two else ["messages"]
    head = h(
        "tr", _th("token"), join([_th(name, "n") for name in heads]), _th("weight", "n"), _th("", "bars")
    )
    side = "for" if label == found.positive or not two else "against"
    body = []
    for row in rows:
        width = 100 * min(abs(row.weight) / strongest, 1)
        seen = row.messages if two else (row.messages[found.labels.index(label)],)
        cells = [h("td", count(n), class_="n") for n in seen]
        bar = h("span", class_=f"bar {side}", style=f"width:{width:.0f}%")
        body.append(
            h(
                "tr",
                h("td", row.token, class_="token"),
                join(cells),
                h("td", log_odds(row.weight), class_="n"),
                h("td", bar, class_="bars", style="width:18%", aria_hidden="true"),
            )
        )
    table = h("table", h("thead", head), h("tbody", join(body)), class_="wide")
    return h("div", h("h3", f"For {label}"), h("div", table, class_="scroll"))
