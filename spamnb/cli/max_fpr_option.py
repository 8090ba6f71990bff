"""`--max-fpr`: the share of ham that may be called spam, for the commands that have it."""

from __future__ import annotations

from typing import Any

import click

from spamnb.cli.options import DECISIONS
from spamnb.errors import ConfigError, DataError

max_fpr_option = click.option(
    "--max-fpr", metavar="RATE", help="Call at most this share of ham spam, for example 0.1% or 0.001."
)


def max_fpr(given: dict[str, Any]) -> float | None:
    """The rate that was stated, None if there was none."""
    text = given["max_fpr"]
    if text is None:
        return None
    other = next((flag for name, flag in DECISIONS.items() if given[name] is not None), None)
    if other:
        raise ConfigError(
            f"--max-fpr and {other} do not go together: each of them sets the threshold",
            hint=f"leave out --max-fpr or {other}",
        )
    return _share(text)


def of_data(given: dict[str, Any], mail: bool) -> float | None:
    """The rate that was stated; else for mail, of which none should get lost, a low one."""
    from spamnb.training import MAIL_MAX_FPR

    stated = max_fpr(given)
    if stated is not None or not mail or any(given[name] is not None for name in DECISIONS):
        return stated
    return MAIL_MAX_FPR


def _share(text: str) -> float:
    """`0.1%` or `0.001`."""
    try:
        rate = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        rate = 0.0
    if not 0 < rate < 1:
        raise ConfigError(
            f"--max-fpr must be a share above 0 and below 1, got {text!r}", hint="for example 0.1% or 0.001"
        )
    return rate


def check_folds(rate: float | None, folds: int) -> None:
    """The line is drawn by messages that the model has not seen."""
    if rate is not None and not folds:
        raise ConfigError(
            "--max-fpr needs cross-validation to find the threshold",
            hint="leave out --no-cv, or give a --threshold yourself",
        )


def check_labels(rate: float | None, labels: tuple[str, ...]) -> None:
    """A line parts two classes."""
    if rate is not None and len(labels) > 2:
        raise ConfigError(
            f"--max-fpr needs a model of two classes, got {len(labels)}: {', '.join(labels)}",
            hint="leave out --max-fpr: among more than two classes the likeliest one is the verdict",
        )


def check_found(rate: float | None, found: float | None) -> None:
    """Where a class has too few messages, no line was drawn."""
    if rate is not None and found is None:
        raise DataError(
            "too few messages to find a threshold for --max-fpr: every class needs at least 10",
            hint="give more labelled messages, or a --threshold yourself",
        )
