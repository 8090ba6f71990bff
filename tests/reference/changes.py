"""Does to counts what learning, forgetting, ageing, pruning and merging do, in Python integers."""

from __future__ import annotations

from collections import Counter

from spamnb.settings import FeatureConfig
from tests.reference.keys import BITS, mix, token_key
from tests.reference.tokens import tokens

FEATURES = FeatureConfig()


class Tally:
    """N_ic and D_ic by the key of a token, D_c, and which messages can be removed exactly."""

    def __init__(self, labels: list[str]) -> None:
        self.labels = labels
        self.occurrences: dict[int, list[int]] = {}
        self.holding: dict[int, list[int]] = {}
        self.messages = [0] * len(labels)
        self.exact: dict[str, str] = {}

    def learn(self, text: str, label: str) -> None:
        assert text not in self.exact
        self.exact[text] = label
        self._add(text, label, 1)

    def forget(self, text: str) -> None:
        """A message that was learned before ageing or pruning stays in the counts."""
        label = self.exact.pop(text, None)
        if label is not None:
            self._add(text, label, -1)

    def _add(self, text: str, label: str, times: int) -> None:
        column = self.labels.index(label)
        self.messages[column] += times
        for token, many in Counter(tokens(text, FEATURES)).items():
            zeros = [0] * len(self.labels)
            self.occurrences.setdefault(token_key(token), [*zeros])[column] += times * many
            self.holding.setdefault(token_key(token), [*zeros])[column] += times
        self._drop(1)

    def age(self) -> None:
        """(n + r) // 2 with r 0 or 1 by the token's key and by how many occurrences there are."""
        seed = sum(map(sum, self.occurrences.values()))
        for key, row in self.holding.items():
            r = mix((key + seed) & BITS) >> 63
            halved = [(n + r) // 2 for n in row]
            many = [(n + r) // 2 for n in self.occurrences[key]]
            self.holding[key] = halved
            self.occurrences[key] = [n if d else 0 for n, d in zip(many, halved, strict=True)]
        self.messages = [(n + 1) // 2 for n in self.messages]
        self._drop(1)
        self.exact.clear()

    def prune(self, least: int) -> None:
        if self._drop(least):
            self.exact.clear()

    def _drop(self, least: int) -> bool:
        """Drops tokens that fewer messages hold."""
        rare = [key for key, row in self.holding.items() if sum(row) < least]
        for key in rare:
            del self.holding[key], self.occurrences[key]
        return bool(rare)

    def merge(self, other: Tally) -> None:
        for mine, theirs in ((self.occurrences, other.occurrences), (self.holding, other.holding)):
            for key, row in theirs.items():
                mine[key] = [a + b for a, b in zip(mine.get(key, [0] * len(row)), row, strict=True)]
        self.messages = [a + b for a, b in zip(self.messages, other.messages, strict=True)]

    def counts(self) -> dict[object, tuple[int, ...]]:
        """All counts by what they count, without zeros."""
        named: dict[object, list[int]] = {"messages": self.messages}
        named |= {("N", key): row for key, row in self.occurrences.items()}
        named |= {("D", key): row for key, row in self.holding.items()}
        return {name: tuple(row) for name, row in named.items() if any(row)}
