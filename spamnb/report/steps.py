"""Figures on the way, of a learning curve or a stream, as a table for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from spamnb.report.comparison import number, without_least

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
