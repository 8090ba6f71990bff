"""Limits on what one token and one message can say, for two classes a and b (off unless asked for).

    lean_i = log P(i|b) - log P(i|a)
    clip        lean_i is held between -clip and clip, around the mean of the two
    strongest   of the tokens that lean to a class, a message counts only those with the largest |lean_i|

A spammer who appends words of ham can append as many as he likes: beyond the limit they push out each other.
"""

from __future__ import annotations

import numpy as np

from spamnb.core import FloatArray
from spamnb.counts import Entries


def clipped(weights: FloatArray, clip: float) -> FloatArray:
    """(R, 2) weights whose difference is at most `clip`; 0 is no limit.

    >>> clipped(np.array([[-9.0, -1.0]]), 2.0).tolist()
    [[-6.0, -4.0]]
    """
    if not clip or weights.shape[1] != 2:
        return weights
    finite = np.flatnonzero(np.isfinite(weights).all(axis=1))  # what is impossible in a class stays so
    wide = finite[np.abs(weights[finite, 1] - weights[finite, 0]) > clip]
    half = np.sign(weights[wide, 1] - weights[wide, 0]) * clip / 2
    middle = weights[wide].mean(axis=1)
    held = weights.copy()
    held[wide] = np.stack((middle - half, middle + half), axis=1)
    return held


def strongest(entries: Entries, weights: FloatArray, limit: int) -> Entries:
    """The entries whose |lean| is among the `limit` largest of their message and side; 0 is no limit."""
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
    kept = entries.rows[keep], entries.ids[keep], entries.counts[keep]
    return Entries(entries.size, *kept, entries.lengths, entries.sequence, entries.sequence_rows)
