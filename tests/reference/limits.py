"""The limits on evidence against spam, one token after the other."""

from __future__ import annotations

from collections.abc import Mapping

NEUTRAL = 1e-9  # a weight this near to 0 speaks for no class


def raised(weights: Mapping[str, float], max_token_weight: float) -> dict[str, float]:
    """The weights for spam, each of at least -max_token_weight."""
    if not max_token_weight:
        return dict(weights)
    return {token: max(weight, -max_token_weight) for token, weight in weights.items()}


def share(weights: Mapping[str, float], max_evidence: int) -> float:
    """How much of each token against spam counts: all of them as much as max_evidence like the strongest."""
    evidence, strongest = 0.0, 0.0
    for weight in weights.values():
        if weight < -NEUTRAL:
            evidence += -weight
            strongest = max(strongest, -weight)
    if not max_evidence or evidence <= max_evidence * strongest:
        return 1.0
    return max_evidence * strongest / evidence


def log_odds(
    prior: float,
    weights: Mapping[str, float],
    max_evidence: int,
    max_token_weight: float,
    damping: float,
    bias: float,
) -> float:
    """(prior + sum of what counts of the weights) / m^damping + bias; of m the same shares count."""
    each = raised(weights, max_token_weight)
    of_each = share(each, max_evidence)
    total, m = prior, 0.0
    for weight in each.values():
        counts = of_each if weight < -NEUTRAL else 1.0
        total += counts * weight
        m += counts
    return float(total / max(m, 1.0) ** damping + bias)
