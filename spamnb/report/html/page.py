"""The whole page: sections in order, style and script inline, and a policy that forbids everything else."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256

from spamnb._version import __version__
from spamnb.evaluation import EvaluationSummary, Facts
from spamnb.metrics import Confusion, MultiScores
from spamnb.report.html.markup import Html, h, join
from spamnb.report.html.mistakes import mistakes
from spamnb.report.html.overview import overview
from spamnb.report.html.script import SCRIPT
from spamnb.report.html.style import style
from spamnb.report.html.tables import classes, many_matrix, measures, tokens
from spamnb.report.html.threshold import matrix, threshold_section
from spamnb.report.model_card import card_rows
from spamnb.report.plots import svg
from spamnb.report.plots.figures import Figures
from spamnb.report.plots.shapes import Drawing

HEADING = "How well the filter works"
_CAPTIONS = {
    "roc": "Up and to the left is better; the dashed line is guessing. The dot is the operating point.",
    "precision-recall": "Up and to the right is better; the dashed line is guessing.",
    "scores": "The further apart the two hills, the better. The line is the threshold.",
    "reliability": "A dot on the dashed line keeps its word. Bars are 95% intervals; larger dots stand for "
    "more messages.",
}


def page(found: EvaluationSummary, stated: bool = False) -> str:
    """An HTML document; `stated`: decisions came with the data, not from a threshold."""
    figures = None
    if found.panels is not None:
        figures = Figures(found.panels, found.positive, found.negative)
    sections: list[Html | None] = [overview(found), *_body(found, figures, stated), measures(found)]
    sections += [tokens(found), mistakes(found), _card("About the data", "data", found.data), _model(found)]
    header = h(
        "header",
        h("h1", HEADING),
        h("p", found.title, class_="sub"),
        join([h("p", note, class_="sub muted") for note in found.notes]),
    )
    footer = h("footer", f"Made by spamnb {__version__}. This file is complete: it loads nothing.")
    main = h("main", header, *sections, footer)
    return f"<!DOCTYPE html>\n{h('html', _head(found, figures), h('body', main, _script()), lang='en')}\n"


def _head(found: EvaluationSummary, figures: Figures | None) -> Html:
    left = right = 0.0
    if figures is not None:
        frame, width = figures.cost_frame(), figures.thresholds().width
        left, right = 100 * frame.x.start / width, 100 * (1 - frame.x.end / width)
    digest = b64encode(sha256(SCRIPT.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    return h(
        "head",
        h("meta", charset="utf-8"),
        h("meta", http_equiv="Content-Security-Policy", content=policy),
        h("meta", name="viewport", content="width=device-width, initial-scale=1"),
        h("meta", name="color-scheme", content="light dark"),
        h("meta", name="generator", content=f"spamnb {__version__}"),
        h("title", f"{HEADING}: {found.title}"),
        Html(f"<style>{style(left, right)}</style>"),
    )


def _script() -> Html:
    return Html(f"<script>{SCRIPT}</script>")


def _body(found: EvaluationSummary, figures: Figures | None, stated: bool) -> list[Html]:
    scores = found.scores
    if isinstance(scores, MultiScores):
        return [many_matrix(scores), classes(scores)]
    c = Confusion(
        scores.true_positives, scores.false_positives, scores.false_negatives, scores.true_negatives
    )
    if figures is None:
        table = matrix(c, found.positive, found.negative)
        return [h("section", h("h2", "Right and wrong", id="matrix"), table, aria_labelledby="matrix")]
    return [threshold_section(figures, c, stated), _curves(figures)]


def _curves(figures: Figures) -> Html:
    drawn = {name: drawing for name, drawing in figures.all().items() if name in _CAPTIONS}
    plots = [_plot(drawing, _CAPTIONS[name]) for name, drawing in drawn.items()]
    return h(
        "section",
        h("h2", "Curves", id="curves"),
        h("div", join(plots), class_="two"),
        aria_labelledby="curves",
    )


def _plot(drawing: Drawing, caption: str) -> Html:
    return h("figure", h("h3", drawing.title), Html(svg.inline(drawing)), h("figcaption", caption))


def _card(title: str, name: str, facts: Facts) -> Html | None:
    if not facts:
        return None
    rows = [join([h("dt", key), h("dd", value)]) for key, value in facts]
    return h("section", h("h2", title, id=name), h("dl", join(rows)), aria_labelledby=name)


def _model(found: EvaluationSummary) -> Html | None:
    if found.model is None:
        return None
    rows = [
        (name, value)
        for name, value in card_rows(dict(found.model))
        if name != "model" or found.model["path"]
    ]
    return _card("About the model", "model", tuple(rows))
