"""The limit on evidence against spam is a default for short messages, scored as is usual."""

from __future__ import annotations

import pytest

from spamnb.settings import FeatureConfig, ScorerConfig, TrainingConfig
from spamnb.training.trainer import train

SHORT = ["win a prize", "see you soon"]
LONG = [" ".join(f"{side}{i}" for i in range(120)) for side in ("win", "see")]
LABELS = ["spam", "ham"]
ONCE = TrainingConfig(folds=0)


@pytest.mark.parametrize(
    ("texts", "features", "scoring", "limit"),
    [
        (SHORT, FeatureConfig(), ScorerConfig(), 8),
        (SHORT, FeatureConfig(), ScorerConfig(alpha=1.0), 8),
        (SHORT, FeatureConfig(), ScorerConfig(max_evidence=0), 0),
        (SHORT, FeatureConfig(), ScorerConfig(max_evidence=3), 3),
        (SHORT, FeatureConfig.plain(), ScorerConfig(), 0),
        (SHORT, FeatureConfig(), ScorerConfig.of("binary"), 0),
        (LONG, FeatureConfig(), ScorerConfig(), 0),
        (LONG, FeatureConfig(), ScorerConfig(max_evidence=8), 8),
    ],
)
def test_what_training_decides(
    texts: list[str], features: FeatureConfig, scoring: ScorerConfig, limit: int
) -> None:
    model = train(texts, LABELS, features=features, scoring=scoring, training=ONCE)
    assert model.scoring.max_evidence == limit


def test_three_classes_have_no_limit() -> None:
    model = train([*SHORT, "the news at ten"], [*LABELS, "news"], training=ONCE)
    assert model.scoring.max_evidence == 0
