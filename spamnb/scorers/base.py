"""Defines the contract of a scorer: counts in, log P(c) + log P(x|c) of every message and class out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spamnb.core import FloatArray, IntArray, Record, row_sums
from spamnb.counts import CountStore, Entries, are_grams
from spamnb.errors import ConfigError
from spamnb.settings import ScorerConfig


class ClassTotals(NamedTuple):
    """The sums of each class, (K,) each."""

    tokens: FloatArray  # N_c
    presences: FloatArray  # sum over tokens of D_ic
    messages: FloatArray  # D_c
    words: FloatArray  # N_c of single words only

    @classmethod
    def of(cls, store: CountStore) -> ClassTotals:
        totals = store.token_totals, store.presence_totals, store.message_totals, store.word_totals
        return cls(*(each.astype(np.float64) for each in totals))

    def weighted(self, weights: FloatArray) -> ClassTotals:
        return ClassTotals(*(each * weights for each in self))


class Stats(Record):
    """Counts as a scorer sees them: R tokens (all, or those needed) and K classes, possibly weighted.

    tokens (R, K) is N_ic, messages (R, K) is D_ic; the totals and vocabularies are of the whole store.
    is_ngram (R,) marks the tokens of several words.
    """

    tokens: FloatArray
    messages: FloatArray
    totals: ClassTotals
    is_ngram: NDArray[np.bool_]
    vocabulary: int
    word_vocabulary: int
    gram_vocabulary: int
    labels: tuple[str, ...] = ()

    @classmethod
    def of(cls, store: CountStore, rows: IntArray | None = None) -> Stats:
        which = slice(None) if rows is None else rows
        return cls(
            store.tokens[which].astype(np.float64),
            store.messages[which].astype(np.float64),
            ClassTotals.of(store),
            are_grams(store.kinds[which]),
            store.vocabulary,
            store.word_vocabulary,
            store.gram_vocabulary,
            store.labels,
        )

    def weighted(self, weights: FloatArray) -> Stats:
        """Returns the counts with every message of class c counted `weights[c]` times."""
        return self.replace(
            tokens=self.tokens * weights,
            messages=self.messages * weights,
            totals=self.totals.weighted(weights),
        )

    @property
    def classes(self) -> int:
        return len(self.totals.messages)


class Form(Enum):
    """How the numbers of tokens make the score of a class c; k_i is how often i occurs in the message."""

    SUM = "sum"  # bias_c + sum_i k_i log P(i|c)
    COMPLEMENT = "complement"  # bias_c - sum_i k_i log P(i|not c)
    PRESENCE = "presence"  # bias_c + sum over present i of log P(i|c) - log(1 - P(i|c))
    RATES = "rates"  # bias_c + sum over present i of k_i log(r_ic n) - r_ic n - log k_i!
    CHAIN = "chain"  # bias_c + sum_j log P(w_j | the words before it, c)


class Fraction(NamedTuple):
    """P(i|c) = (count + added) / below_c; n-grams may have another number added, `below` is (K,)."""

    added: float
    added_to_ngrams: float
    below: FloatArray

    def log(self, counts: FloatArray, is_ngram: NDArray[np.bool_]) -> FloatArray:
        """Returns (R, K): log P of tokens with these counts."""
        if self.added == self.added_to_ngrams:
            return log_ratio(counts + self.added, self.below)
        return log_ratio(counts + np.where(is_ngram, self.added_to_ngrams, self.added)[:, None], self.below)


class Scorer(ABC):
    """One naive Bayes formula. A new one defines `estimate`, and `bias` or `terms` where it is not linear."""

    name: ClassVar[str]
    form: ClassVar[Form] = Form.SUM
    needs_full_vocabulary: ClassVar[bool] = False  # does it need every token, not only those of a message?
    needs_lengths: ClassVar[bool] = False  # do `terms` need the lengths of messages?
    generative: ClassVar[bool] = True  # can messages be drawn from P(x | c)?

    def __init__(self, config: ScorerConfig) -> None:
        self.config = config

    @property
    def once(self) -> bool:
        """Does a token count once per message however often it occurs there?"""
        return self.config.once

    @property
    def order(self) -> int | None:
        """How many words before a word it depends on; None if the order of words does not matter."""
        return None

    @property
    def linear(self) -> bool:
        """Is a message's score its bias and the weights of its tokens, and nothing else?"""
        return type(self).terms is Scorer.terms

    @property
    def supports_limits(self) -> bool:
        """Can the evidence of tokens and messages be limited?"""
        return self.linear and self.order is None and type(self).bias is Scorer.bias

    @abstractmethod
    def estimate(self, stats: Stats) -> FloatArray:
        """Returns (R, K): log P(i | c), smoothed; the weight of one occurrence of token i."""

    def fraction(self, _: Stats) -> Fraction | None:
        """Returns how P(i|c), or the rate, comes from the count of a token; None if it does so otherwise."""
        return None

    def occurrence_weights(self, weights: FloatArray) -> FloatArray:
        """Returns (R, K): what a token in a message adds, if that depends on nothing else in the message."""
        return weights

    def bias(self, stats: Stats) -> FloatArray:
        """Returns (K,): the part of the score that all messages share, the log prior."""
        return log_prior(stats, self.config)

    def log_prior(self, stats: Stats) -> FloatArray:
        """Returns (K,): the part of the bias that compares the classes if all of them are impossible."""
        return log_prior(stats, self.config)

    def terms(self, weights: FloatArray, entries: Entries, _: Stats) -> tuple[IntArray, FloatArray]:
        """Returns the message and the (K,) evidence of each entry: n_i log P(i | c)."""
        values = weights[entries.ids]
        return entries.rows, values if self.once else values * entries.counts[:, None]

    def text_scores(self, entries: Entries, stats: Stats, weights: FloatArray) -> FloatArray:
        """Returns (messages, K): the sum of each message's terms."""
        if stats.classes == 2 and self.once and self.linear:
            return pair_sums(weights, entries.rows, entries.ids, entries.size)
        rows, values = self.terms(weights, entries, stats)
        out = np.zeros((entries.size, stats.classes))
        for c in range(stats.classes):
            out[:, c] = row_sums(rows, np.ascontiguousarray(values[:, c]), entries.size)
        return out

    def joint(self, entries: Entries, stats: Stats) -> FloatArray:
        """Returns (messages, K): log P(c) + log P(x | c), the sum of the bias and of all terms."""
        return self.text_scores(entries, stats, self.estimate(stats)) + self.bias(stats)

    def counts(self, stats: Stats) -> tuple[FloatArray, FloatArray]:
        """Returns occurrences and their totals; where a token counts once, messages and their totals."""
        if self.once:
            return stats.messages, stats.totals.presences
        return stats.tokens, stats.totals.tokens


