"""Fits the share of known words that a message needs to be called ham.

A message in another language, or of random letters, has hardly any evidence for spam, so it would be called
ham with great certainty. With a model of 70% of SMS Spam Collection, 96% of Turkish SMS, 94% of Thai ones and
94% of random letters have a smaller share of known words than all but one in 200 of its out-of-fold ham
verdicts; log p(x) finds next to nothing that this does not find (docs/internals/quality.md). A verdict of
spam stays: a few known words can be enough evidence for spam, and in mail often are. So recall stays the
same.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from spamnb.core import BoolArray, FloatArray, IntArray
from spamnb.model import HAM, SpamModel, WordCounts
from spamnb.training.cross_validation import folds
from spamnb.training.fit_out_of_fold import HeldOutScores, with_decision
from spamnb.training.sampling import Sample

RARE = 0.005  # the share of out-of-fold ham verdicts that may become unsure
ENOUGH = 200  # ham verdicts that are needed to estimate that share
HIGHEST = 0.5  # half of the words are always enough


def fit_min_known_words(
    model: SpamModel, held_out: HeldOutScores, sample: Sample, k: int
) -> tuple[SpamModel, HeldOutScores]:
    """Sets `min_known_words` if there are enough ham verdicts; adds shares of known words to the scores."""
    if len(model.labels) > 2:
        return model, held_out
    share = known_word_shares(model, sample, k)
    held_out = replace(held_out, share=share)
    codes = model.decide(held_out.log_odds, held_out.known).codes
    ham_shares = share[codes == HAM]
    if len(ham_shares) < ENOUGH or not (limit := lowest_usual(ham_shares)):
        return model, held_out
    return with_decision(replace(model, min_known_words=limit), held_out, model.decision), held_out


def lowest_usual(shares: FloatArray) -> float:
    """Returns the share that all but a few messages reach.

    >>> lowest_usual(np.linspace(0.2, 1.0, 1001))
    0.204
    """
    return min(HIGHEST, round(float(np.quantile(shares, RARE, method="lower")), 4))


def known_word_shares(model: SpamModel, sample: Sample, k: int) -> FloatArray:
    """Computes the share of words of each message that other folds, or the base model, know."""
    store, used = model.store, sample.entries.used(model.store.vocabulary)
    entries = sample.entries.compact(used)
    at = np.flatnonzero((store.kinds[used] == 1)[entries.ids])
    rows, ids, counts = entries.rows[at], entries.ids[at], entries.counts[at]
    total = np.bincount(rows, counts, len(sample))
    elsewhere = _known_elsewhere(store.messages[used], ids, folds(sample, k)[rows], k)
    known = np.bincount(rows, counts * elsewhere, len(sample))
    if model.active_base is not None:
        in_base = model.active_base.model.store.find(store.keys[used]) >= 0
        known = np.maximum(known, np.bincount(rows, counts * in_base[ids], len(sample)))
    return WordCounts(total.astype(np.int64), known.astype(np.int64)).share


def _known_elsewhere(messages: IntArray, ids: IntArray, fold: IntArray, k: int) -> BoolArray:
    """Tells for each entry whether a message outside of its fold has the token.

    `messages` holds the number of messages with each token in each class.
    """
    inside = np.bincount(ids * k + fold, minlength=len(messages) * k)
    return np.asarray(messages.sum(axis=1, dtype=np.int64)[ids] > inside[ids * k + fold])
