"""Renders the page: collects the rows of its tables and fills report.html.j2 with them."""

from __future__ import annotations

import math
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from spamnb._version import __version__
from spamnb.core import visible
from spamnb.evaluation import EvaluationSummary
from spamnb.features import token_label
from spamnb.metrics import Confusion, MultiScores, Scores
from spamnb.report.html import wording
from spamnb.report.html.mistake_cards import mistake_groups
from spamnb.report.html.number_format import FILTERS, decimal, interval, percent
from spamnb.report.html.threshold_data import threshold_slider
from spamnb.report.model_card import card_rows
from spamnb.report.plots.drawing import Drawing
from spamnb.report.plots.evaluation_plots import EvaluationPlots
from spamnb.report.plots.palette import PAGE_DARK, PAGE_LIGHT
from spamnb.report.plots.svg import inline_svg, style_rules
from spamnb.report.terminal import METRICS, MULTI_METRICS


def render_page(findings: EvaluationSummary, external_decisions: bool = False) -> str:
    """Returns an HTML document; with `external_decisions` the verdicts were read from the data."""
    script = read_resource("report.js")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    context = {
        "version": __version__,
        "heading": wording.HEADING,
        "title": findings.title,
        "notes": findings.notes,
        "warning": findings.warning,
        "policy": f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'",
        "light": PAGE_LIGHT,
        "dark": PAGE_DARK,
        "style": Markup(style_rules("svg ") + "\n" + read_resource("report.css")),
        "script": Markup(script),
        "positive": findings.classes.positive,
        "negative": findings.classes.negative,
        "summary": wording.summary(findings),
        "tiles": wording.tiles(findings),
        **_results(findings, external_decisions),
        "metrics": _metric_rows(findings),
        "token_tables": _token_tables(findings),
        "token_note": _token_note(findings),
        "mistakes": mistake_groups(findings),
        "facts": _facts(findings),
    }
    return _environment().get_template("report.html.j2").render(context)


def read_resource(name: str) -> str:
    """Reads a file that lies beside this module."""
    return files(__package__).joinpath(name).read_text("utf-8")


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(__package__, ""),
        autoescape=True,
        finalize=show_hidden,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= FILTERS | {"visible": visible}
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    return environment


def show_hidden(value: object) -> object:
    r"""Makes hidden characters visible in every text that the template writes; autoescape does the rest.

    Attributes and the title cannot hold elements: there the template uses the filter `visible`.

    >>> show_hidden("1 < 2"), show_hidden("<b> \u202e")
    ('1 < 2', Markup('&lt;b&gt; <span class="escaped">\\u202e</span>'))
    """
    if isinstance(value, str) and not isinstance(value, Markup) and not value.isprintable():
        return Markup("").join(_show_letter(letter) for letter in value)
    return value


def _show_letter(letter: str) -> Markup:
    if letter == "\n":
        return Markup('<span class="escaped">↵</span><br>')
    shown = visible(letter)
    return escape(letter) if shown == letter else Markup('<span class="escaped">{}</span>').format(shown)


class Plot(NamedTuple):
    """A plot with its caption."""

    title: str
    svg: Markup
    caption: str


def _results(findings: EvaluationSummary, external_decisions: bool) -> dict[str, Any]:
    """Returns confusion matrices, slider and curves; None or empty where they do not apply."""
    results: dict[str, Any] = {"confusion": None, "threshold": None, "curves": [], "classes": []}
    scores, panels = findings.scores, findings.panels
    if isinstance(scores, MultiScores):
        return results | {"classes": _class_rows(scores)}
    confusion = Confusion(
        scores.true_positives, scores.false_positives, scores.false_negatives, scores.true_negatives
    )
    results["confusion"] = confusion
    if panels is not None:
        plots = EvaluationPlots(panels, findings.classes.positive, findings.classes.negative)
        results["threshold"] = threshold_slider(plots, confusion, external_decisions)
        caption = wording.threshold_caption(panels, findings.classes.positive)
        results["threshold_plot"] = _plot(plots.thresholds(), caption)
        results["curves"] = [
            _plot(drawing, wording.CAPTIONS[name])
            for name, drawing in plots.all().items()
            if name in wording.CAPTIONS
        ]
    return results


def _plot(drawing: Drawing, caption: str) -> Plot:
    return Plot(drawing.title, Markup(inline_svg(drawing)), caption)


