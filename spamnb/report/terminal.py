"""Prints an evaluation to the terminal: each class, the confusion matrix, the metrics, the curves.

Whatever comes from the data (labels, titles with file names) is printed as `Text`, never as markup.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from spamnb.core import visible
from spamnb.metrics import ClassScores, MultiScores, Scores, largest_class, wilson_interval
from spamnb.report.column_fit import UNLIMITED, fit_columns, print_table
from spamnb.report.text_plots import Curves, precision_recall_plot, roc_plot

_NARROWEST_TEXT = 16
_NARROWEST_PAIR, _NARROWEST_PLOT, _WIDEST_PLOT = 36, 20, 64
_WIDTH_IN_FILE = 80  # of both plots


# machine name, printed name, format of the number, meaning; {spam} and {ham} are the labels
METRICS = (
    ("accuracy", "accuracy", "share", "messages classified correctly"),
    ("precision", "precision", "share", "flagged messages that really are {spam}"),
    ("recall", "recall", "share", "{spam} messages that are flagged"),
    ("f1", "F1", "number", "harmonic mean of precision and recall"),
    ("jaccard", "Jaccard", "number", "TP / (TP + FP + FN)"),
    ("", "", "", ""),
    ("roc_auc", "ROC AUC", "number", "chance that {spam} scores above {ham}"),
    ("pr_auc", "PR AUC", "number", "average precision over all recalls"),
    ("recall_at_fpr_0_1_percent", "recall at 0.1% FPR", "share", "recall with 1 in 1,000 {ham} flagged"),
    ("recall_at_fpr_0_5_percent", "recall at 0.5% FPR", "share", "recall with 1 in 200 {ham} flagged"),
    ("", "", "", ""),
    ("log_loss", "log loss", "number", "lower is better, 0 is perfect"),
    ("brier", "Brier score", "number", "squared error of P({spam}); 0 is perfect"),
    ("ece", "calibration error", "share", "average gap between predicted and actual {spam} rate"),
    ("expected_cost", "cost per message", "number", "average cost of mistakes"),
)
MULTI_METRICS = (
    ("accuracy", "accuracy", "share", "messages classified correctly"),
    ("macro_precision", "precision", "share", "mean over the classes"),
    ("macro_recall", "recall", "share", "mean over the classes"),
    ("macro_f1", "F1", "number", "mean over the classes"),
    ("log_loss", "log loss", "number", "lower is better, 0 is perfect"),
)
_UNBROKEN = ("metric", "value", "95% CI", "precision", "recall", "F1", "messages")


def _dash(console: Console) -> str:
    return "-" if console.options.ascii_only else "–"


def foreign_text(console: Console, foreign: str, style: str = "") -> Text:
    """Makes foreign text harmless, and writable where the terminal is not UTF-8."""
    encoding = console.encoding
    return Text(visible(foreign).encode(encoding, "backslashreplace").decode(encoding), style)


def _share(value: float) -> str:
    """Formats a percentage that is 100 or 0 only where it is exactly that."""
    if 0.99995 <= value < 1:
        return ">99.99%"
    return "<0.01%" if 0 < value < 0.00005 else f"{value:.2%}"


def _number(console: Console, kind: str, value: float) -> str:
    if math.isnan(value):
        return _dash(console)
    return _share(value) if kind == "share" else f"{value:.4f}"


def _interval(console: Console, scores: Scores, metric: str) -> str:
    """Formats the 95 % confidence interval of a share of messages; other metrics have none."""
    hits = scores.true_positives
    counts = {
        "accuracy": (hits + scores.true_negatives, scores.messages),
        "precision": (hits, hits + scores.false_positives),
        "recall": (hits, scores.spam),
    }
    if metric not in counts or not counts[metric][1]:
        return ""
    low, high = wilson_interval(*counts[metric])
    return f"{100 * low:.1f}{_dash(console)}{100 * high:.1f}%"


def _table(*columns: tuple[str | Text, str]) -> Table:
    """Makes a light table; each column is a heading and "left" or "right"."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", pad_edge=False)
    for heading, side in columns:
        table.add_column(
            Text(heading) if isinstance(heading, str) else heading,
            justify="right" if side == "right" else "left",
            overflow="fold",
            no_wrap=heading in _UNBROKEN,
            min_width=_NARROWEST_TEXT if heading == "meaning" else None,
        )
    return table


def _heading(console: Console, title: str, notes: Iterable[str]) -> None:
    console.print(foreign_text(console, title, "bold"))
    for note in notes:
        console.print(foreign_text(console, note, "dim"))
    console.print()


def _matrix(console: Console, scores: Scores, spam: str, ham: str) -> Table:
    labels = {name: foreign_text(console, name) for name in (spam, ham)}
    table = _table(
        ("", "left"),
        (Text.assemble("predicted ", labels[spam]), "right"),
        (Text.assemble("predicted ", labels[ham]), "right"),
        ("all", "right"),
    )
    tp, fn = Text(f"{scores.true_positives:,}", "green"), Text(f"{scores.false_negatives:,}", "yellow")
    fp, tn = Text(f"{scores.false_positives:,}", "bold red"), Text(f"{scores.true_negatives:,}", "green")
    table.add_row(Text.assemble("actual ", labels[spam]), tp, fn, Text(f"{scores.spam:,}"))
    table.add_row(Text.assemble("actual ", labels[ham]), fp, tn, Text(f"{scores.ham:,}"))
    return table


