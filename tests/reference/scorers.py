"""Every scorer of the registry as loops over dictionaries, straight from its formula.

The one liberty: without smoothing a word that every message of a class has is impossible to be absent there,
log 0; like spamnb/scorers/bernoulli.py this writes -2**20 for it, so that presence and absence stay finite.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

from spamnb.scorers.less_naive import BACK_OFF
from spamnb.settings import ScorerConfig
from tests.reference.counts import Counts
from tests.reference.tokens import tokens, words

CERTAIN = -(2.0**20)


def log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf


def log_ratio(above: float, below: float) -> float:
    return log(above) - log(below) if above > 0 and below > 0 else -math.inf


def prior(counts: Counts, config: ScorerConfig, c: str) -> float:
    if config.prior == "uniform":
        return log(1 / len(counts.labels))
    if config.prior == "learned":
        total = sum(weight(counts, config, d) * counts.messages[d] for d in counts.labels)
        return log_ratio(weight(counts, config, c) * counts.messages[c], total)
    assert not isinstance(config.prior, str)
    return log(config.prior[counts.labels.index(c)])


def weight(counts: Counts, config: ScorerConfig, c: str) -> float:
    """What one message of a class counts: 1 or as stated; D / (K D_c) times that makes the classes alike."""
    stated = dict(config.class_weights)
    if config.balance != "weight":
        return stated.get(c, 1.0)
    every = sum(stated.get(d, 1.0) * counts.messages[d] for d in counts.labels)
    return every / (len(counts.labels) * counts.messages[c])


class Twin:
    """The counts as one scorer sees them: weighted, and by occurrence or by message."""

    def __init__(self, counts: Counts, config: ScorerConfig) -> None:
        self.counts, self.config = counts, config
        self.vocabulary = counts.vocabulary
        self.weight = {c: weight(counts, config, c) for c in counts.labels}
        table = counts.holding if config.once else counts.occurrences
        self.table = {c: {t: self.weight[c] * n for t, n in table[c].items()} for c in counts.labels}
        self.total = {c: math.fsum(self.table[c].values()) for c in counts.labels}

    def smoothing(self, outcomes: int) -> float:
        """What each of so many outcomes has before anything is counted."""
        m = self.config.m_estimate
        return self.config.alpha if m is None else m * (1 / outcomes)

    def n(self, token: str, c: str) -> float:
        return self.table[c].get(token, 0.0)

    def holding(self, token: str, c: str) -> float:
        return self.weight[c] * self.counts.holding[c][token]

    def messages(self, c: str) -> float:
        return self.weight[c] * self.counts.messages[c]

    def times(self, message: str | bytes) -> dict[str, int]:
        """n_i of the known tokens, 1 each where a token counts once."""
        seen = Counter(self.counts.known(message))
        return dict.fromkeys(seen, 1) if self.config.once else dict(seen)


def categorical(twin: Twin, message: str | bytes, c: str) -> float:
    a = twin.smoothing(2)
    terms = [n * log_ratio(twin.n(t, c) + a, twin.total[c] + 2 * a) for t, n in twin.times(message).items()]
    return total(terms)


def multinomial(twin: Twin, message: str | bytes, c: str) -> float:
    several = {t for t in twin.vocabulary if " " in t and not t.startswith("shape:")}
    root = math.sqrt(twin.config.ratio) if several else 1.0
    alpha = twin.smoothing(len(twin.vocabulary))
    a = {t: alpha * (root if t in several else 1 / root) for t in twin.vocabulary}
    below = twin.total[c] + math.fsum(a.values())
    return total([n * log_ratio(twin.n(t, c) + a[t], below) for t, n in twin.times(message).items()])


def poisson(twin: Twin, message: str | bytes, c: str) -> float:
    a, length = twin.smoothing(2), len(tokens(message, twin.counts.features))
    terms = []
    for t, n in twin.times(message).items():
        log_rate = log_ratio(twin.n(t, c) + a, twin.total[c] + 2 * a)
        rate = math.exp(log_rate) * length
        terms.append(n * (log_rate + log(length)) - rate - math.lgamma(n + 1))
    return total(terms)


def binary(twin: Twin, message: str | bytes, c: str) -> float:
    a = twin.smoothing(2)
    below = twin.messages(c) + 2 * a
    return total([log_ratio(twin.holding(t, c) + a, below) for t in set(twin.counts.known(message))])


def bernoulli(twin: Twin, message: str | bytes, c: str) -> float:
    a, present = twin.smoothing(2), set(twin.counts.known(message))
    terms = []
    for t in twin.vocabulary:
        p = math.exp(log_ratio(twin.holding(t, c) + a, twin.messages(c) + 2 * a))
        terms.append(log(p) if t in present else max(log(1 - p), CERTAIN))
    return total(terms)


def complement(twin: Twin, message: str | bytes, c: str) -> float:
    v = len(twin.vocabulary)
    a = twin.smoothing(v)
    others = [d for d in twin.counts.labels if d != c]
    below = sum(twin.total[d] for d in others) + a * v
    terms = [
        -n * log_ratio(sum(twin.n(t, d) for d in others) + a, below) for t, n in twin.times(message).items()
    ]
    return total(terms)


def less_naive(twin: Twin, message: str | bytes, c: str) -> float:
    listed, order = words(message, twin.counts.features), twin.config.order
    terms = []
    for j, word in enumerate(listed):
        if word in twin.counts.words:
            before = listed[max(0, j - order) : j]
            terms.append(log(markov(twin, before, word, c)))
    return total(terms)


def markov(twin: Twin, before: list[str], word: str, c: str) -> float:
    """P(word | the words before it, c), backed off to one word less."""
    w, grams = twin.weight[c], twin.counts.grams[c]
    if not before:
        all_words = sum(grams[t] for t in twin.counts.words)
        alpha = twin.smoothing(len(twin.counts.words))
        below = w * all_words + alpha * len(twin.counts.words)
        return math.exp(log_ratio(w * grams[word] + alpha, below))
    shorter = markov(twin, before[1:], word, c)
    together, history = w * grams[" ".join([*before, word])], w * grams[" ".join(before)]
    return (together + BACK_OFF * shorter) / (history + BACK_OFF)


def total(terms: list[float]) -> float:
    return math.fsum(terms) if all(map(math.isfinite, terms)) else sum(terms)


SCORERS: dict[str, Callable[[Twin, str | bytes, str], float]] = {
    "bernoulli": bernoulli,
    "binary": binary,
    "categorical": categorical,
    "complement": complement,
    "less-naive": less_naive,
    "multinomial": multinomial,
    "poisson": poisson,
}


def joint(counts: Counts, config: ScorerConfig, message: str | bytes) -> list[float]:
    """log P(c) + log P(x | c) of every class, before damping."""
    twin, score = Twin(counts, config), SCORERS[config.name]
    log_priors = [0.0 if config.name == "complement" else prior(counts, config, c) for c in counts.labels]
    return [p + score(twin, message, c) for p, c in zip(log_priors, counts.labels, strict=True)]


def damping(counts: Counts, config: ScorerConfig, message: str | bytes) -> float:
    """1 / m^d for a message of m distinct known tokens."""
    distinct = max(1, len(set(counts.known(message))))
    return math.exp(-config.damping * math.log(distinct))