class ClassRow(NamedTuple):
    """One of several classes: its metrics and its row of the confusion matrix, as (count, share, correct)."""

    label: str
    metrics: tuple[str, str, str]
    messages: int
    cells: tuple[tuple[int, float, bool], ...]


def _class_rows(scores: MultiScores) -> list[ClassRow]:
    rows = []
    for truth, (c, counts) in enumerate(zip(scores.classes, scores.confusion, strict=True)):
        total = max(sum(counts), 1)
        cells = tuple((n, n / total, predicted == truth) for predicted, n in enumerate(counts))
        rows.append(
            ClassRow(c.label, (percent(c.precision), percent(c.recall), decimal(c.f1)), c.support, cells)
        )
    return rows


class MetricRow(NamedTuple):
    """A metric, its value, confidence interval and meaning."""

    name: str
    value: str
    interval: str
    meaning: str


def _metric_rows(findings: EvaluationSummary) -> list[MetricRow]:
    scores = findings.scores
    labels = {"spam": findings.classes.positive, "ham": findings.classes.negative}
    rows = []
    for key, name, kind, meaning in METRICS if isinstance(scores, Scores) else MULTI_METRICS:
        if key:
            value: float = getattr(scores, key)
            written = percent(value) if kind == "share" else decimal(value)
            confidence = _confidence(scores, key) if isinstance(scores, Scores) else ""
            rows.append(MetricRow(name, written, confidence, meaning.format(**labels)))
    return rows


def _confidence(scores: Scores, metric: str) -> str:
    tp = scores.true_positives
    counts = {
        "accuracy": (tp + scores.true_negatives, scores.messages),
        "precision": (tp, tp + scores.false_positives),
        "recall": (tp, scores.spam),
    }
    return interval(*counts[metric]) if metric in counts else ""


class TokenTable(NamedTuple):
    """The strongest tokens of a class; a row is (token, counts by class, weight, bar length in percent)."""

    label: str
    columns: list[str]
    side: str
    rows: list[tuple[str, tuple[int, ...], float, float]]


def _token_tables(findings: EvaluationSummary) -> list[TokenTable]:
    binary, counted, tables = len(findings.classes.labels) == 2, _counted(findings), []
    columns = [f"in {label}" for label in findings.classes.labels] if binary else [counted]
    for label, tokens in findings.tokens.items():
        largest = max((abs(t.weight) for t in tokens if math.isfinite(t.weight)), default=1.0) or 1.0
        own = slice(None) if binary else slice(i := findings.classes.labels.index(label), i + 1)
        counts = [t.messages if counted == "messages" else t.occurrences for t in tokens]
        bars = [100 * min(abs(t.weight) / largest, 1) for t in tokens]
        names, weights = [token_label(t.token) or t.token for t in tokens], [t.weight for t in tokens]
        rows = list(zip(names, [n[own] for n in counts], weights, bars, strict=True))
        side = "for" if label == findings.classes.positive or not binary else "against"
        tables.append(TokenTable(label, columns, side, rows))
    return tables


def _counted(findings: EvaluationSummary) -> str:
    """Names what P(token|class) is estimated from, messages or occurrences."""
    return "messages" if findings.model is None or findings.model["scorer"]["once"] else "occurrences"


def _token_note(findings: EvaluationSummary) -> str:
    """Explains the counts and weights of tokens."""
    scorer = "" if findings.model is None else findings.model["scorer"]["name"]
    missing = {
        "poisson": "; the difference of its rates, times the length of the message, is subtracted",
        "less-naive": " where the model does not know the words before it",
    }.get(scorer, "")
    counts = f"Counts are {'messages with the token' if _counted(findings) == 'messages' else 'occurrences'}."
    weight = "The weight is what the token adds to the log-odds, before damping and calibration"
    return f"{counts} {weight}{missing}."


def _facts(findings: EvaluationSummary) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Returns (title, id, rows of name and value) for the data and the model, where anything is known."""
    model = [] if findings.model is None else card_rows(dict(findings.model))
    if findings.model is not None and not findings.model["path"]:
        model = [row for row in model if row[0] != "model"]
    facts = [("About the data", "data", list(findings.data)), ("About the model", "model", model)]
    return [fact for fact in facts if fact[2]]
