"""A model card, token tables and explanations for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, isnan
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from spamnb.core import visible
from spamnb.model import Evidence, Explanation, Linear, TokenRow, in_words
from spamnb.report.column_fit import fits, fitted

_BARS = (20, 10, 5)  # columns of the longest bar, where there is room


def _table(*columns: tuple[str, str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name, side in columns:
        table.add_column(
            visible(name),
            justify="right" if side == "right" else "left",
            overflow="fold",
            no_wrap=name != "token",
        )
    return table


def show_card(console: Console, card: dict[str, Any]) -> None:
    """The model in a few lines."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in card_rows(card):
        table.add_row(name, Text(visible(value)))
    console.print(table)


def card_rows(card: dict[str, Any]) -> list[tuple[str, str]]:
    """What a model is, in words: names and values."""
    features, scorer, tokens = card["features"], card["scorer"], card["tokens"]
    shapes = ", shapes" * bool(features["shapes"]) + ", signs" * bool(features["signs"])
    chars = f", characters to {features['chars']}" if features["chars"] else ""
    patterns = "".join(f", re:{name}" for name, _ in features["patterns"])
    columns = "".join(f", column {c}" for c in (*features["categorical"], *features["numeric"]))
    rows = [
        ("model", f"{card['path']} ({card['bytes'] / 1e3:,.0f} kB)"),
        ("learned", ", ".join(f"{n:,} {label}" for label, n in card["classes"].items())),
        ("tokens", f"{tokens['all']:,} ({tokens['words']:,} words, {tokens['word_ngrams']:,} n-grams)"),
        ("features", f"words, n-grams to {features['ngrams']}{shapes}{chars}{patterns}{columns}"),
        ("scorer", f"{scorer['name']}, {_scorer_text(scorer, tokens['word_ngrams'] > 0)}"),
        ("refined", _refined_text(card["refined"])),
        *_start_rows(card["base"]),
        ("decision", _decision_text(card["decision"], card["positive"], list(card["classes"]))),
        *_doubt_rows(card["min_known_words"]),
    ]
    return [
        *rows,
        ("expect", _figures_text(card["metrics"])),
        *_since_rows(card["change_history"], card["stale"]),
    ]


def _since_rows(since: dict[str, Any], stale: str) -> list[tuple[str, str]]:
    """What has changed since the figures were made; nothing where nothing has."""
    done = [f"{name} {since[name]:,}" for name in ("learned", "forgotten", "relabelled") if since[name]]
    if since["judged"]:
        done.append(f"{since['wrong']:,} of {since['judged']:,} misjudged before they were learned")
    rows = [("since then", ", ".join(done))] if done else []
    return [*rows, ("stale", f"{stale}; measure it anew with `spamnb evaluate DATA`")] if stale else rows


def _scorer_text(scorer: dict[str, Any], ngrams: bool) -> str:
    counts = "each token once per message" if scorer["once"] else "every occurrence counts"
    prior = scorer["prior"] if isinstance(scorer["prior"], str) else f"given {scorer['prior']}"
    root = scorer["ngram_smoothing_ratio"] ** 0.5 if ngrams else 1.0
    alpha = f"{scorer['alpha'] / root:g}" + (f" (n-grams {scorer['alpha'] * root:g})" if root != 1.0 else "")
    return f"alpha {alpha}, {counts}, damping {scorer['damping']:g}, prior {prior}"


def _refined_text(refined: dict[str, int] | None) -> str:
    if refined is None:
        return "no: the weights are those of naive Bayes"
    since = refined["since"]
    moved = f"; {abs(since):,} messages {'learned' if since > 0 else 'forgotten'} since" if since else ""
    return f"the weights of {refined['tokens']:,} tokens, fitted on {refined['messages']:,} messages{moved}"


def _start_rows(start: dict[str, Any] | None) -> list[tuple[str, str]]:
    """Which model this one starts from; nothing where it does not."""
    if start is None:
        return []
    size = f"{start['tokens']:,} tokens of {start['messages']:,} messages"
    return [("starts from", f"{start['name']}, weight {start['weight']:g} ({size})")]


def _doubt_rows(doubt: float | None) -> list[tuple[str, str]]:
    """When the model will not say ham; nothing where it always does."""
    return (
        []
        if doubt is None
        else [("doubt", f"unsure, not ham, if less than {doubt:.0%} of the words are known")]
    )


def _decision_text(decision: dict[str, Any], positive: str, classes: list[str]) -> str:
    if len(classes) > 2:
        return "the likeliest class"
    return in_words(decision, positive, next((c for c in classes if c != positive), "the rest"))


def _figures_text(figures: dict[str, Any] | None) -> str:
    if figures is None:
        return "no figures stored"
    folds = f"{figures['folds']}-fold cross-validation on {figures['sample']:,} messages"
    text = f"accuracy {figures['accuracy']:.2%}"
    if "recall" in figures:
        text += f", recall {figures['recall'] or 0:.1%}"
        text += f", {figures['false_positives']} of {figures['ham']:,} ham misjudged"
    before = "".join(f", before {by}" for by in figures.get("before", ()))
    return f"{text} ({folds}{before})"


