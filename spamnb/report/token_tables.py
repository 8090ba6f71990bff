"""Prints the tokens, the columns and the formula of a model to the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from spamnb.core import visible
from spamnb.model import Formula, TokenRow, Verification
from spamnb.report.column_fit import fit_columns, plain_table, print_table, token_text
from spamnb.report.formula_text import counts_text, formula_texts, probability_headings


def show_title(console: Console, title: str) -> None:
    console.print()
    console.print(Text(visible(title), "bold"))


def show_tokens(
    console: Console, formula: Formula, rows: Sequence[TokenRow], times: Sequence[int] | None = None
) -> None:
    """Prints tokens with counts, P(w|c) and weight, on request also how often a message has them.

    A refined weight is shown as that of naive Bayes and the correction. Narrow terminals go without the
    probabilities, then without the counts.
    """
    many, refined = len(formula.classes), any(row.correction is not None for row in rows)
    with_base = any(row.base_weight is not None for row in rows)
    names = ["token", *(["times"] if times is not None else [])]
    first = len(names)
    names += [*(f"in {label}" for label in formula.classes), *probability_headings(formula)]
    names += [*(["Bayes", "correction"] if refined else []), "weight", *(["base model"] if with_base else [])]
    table = plain_table(*((name, "left" if name == "token" else "right") for name in names))
    nothing = "-" if console.options.ascii_only else "–"
    for i, row in enumerate(rows):
        number = [] if times is None else [Text(f"{times[i]:,}")]
        parts = (
            [_signed(row.bayes_weight), _signed(row.correction or 0.0)] if row.known else [Text(nothing)] * 2
        )
        weight = _weight(row.weight) if row.known else Text("unknown")
        base = [_weight(row.base_weight) if row.base_weight else Text(nothing)] if with_base else []
        table.add_row(
            token_text(row.token, console.width),
            *(*number, *_numbers(formula, row, nothing), *(parts if refined else []), weight, *base),
        )
    places = range(first, first + many), range(first + many, first + 2 * many)
    print_table(console, fit_columns(console, table, places[1], places[0]))


def _numbers(formula: Formula, row: TokenRow, nothing: str) -> list[Text]:
    counts = row.messages if formula.estimate.counted == "messages" else row.occurrences
    shares = [f"{p:.2e}" if row.known else nothing for p in row.probabilities]
    return [Text(cell) for cell in (*(f"{n:,}" for n in counts), *shares)]


def _signed(value: float) -> Text:
    return Text(f"{value:+.2f}")


def _weight(value: float) -> Text:
    return Text(f"{value:+.2f}", "red" if value > 0 else "green")


def show_meaning(console: Console, formula: Formula) -> None:
    """Prints what the counts are, and what the sign of a weight means."""
    others = " or ".join(label for label in formula.classes if label != formula.positive)
    sign = f"a weight above 0 is evidence for {formula.positive}, below 0 for {others}"
    for line in (f"in {', '.join(formula.classes)}: {counts_text(formula)}", sign):
        console.print(Text(visible(line), "dim"))


def show_formula(console: Console, formula: Formula) -> None:
    """Prints how the log-odds are computed, with the meaning of each letter."""
    for text in formula_texts(formula):
        show_title(console, text.title)
        for equation in text.equations:
            console.print(Text(visible(equation)))
        legend = Table(box=None, show_header=False, pad_edge=False)
        legend.add_column(style="dim", no_wrap=True)
        legend.add_column(overflow="fold")
        for letter, meaning in text.legend:
            legend.add_row(Text(visible(letter)), Text(visible(meaning)))
        print_table(console, legend)


def show_verification(console: Console, numbers: Mapping[str, Any], verification: Verification) -> None:
    """Prints the numbers of a message, the formula, and the score by both of them and by the model."""
    _show_numbers(console, numbers, "numbers of the message")
    formula = Formula.from_dict(numbers["formula"])
    show_formula(console, formula)
    show_title(console, "verification")
    v = verification
    both = (
        ("recomputed from these numbers", v.recomputed_log_odds, v.recomputed_probability),
        ("computed by the model", v.model_log_odds, v.model_probability),
    )
    for name, log_odds, p in both:
        odds = "" if log_odds is None else f"log-odds {log_odds:+.6f}, "
        console.print(Text(visible(f"{name + ':':31}{odds}P({v.label}) = {p:.6f}")))
    if v.lacks_evidence:
        line = "the model keeps P away from 0 and 1, because so little is known; the log-odds compare"
        console.print(Text(line, "dim"))


def _show_numbers(console: Console, numbers: Mapping[str, Any], title: str) -> None:
    formula, times = Formula.from_dict(numbers["formula"]), [row["times"] for row in numbers["tokens"]]
    rows = [TokenRow(**{name: row[name] for name in TokenRow.__slots__}) for row in numbers["tokens"]]
    show_title(console, title)
    show_tokens(console, formula, rows, times)
    if formula.form == "rates":
        console.print(Text(f"number of tokens of the message: n = {numbers['length']:,}"))
    if "words" in numbers:
        words = " ".join("?" if word is None else word for word in numbers["words"])
        console.print(Text(visible(f"words in order, ? for unknown ones: {words}")))
    if "base" in numbers:
        _show_numbers(console, numbers["base"], "numbers of the base model")


def show_columns(console: Console, tables: Mapping[str, Any], labels: Sequence[str], limit: int) -> None:
    """Prints P(value|class) of categorical columns, means and standard deviations of numeric ones."""
    for name, column in tables["categorical"].items():
        _show_values(console, name, column, labels, limit)
        if column["given"]:
            _show_given(console, name, column, labels, limit)
    joint = tables["joint"]
    if joint is not None:
        columns = range(len(joint["columns"]))
        rows = {joint["columns"][i]: {k: [x[i] for x in joint[k]] for k in ("mean", "sd")} for i in columns}
        _show_numeric(console, "numeric columns, of messages with every number", rows, labels)
        _show_correlations(console, joint, labels)
    elif tables["numeric"]:
        _show_numeric(console, "numeric columns", tables["numeric"], labels)


def _show_values(
    console: Console, name: str, column: Mapping[str, Any], labels: Sequence[str], limit: int
) -> None:
    """Prints the most frequent values of a column."""
    values = sorted(column["values"].items(), key=lambda item: -sum(item[1]["messages"]))
    headings = [f"in {c}" for c in labels], [f"P(value|{c})" for c in labels]
    rows = (
        [value, *(f"{n:,}" for n in row["messages"]), *(f"{p:.4f}" for p in row["probabilities"])]
        for value, row in values[:limit]
    )
    _show_table(console, f"column {name}", ["value", *headings[0], *headings[1]], rows, len(values) - limit)


def _show_given(
    console: Console, name: str, column: Mapping[str, Any], labels: Sequence[str], limit: int
) -> None:
    """Prints P(value|parent's value, class) of a column in a tree, which then serves for P(value|class)."""
    pairs = [(value, u, p) for u, values in column["given"].items() for value, p in values.items()]
    names = ["value", column["parent"], *(f"P(value|{column['parent']}, {c})" for c in labels)]
    rows = ([value, u, *(f"{x:.4f}" for x in p)] for value, u, p in pairs[:limit])
    _show_table(console, f"column {name} given {column['parent']}", names, rows, len(pairs) - limit, texts=2)


def _show_numeric(console: Console, title: str, numeric: Mapping[str, Any], labels: Sequence[str]) -> None:
    rows = (
        [name, label, _number(row["mean"][c]), _number(row["sd"][c])]
        for name, row in numeric.items()
        for c, label in enumerate(labels)
    )
    _show_table(console, title, ["column", "class", "mean", "standard deviation"], rows, texts=2)


def _show_correlations(console: Console, joint: Mapping[str, Any], labels: Sequence[str]) -> None:
    """Prints the correlation of each two columns."""
    names = joint["columns"]
    rows = (
        [names[i], names[j], *(f"{joint['correlation'][c][i][j]:+.3f}" for c in range(len(labels)))]
        for i in range(len(names))
        for j in range(i + 1, len(names))
    )
    headings = ["column", "and", *(f"in {c}" for c in labels)]
    _show_table(console, "correlations of columns", headings, rows, texts=2)


def _number(value: float | None) -> str:
    return f"{value:.4g}" if value is not None and isfinite(value) else "?"


def _show_table(
    console: Console,
    title: str,
    names: Sequence[str],
    rows: Iterable[Sequence[str]],
    more: int = 0,
    texts: int = 1,
) -> None:
    """Prints a table whose first columns are texts; `more` is the number of rows that are left out."""
    show_title(console, title)
    table = plain_table(*((name, "left" if i < texts else "right") for i, name in enumerate(names)))
    for row in rows:
        table.add_row(*(Text(visible(cell)) for cell in row))
    print_table(console, table)
    if more > 0:
        console.print(Text(f"{more:,} more: --top {more + table.row_count}", "dim"))