def _metrics(console: Console, scores: Scores, spam: str, ham: str) -> Table:
    table = _table(("metric", "left"), ("value", "right"), ("95% CI", "left"), ("meaning", "left"))
    names = {"spam": spam, "ham": ham}
    for name, printed, kind, meaning in METRICS:
        if not name:
            table.add_row()
            continue
        value = Text(_number(console, kind, getattr(scores, name)), "bold")
        interval = Text(_interval(console, scores, name), "dim")
        table.add_row(Text(printed), value, interval, foreign_text(console, meaning.format(**names), "dim"))
        if name == "accuracy" and scores.messages:
            baseline, share, why = _baseline(console, scores.by_class(spam, ham))
            table.add_row(baseline, share, "", why)
    return table


def _baseline(console: Console, classes: Sequence[ClassScores]) -> tuple[Text, Text, Text]:
    """Makes the row that stands beside accuracy: the accuracy of always predicting the largest class."""
    label, share = largest_class(classes)
    meaning = "baseline: always the most frequent class"
    return foreign_text(console, f"always {label}"), Text(_share(share)), Text(meaning, "dim")


def _draw_curves(console: Console, curves: Curves) -> None:
    """Draws both curves, side by side where the terminal is wide enough."""
    room = console.width if console.width < UNLIMITED else _WIDTH_IN_FILE
    half = (room - 3) // 2
    beside = half >= _NARROWEST_PAIR
    width = max(_NARROWEST_PLOT, min(half if beside else room, _WIDEST_PLOT))
    height = 10
    ascii_only = console.options.ascii_only
    left = Text(roc_plot(curves).draw(width, height, ascii_only), no_wrap=True)
    right = Text(precision_recall_plot(curves).draw(width, height, ascii_only), no_wrap=True)
    console.print()
    if not beside:
        console.print(left, Text(), right, sep="\n")
        return
    grid = Table.grid(padding=(0, 3, 0, 0))
    grid.add_row(left, right)
    print_table(console, grid)


def show_evaluation(
    console: Console,
    scores: Scores,
    title: str,
    notes: Sequence[str] = (),
    curves: Curves | None = None,
    labels: tuple[str, str] = ("spam", "ham"),
) -> None:
    """Prints the evaluation of a two-class filter; `labels` are the positive class and the other one."""
    spam, ham = labels
    _heading(console, title, notes)
    print_table(console, fit_columns(console, _classes(console, scores.by_class(spam, ham)), [4], [3]))
    console.print()
    print_table(console, _matrix(console, scores, spam, ham))
    if scores.unsure:
        line = f"{scores.unsure:,} of {scores.messages:,} are unsure and counted as {ham}: "
        line += f"unsure {spam} is missed {spam}"
        console.print(foreign_text(console, line, "dim"))
    console.print()
    print_table(console, fit_columns(console, _metrics(console, scores, spam, ham), [3], [2]))
    if curves is not None:
        _draw_curves(console, curves)


def _classes(console: Console, classes: Sequence[ClassScores]) -> Table:
    columns = ("precision", "recall", "F1", "messages")
    table = _table(("class", "left"), *((name, "right") for name in columns))
    for c in classes:
        shares = (_number(console, "share", value) for value in (c.precision, c.recall))
        table.add_row(
            foreign_text(console, c.label), *shares, _number(console, "number", c.f1), f"{c.support:,}"
        )
    return table


def _multi_matrix(console: Console, scores: MultiScores) -> Table:
    labels = [foreign_text(console, c.label) for c in scores.classes]
    table = _table(("actual \\ predicted", "left"), *((label, "right") for label in labels))
    for truth, (label, row) in enumerate(zip(labels, scores.confusion, strict=True)):
        styles = ("green" if i == truth else "red" if count else "dim" for i, count in enumerate(row))
        table.add_row(label, *(Text(f"{count:,}", style) for count, style in zip(row, styles, strict=True)))
    return table


def show_multi_evaluation(
    console: Console, scores: MultiScores, title: str, notes: Sequence[str] = ()
) -> None:
    """Prints the evaluation of a filter with more than two classes."""
    _heading(console, title, notes)
    print_table(console, fit_columns(console, _classes(console, scores.classes), [4], [3]))
    console.print()
    matrix = _multi_matrix(console, scores)
    unlimited = console.options.update(max_width=UNLIMITED)
    if (needed := console.measure(matrix, options=unlimited).maximum) <= console.width:
        print_table(console, matrix)
    else:
        line = f"(the confusion matrix needs {needed} columns, this terminal has {console.width})"
        console.print(Text(line, "dim"))
    if scores.unsure:
        line = f"{scores.unsure:,} of {scores.messages:,} are unsure and counted as their likeliest class"
        console.print(Text(line, "dim"))
    console.print()
    table = _table(("metric", "left"), ("value", "right"), ("meaning", "left"))
    for name, printed, kind, meaning in MULTI_METRICS:
        value = Text(_number(console, kind, getattr(scores, name)), "bold")
        table.add_row(Text(printed), value, Text(meaning, "dim"))
        if name == "accuracy" and scores.messages:
            table.add_row(*_baseline(console, scores.classes))
    print_table(console, fit_columns(console, table, [2]))
