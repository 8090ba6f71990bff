"""Describes a decision rule in words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def probability_text(p: float) -> str:
    """Formats a probability with as many digits as it takes to differ from 1.

    >>> [probability_text(p) for p in (0.5, 0.90254, 0.99999812, 1.0)]
    ['0.5', '0.9025', '0.9999981', '1']
    """
    digits = 4 if p < 0.999 or p == 1 else min(16, 1 - math.floor(math.log10(1 - p)))
    return f"{p:.{digits}g}" if p < 0.999 or p == 1 else f"{p:.{digits}f}"


def describe(state: Mapping[str, Any], positive: str, other: str) -> str:
    """Describes the state of a decision.

    >>> from spamnb.model import Decision
    >>> describe(Decision.from_cutoff(3.0, 0.001).to_state(), "spam", "ham")
    'spam above P = 0.9526 (log-odds +3.00, aim: at most 0.1% of ham), unsure above 0.5'
    """
    text = f"{positive} above P = {probability_text(state['threshold'])}"
    if (threshold := state.get("log_odds_threshold")) is not None:
        text += f" (log-odds {threshold:+.2f}, aim: at most {100 * state['max_fpr']:.3g}% of {other})"
    return text if state["unsure_from"] is None else f"{text}, unsure above {state['unsure_from']:g}"
