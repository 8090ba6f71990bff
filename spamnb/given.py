"""Messages as a learner sees them: tokens, digests, and the counts of some of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from spamnb.counting import count
from spamnb.counts import CountStore
from spamnb.digests import by_label, content_digests
from spamnb.features import extract
from spamnb.message import FloatArray, Texts
from spamnb.model import SpamModel
from spamnb.sparse import KeyArray


class Given:
    """Messages as the learner sees them: with their digests where the model remembers any."""

    def __init__(
        self,
        model: SpamModel,
        texts: Texts,
        labels: list[str],
        categories: Mapping[str, Sequence[str]],
        numbers: Mapping[str, FloatArray],
    ) -> None:
        self._model = model
        self.texts, self.labels = texts, labels
        features = model.features
        self.categories = {c: v for c, v in categories.items() if c in features.categorical}
        self.numbers = {c: v for c, v in numbers.items() if c in features.numeric}
        self.batch = extract(texts, features)
        self.digests = None
        if model.known is not None:
            self.digests = content_digests(self.batch, None, self.categories, self.numbers)

    def rows(self, rows: list[int]) -> Given:
        """Some of the messages, a message as often as its row is given."""
        if rows == list(range(len(self.texts))):
            return self
        at = np.array(rows, np.int64)
        return Given(
            self._model,
            self.texts.select(at),
            [self.labels[i] for i in rows],
            {c: [v[i] for i in rows] for c, v in self.categories.items()},
            {c: np.asarray(v)[at] for c, v in self.numbers.items()},
        )

    def counted(self, pairs: list[tuple[int, str]]) -> CountStore:
        """The counts of some messages with these labels."""
        if not pairs:
            return CountStore.empty()
        some = self.rows([i for i, _ in pairs])
        return count(some.batch, [label for _, label in pairs], some.categories, some.numbers)

    def digests_of(self, pairs: list[tuple[int, str]]) -> dict[str, KeyArray]:
        if self.digests is None or not pairs:
            return {}
        return by_label(self.digests[[i for i, _ in pairs]], [label for _, label in pairs])
