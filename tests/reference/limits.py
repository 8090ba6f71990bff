"""The limits on evidence against spam, one token after the other."""

from __future__ import annotations

from collections.abc import Mapping

NEUTRAL = 1e-9  # a weight this near to 0 speaks for no class


def counted(weights: Mapping[str, float], max_evidence: int, max_token_weight: float) -> dict[str, float]:
    """The tokens of a message that count, with their weights for spam; equal ones in the order given."""
    against: list[str] = []
    for token, weight in weights.items():
        if weight < -NEUTRAL:
            against.append(token)
    while max_evidence and len(against) > max_evidence:
        weakest = against[0]
        for token in against:
            if weights[token] >= weights[weakest]:
                weakest = token
        against.remove(weakest)
    result = {}
    for token, weight in weights.items():
        if weight < -NEUTRAL and token not in against:
            continue
        result[token] = max(weight, -max_token_weight) if max_token_weight else weight
    return result


def log_odds(
    prior: float,
    weights: Mapping[str, float],
    max_evidence: int,
    max_token_weight: float,
    damping: float,
    bias: float,
) -> float:
    """(prior + sum of the weights that count) / m^damping + bias, m tokens count."""
    kept = counted(weights, max_evidence, max_token_weight)
    total = prior
    for weight in kept.values():
        total += weight
    return float(total / max(len(kept), 1) ** damping + bias)
