"""Prints tables of settings to the terminal: a comparison, a search, and the steps of an evaluation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from spamnb.core import visible
from spamnb.metrics import Scores
from spamnb.report.column_fit import fit_columns, print_table
from spamnb.tuning import Objective, Row, Trial, Tuned

CLEAR = 0.05  # a smaller p is evidence that a candidate is worse than the best

_WIDE = 96  # columns from which there is room for all metrics
_SHOWN = 12  # settings of a search
_FALSE_POSITIVES, _MISSED = "false\npositives", "missed\nspam"
# Columns that a narrow terminal drops, in this order.
_DROPPED = ("log loss", "95% CI", _MISSED, "accuracy", _FALSE_POSITIVES, "p")
_DROPPED_OF_SEARCH = ("log loss", "F1", "accuracy")
_DROPPED_OF_STEPS = ("log loss", "ROC AUC", "recall@0.1%", "F1")
_TRIAL_METRICS = ("accuracy", "F1", "log loss")  # beside the objective
# machine name, heading, is it a share
_STEP_COLUMNS = (
    ("accuracy", "accuracy", True),
    ("precision", "precision", True),
    ("recall", "recall", True),
    ("f1", "F1", False),
    ("macro_f1", "F1", False),
    ("roc_auc", "ROC AUC", False),
    ("recall_at_fpr_0_1_percent", "recall@0.1%", True),
    ("log_loss", "log loss", False),
)


def make_table(*headings: str, first_is_text: bool = True) -> Table:
    """Makes a light table of numbers; the first column may be text."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", pad_edge=False)
    for i, heading in enumerate(headings):
        text = first_is_text and not i
        table.add_column(
            Text(heading), justify="left" if text else "right", overflow="fold", no_wrap=not text
        )
    return table


def drop_columns(console: Console, table: Table, headings: Sequence[str]) -> Table:
    """Drops these columns, in this order, until the table fits; the first two always stay."""
    present = [str(column.header) for column in table.columns]
    groups = ([i for i, heading in enumerate(present) if heading == name and i > 1] for name in headings)
    return fit_columns(console, table, *groups)


def _print_heading(console: Console, title: str, notes: Iterable[str]) -> None:
    console.print(Text(visible(title), "bold"))
    for note in notes:
        console.print(Text(visible(note), "dim"))
    console.print()


def _number(value: float | None, percent: bool = False) -> str:
    if value is None or math.isnan(value):
        return "-"
    return f"{value:.2%}" if percent else f"{value:.4f}"


# --- comparison --------------------------------------------------------------------------------------


def show_comparison(
    console: Console,
    rows: Sequence[Row],
    objective: Objective,
    title: str,
    notes: Sequence[str],
    command: str,
) -> None:
    """Prints the candidates, the best first, which of them are not clearly worse, and the command."""
    _print_heading(console, title, notes)
    binary, wide = isinstance(rows[0].result.scores, Scores), console.width >= _WIDE
    headings = ["setting", objective.short, "95% CI", *(["to best"] if wide else []), "p"]
    others = ["F1", *([_FALSE_POSITIVES, _MISSED] if binary else ["accuracy"]), "log loss"]
    shown = [heading != objective.short and (wide or heading != "F1") for heading in others]
    table = make_table(*headings, *compress(others, shown))
    for row in rows:
        cells = _objective_cells(row, objective.percent, wide)
        table.add_row(Text(visible(row.result.name)), *cells, *compress(_other_metrics(row), shown))
    print_table(console, drop_columns(console, table, _DROPPED))
    console.print()
    console.print(Text(visible(_conclusion(rows))))
    if command:
        console.print(Text(f"train     {visible(command)}"), soft_wrap=True)


def _objective_cells(row: Row, percent: bool, wide: bool) -> list[Text]:
    difference = [Text("" if row.p_value is None else _signed(row.difference, percent))]
    p = "best" if row.p_value is None else f"{row.p_value:.3f}"
    style = "green" if row.p_value is None else "" if row.p_value >= CLEAR else "dim"
    interval = Text(_interval(row.low, row.high, percent), "dim")
    return [
        Text(_number(row.value, percent), "bold"),
        interval,
        *(difference if wide else []),
        Text(p, style),
    ]


def _interval(low: float, high: float, percent: bool) -> str:
    if math.isnan(low):
        return "-"
    return f"{100 * low:.1f}-{100 * high:.1f}%" if percent else f"{low:.4f}-{high:.4f}"


def _signed(value: float, percent: bool) -> str:
    if math.isnan(value):
        return "-"
    return f"{100 * value:+.2f}" if percent else f"{value:+.4f}"


