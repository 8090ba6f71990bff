"""Prints the worst mistakes of an evaluation, each with its strongest tokens."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from spamnb.core import cut_to_width
from spamnb.evaluation import EvaluationSummary, Mistake
from spamnb.metrics import Scores
from spamnb.report.column_fit import UNLIMITED
from spamnb.report.prediction_jsonl import explanation_row
from spamnb.report.prediction_lines import SHOWN_TOKENS, evidence_text
from spamnb.report.terminal import foreign_text

_INDENT = 8  # columns of the probability


def show_mistakes(console: Console, summary: EvaluationSummary, most: int) -> None:
    """Prints at most so many mistakes of each kind: for two classes false positives, then missed ones."""
    mistakes, scores = summary.mistakes or (), summary.scores
    if not isinstance(scores, Scores):
        _show_kind(console, "misclassified", mistakes[:most], summary.wrong, several=True)
        return
    positive, negative = summary.classes.positive, summary.classes.negative
    wrong = [mistake for mistake in mistakes if mistake.truth != positive]
    missed = [mistake for mistake in mistakes if mistake.truth == positive]
    _show_kind(console, f"{negative} flagged as {positive}", wrong[:most], scores.false_positives)
    _show_kind(console, f"{positive} not flagged", missed[:most], scores.false_negatives)


def _show_kind(
    console: Console, title: str, mistakes: Sequence[Mistake], count: int, several: bool = False
) -> None:
    some = f", the worst {len(mistakes):,}" if len(mistakes) < count else ""
    console.print()
    console.print(foreign_text(console, f"{title}: {count:,}{some}", "bold"), soft_wrap=True)
    for mistake in mistakes:
        _show_one(console, mistake, several)


def _show_one(console: Console, mistake: Mistake, several: bool) -> None:
    """Prints a mistake on one line, and its tokens on a second."""
    what = f"{mistake.truth} as {mistake.verdict}: " if several else ""
    _print_line(console, f"{mistake.probability:.4f}  ", f"{what}{mistake.subject or mistake.text}")
    tokens = "" if mistake.explanation is None else evidence_text(mistake.explanation)
    if second := ": ".join(filter(None, (mistake.source, tokens))):
        _print_line(console, " " * _INDENT, second, "dim")


def _print_line(console: Console, start: str, foreign: str, style: str = "") -> None:
    """Prints one line that fits the terminal; a file gets all of it."""
    text = foreign_text(console, " ".join(foreign.split())).plain
    if console.width < UNLIMITED:
        mark = "..." if console.options.ascii_only else "…"
        text = cut_to_width(text, max(console.width - _INDENT, 1), mark)
    console.print(Text(start + text, style), soft_wrap=True)


def mistake_rows(summary: EvaluationSummary, most: int) -> list[dict[str, object]]:
    """Returns at most so many mistakes of each kind, for JSON."""
    kinds: dict[bool, int] = {}
    rows = list[dict[str, object]]()
    for mistake in summary.mistakes or ():
        kind = isinstance(summary.scores, Scores) and mistake.truth == summary.classes.positive
        kinds[kind] = kinds.get(kind, 0) + 1
        if kinds[kind] <= most:
            rows.append(_row(mistake))
    return rows


def _row(mistake: Mistake) -> dict[str, object]:
    explanation = mistake.explanation
    evidence = [] if explanation is None else explanation_row(explanation)["evidence"]
    return {
        "truth": mistake.truth,
        "verdict": mistake.verdict,
        "probability": mistake.probability,
        "source": mistake.source,
        "message": mistake.text,
        "evidence": evidence[:SHOWN_TOKENS],
    }
