"""Maps log-odds to the scale of SpamAssassin, on which 5.0 and more is spam.

    score = 5 + log-odds - threshold     one point is one unit of the log-odds: e times the odds of spam
                                         within -100 to 100, with one decimal
    spam: at least 5.0                   log-odds above the threshold
    ham, unsure: at most 4.9             log-odds at the threshold or below it

Rules for mail that read `X-Spam-Status`, count the stars of `X-Spam-Level` or ask a spamd server know this
scale. The threshold is a logarithm of odds too: P = 0.5 is 0, P = 0.9 is 2.2. The bounds hold after rounding,
so the printed score never contradicts the verdict.
"""

from __future__ import annotations

import math

REQUIRED = 5.0  # the score of spam, whatever the threshold of the model is
_BELOW = 4.9  # the highest score of what is not spam
_MOST = 100.0  # SpamAssassin's own score of a blocked sender
_MOST_STARS = 50


def spam_score(log_odds: float, threshold_log_odds: float, is_spam: bool | None = None) -> float:
    """Returns the score of a message on the scale of SpamAssassin.

    `is_spam` is the verdict, where more than the log-odds decides it: a message that was taught word for
    word, or one in which too little is known.

    >>> [spam_score(x, 2.0) for x in (-9.0, 0.0, 1.99, 2.0, 2.01, 9.0, 1e6)]
    [-6.0, 3.0, 4.9, 4.9, 5.0, 12.0, 100.0]
    >>> spam_score(-9.0, 2.0, is_spam=True), spam_score(9.0, 2.0, is_spam=False)
    (5.0, 4.9)
    """
    gap = log_odds - threshold_log_odds
    gap = 0.0 if math.isnan(gap) else gap
    score = round(min(max(REQUIRED + gap, -_MOST), _MOST), 1)
    spam = gap > 0 if is_spam is None else is_spam
    return max(score, REQUIRED) if spam else min(score, _BELOW)


def spam_level(score: float) -> str:
    """Returns a star for each whole point, at most 50, as the field X-Spam-Level has them.

    >>> [spam_level(score) for score in (-3.0, 0.9, 4.9, 5.0)]
    ['', '', '****', '*****']
    """
    return "*" * min(max(int(score), 0), _MOST_STARS)
