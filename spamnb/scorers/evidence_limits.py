"""Limits the evidence against the positive class, so that good words cannot make spam look like ham.

    u_i = w_i + v_i        the weight of token i for the positive class of two, correction included
    max_token_weight X     u_i is raised to at least -X
    max_evidence N         of the tokens of a message with u_i < 0, only the N with the smallest u_i count

A spammer can append any number of ham words: beyond the limit they only displace each other. Evidence for the
positive class has no limit, so words of spam in a long message all count. What is impossible in the positive
class (u_i of -inf, without smoothing) stays impossible.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spamnb.core import BoolArray, FloatArray, IntArray, Record, run_starts
from spamnb.counts import Entries
from spamnb.settings import ScorerConfig

# A weight this near to 0 is no evidence: its sign would depend on how its probabilities were rounded.
NEUTRAL = 1e-9


class EvidenceLimits(Record):
    """The limits for two classes of which column `plus` is the positive one; 0 is no limit."""

    plus: int
    tokens: int
    weight: float

    @classmethod
    def of(cls, config: ScorerConfig, labels: Sequence[str], positive: str) -> EvidenceLimits | None:
        """Returns the limits of a scorer; None without any, or if `positive` is not one of two classes."""
        if len(labels) != 2 or positive not in labels or not (config.max_evidence or config.max_token_weight):
            return None
        return cls(labels.index(positive), config.max_evidence or 0, config.max_token_weight)

    def raise_weights(self, weights: FloatArray) -> FloatArray:
        """Returns the weights u_i raised to the limit on one token.

        >>> EvidenceLimits(1, 0, 5.0).raise_weights(np.array([-9.0, -2.0, 9.0, -np.inf])).tolist()
        [-5.0, -2.0, 9.0, -inf]
        """
        if not self.weight:
            return weights
        return np.where(np.isfinite(weights), np.maximum(weights, -self.weight), weights)

    def apply(self, log_p: FloatArray, added: NDArray[Any] | None) -> tuple[FloatArray, Ranks | None]:
        """Returns what is added to each w_i to give the limited u_i, and ranks if few tokens of many count.

        log_p (R, 2) are the weights of each class, whose difference is w_i; `added` is v_i, None without it.
        """
        bayes = self.bayes_weights(log_p)
        weights = bayes if added is None else bayes + added
        finite = np.isfinite(bayes)
        change = np.zeros(len(bayes))
        change[finite] = self.raise_weights(weights[finite]) - bayes[finite]
        return change, Ranks.of(weights, self.tokens) if self.tokens else None

    def bayes_weights(self, log_p: FloatArray) -> FloatArray:
        """Returns w_i, the difference of both classes; 0 for what is impossible in both."""
        with np.errstate(invalid="ignore"):
            weights = log_p[:, self.plus] - log_p[:, 1 - self.plus]
        return np.where(np.isnan(weights), 0.0, weights)

    def limit(
        self, entries: Entries, log_p: FloatArray, added: NDArray[Any] | None = None
    ) -> tuple[Entries, FloatArray]:
        """Returns the entries that count, and log_p with correction and limit in the positive class."""
        change, ranks = self.apply(log_p, added)
        limited = log_p.copy()
        limited[:, self.plus] += change
        keep = None if ranks is None else ranks.counted(entries)
        return entries if keep is None else select(entries, keep), limited


class Ranks(Record):
    """The places of tokens by their evidence against the positive class, the strongest first.

    `place` (R,) of a token; those below `against` are evidence against the positive class. Of these `limit`
    count in a message.
    """

    place: NDArray[np.uint32]
    against: int
    limit: int

    @classmethod
    def of(cls, weights: FloatArray, limit: int) -> Ranks:
        """Ranks tokens; equal weights go by id, so that a message has the same tokens in any batch."""
        place = np.empty(len(weights), np.uint32)
        place[np.argsort(weights, kind="stable")] = np.arange(len(weights), dtype=np.uint32)
        return cls(place, int(np.count_nonzero(weights < -NEUTRAL)), limit)

    def counted_in_order(self, entries: Entries) -> BoolArray | None:
        """Returns what `counted` does, of entries whose ids are places: in a message the strongest are first.

        That spares the sort, which took a seventh of the time of a bulk prediction.
        """
        sizes = np.bincount(entries.rows, minlength=entries.size)
        if not sizes.max(initial=0) > self.limit:
            return None
        last = np.cumsum(sizes) - sizes + self.limit  # of each message: the first one beyond the limit
        return np.asarray(
            (np.arange(len(entries.ids)) < last.take(entries.rows)) | (entries.ids >= self.against)
        )

    def counted(self, entries: Entries) -> BoolArray | None:
        """Marks the `limit` strongest tokens against the positive class, and all others; None if all count.

        Messages and places are packed into one number and sorted, 5 ns a token in 32 bits; the last place
        that counts is then at a known distance from the first one of its message.
        """
        place = self.place.take(entries.ids)
        against = place < self.against
        some = np.flatnonzero(against)
        rows = entries.rows.take(some)
        if not len(rows) or np.bincount(rows).max() <= self.limit:
            return None
        shift = max(self.against - 1, 1).bit_length()
        kind: Any = np.uint32 if int(rows[-1]).bit_length() + shift <= 32 else np.uint64
        codes = rows.astype(kind) << kind(shift)
        codes |= place.take(some)
        codes.sort()
        last = _last_places(rows, codes, self.limit, entries.size) & kind((1 << shift) - 1)
        return np.asarray(~against | (place <= last.take(entries.rows)))


def select(entries: Entries, keep: BoolArray) -> Entries:
    """Returns the marked entries."""
    at = np.flatnonzero(keep)
    return entries.replace(rows=entries.rows[at], ids=entries.ids[at], counts=entries.counts[at])


def _last_places(rows: IntArray, codes: NDArray[Any], limit: int, size: int) -> NDArray[Any]:
    """Returns the code of each message's `limit`-th token, or its last one."""
    first = run_starts(rows)
    end = np.append(first[1:], len(rows))
    last = np.zeros(size, codes.dtype)
    last[rows[first]] = codes[np.minimum(first + limit, end) - 1]
    return last
