"""Limits the evidence of one token and of one message, for two classes a and b (off by default).

    lean_i = log P(i|b) - log P(i|a)
    max_token_weight   lean_i is moved into [-max, max], the mean of the two weights stays
    max_evidence       of the tokens that lean to a class, only those with the largest |lean_i| count

A spammer can append any number of ham words: beyond the limit they only displace each other.
"""

from __future__ import annotations

import numpy as np

from spamnb.core import FloatArray
from spamnb.counts import Entries


def limit_token_weights(weights: FloatArray, limit: float) -> FloatArray:
    """Returns (R, 2) weights whose difference is at most `limit`; 0 is no limit.

    >>> limit_token_weights(np.array([[-9.0, -1.0]]), 2.0).tolist()
    [[-6.0, -4.0]]
    """
    if not limit or weights.shape[1] != 2:
        return weights
    finite = np.flatnonzero(np.isfinite(weights).all(axis=1))  # what is impossible in a class stays so
    over = finite[np.abs(weights[finite, 1] - weights[finite, 0]) > limit]
    half = np.sign(weights[over, 1] - weights[over, 0]) * limit / 2
    middle = weights[over].mean(axis=1)
    limited = weights.copy()
    limited[over] = np.stack((middle - half, middle + half), axis=1)
    return limited


def limit_evidence(entries: Entries, weights: FloatArray, limit: int) -> Entries:
    """Returns the entries whose |lean| is among the `limit` largest of their message and class; 0: all."""
    if not limit or weights.shape[1] != 2:
        return entries
    with np.errstate(invalid="ignore"):
        lean = np.nan_to_num(weights[:, 1] - weights[:, 0])[entries.ids]
    group = 2 * entries.rows + (lean > 0)
    if not len(group) or np.bincount(group).max() <= limit:
        return entries
    order = np.lexsort((entries.ids, -np.abs(lean), group))  # equal ones by id: the same in any batch
    ordered = group[order]
    rank = np.arange(len(order)) - np.searchsorted(ordered, ordered)
    keep = np.sort(order[rank < limit])
    return entries.replace(rows=entries.rows[keep], ids=entries.ids[keep], counts=entries.counts[keep])
