"""Prints model cards and explanations of messages to the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, isnan
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from spamnb.core import visible
from spamnb.model import Basis, Evidence, Explanation, describe
from spamnb.report.column_fit import fit_columns, fits, plain_table, print_table, token_text
from spamnb.settings import ScorerConfig

_BARS = (20, 10, 5)  # columns of the longest bar, where there is room


def show_card(console: Console, card: dict[str, Any]) -> None:
    """Prints the model in a few lines."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in card_rows(card):
        table.add_row(name, Text(visible(value)))
    print_table(console, table)


def card_rows(card: dict[str, Any]) -> list[tuple[str, str]]:
    """Describes a model as names and values."""
    features, scorer, tokens = card["features"], card["scorer"], card["tokens"]
    shapes = ", shapes" * bool(features["shapes"]) + ", punctuation runs" * bool(features["punctuation"])
    chars = f", characters to {features['chars']}" if features["chars"] else ""
    patterns = "".join(f", re:{name}" for name, _ in features["patterns"])
    columns = "".join(f", column {c}" for c in (*features["categorical"], *features["numeric"]))
    rows = [
        ("model", f"{card['path']} ({card['bytes'] / 1e3:,.0f} kB)"),
        ("learned", ", ".join(f"{n:,} {label}" for label, n in card["classes"].items()) or "nothing yet"),
        ("tokens", f"{tokens['all']:,} ({tokens['words']:,} words, {tokens['word_ngrams']:,} n-grams)"),
        ("features", f"words, n-grams to {features['ngrams']}{shapes}{chars}{patterns}{columns}"),
        ("scorer", f"{scorer['name']}, {_scorer_text(scorer, tokens, features)}"),
        ("refined", _refined_text(card["refined"])),
        *_base_rows(card["base"]),
        ("decision", _decision_text(card["decision"], card["positive"], list(card["classes"]))),
        *_min_known_words_rows(card["min_known_words"]),
    ]
    return [
        *rows,
        ("cross-validation", _metrics_text(card["metrics"])),
        *_history_rows(card["change_history"], card["outdated"]),
    ]


def _history_rows(history: dict[str, Any], outdated: str) -> list[tuple[str, str]]:
    """Describes the changes since training; no rows without changes."""
    changes = [
        f"{name} {history[name]:,}" for name in ("learned", "forgotten", "relabelled") if history[name]
    ]
    if history["classified"]:
        wrong = f"{history['wrong']:,} of {history['classified']:,}"
        changes.append(f"{wrong} misclassified before they were learned")
    rows = [("since training", ", ".join(changes))] if changes else []
    if outdated:
        rows.append(("outdated", f"{outdated}; measure it again with `spamnb evaluate DATA`"))
    return rows


def _scorer_text(scorer: dict[str, Any], tokens: dict[str, Any], features: dict[str, Any]) -> str:
    counts = "each token once per message" if scorer["once"] else "every occurrence counts"
    prior = scorer["prior"] if isinstance(scorer["prior"], str) else f"fixed {scorer['prior']}"
    smoothing = f"{ScorerConfig.from_state(scorer).smoothing_text(ngrams=tokens['word_ngrams'] > 0)}, "
    if not tokens["all"] and not features["categorical"] and features["numeric"]:
        smoothing = ""  # there are only normal densities
    textbook = "as in the textbook, " if scorer["textbook"] != "none" else ""
    text = f"{textbook}{smoothing}{counts}, damping {scorer['damping']:g}, prior {prior}"
    text += "".join(f", {label} counted {weight:g} times" for label, weight in scorer["class_weights"])
    text += ", classes weighted alike" if scorer["balance"] == "weight" else ""
    text += f", {scorer['covariance']} covariance" if scorer["covariance"] != "diagonal" else ""
    return text + (", columns in a tree" if scorer["column_tree"] else "")


def _refined_text(refined: dict[str, int] | None) -> str:
    if refined is None:
        return "no: the weights are those of naive Bayes"
    later = refined["learned_since"]
    messages = f"{abs(later):,} message{'s' * (abs(later) > 1)}"
    moved = f"; {messages} {'learned' if later > 0 else 'forgotten'} since" if later else ""
    return f"the weights of {refined['tokens']:,} tokens, fitted on {refined['messages']:,} messages{moved}"


def _base_rows(base: dict[str, Any] | None) -> list[tuple[str, str]]:
    """Describes the base model; no rows without one."""
    if base is None:
        return []
    size = f"{base['tokens']:,} tokens of {base['messages']:,} messages"
    return [("base model", f"{base['name']}, weight {base['weight']:.3g} ({size})")]


def _min_known_words_rows(share: float | None) -> list[tuple[str, str]]:
    """Describes when a message is unsure instead of ham; no rows if there is no such limit."""
    if share is None:
        return []
    return [
        (
            "min. known words",
            f"{share:.0%}; a message with a smaller share, pairs not counted, is unsure, not ham",
        )
    ]


def _decision_text(decision: dict[str, Any], positive: str, classes: list[str]) -> str:
    if len(classes) > 2:
        costs = [f"{truth} called {verdict} costs {x:g}" for truth, verdict, x in decision.get("costs", ())]
        return f"the class of least cost: {', '.join(costs)}, else 1" if costs else "the likeliest class"
    return describe(decision, positive, next((c for c in classes if c != positive), "the rest"))


