"""Under-sampling: classes get equal sizes, and which messages are left out depends on their words alone."""

from __future__ import annotations

import numpy as np
import pytest

from spamnb.counts.store_merge import subtract_store
from spamnb.messages import Texts
from spamnb.model.spam_model import SpamModel
from spamnb.settings import FeatureConfig, TrainingConfig
from spamnb.training.trainer import Trainer
from spamnb.training.under_sampling import UnderSampling
from tests.helpers.count_stores import identical
from tests.helpers.texts import calls_of_extract

TEXTS = tuple(f"text number {i} {i % 7}" for i in range(400))
PLAIN = FeatureConfig.plain()
LABELS = tuple("spam" if i % 10 == 0 else "ham" for i in range(400))


def trained(shares: dict[str, float], order: int = 1) -> SpamModel:
    """Trains on about this share of the messages of a class: digests are evenly spread."""
    keep = {label: int(share * 2**64) for label, share in shares.items()}
    trainer = Trainer(FeatureConfig.plain(), keep=keep)
    texts, labels = list(TEXTS[::order]), list(LABELS[::order])
    trainer.add(Texts.of(texts[:150]), labels[:150])
    trainer.add(Texts.of(texts[150:]), labels[150:])
    model = trainer.finish()
    assert trainer.messages == int(model.store.message_totals.sum())
    return model


def test_the_share_is_kept() -> None:
    ham, spam = trained({"ham": 0.25}).store.message_totals.tolist()
    assert spam == 40
    assert 60 <= ham <= 120


def test_the_order_of_the_data_does_not_matter() -> None:
    identical(trained({"ham": 0.25}).store, trained({"ham": 0.25}, order=-1).store)


def test_a_smaller_share_is_a_part_of_a_larger_one() -> None:
    small, large = trained({"ham": 0.1}), trained({"ham": 0.5})
    subtract_store(large.store, small.store)  # would be refused otherwise


def test_all_is_all() -> None:
    everything = SpamModel(FeatureConfig.plain()).learn(TEXTS, LABELS)
    identical(trained({"ham": 1.0, "spam": 1.0}).store, everything.store)
    identical(trained({}).store, everything.store)


def test_columns_go_with_their_messages() -> None:
    features = FeatureConfig(ngrams=1, shapes=False, categorical=("n",), numeric=("x",))
    trainer = Trainer(features, keep={"ham": 3 << 60})
    numbers = np.arange(400.0)
    trainer.add(Texts.of(TEXTS), LABELS, {"n": [str(i) for i in range(400)]}, {"x": numbers})
    store = trainer.finish().store
    ham, spam = (int(n) for n in store.message_totals)
    assert sum(row[0] for row in store.categories["n"].values()) == ham
    assert [m.count for m in store.numbers["x"]] == [ham, spam]


def kept(texts: list[str], labels: list[str], columns: dict[str, list[str]] | None = None) -> Trainer:
    choice = UnderSampling(PLAIN)
    for part in (slice(0, 7), slice(7, None)):  # limits are those of all messages
        values = {name: column[part] for name, column in (columns or {}).items()}
        choice.add(Texts.of(texts[part]), labels[part], values, {})
    trainer = Trainer(PLAIN, training=TrainingConfig(folds=0), keep=choice.limits())
    trainer.add(Texts.of(texts), labels, columns)
    return trainer


def test_each_message_is_tokenised_once(monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = Trainer(FeatureConfig(), training=TrainingConfig(folds=0), keep={"ham": 1 << 63})
    calls = calls_of_extract(monkeypatch)
    trainer.add(Texts.of(TEXTS), LABELS)
    assert calls == [[text.encode() for text in TEXTS]]


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
