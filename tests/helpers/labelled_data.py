"""What the tests of comparing and tuning share: small data with copies, counted for some settings."""

from __future__ import annotations

import numpy as np

from spamnb.core import FloatArray
from spamnb.messages import Chunk, Texts
from spamnb.model.decision import Decision
from spamnb.model.raw_scores import RawScores
from spamnb.scorers import REGISTRY
from spamnb.settings import FeatureConfig, ScorerConfig
from spamnb.tuning.setting_grid import Candidate, SettingGrid, SharedCounts

EVERY = [Candidate(n, FeatureConfig(shapes=n != "less-naive"), ScorerConfig.of(n)) for n in REGISTRY]


def labelled(size: int = 120, classes: int = 2, seed: int = 0) -> tuple[list[str], list[str]]:
    """Messages of made-up words that lean to their class; every ninth is a copy."""
    random = np.random.default_rng(seed)
    names = ("ham", "spam", "news")[:classes]
    labels = [names[int(c)] for c in random.integers(0, classes, size)]
    texts: list[str] = []
    for i, label in enumerate(labels):
        words = (random.zipf(1.5, int(random.integers(1, 9))) + 5 * names.index(label)) % 40
        texts.append(" ".join(f"w{w}" for w in words.tolist()) if i % 9 else "A copy, w1! 555")
    return texts, labels


def counted(candidates: list[Candidate], data: tuple[list[str], list[str]], folds: int = 5) -> SharedCounts:
    counts = SharedCounts(candidates, Decision(), folds)
    for begin in range(0, len(data[0]), 50):
        texts = Texts.of(data[0][begin : begin + 50])
        counts.add_chunk(Chunk(texts, np.arange(len(texts)), data[1][begin : begin + 50]))
    return counts


def grid_of(candidates: list[Candidate], data: tuple[list[str], list[str]], folds: int = 5) -> SettingGrid:
    return SettingGrid(counted(candidates, data, folds), candidates[0].features)


def assert_same_scores(damped: FloatArray, expected: RawScores) -> None:
    """The damped scores of each class, or their difference where some evidence does not count."""
    if expected.correction is None:
        np.testing.assert_allclose(damped, expected.damped, rtol=1e-12, atol=1e-12)
        return
    odds = expected.damped[:, 1] - expected.damped[:, 0] + expected.correction
    np.testing.assert_allclose(damped[:, 1] - damped[:, 0], odds, rtol=1e-9, atol=1e-9)
