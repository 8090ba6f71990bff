"""Ham is not said where unusually few words are known: by the shares of known words out of fold.

A message in another language, or of random letters, holds next to nothing that speaks for spam, so it is
called ham with great certainty. With a model of 70% of SMS Spam Collection, 96% of Turkish SMS, 94% of Thai
ones and 94% of random letters have a smaller share of known words than all but one in 200 of its out-of-fold
ham verdicts; log p(x) finds next to nothing that this does not find (docs/quality.md). A verdict of spam
stays: few known words can be enough to speak for spam, and in mail often are. So no spam is lost, and the
figures of detection stay what they are.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spamnb.core import FloatArray, IntArray
from spamnb.model import HAM, SpamModel, WordCounts
from spamnb.training.cross_validation import Sample, folds
from spamnb.training.fit_calibration import HeldOutScores, decided

RARE = 0.005  # the share of out-of-fold ham verdicts that may become unsure
ENOUGH = 200  # of them are needed to know that share
HIGHEST = 0.5  # a message of which half the words are known is never thin


def fit_min_known_words(
    model: SpamModel, held: HeldOutScores, sample: Sample, k: int
) -> tuple[SpamModel, HeldOutScores]:
    """The model with its doubt, where there is enough to measure it, and the results with shares of words."""
    if len(model.labels) > 2:
        return model, held
    held = replace(held, share=shares(model, sample, k))
    codes = model.decide(held.log_odds, held.known)
    usual = held.share[codes == HAM] if held.share is not None else np.zeros(0)
    if len(usual) < ENOUGH or not (limit := lowest(usual)):
        return model, held
    return decided(replace(model, min_known_words=limit), held, model.decision), held


def lowest(usual: FloatArray) -> float:
    """The share of known words that all but a few of these have.

    >>> lowest(np.linspace(0.2, 1.0, 1001))
    0.204
    """
    return min(HIGHEST, round(float(np.quantile(usual, RARE, method="lower")), 4))


def shares(model: SpamModel, sample: Sample, k: int) -> FloatArray:
    """The share of known words of each message, known to the messages of the other folds or to the start."""
    store, used = model.store, sample.entries.used(model.store.vocabulary)
    entries = sample.entries.compact(used)
    at = np.flatnonzero((store.kinds[used] == 1)[entries.ids])
    rows, which, counts = entries.rows[at], entries.ids[at], entries.counts[at]
    total = np.bincount(rows, counts, len(sample))
    elsewhere = _known_elsewhere(store.messages[used], which, folds(sample, k)[rows], k)
    known = np.bincount(rows, counts * elsewhere, len(sample))
    if model.active_base is not None:
        found = model.active_base.model.store.find(store.keys[used]) >= 0
        known = np.maximum(known, np.bincount(rows, counts * found[which], len(sample)))
    return WordCounts(total.astype(np.int64), known.astype(np.int64)).share


def _known_elsewhere(messages: IntArray, which: IntArray, fold: IntArray, k: int) -> NDArray[np.bool_]:
    """Of each entry, does a message outside of its fold hold the token `which`?

    `messages` says for each token how many messages hold it in each class.
    """
    inside = np.bincount(which * k + fold, minlength=len(messages) * k)
    return np.asarray(messages.sum(axis=1, dtype=np.int64)[which] > inside[which * k + fold])
