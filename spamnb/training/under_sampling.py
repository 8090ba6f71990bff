"""Chooses the messages that under-sampling keeps: of each class as many as the smallest one has.

The messages of a class are kept in the order of their digests, so the choice is the same for any order of the
data and for any number of processes. Copies of a text have the same digest and stay or go together: where
they are at the limit, a class keeps a few messages more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from spamnb.core import FloatArray
from spamnb.features import extract
from spamnb.messages import Texts
from spamnb.settings import FeatureConfig
from spamnb.training.sampling import Digester, Digests, fold_digests


class UnderSampling:
    """Collects the digests of all messages with `add`; `limits` are those of the messages to keep."""

    def __init__(self, features: FeatureConfig) -> None:
        self._features, self._digester = features, Digester()
        self._digests: dict[str, list[Digests]] = {}

    def add(
        self,
        texts: Texts,
        labels: Sequence[str],
        categories: Mapping[str, Sequence[str]],
        numbers: Mapping[str, FloatArray],
    ) -> None:
        digests = fold_digests(texts, extract(texts, self._features), self._features)
        self._digester.complete(digests, texts, labels, categories, numbers)
        names = np.array(labels, object)
        for label in set(labels):
            self._digests.setdefault(label, []).append(digests[names == label])

    def limits(self) -> dict[str, int]:
        """Maps each label to the digest below which its messages are kept."""
        ordered = {label: np.sort(np.concatenate(parts)) for label, parts in self._digests.items()}
        fewest = min(map(len, ordered.values()), default=0)
        return {label: int(digests[fewest - 1]) + 1 for label, digests in ordered.items()}
