"""Trains small models, lets them learn, and checks what they hold."""

from __future__ import annotations

from pathlib import Path

from spamnb.messages import Texts
from spamnb.model.spam_model import SpamModel
from spamnb.settings import TrainingConfig
from spamnb.training.incremental import Learner
from spamnb.training.trainer import Trainer
from tests.helpers.count_stores import identical

ROWS = [("win a prize", "spam"), ("free prize now", "spam"), ("see you", "ham"), ("at home", "ham")]


NEWS = [("prize of the week", "spam"), ("see you at home", "ham"), ("call now", "spam")]


def beside(path: Path) -> Path:
    return path.with_name(path.name + ".journal")


def learn(path: Path, *rows: tuple[str, str]) -> Learner:
    with Learner(path) as learner:
        learner.learn([text for text, _ in rows], [label for _, label in rows])
    return learner


def is_trained_on(path: Path, rows: list[tuple[str, str]]) -> bool:
    identical(SpamModel.load(path).store, trained(rows).store)
    return True


def trained(rows: list[tuple[str, str]]) -> SpamModel:
    trainer = Trainer(training=TrainingConfig(folds=0))
    trainer.add(Texts.of([t for t, _ in rows]), [label for _, label in rows])
    return trainer.finish()