def _other_metrics(row: Row) -> list[str]:
    s = row.result.scores
    if isinstance(s, Scores):
        return [_number(s.f1), f"{s.false_positives:,}", f"{s.false_negatives:,}", _number(s.log_loss)]
    return [_number(s.macro_f1), _number(s.accuracy, True), _number(s.log_loss)]


def _conclusion(rows: Sequence[Row]) -> str:
    best = rows[0].result.name
    equals = [r.result.name for r in rows[1:] if r.p_value is not None and r.p_value >= CLEAR]
    if len(rows) == 1:
        return f"only {best} was tried"
    if not equals:
        return f"{best} is best, and every other one is clearly worse (p < {CLEAR})"
    return f"{best} is best; not clearly worse (p >= {CLEAR}): {', '.join(equals)}"


# --- search ------------------------------------------------------------------------------------------


def show_tuning(
    console: Console,
    tuned: Tuned,
    rows: Sequence[Row],
    objective: Objective,
    notes: Sequence[str],
    command: str,
) -> None:
    """Prints the settings tried, the best first, then the choice, its held-out metric, and the command."""
    end = "the search is complete" if tuned.finished else "stopped by the time limit: --time gives it more"
    many = len(tuned.tried)
    _print_heading(console, f"{many:,} setting{'s' * (many > 1)} tried", [*notes, end])
    shown = [heading != objective.short for heading in _TRIAL_METRICS]
    table = make_table("setting", objective.short, *compress(_TRIAL_METRICS, shown))
    order = sorted(tuned.tried.items(), key=lambda item: -item[1].merit)
    for setting, trial in order[:_SHOWN]:
        style = "bold" if setting == tuned.choice else ""
        merit = _number(objective.sign * trial.merit, objective.percent)
        table.add_row(Text(visible(setting.name), style), merit, *compress(_trial_cells(trial), shown))
    print_table(console, drop_columns(console, table, _DROPPED_OF_SEARCH))
    if len(order) > _SHOWN:
        console.print(Text(f"and {len(order) - _SHOWN} more; --json FILE has them all", "dim"))
    console.print()
    for line in _search_result(tuned, rows, objective):
        console.print(Text(visible(line)), soft_wrap=True)
    if command:
        console.print(Text(f"train     {visible(command)}"), soft_wrap=True)


def _trial_cells(trial: Trial) -> list[str]:
    metrics = trial.metrics
    f1 = metrics.get("f1", metrics.get("macro_f1"))
    return [_number(metrics.get("accuracy"), True), _number(f1), _number(metrics.get("log_loss"))]


def _search_result(tuned: Tuned, rows: Sequence[Row], objective: Objective) -> list[str]:
    """Words the result: the setting found, its metric on held-out folds, and the choice."""
    by_name = {row.result.name: row for row in rows}
    nested, defaults = by_name["tuned"], by_name["defaults"]
    interval = f"{_number(nested.low, objective.percent)} to {_number(nested.high, objective.percent)}"
    p = next(row.p_value for row in rows if row.p_value is not None)
    against = f"defaults {_number(defaults.value, objective.percent)}, p = {p:.3f}"
    close = "" if tuned.winner == tuned.best else " (the best is ahead by less than one standard error)"
    held_out = f"{objective.printed} {_number(nested.value, objective.percent)} ({interval})"
    lines = [f"winner    {tuned.winner.name}{close}", f"held-out  {held_out}; {against}"]
    if tuned.winner.name != "defaults":
        both = [_number(value, objective.percent) for value in tuned.trained]
        lines.append(f"trained   {objective.printed} {both[0]} as `train` makes it, defaults {both[1]}")
    lines.append(f"choice    {_choice_text(tuned)}")
    if rows[0].result.name != "tuned" and p < CLEAR:
        lines.append("note      such a search is clearly worse than the defaults here: keep them")
    return lines


def _choice_text(tuned: Tuned) -> str:
    if tuned.choice != tuned.winner:
        return f"{tuned.choice.name}: better once weights are refined"
    if tuned.choice.name == "defaults":
        return "the default settings are best; nothing to change"
    return tuned.choice.name


# --- steps -------------------------------------------------------------------------------------------


def show_steps(console: Console, steps: Sequence[Mapping[str, Any]], caption: str) -> None:
    """Prints the metrics at each step of a learning curve or a stream."""
    present = [column for column in _STEP_COLUMNS if column[0] in steps[0]]
    table = make_table("learned", *(heading for _, heading, _ in present), first_is_text=False)
    for step in steps:
        table.add_row(f"{step['learned']:,}", *(_number(step[name], share) for name, _, share in present))
    console.print()
    console.print(Text(caption, "dim"))
    print_table(console, drop_columns(console, table, _DROPPED_OF_STEPS))
