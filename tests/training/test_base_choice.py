"""When training starts from the ready-made model by itself."""

from __future__ import annotations

from typing import Any

import pytest

from spamnb.messages import Texts
from spamnb.settings import ScorerConfig, TrainingConfig
from spamnb.training.base_choice import suits_ready_made
from spamnb.training.trainer import Trainer


@pytest.mark.parametrize(
    ("messages", "other_label", "settings", "expected"),
    [
        (199, "ham", {}, True),
        (200, "ham", {}, False),  # enough to be learned alone
        (50, "news", {}, False),
        (50, "ham", {"training": TrainingConfig(folds=0)}, False),
        (50, "ham", {"scoring": ScorerConfig.of("bernoulli")}, False),
    ],
    ids=["few", "enough", "other classes", "no folds", "another scorer"],
)
def test_few_messages_suit_the_ready_made_model(
    messages: int, other_label: str, settings: dict[str, Any], expected: bool
) -> None:
    trainer = Trainer(**settings)
    labels = ["spam" if i % 4 == 0 else other_label for i in range(messages)]
    trainer.add(Texts.of([f"message {i}" for i in range(messages)]), labels)
    assert suits_ready_made(trainer) is expected
