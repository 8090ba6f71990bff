"""`StoredModel`: a process that keeps a model in memory notices that the files have changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from spamnb.errors import ModelError
from spamnb.model.spam_model import SpamModel
from spamnb.settings import FeatureConfig
from spamnb.storage.lock import Lock
from spamnb.training.incremental import Learner
from spamnb.training.stored_model import StoredModel
from spamnb.training.trainer import train
from tests.helpers.count_stores import identical

TEXTS, LABELS = ["win a prize", "free prize", "see you", "ok see"], ["spam", "spam", "ham", "ham"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    train(TEXTS, LABELS).save(tmp_path / "m.spamnb")
    return tmp_path / "m.spamnb"


def learn(path: Path, text: str) -> None:
    with Learner(path) as learner:
        learner.learn([text], ["spam"])


def test_unchanged_files_are_read_once(path: Path) -> None:
    stored = StoredModel(path)
    assert not stored.is_newest()
    model = stored.newest()
    assert stored.is_newest()
    assert stored.newest() is model
    with Learner(path) as learner:  # which writes nothing
        learner.learn(["see you"], ["ham"])
    assert stored.newest() is model


def test_a_first_and_a_later_record_are_noticed(path: Path) -> None:
    stored = StoredModel(path)
    stored.load()
    for text in ("one more", "two more"):
        learn(path, text)
        assert not stored.is_newest()
        identical(stored.newest().store, SpamModel.load(path).store)
        assert stored.is_newest()


def test_a_new_model_file_is_noticed(path: Path) -> None:
    stored = StoredModel(path)
    stored.load()
    learn(path, "one more")
    stored.newest()
    with Learner(path) as learner:
        learner.compact()
    assert not stored.is_newest()
    assert int(stored.newest().store.message_totals.sum()) == 5
    train(TEXTS[1:3], LABELS[1:3], features=FeatureConfig.plain()).save(path)
    assert stored.newest().features == FeatureConfig.plain()


def test_a_model_that_is_gone_is_an_error(path: Path) -> None:
    stored = StoredModel(path)
    stored.load()
    path.unlink()
    with pytest.raises(ModelError, match="no model at"):
        stored.newest()


def test_refresh_adds_new_records_without_reading_the_model_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = StoredModel(path)
    stored.load()
    learn(path, "one more")
    with Lock(path), monkeypatch.context() as patch:
        patch.setattr(SpamModel, "from_state", None)
        refreshed = stored.refresh()
    identical(refreshed.store, SpamModel.load(path).store)
    assert refreshed.seen_messages is not None
    assert len(refreshed.seen_messages) == 5


def test_refresh_reads_a_replaced_model_file(path: Path) -> None:
    stored = StoredModel(path)
    stored.load()
    train(TEXTS[1:3], LABELS[1:3]).save(path)
    with Lock(path):
        assert int(stored.refresh().store.message_totals.sum()) == 2
    train(TEXTS, LABELS, features=FeatureConfig.plain()).save(path)
    with Lock(path), pytest.raises(ModelError, match="was replaced by another model"):
        stored.refresh()