def show_title(console: Console, title: str) -> None:
    console.print()
    console.print(Text(visible(title), "bold"))


def show_tokens(console: Console, labels: Sequence[str], rows: Sequence[TokenRow]) -> None:
    """Tokens with counts, P(w|c) and weight."""
    nothing = "-" if console.options.ascii_only else "–"
    columns = [("token", "left"), *((f"in {label}", "right") for label in labels)]
    columns += [(f"P(w|{label})", "right") for label in labels] + [("weight", "right")]
    started = any(row.start_weight is not None for row in rows)
    table = _table(*columns, *([("start", "right")] if started else []))
    for row in rows:
        counts = [Text(f"{n:,}") for n in row.messages]
        shares = [Text(f"{p:.2e}" if row.known else nothing) for p in row.probabilities]
        weight = _weight(row.weight) if row.known else Text("unknown")
        more = [Text(nothing) if not row.start_weight else _weight(row.start_weight)] if started else []
        table.add_row(Text(visible(row.token)), *counts, *shares, weight, *more)
    many = len(labels)
    console.print(fitted(console, table, range(many + 1, 2 * many + 1), range(1, many + 1)))


def _weight(value: float) -> Text:
    return Text(f"{value:+.2f}", "red" if value > 0 else "green")


def show_meaning(console: Console, positive: str, labels: Sequence[str]) -> None:
    """Which way the weights point."""
    others = " or ".join(label for label in labels if label != positive)
    line = f"weight above 0 speaks for {positive}, below 0 for {others}"
    console.print(Text(visible(line), "dim"))


def show_linear(console: Console, linear: Linear) -> None:
    """The linear view with its numbers."""
    show_title(console, "linear view")
    sides = f"{linear.positive} against {linear.negative}"
    length = f" / m^{linear.damping:g}" if linear.damping else ""
    score, start = f"(w.x + b){length}", linear.start
    if start is not None:
        score = f"({score} + {linear.start_weight:g} s)"
    lines = [
        f"log-odds({sides}) = {linear.slope:.4f} * {score} {linear.offset:+.4f}",
        f"b = {linear.b:+.4f}; w is the weight column; x counts the tokens"
        + ("; m is how many known tokens a message has" if linear.damping else ""),
    ]
    if start is not None:
        length = f" / n^{start.damping:g}" if start.damping else ""
        lines.append(
            f"s = {start.slope:.4f} * (v.x {start.b:+.4f}){length} {start.offset:+.4f}; "
            "v is the start column, n how many tokens the start knows"
        )
    for line in lines:
        console.print(Text(visible(line)))


def show_explanation(console: Console, told: Explanation, labels: Sequence[str], limit: int) -> None:
    """What spoke for and against, strongest first; the figures sum to the score."""
    heading = Text(visible(told.verdict), "red" if told.verdict == told.label else "green")
    sides = f"log-odds of {visible(told.label)} against {visible(told.other)}"
    heading.append(
        f"  P({visible(told.label)}) = {told.probability:.4f}, {sides} {told.log_odds:+.3f}", "bold"
    )
    console.print(heading)
    line = f"tokens known: {told.known}, unknown: {told.unknown}; log p(x) = {told.evidence:.1f}"
    console.print(Text(f"{told.why}; {line}" if told.why else line, "dim"))
    table = _parts(console, told, labels, limit, _BARS[0])
    for bar in _BARS[1:]:
        if not fits(console, table):
            table = _parts(console, told, labels, limit, bar)
    console.print(fitted(console, table, [3], [1], [4]))


def _parts(console: Console, told: Explanation, labels: Sequence[str], limit: int, longest: int) -> Table:
    seen = f"in {' / '.join(labels)}"
    table = _table(("log-odds", "right"), ("", "left"), ("token", "left"), ("times", "right"), (seen, "left"))
    block = "#" if console.options.ascii_only else "█"
    most = max((abs(p.log_odds) for p in told.parts if isfinite(p.log_odds)), default=1.0) or 1.0
    table.add_row(Text(f"{told.bias:+.3f}"), "", Text("prior and calibration", "dim"), "", "")
    for part in told.parts[:limit]:
        table.add_row(*_part_cells(part, most, longest, block))
    rest = told.parts[limit:]
    if rest:
        total = sum(p.log_odds for p in rest)
        shown = "?" if isnan(total) else f"{total:+.3f}"  # words that rule out either class have no sum
        table.add_row(Text(shown), "", Text(f"{len(rest)} weaker ones", "dim"), "", "")
    table.add_row(Text(f"{told.log_odds:+.3f}", "bold"), "", Text("sum", "bold"), "", "")
    return table


def _part_cells(part: Evidence, most: float, longest: int, block: str) -> list[Text]:
    style = "red" if part.log_odds > 0 else "green"
    bar = block * max(1, round(min(1.0, abs(part.log_odds) / most) * longest))
    seen = " / ".join(f"{n:,}" for n in part.counts)
    return [
        Text(f"{part.log_odds:+.3f}", style),
        Text(bar, style),
        Text(visible(part.token)),
        Text(str(part.times)),
        Text(seen, "dim"),
    ]
