"""Under-sampling: which messages of a large class are left out depends on their words alone."""

from __future__ import annotations

import numpy as np

from spamnb.counts.store_merge import subtract_store
from spamnb.messages import Texts
from spamnb.model.spam_model import SpamModel
from spamnb.settings import FeatureConfig
from spamnb.training.trainer import Trainer
from tests.helpers.count_stores import identical

TEXTS = tuple(f"text number {i} {i % 7}" for i in range(400))
LABELS = tuple("spam" if i % 10 == 0 else "ham" for i in range(400))


def trained(keep: dict[str, float], order: int = 1) -> SpamModel:
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
    trainer = Trainer(features, keep={"ham": 0.3})
    numbers = np.arange(400.0)
    trainer.add(Texts.of(TEXTS), LABELS, {"n": [str(i) for i in range(400)]}, {"x": numbers})
    store = trainer.finish().store
    ham, spam = (int(n) for n in store.message_totals)
    assert sum(row[0] for row in store.categories["n"].values()) == ham
    assert [m.count for m in store.numbers["x"]] == [ham, spam]
