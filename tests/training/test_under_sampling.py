"""Under-sampling keeps of each class as many messages as the smallest one has, the same in any order."""

from __future__ import annotations

import numpy as np

from spamnb.messages import Texts
from spamnb.settings import FeatureConfig, TrainingConfig
from spamnb.training.trainer import Trainer
from spamnb.training.under_sampling import UnderSampling

PLAIN = FeatureConfig.plain()


def kept(texts: list[str], labels: list[str], columns: dict[str, list[str]] | None = None) -> Trainer:
    choice = UnderSampling(PLAIN)
    for part in (slice(0, 7), slice(7, None)):  # limits are those of all messages
        values = {name: column[part] for name, column in (columns or {}).items()}
        choice.add(Texts.of(texts[part]), labels[part], values, {})
    trainer = Trainer(PLAIN, training=TrainingConfig(folds=0), keep=choice.limits())
    trainer.add(Texts.of(texts), labels, columns)
    return trainer


def test_classes_are_of_equal_size() -> None:
    texts, labels = [f"word{i} text{i % 4}" for i in range(60)], ["ham"] * 40 + ["news"] * 13 + ["spam"] * 7
    store = kept(texts, labels).finish().store
    assert store.message_totals.tolist() == [7, 7, 7]


def test_the_order_does_not_matter() -> None:
    texts, labels = [f"word{i}" for i in range(40)], ["ham"] * 30 + ["spam"] * 10
    order = np.random.default_rng(2).permutation(40).tolist()
    one, other = (
        kept([texts[i] for i in rows], [labels[i] for i in rows]).finish().store
        for rows in (range(40), order)
    )
    assert one.keys.tolist() == other.keys.tolist()


def test_rows_without_text_count_too() -> None:
    labels = ["no"] * 20 + ["yes"] * 5
    trainer = kept([""] * 25, labels, {"wind": ["weak", "strong"] * 12 + ["weak"]})
    assert trainer.finish().store.message_totals.tolist() == [5, 5]


def test_copies_stay_or_go_together() -> None:
    """Of two texts of four copies each three messages are wanted: one text it is, not none."""
    texts, labels = ["first one"] * 4 + ["second one"] * 4 + ["a b", "c d", "e f"], ["ham"] * 8 + ["spam"] * 3
    store = kept(texts, labels).finish().store
    assert store.message_totals.tolist() == [4, 3]


def test_no_messages_no_limits() -> None:
    assert UnderSampling(PLAIN).limits() == {}
