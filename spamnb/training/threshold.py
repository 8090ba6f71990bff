"""Sets the threshold for a false positive rate."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from spamnb.model import probability

MAIL_MAX_FPR = 0.001  # the default of `spamnb train` for mail
# For the default rate, few ham say little: their threshold counts with the share ham / ENOUGH_HAM, and that
# of a cautious probability with the rest. 5 draws (seeds 900 to 904) of 10, 20, 60, 100 and 300 mails of
# each class, without a base model: 45, 57, 78, 82 and 86% of SpamAssassin's spam were caught, and 0.7 to
# 0.1% of ham lost; by the ham alone 0, 7, 53, 52 and 73%, and 0 to 0.3%. Of TREC's spam 60, 72, 89, 94 and
# 96%, and at most 0.04% of ham lost; by the ham alone 20, 42, 67, 90 and 95%.
CAUTIOUS = 0.9
ENOUGH_HAM = 600
_ENOUGH = 10  # ham beyond the threshold that are worth counting; fewer are estimated from the tail
_TAIL = 20  # one in so many ham is the tail
_AIM = 0.8  # of the rate, where it can only be estimated
_FEWEST_DIGITS = 4  # of a threshold, after the point
_SMALLEST = 1e-300


def cutoff(ham: ArrayLike, max_fpr: float) -> float:
    """Returns the log-odds threshold for a false positive rate, from scores of ham the model has not seen.

    A rate of 0.1% depends on the two or three highest of 3,000 scores: one odd mail moves it far. So the tail
    is taken to fall off exponentially. With u, which the k highest of n scores exceed, and b, by how much on
    average,

        P(score > t) = k/n exp(-(t - u) / b) = aim      t = u + b log(k / (n aim))      aim = 0.8 max_fpr

    but no more than max_fpr n of these scores may lie above. The rate is a limit, and an estimate
    that aims at it exceeds it half of the time, so the aim is lower. Chosen on inner splits of SpamAssassin
    and TREC 2007: with 2,000 and 900 ham the false positive rate on unseen ham was 0.077% and 0.073% for
    0.1% (aiming at 0.1%: 0.077% and 0.109%), with 60 ham 0 to 0.12%; with the highest score alone it was 0
    to 1.6%, and less spam was caught from 1,000 ham on.

    >>> scores = -np.log(1 - (np.arange(1000) + 0.5) / 1000)  # an exponential tail
    >>> round(cutoff(scores, 0.1), 2), round(cutoff(scores, 0.0001), 1)
    (2.3, 9.4)
    """
    scores = np.sort(np.asarray(ham, np.float64))[::-1]
    n = len(scores)
    if not n:
        return 0.0
    threshold = scores[min(math.floor(max_fpr * n + 1e-9), n - 1)]
    k = min(max(_ENOUGH, n // _TAIL), n - 1)
    if max_fpr * n < _ENOUGH and k:
        u = scores[k]
        b = float(np.mean(scores[:k] - u))
        threshold = max(threshold, u + b * math.log(max(k / (n * _AIM * max_fpr), 1.0)))
    return float(threshold)


def cautious_cutoff(ham: ArrayLike, max_fpr: float, start: float = CAUTIOUS) -> float:
    """Returns a log-odds threshold that moves from that of a probability to that of `cutoff` with more ham.

    >>> scores = np.linspace(-4, 2, 60)
    >>> [round(cautious_cutoff(scores[:n], 0.5), 2) for n in (0, 30, 60)]
    [2.2, 2.09, 1.98]
    """
    share = min(np.size(ham) / ENOUGH_HAM, 1.0)
    return (1 - share) * math.log(start / (1 - start)) + share * max(cutoff(ham, max_fpr), 0.0)


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """The best threshold on this data for a false positive rate of at most `max_fpr`.

    `--threshold` with the value of `threshold` gives this recall and these false positives.
    """

    max_fpr: float
    log_odds: float
    threshold: float
    recall: float
    false_positives: int
    ham: int

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def operating_point(
    spam: ArrayLike, log_odds: ArrayLike, max_fpr: float, lacks_evidence: ArrayLike | None = None
) -> OperatingPoint | None:
    """Finds the lowest threshold that keeps to the rate on this data; None unless it has ham and spam.

    Messages that lack evidence are unsure at any threshold.

    >>> operating_point([0, 0, 1, 1], [-1, 2, 1, 3], 0.4).recall
    0.5
    """
    is_spam, p = np.asarray(spam, bool), probability(log_odds)
    ham = int(np.count_nonzero(~is_spam))
    if not ham or ham == len(is_spam) or np.isnan(p).any():
        return None
    can_be_spam = np.ones(len(p), bool) if lacks_evidence is None else ~np.asarray(lacks_evidence, bool)
    of_ham = np.sort(p[can_be_spam & ~is_spam])[::-1]
    allowed = math.floor(max_fpr * ham + 1e-9)
    low = float(of_ham[allowed]) if allowed < len(of_ham) else 0.0
    above = p[can_be_spam & (p > low)]
    threshold = _between(low, float(above.min()) if len(above) else None)
    flagged = can_be_spam & (p > threshold)
    caught, wrong = int(np.count_nonzero(flagged & is_spam)), int(np.count_nonzero(flagged & ~is_spam))
    return OperatingPoint(max_fpr, _logit(threshold), threshold, caught / (len(p) - ham), wrong, ham)


def _between(low: float, high: float | None) -> float:
    """Returns a short number from `low` on, below `high`: halfway between their log-odds, rounded up.

    >>> _between(0.2, 0.8), _between(0.99999, 0.999991), _between(0.93333, None), _between(1.0, None)
    (0.5, 0.9999906, 0.9334, 1.0)
    """
    middle = low if high is None else float(probability((_logit(low) + _logit(high)) / 2))
    rounded = (math.ceil(middle * 10**digits) / 10**digits for digits in range(_FEWEST_DIGITS, 18))
    return next((p for p in rounded if low <= p <= 1 and (high is None or p < high)), low)


def _logit(p: float) -> float:
    """Computes log(p / (1 - p)), which is finite also where p has been rounded to 0 or 1."""
    return math.log(max(p, _SMALLEST)) - math.log(max(1 - p, _SMALLEST))
