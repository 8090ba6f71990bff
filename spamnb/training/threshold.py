"""Sets the threshold for a false positive rate."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from spamnb.metrics import roc_curve
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
    """The best threshold on this data for a false positive rate of at most `max_fpr`."""

    max_fpr: float
    log_odds: float
    threshold: float
    recall: float
    false_positives: int
    ham: int

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def operating_point(spam: ArrayLike, log_odds: ArrayLike, max_fpr: float) -> OperatingPoint | None:
    """Finds the lowest threshold that keeps to the rate on this data; None unless it has ham and spam.

    >>> operating_point([0, 0, 1, 1], [-1, 2, 1, 3], 0.4).recall
    0.5
    """
    fpr, recall, thresholds = roc_curve(spam, log_odds)
    if np.isnan(fpr).any() or np.isnan(recall).any():
        return None
    ham = int(np.count_nonzero(~np.asarray(spam, bool)))
    false_positives = np.rint(fpr * ham).astype(np.int64)
    at = int(np.flatnonzero(false_positives <= math.floor(max_fpr * ham + 1e-9))[-1])
    # spam lies above a threshold, and a point of the curve counts the scores from its own on
    score = float(np.nextafter(thresholds[at], -np.inf)) if at else float(thresholds[1])
    threshold, count = float(probability(score)), int(false_positives[at])
    return OperatingPoint(max_fpr, score, threshold, float(recall[at]), count, ham)
