"""Counts of K classes in dictionaries, one message after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from spamnb.settings import FeatureConfig
from tests.reference.tokens import extra, ngrams, tokens, words


class Counts:
    """N_ic, D_ic and D_c of every class, and the word n-grams apart."""

    def __init__(
        self, messages: Sequence[str | bytes], labels: Sequence[str], features: FeatureConfig
    ) -> None:
        self.features = features
        self.labels = sorted(set(labels))
        self.occurrences: dict[str, Counter[str]] = {c: Counter() for c in self.labels}
        self.holding: dict[str, Counter[str]] = {c: Counter() for c in self.labels}
        self.grams: dict[str, Counter[str]] = {c: Counter() for c in self.labels}
        self.messages: Counter[str] = Counter(labels)
        self.words: set[str] = set()
        for message, label in zip(messages, labels, strict=True):
            self._add(message, label)

    def _add(self, message: str | bytes, label: str) -> None:
        results = tokens(message, self.features)
        self.occurrences[label].update(results)
        self.holding[label].update(set(results))
        listed, (besides, _) = words(message, self.features), extra(message, self.features)
        for n in range(1, self.features.ngrams + 1):
            self.grams[label].update(ngrams(listed, n))
        self.grams[label].update(besides)
        self.words.update(listed + besides)

    @cached_property
    def vocabulary(self) -> set[str]:
        return {token for counter in self.occurrences.values() for token in counter}

    def known(self, message: str | bytes) -> list[str]:
        """The tokens of a message that some class has seen, with repeats."""
        vocabulary = self.vocabulary
        return [token for token in tokens(message, self.features) if token in vocabulary]