def pair_sums(weights: FloatArray, rows: IntArray, ids: IntArray, size: int) -> FloatArray:
    """Adds up the weights of each message's tokens, for two classes: (size, 2).

    Both weights of a token are fetched and added at once, as a complex number: 5 ns a token instead of 10
    with a vocabulary beyond the cache.
    """
    pairs = np.ascontiguousarray(weights).view(np.complex128).reshape(-1)
    return row_sums(rows, pairs.take(ids), size).view(np.float64).reshape(-1, 2)


def class_weights(config: ScorerConfig, labels: tuple[str, ...], totals: IntArray | FloatArray) -> FloatArray:
    """Returns (K,): how many times a message counts; with balance=weight all classes are alike."""
    stated = dict(config.class_weights)
    weights = np.array([stated.get(label, 1.0) for label in labels]) if stated else np.ones(len(totals))
    if config.balance != "weight":
        return weights
    sizes = weights * np.maximum(totals, 1.0)
    return np.asarray(weights * sizes.sum() / (len(sizes) * sizes))


def log_prior(stats: Stats, config: ScorerConfig) -> FloatArray:
    """Computes log pi_c: learned as D_c / sum D, uniform, or as set."""
    if config.prior == "uniform":
        return np.full(stats.classes, -np.log(stats.classes))
    if config.prior == "learned":
        return log_ratio(stats.totals.messages, np.full(stats.classes, stats.totals.messages.sum()))
    if len(config.prior) != stats.classes:
        raise ConfigError(
            f"--class-prior gives {len(config.prior):,} numbers, the model has {stats.classes:,} classes"
        )
    return safe_log(np.asarray(config.prior, np.float64))


def safe_log(x: FloatArray) -> FloatArray:
    """Computes log x, -inf for 0: without smoothing an unseen word makes a class impossible."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(x), np.float64)


def log_ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """Computes log(above / below); a class with nothing to divide by (0/0) makes its tokens impossible."""
    with np.errstate(invalid="ignore"):  # smoothing of 1e308 makes both infinite
        return np.where(below > 0, safe_log(above) - safe_log(np.maximum(below, 1e-300)), -np.inf)
