"""Tables of settings that were compared or tried, for the terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from spamnb.core import visible
from spamnb.metrics import Scores
from spamnb.report.column_fit import fitted
from spamnb.tuning import Objective, Row, Trial, Tuned

_WIDE = 96  # columns from which there is room for all figures
CLEAR = 0.05  # a candidate with a smaller p is clearly worse than the best


def table(*columns: str) -> Table:
    """A light table; the first column is text, the others are numbers."""
    made = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", pad_edge=False)
    for i, name in enumerate(columns):
        made.add_column(Text(name), justify="right" if i else "left", overflow="fold", no_wrap=i > 0)
    return made


def heading(console: Console, title: str, notes: Iterable[str]) -> None:
    console.print(Text(visible(title), "bold"))
    for note in notes:
        console.print(Text(visible(note), "dim"))
    console.print()


def number(value: float | None, percent: bool = False) -> str:
    if value is None or math.isnan(value):
        return "-"
    return f"{value:.2%}" if percent else f"{value:.4f}"


def show_comparison(
    console: Console, rows: Sequence[Row], objective: Objective, title: str, notes: Sequence[str]
) -> None:
    """The candidates, the best first, and which of them are not clearly worse."""
    heading(console, title, notes)
    two = isinstance(rows[0].result.scores, Scores)
    wide = console.width >= _WIDE
    named = (objective.short, "95% interval", *(("to best",) if wide else ()), "p")
    rest = ("lost", "missed", "log loss") if two else ("accuracy", "log loss")
    made = table("setting", *named, *(("F1",) if wide else ()), *rest)
    for row in rows:
        measured, others = _measured(row, objective.percent, wide), _rest(row)
        made.add_row(Text(visible(row.result.name)), *measured, *others[0 if wide else 1 :])
    shown = without_least(console, made, ("log loss", "95% interval", "missed", "accuracy", "lost", "p"))
    console.print(shown)
    console.print()
    if two:
        _legend(console, _heads(shown))
    console.print(Text(visible(_conclusion(rows))))


def _heads(made: Table) -> list[str]:
    return [str(column.header) for column in made.columns]


def without_least(console: Console, made: Table, least: Sequence[str]) -> Table:
    """The table without the first of these columns, as many as it takes for it to fit.

    The first two always stay: what a row is about, and the figure that it is about.
    """
    heads = _heads(made)
    return fitted(console, made, *([i for i, head in enumerate(heads) if head == n and i > 1] for n in least))


def _legend(console: Console, heads: Sequence[str]) -> None:
    meanings = {"lost": "ham flagged as spam", "missed": "spam let through"}
    legend = "; ".join(f"{name} = {meaning}" for name, meaning in meanings.items() if name in heads)
    if legend:
        console.print(Text(legend, "dim"))


def _measured(row: Row, percent: bool, wide: bool) -> list[Text]:
    difference = [Text("" if row.p_value is None else _signed(row.difference, percent))]
    p = "best" if row.p_value is None else f"{row.p_value:.3f}"
    style = "green" if row.p_value is None else "" if row.p_value >= CLEAR else "dim"
    ends = _ends(row.low, row.high, percent)
    value = Text(number(row.value, percent), "bold")
    return [value, Text(ends, "dim"), *(difference if wide else []), Text(p, style)]


def _ends(low: float, high: float, percent: bool) -> str:
    if math.isnan(low):
        return "-"
    return f"{100 * low:.1f}-{100 * high:.1f}%" if percent else f"{low:.4f}-{high:.4f}"


def _signed(value: float, percent: bool) -> str:
    if math.isnan(value):
        return "-"
    return f"{100 * value:+.2f}" if percent else f"{value:+.4f}"


def _rest(row: Row) -> list[str]:
    s = row.result.scores
    if isinstance(s, Scores):
        return [number(s.f1), f"{s.false_positives:,}", f"{s.false_negatives:,}", number(s.log_loss)]
    return [number(s.macro_f1), number(s.accuracy, True), number(s.log_loss)]


def _conclusion(rows: Sequence[Row]) -> str:
    best = rows[0].result.name
    equals = [r.result.name for r in rows[1:] if r.p_value is not None and r.p_value >= CLEAR]
    if len(rows) == 1:
        return f"only {best} was tried"
    if not equals:
        return f"{best} is best, and every other one is clearly worse (p < {CLEAR})"
    return f"{best} is best; not clearly worse (p >= {CLEAR}): {', '.join(equals)}"


_SHOWN = 12


def show_tuning(
    console: Console,
    tuned: Tuned,
    rows: Sequence[Row],
    objective: Objective,
    notes: Sequence[str],
    command: str,
) -> None:
    """The candidates tried, the best first, then the choice, its held-out metric, and the command."""
    end = "the search is complete" if tuned.finished else "stopped by the time: --time gives it more"
    many = len(tuned.tried)
    heading(console, f"{many} setting{'s' * (many > 1)} tried", [*notes, end])
    made = table("setting", objective.short, "accuracy", "F1", "log loss")
    order = sorted(tuned.tried.items(), key=lambda item: -item[1].merit)
    for candidate, trial in order[:_SHOWN]:
        style = "bold" if candidate == tuned.choice else ""
        made.add_row(Text(visible(candidate.name), style), *_metrics(trial, objective))
    console.print(without_least(console, made, ("log loss", "F1", "accuracy")))
    if len(order) > _SHOWN:
        console.print(Text(f"and {len(order) - _SHOWN} more; --json FILE has them all", "dim"))
    console.print()
    for line in _result_lines(tuned, rows, objective):
        console.print(Text(visible(line)), soft_wrap=True)
    console.print(Text(f"train     {visible(command)}"), soft_wrap=True)


def _metrics(trial: Trial, objective: Objective) -> list[str]:
    metrics = trial.metrics
    f1 = metrics.get("f1", metrics.get("macro_f1"))
    value = number(objective.sign * trial.merit, objective.percent)
    return [value, number(metrics.get("accuracy"), True), number(f1), number(metrics.get("log_loss"))]


def _result_lines(tuned: Tuned, rows: Sequence[Row], objective: Objective) -> list[str]:
    by_name = {row.result.name: row for row in rows}
    nested, defaults = by_name["tuned"], by_name["defaults"]
    ends = f"{number(nested.low, objective.percent)} to {number(nested.high, objective.percent)}"
    p = next(row.p_value for row in rows if row.p_value is not None)
    against = f"defaults {number(defaults.value, objective.percent)}, p = {p:.3f}"
    close = "" if tuned.found == tuned.best else " (the best is ahead by less than one standard error)"
    held_out = f"{objective.printed} {number(nested.value, objective.percent)} ({ends})"
    lines = [f"found     {tuned.found.name}{close}", f"held-out  {held_out}; {against}"]
    if tuned.found.name != "defaults":
        both = [number(value, objective.percent) for value in tuned.trained]
        lines.append(f"trained   {objective.printed} {both[0]} as `train` makes it, defaults {both[1]}")
    lines.append(f"choice    {_choice_text(tuned)}")
    if rows[0].result.name != "tuned" and p < CLEAR:
        lines.append("note      such a search is clearly worse than the defaults here: keep them")
    return lines


def _choice_text(tuned: Tuned) -> str:
    if tuned.choice != tuned.found:
        return f"{tuned.choice.name}: better once weights are refined"
    if tuned.choice.name == "defaults":
        return "the default settings are best; nothing to change"
    return tuned.choice.name


_LEAST = ("log loss", "ROC AUC", "recall@0.1%", "F1")  # leave a narrow terminal in this order
# machine name, head of the column, is it a share
_COLUMNS = (
    ("accuracy", "accuracy", True),
    ("precision", "precision", True),
    ("recall", "recall", True),
    ("f1", "F1", False),
    ("macro_f1", "F1", False),
    ("roc_auc", "ROC AUC", False),
    ("recall_at_fpr_0_1_percent", "recall@0.1%", True),
    ("log_loss", "log loss", False),
)


def show(console: Console, steps: Sequence[Mapping[str, Any]], caption: str) -> None:
    """One line for each step."""
    made = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", pad_edge=False)
    present = [column for column in _COLUMNS if column[0] in steps[0]]
    for head in ("learned", *(head for _, head, _ in present)):
        made.add_column(head, justify="right", no_wrap=True)
    for step in steps:
        made.add_row(f"{step['learned']:,}", *(number(step[name], share) for name, _, share in present))
    console.print()
    console.print(Text(caption, "dim"))
    console.print(without_least(console, made, _LEAST))
