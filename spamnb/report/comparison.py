"""Tables of settings that were compared or tried, for the terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from spamnb.comparison import Row
from spamnb.metrics import Scores
from spamnb.objectives import Objective
from spamnb.report.narrow import fitted
from spamnb.report.safe import visible

_WIDE = 96  # columns from which there is room for all figures
CLEAR = 0.05  # a smaller p says that a contender is worse than the best


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
    """The contenders, the best first, and which of them are not clearly worse."""
    heading(console, title, notes)
    two = isinstance(rows[0].judged.scores, Scores)
    wide = console.width >= _WIDE
    named = (objective.short, "95% interval", *(("to best",) if wide else ()), "p")
    rest = ("lost", "missed", "log loss") if two else ("accuracy", "log loss")
    made = table("setting", *named, *(("F1",) if wide else ()), *rest)
    for row in rows:
        measured, others = _measured(row, objective.percent, wide), _rest(row)
        made.add_row(Text(visible(row.judged.name)), *measured, *others[0 if wide else 1 :])
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
    words = {"lost": "ham called spam", "missed": "spam not called so"}
    told = "; ".join(f"{name}: {meaning}" for name, meaning in words.items() if name in heads)
    if told:
        console.print(Text(told, "dim"))


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
    s = row.judged.scores
    if isinstance(s, Scores):
        return [number(s.f1), f"{s.false_positives:,}", f"{s.false_negatives:,}", number(s.log_loss)]
    return [number(s.macro_f1), number(s.accuracy, True), number(s.log_loss)]


def _conclusion(rows: Sequence[Row]) -> str:
    best = rows[0].judged.name
    equals = [r.judged.name for r in rows[1:] if r.p_value is not None and r.p_value >= CLEAR]
    if len(rows) == 1:
        return f"only {best} was tried"
    if not equals:
        return f"{best} is best, and every other one is clearly worse (p < {CLEAR})"
    return f"{best} is best; not clearly worse (p >= {CLEAR}): {', '.join(equals)}"
