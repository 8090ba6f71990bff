"""What a search tried, what it took and what that is worth, for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from spamnb.comparison import Row
from spamnb.objectives import Objective
from spamnb.report.comparison import CLEAR, heading, number, table, without_least
from spamnb.report.safe import visible
from spamnb.tuning import Trial, Tuned

_SHOWN = 12


def show_tuning(
    console: Console,
    tuned: Tuned,
    rows: Sequence[Row],
    objective: Objective,
    notes: Sequence[str],
    command: str,
) -> None:
    """The settings tried, the best first, then the choice, its worth, and the command."""
    end = "the search is complete" if tuned.finished else "stopped by the time: --time gives it more"
    many = len(tuned.tried)
    heading(console, f"{many} setting{'s' * (many > 1)} tried", [*notes, end])
    made = table("setting", objective.short, "accuracy", "F1", "log loss")
    order = sorted(tuned.tried.items(), key=lambda item: -item[1].merit)
    for setting, trial in order[:_SHOWN]:
        style = "bold" if setting == tuned.choice else ""
        made.add_row(Text(visible(setting.name), style), *_figures(trial, objective))
    console.print(without_least(console, made, ("log loss", "F1", "accuracy")))
    if len(order) > _SHOWN:
        console.print(Text(f"and {len(order) - _SHOWN} more; --json FILE has them all", "dim"))
    console.print()
    for line in _told(tuned, rows, objective):
        console.print(Text(visible(line)), soft_wrap=True)
    console.print(Text(f"train     {visible(command)}"), soft_wrap=True)


def _figures(trial: Trial, objective: Objective) -> list[str]:
    figures = trial.figures
    f1 = figures.get("f1", figures.get("macro_f1"))
    value = number(objective.sign * trial.merit, objective.percent)
    return [value, number(figures.get("accuracy"), True), number(f1), number(figures.get("log_loss"))]


def _told(tuned: Tuned, rows: Sequence[Row], objective: Objective) -> list[str]:
    by_name = {row.judged.name: row for row in rows}
    nested, defaults = by_name["tuned"], by_name["defaults"]
    ends = f"{number(nested.low, objective.percent)} to {number(nested.high, objective.percent)}"
    p = next(row.p_value for row in rows if row.p_value is not None)
    against = f"defaults {number(defaults.value, objective.percent)}, p = {p:.3f}"
    kept = "" if tuned.found == tuned.best else " (the best is ahead by less than one standard error)"
    worth = f"{objective.printed} {number(nested.value, objective.percent)} ({ends})"
    lines = [f"found     {tuned.found.name}{kept}", f"expect    {worth} on folds that had no say; {against}"]
    if tuned.found.name != "defaults":
        both = [number(value, objective.percent) for value in tuned.trained]
        lines.append(f"trained   {objective.printed} {both[0]} as `train` makes it, defaults {both[1]}")
    better = "" if tuned.choice == tuned.found else ": better once weights are refined"
    lines.append(f"choice    {tuned.choice.name}{better}")
    if rows[0].judged.name != "tuned" and p < CLEAR:
        lines.append("note      such a search is clearly worse than the defaults here: keep them")
    return lines
