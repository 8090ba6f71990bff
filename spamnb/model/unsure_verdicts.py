"""Decides messages of two classes: verdict and probability, both with regard to how much of them is known.

A message is unsure for lack of evidence if nothing in it is known, or if it is not spam and has too few known
words. Then its log-odds, however far from 0, are no reason to be certain, and its probability is

    P = min(max(1 / (1 + exp(-log-odds)), low), high)
    low     the prior of the positive class, its share in training, within 0.1 to 0.9 and the unsure band
    high    the end of the unsure band, but at most 0.9, and at least low

A message that a learner has taught word for word, with one label only, gets that label: whatever the evidence
says, a lesson holds. The probability of the label is at least 0.9, and as near to 1 as the decision asks:

    P = max(P, 0.9, threshold) for spam, min(P, 0.1, begin of the unsure band) for ham

The log-odds stay as they are: the sum of the evidence, by which messages are ranked. On 30% of SMS Spam
Collection (four splits) the log loss rose from .0186 to .0191 with the prior as `low`, and to .0214 with 0.5.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spamnb.core import BoolArray, FloatArray, Record
from spamnb.model.calibration import probability
from spamnb.model.decision import SPAM, UNSURE, Decision

LEAST, MOST = 0.1, 0.9  # what is unsure for lack of evidence is not nearer to 0 or 1 than this


class Verdicts(Record):
    """HAM, SPAM or UNSURE for n messages, their probabilities, and which are unsure for lack of evidence."""

    codes: NDArray[np.int8]
    probability: FloatArray
    lacks_evidence: BoolArray


def decide(
    decision: Decision,
    prior: float,
    log_odds: FloatArray,
    unknown: BoolArray,
    too_few_known_words: BoolArray | None = None,
) -> Verdicts:
    """Decides messages by their calibrated log-odds; of `unknown` ones no token is known.

    >>> verdicts = decide(Decision(), 0.2, np.array([-9.0, -9.0]), np.array([False, True]))
    >>> verdicts.codes.tolist(), verdicts.probability.round(4).tolist()
    ([0, 2], [0.0001, 0.2])
    """
    p = probability(log_odds)
    codes = decision.verdicts(p, log_odds=log_odds)
    lacking = unknown
    if too_few_known_words is not None:
        lacking = lacking | (too_few_known_words & (codes != SPAM))
    if lacking.any():
        codes[lacking] = UNSURE
        p = np.where(lacking, np.clip(p, *_range(decision, prior)), p)
    return Verdicts(codes, p, lacking)


def taught_range(decision: Decision) -> tuple[float, float]:
    """Returns the highest probability of a message that was taught as ham, and the lowest of taught spam.

    >>> taught_range(Decision(0.75, unsure_from=0.35)), taught_range(Decision(0.99, unsure_from=0.05))
    ((0.1, 0.9), (0.05, 0.99))
    """
    ham = np.nextafter(decision.threshold, 0.0) if decision.unsure_from is None else decision.unsure_from
    return min(LEAST, float(ham)), max(MOST, decision.threshold)


def _range(decision: Decision, prior: float) -> tuple[float, float]:
    """Returns `low` and `high` of the formula above."""
    low = max(min(max(prior, LEAST), MOST), decision.unsure_from or 0.0)
    low = min(low, decision.threshold)
    return low, max(low, min(MOST, decision.threshold))