def _metrics_text(metrics: dict[str, Any] | None) -> str:
    if metrics is None:
        return "no metrics stored"
    text = f"accuracy {metrics['accuracy']:.2%}"
    if "recall" in metrics:
        text += f", recall {metrics['recall'] or 0:.1%}"
        text += f", false positives {metrics['false_positives']:,} of {metrics['ham']:,} ham"
    before = "".join(f", before {by}" for by in metrics.get("before", ()))
    return f"{text} ({metrics['folds']} folds of {metrics['sample']:,} messages{before})"


def show_explanation(console: Console, explanation: Explanation, labels: Sequence[str], limit: int) -> None:
    """Prints the evidence for and against, strongest first; with the bias it sums to the log-odds."""
    label, other = visible(explanation.positive), visible(explanation.negative)
    verdict_style = "red" if explanation.verdict == explanation.positive else "green"
    heading = Text(visible(explanation.verdict), verdict_style)
    heading.append(_reason(explanation), "bold")
    alone = f"; {_words_alone(explanation)}" if explanation.taught_as else ""
    sides = f"{alone}, log-odds of {label} against {other} {explanation.log_odds:+.3f}"
    heading.append(f"  P({label}) = {explanation.probability:.4f}{sides}", "bold")
    console.print(heading)
    basis = explanation.basis
    known = f"known tokens: {basis.known:,} of {basis.known + basis.unknown:,}"
    console.print(Text(f"{known}; the numbers in the last column count {_counted(basis)}", "dim"))
    if explanation.listed:
        entry = visible(explanation.listed)
        line = f"the sender is listed: {entry}; the log-odds are the sum of the evidence, without that"
        console.print(Text(line, "dim"))
    if explanation.lacks_evidence:
        line = "so little is known that P is kept away from 0 and 1; the log-odds are the sum of the evidence"
        console.print(Text(line, "dim"))
    table = _evidence_table(console, explanation, labels, limit, _BARS[0])
    for bar in _BARS[1:]:
        if not fits(console, table):
            table = _evidence_table(console, explanation, labels, limit, bar)
    print_table(console, fit_columns(console, table, [3], [1], [4, 5]))


def _reason(explanation: Explanation) -> str:
    """Writes the reason for the verdict beside the evidence, such as `, as taught`."""
    if explanation.taught_as:
        return ", as taught"
    return f", {explanation.unsure_reason}" if explanation.unsure_reason else ""


def _words_alone(explanation: Explanation) -> str:
    """Writes which class the words of a taught message are evidence for."""
    words = explanation.positive if explanation.log_odds > 0 else explanation.negative
    return f"its words alone say: {visible(words)}"


def _evidence_table(
    console: Console, explanation: Explanation, labels: Sequence[str], limit: int, longest: int
) -> Table:
    with_base = any(e.base_counts is not None for e in explanation.evidence)
    counts = [f"in {' / '.join(labels)}", *(["in base model"] if with_base else [])]
    table = plain_table(
        *(("log-odds", "right"), ("", "left"), ("token", "left"), ("times", "right")),
        *((heading, "left") for heading in counts),
    )
    block = "#" if console.options.ascii_only else "█"
    sizes = [abs(e.log_odds) for e in explanation.evidence if isfinite(e.log_odds)]
    largest = max(sizes, default=1.0) or 1.0
    table.add_row(Text(f"{explanation.bias:+.3f}"), "", Text(join_words(explanation.basis.bias_parts), "dim"))
    for evidence in explanation.evidence[:limit]:
        table.add_row(*_evidence_cells(evidence, largest, longest, block))
    weaker = explanation.evidence[limit:]
    if weaker:
        total = sum(e.log_odds for e in weaker)
        shown = "?" if isnan(total) else f"{total:+.3f}"  # words that rule out either class have no sum
        table.add_row(Text(shown), "", Text(f"{len(weaker):,} weaker one{'s' * (len(weaker) > 1)}", "dim"))
    table.add_row(Text(f"{explanation.log_odds:+.3f}", "bold"), "", Text("sum", "bold"))
    return table


def join_words(words: Sequence[str]) -> str:
    """Joins words by commas and `and`.

    >>> join_words(["prior", "absent words", "calibration"])
    'prior, absent words and calibration'
    """
    return " and ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)


def _counted(basis: Basis) -> str:
    """Names what the counts of tokens are, messages or occurrences."""
    same = basis.base_counted == basis.counted
    return basis.counted if same else f"{basis.counted} (base model: {basis.base_counted})"


def _evidence_cells(evidence: Evidence, largest: float, longest: int, block: str) -> list[Text]:
    style = "red" if evidence.log_odds > 0 else "green"
    bar = block * max(1, round(min(1.0, abs(evidence.log_odds) / largest) * longest))
    own, base = evidence.own_counts, evidence.base_counts
    by_model = [own] if base is None else [own, base]
    return [
        Text(f"{evidence.log_odds:+.3f}", style),
        Text(bar, style),
        token_text(evidence.token, 0),
        Text(str(evidence.times)),
        *(Text(" / ".join(f"{n:,}" for n in counts), "dim") for counts in by_model),
    ]
